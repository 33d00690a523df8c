"""A whole curator on a server that fails at the worst moment: no row is read unpaid, and nothing paid is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

import deniable
from deniable.core.errors import Failed, Refused
from deniable.engines import DuckDB
from deniable.ledger.storage import server
from tests.support.ages import COUNT, ages, kept_at
from tests.support.ledgers import ServerPlace


@pytest.fixture
def clinic(tmp_path: Path, server_url: str) -> Path:
    path = ages(tmp_path, "clinic", kept_at(server_url))
    deniable.create(path).close()
    return path


def _unread(*_: object) -> None:
    pytest.fail("a row was read")


def test_a_commit_that_lands_late_is_never_a_free_question(
    clinic: Path, server_place: ServerPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with deniable.open(clinic) as curator:
        with server_place.cut_off_in_commit(monkeypatch) as patch:
            patch.setattr(DuckDB, "run", _unread)
            with pytest.raises(Failed):
                curator.ask(COUNT, epsilon="0.5")
        assert float(curator.budget().spent.epsilon) == 0.5
        assert curator.ledger.verify() == 2


def test_a_curator_on_a_server_that_forgets_reads_no_row(clinic: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with deniable.open(clinic) as curator:
        monkeypatch.setattr(server, "_DURABLE", {"remote_apply"})
        monkeypatch.setattr(DuckDB, "run", _unread)
        with pytest.raises(Refused) as refused:
            curator.ask(COUNT, epsilon="0.5")
        assert refused.value.code == "ledger-not-durable"
        assert float(curator.budget().spent.epsilon) == 0
