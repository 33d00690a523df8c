from __future__ import annotations

from pathlib import Path

import pytest

from deniable.core.errors import Refused
from deniable.ledger import Head
from deniable.ledger.storage.anchor import Anchor


@pytest.fixture
def anchor(tmp_path: Path) -> Anchor:
    anchor = Anchor.of(tmp_path / "clinic.ledger")
    anchor.create(Head(1, "a" * 64))
    return anchor


def test_it_says_what_was_written_last(anchor: Anchor) -> None:
    assert anchor.path.name == "clinic.ledger.head"
    for sequence in (1, 2, 3, 4, 7, 9, 10):
        anchor.write(Head(sequence, f"{sequence:064}"))
        anchor.flush()
        assert anchor.read() == Head(sequence, f"{sequence:064}")
    assert anchor.path.stat().st_size == 8192


def test_a_torn_write_leaves_the_one_before(anchor: Anchor) -> None:
    anchor.write(Head(2, "b" * 64))
    anchor.write(Head(3, "c" * 64))
    whole = anchor.path.read_bytes()
    place = whole.index(b"c" * 64)
    anchor.path.write_bytes(whole[:place] + b"x" * 30 + whole[place + 30 :])
    assert anchor.read() == Head(2, "b" * 64)
    anchor.write(Head(4, "d" * 64))
    assert anchor.read() == Head(4, "d" * 64)


@pytest.mark.parametrize("content", [b"", b"\xff" * 8192, b"{}", b"[1]\n", b'{"sequence":9,"digest":"a","check":""}'])
def test_what_is_not_an_anchor_holds_nothing(anchor: Anchor, content: bytes) -> None:
    anchor.path.write_bytes(content)
    with pytest.raises(Refused) as refused:
        anchor.read()
    assert refused.value.code == "ledger-edited"


def test_a_missing_anchor_is_noticed(anchor: Anchor) -> None:
    anchor.path.unlink()
    with pytest.raises(Refused) as refused:
        anchor.read()
    assert refused.value.code == "ledger-anchor-missing"
    assert "clinic.ledger.head" in refused.value.hint


def test_there_is_only_one(anchor: Anchor) -> None:
    with pytest.raises(FileExistsError):
        anchor.create(Head(1, "b" * 64))
