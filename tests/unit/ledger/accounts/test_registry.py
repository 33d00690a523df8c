"""Which accounts hold the same people: by where their rows are, or by what they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from deniable.core.errors import Refused
from deniable.ledger import Holding, claimed, note
from tests.unit.ledger.asking import url

HERE = {"visits.csv": "digest 1"}


@pytest.mark.parametrize(
    ("sources", "same"),
    [
        ({"visits.csv": "digest 2"}, True),  # a row was appended
        ({"copy.csv": "digest 1"}, True),
        ({"others.csv": "digest 3", "copy.csv": "digest 1"}, True),
        ({"others.csv": "digest 3"}, False),
        ({}, False),
    ],
)
def test_accounts_share_a_place_or_a_content(tmp_path: Path, sources: dict[str, str], *, same: bool) -> None:
    first, second = Holding(url(tmp_path / "a"), "clinic", HERE), Holding(url(tmp_path / "b"), "other", sources)
    assert first.shares(second) is second.shares(first) is same
    with claimed(first):
        pass
    if not same:
        with claimed(second):
            return
    with pytest.raises(Refused) as refused, claimed(second):
        pytest.fail("a second account was made")
    assert refused.value.code == "source-taken"


def test_a_reason_lets_a_second_account_be_made(tmp_path: Path) -> None:
    with claimed(Holding(url(tmp_path / "a"), "clinic", HERE)):
        pass
    for reason in ("", "  "):
        with pytest.raises(Refused), claimed(Holding(url(tmp_path / "b"), "other", HERE, reason)):
            pytest.fail("no reason is a reason")
    with claimed(Holding(url(tmp_path / "b"), "other", HERE, "a training copy")):
        pass


def test_an_account_that_could_not_be_made_is_not_listed(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), claimed(Holding(url(tmp_path / "a"), "clinic", HERE)):
        raise ZeroDivisionError
    with claimed(Holding(url(tmp_path / "b"), "other", HERE)):
        pass


def test_what_an_account_is_noted_for_later_counts_too(tmp_path: Path) -> None:
    with claimed(Holding(url(tmp_path / "a"), "clinic", HERE)):
        pass
    note(Holding(url(tmp_path / "a"), "clinic", {"more.csv": "digest 4"}))
    with pytest.raises(Refused), claimed(Holding(url(tmp_path / "b"), "other", {"copy.csv": "digest 4"})):
        pytest.fail("a second account was made")
