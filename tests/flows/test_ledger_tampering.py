from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from deniable.core.errors import Failed, Refused
from deniable.ledger import Head, Ledger
from deniable.ledger.entry import NOTHING, Link
from tests.unit.ledger.asking import account, ask, charge, url


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("original")
    ledger = Ledger.create(url(folder / "clinic.ledger"), "clinic")
    for question in ("one", "two", "three"):
        ask(ledger, question)
    ledger.close()
    return folder


@pytest.fixture
def path(original: Path, tmp_path: Path) -> Path:
    shutil.copytree(original, tmp_path, dirs_exist_ok=True)
    return tmp_path / "clinic.ledger"


def _by_hand(path: Path, *statements: str) -> None:
    """As somebody does who can write to the file and knows about the triggers."""
    hand = sqlite3.connect(path)
    for trigger in ("entries_are_never_changed", "entries_are_never_removed"):
        hand.execute(f"DROP TRIGGER IF EXISTS {trigger}")
    for statement in statements:
        assert hand.execute(statement).rowcount > 0
    hand.commit()
    hand.close()


def _code(step: Callable[[], object]) -> str:
    with pytest.raises(Refused) as refused:
        step()
    assert refused.value.hint
    assert refused.value.__context__ is None or refused.value.__suppress_context__
    return refused.value.code


def _opening(path: Path, population: str = "clinic") -> str:
    return _code(lambda: Ledger.open(url(path), population))


@pytest.mark.parametrize("sequence", range(1, 8))
@pytest.mark.parametrize(
    "change",
    [
        "kind = 'answered ' || kind",
        "body = replace(body, '\"', '\" ')",
        "body = x'00'",
        "payload = x'00'",
        "payload = 'text'",
        "digest = '" + "0" * 64 + "'",
        "previous = '" + "1" * 64 + "'",
        "sequence = 100",
        "sequence = -1",
    ],
)
def test_an_edited_entry_is_noticed(path: Path, sequence: int, change: str) -> None:
    _by_hand(path, f"UPDATE entries SET {change} WHERE sequence = {sequence}")
    assert _opening(path) in {"ledger-edited", "ledger-rolled-back"}


def test_a_lowered_total_is_noticed(path: Path) -> None:
    _by_hand(path, "UPDATE entries SET body = replace(body, '3/10', '1/10') WHERE sequence = 6")
    assert _opening(path) == "ledger-edited"


@pytest.mark.parametrize("last", range(7))
def test_deleted_last_entries_are_noticed(path: Path, last: int) -> None:
    _by_hand(path, f"DELETE FROM entries WHERE sequence > {last}")
    assert _opening(path) == "ledger-rolled-back"


@pytest.mark.parametrize("sequence", range(1, 7))
def test_a_deleted_entry_is_noticed(path: Path, sequence: int) -> None:
    _by_hand(path, f"DELETE FROM entries WHERE sequence = {sequence}")
    assert _opening(path) == "ledger-edited"


def test_an_entry_that_nobody_paid_for_is_noticed(path: Path) -> None:
    _by_hand(path, "INSERT INTO entries SELECT 8, kind, body, payload, digest, digest FROM entries WHERE sequence = 7")
    assert _opening(path) == "ledger-edited"


def test_a_chain_that_was_written_anew_does_not_go_through_the_anchor(path: Path) -> None:
    hand = sqlite3.connect(path)
    rows = hand.execute("SELECT kind, body, payload FROM entries ORDER BY sequence").fetchall()
    hand.close()
    head = NOTHING
    _by_hand(path, "DELETE FROM entries")
    hand = sqlite3.connect(path)
    for kind, body, payload in rows:
        link = Link.after(head, kind, json.loads(body) | {"written": "later"}, payload)
        hand.execute(
            "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)",
            (link.sequence, link.kind, link.body, link.payload, link.previous, link.digest),
        )
        head = link.head
    hand.commit()
    hand.close()
    assert _opening(path) == "ledger-edited"


@pytest.mark.parametrize("size", [0, 100, 4096, 6000])
def test_a_file_that_was_cut_is_noticed(path: Path, size: int) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:size])
    assert _opening(path) == "ledger-edited"


def test_a_file_that_is_something_else_is_noticed(path: Path) -> None:
    path.write_text("hello, this is not a database, but it is long enough to be looked at" * 100)
    assert _opening(path) == "ledger-edited"


def test_an_older_copy_is_noticed(path: Path, tmp_path: Path) -> None:
    shutil.copy(path, tmp_path / "backup")
    ledger = Ledger.open(url(path), "clinic")
    ledger.charge(charge("four"), [account(1)])
    ledger.close()
    shutil.copy(tmp_path / "backup", path)
    assert _opening(path) == "ledger-rolled-back"


def test_a_deleted_ledger_is_not_begun_again(path: Path) -> None:
    path.unlink()
    assert _opening(path) == "ledger-missing"
    assert _code(lambda: Ledger.create(url(path), "clinic")) == "ledger-exists"
    assert not path.exists()


def test_a_deleted_anchor_is_noticed(path: Path) -> None:
    path.with_name("clinic.ledger.head").unlink()
    assert _opening(path) == "ledger-anchor-missing"
    assert _code(lambda: Ledger.create(url(path), "clinic")) == "ledger-exists"


def test_a_lost_anchor_is_made_again_from_a_head_that_was_kept(path: Path) -> None:
    ledger = Ledger.open(url(path), "clinic")
    kept = ledger.head
    ask(ledger, "four")
    ledger.close()
    assert _code(lambda: Ledger.reanchor(url(path), "clinic", kept)) == "ledger-exists"
    path.with_name("clinic.ledger.head").unlink()
    for head, code in ((Head(99, kept.digest), "ledger-rolled-back"), (Head(6, kept.digest), "ledger-edited")):
        assert _code(lambda head=head: Ledger.reanchor(url(path), "clinic", head)) == code  # type: ignore[misc]
    Ledger.reanchor(url(path), "clinic", kept)
    assert Ledger.open(url(path), "clinic").verify() == 9


def test_an_anchor_of_another_ledger_does_not_hold(path: Path, tmp_path: Path) -> None:
    Ledger.create(url(tmp_path / "other"), "clinic").close()
    shutil.copy(tmp_path / "other.head", tmp_path / "clinic.ledger.head")
    assert _opening(path) == "ledger-edited"


def test_another_populations_ledger_is_refused(path: Path) -> None:
    assert _opening(path, "school") == "ledger-other-population"


def test_a_ledger_is_not_created_over_another(path: Path) -> None:
    before = path.read_bytes()
    assert _code(lambda: Ledger.create(url(path), "clinic")) == "ledger-exists"
    assert path.read_bytes() == before


def test_a_folder_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    assert _code(lambda: Ledger.create(url(tmp_path / "no" / "where"), "clinic")) == "ledger-unavailable"
    assert _opening(tmp_path / "no" / "where") == "ledger-missing"


def test_a_ledger_ahead_of_its_anchor_is_what_a_crash_leaves(path: Path) -> None:
    anchor = path.with_name("clinic.ledger.head")
    before = anchor.read_bytes()
    ledger = Ledger.open(url(path), "clinic")
    ask(ledger, "four")
    head = ledger.head
    ledger.close()
    anchor.write_bytes(before)
    Ledger.open(url(path), "clinic").close()
    assert head.digest in anchor.read_text()
    _by_hand(path, "DELETE FROM entries WHERE sequence = 9")
    assert _opening(path) == "ledger-rolled-back"


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("UPDATE entries SET body = body || ' ' WHERE sequence = 7", "ledger-edited"),
        ("UPDATE entries SET payload = x'00' WHERE sequence = 7", "ledger-edited"),
        ("DELETE FROM entries WHERE sequence = 7", "ledger-rolled-back"),
        ("DELETE FROM entries WHERE sequence > 1", "ledger-rolled-back"),
    ],
)
def test_a_change_under_its_hands_is_noticed_at_the_next_charge(path: Path, statement: str, code: str) -> None:
    ledger = Ledger.open(url(path), "clinic")
    _by_hand(path, statement)
    for step in (lambda: ledger.charge(charge("four"), [account(1)]), lambda: ledger.find("one"), ledger.verify):
        assert _code(step) == code


def test_totals_are_not_read_again_from_where_they_could_have_been_changed(path: Path) -> None:
    ledger = Ledger.open(url(path), "clinic")
    _by_hand(path, "UPDATE entries SET body = replace(body, '1/5', '1/9') WHERE sequence = 4")
    ledger.charge(charge("four"), [account(1)])
    assert str(ledger.spent("clinic").epsilon) == "2/5"
    assert _code(ledger.verify) == _code(ledger.history) == "ledger-edited"


def test_a_changed_answer_is_not_given(path: Path) -> None:
    ledger = Ledger.open(url(path), "clinic")
    _by_hand(path, "UPDATE entries SET payload = x'00' WHERE sequence = 3")
    assert _code(lambda: ledger.find("one")) == "ledger-edited"
    assert ledger.find("two") == b"42"


def test_at_record_a_changed_ledger_gives_no_answer(path: Path) -> None:
    ledger = Ledger.open(url(path), "clinic")
    ticket = ledger.charge(charge("four"), [account(1)])
    _by_hand(path, "UPDATE entries SET body = body || ' ' WHERE sequence = 8")
    with pytest.raises(Failed):
        ledger.record(ticket, b"1")


def test_files_taken_away_under_its_hands_are_missed(path: Path, tmp_path: Path) -> None:
    ledger = Ledger.open(url(path), "clinic")
    anchor = path.with_name("clinic.ledger.head")
    anchor.rename(tmp_path / "away")
    assert _code(lambda: ledger.charge(charge("four"), [account(1)])) == "ledger-anchor-missing"
    (tmp_path / "away").rename(anchor)
    path.rename(tmp_path / "away")
    assert _code(lambda: ledger.charge(charge("four"), [account(1)])) == "ledger-missing"


def test_an_older_copy_in_its_place_is_noticed_under_its_hands(path: Path, tmp_path: Path) -> None:
    shutil.copy(path, tmp_path / "older")
    ledger = Ledger.open(url(path), "clinic")
    ask(ledger, "four")
    (tmp_path / "older").rename(path)
    path.with_name("clinic.ledger-wal").unlink()
    assert _code(lambda: ledger.charge(charge("five"), [account(1)])) == "ledger-rolled-back"
    assert _opening(path) == "ledger-rolled-back"


def test_an_older_copy_beside_the_newest_wal_has_lost_nothing(path: Path, tmp_path: Path) -> None:
    shutil.copy(path, tmp_path / "older")
    ledger = Ledger.open(url(path), "clinic")
    ask(ledger, "four")
    (tmp_path / "older").rename(path)
    ask(ledger, "five")
    ledger.close()
    assert len(Ledger.open(url(path), "clinic").history()) == 11


def test_what_nobody_can_notice_from_here(path: Path, tmp_path: Path) -> None:
    """Both files from the same older moment: only a head that was kept elsewhere tells (docs/proofs/ledger.md)."""
    anchor = path.with_name("clinic.ledger.head")
    shutil.copy(path, tmp_path / "ledger")
    shutil.copy(anchor, tmp_path / "anchor")
    ledger = Ledger.open(url(path), "clinic")
    ask(ledger, "four")
    kept = ledger.head
    ledger.close()
    shutil.copy(tmp_path / "ledger", path)
    shutil.copy(tmp_path / "anchor", anchor)
    assert Ledger.open(url(path), "clinic").head != kept
