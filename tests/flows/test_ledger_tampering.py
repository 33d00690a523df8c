from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from deniable.core.errors import Failed
from deniable.ledger import Head, Ledger
from deniable.ledger.entries.entry import NOTHING, Link
from tests.support.ledgers import FilePlace, Place, ServerPlace
from tests.support.refusals import code_of
from tests.unit.ledger.asking import account, ask, charge, url


def _write(url: str) -> None:
    """Three questions: seven entries."""
    ledger = Ledger.create(url, "clinic")
    for question in ("one", "two", "three"):
        ask(ledger, question)
    ledger.close()


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("original")
    _write(url(folder / "clinic.ledger"))
    return folder


@pytest.fixture
def path(original: Path, tmp_path: Path) -> Path:
    """A file, which can be cut, copied and taken away."""
    shutil.copytree(original, tmp_path, dirs_exist_ok=True)
    return tmp_path / "clinic.ledger"


@pytest.fixture
def written(place: Place, request: pytest.FixtureRequest) -> Place:
    if isinstance(place, FilePlace):
        return FilePlace(request.getfixturevalue("path"))
    _write(place.url)
    return place


def _opening(place: Place | Path, population: str = "clinic") -> str:
    address = f"sqlite:///{place}" if isinstance(place, Path) else place.url
    return code_of(lambda: Ledger.open(address, population))


_CHANGES = [
    "kind = 'answered ' || kind",
    "body = replace(body, '\"', '\" ')",
    "payload = x'00'",
    "payload = 'text'",
    "digest = '" + "0" * 64 + "'",
    "previous = '" + "1" * 64 + "'",
    "sequence = 100",
    "sequence = -1",
]


@pytest.mark.parametrize("sequence", range(1, 8))
@pytest.mark.parametrize("change", [*_CHANGES, "body = x'00'"])
def test_an_edited_entry_is_noticed(path: Path, sequence: int, change: str) -> None:
    FilePlace(path).by_hand(f"UPDATE entries SET {change} WHERE sequence = {sequence}")
    assert _opening(path) in {"ledger-edited", "ledger-rolled-back"}


def test_an_edited_entry_is_noticed_on_a_server(server_place: ServerPlace) -> None:
    _write(server_place.url)
    server_place.by_hand("CREATE TABLE kept AS TABLE entries")
    for sequence in range(1, 8):
        for change in _CHANGES:
            server_place.by_hand(f"UPDATE entries SET {change} WHERE sequence = {sequence}")
            assert _opening(server_place) in {"ledger-edited", "ledger-rolled-back"}, change
            server_place.by_hand("DELETE FROM entries", "INSERT INTO entries TABLE kept")
    Ledger.open(server_place.url, "clinic").close()


def test_a_lowered_total_is_noticed(written: Place) -> None:
    written.by_hand("UPDATE entries SET body = replace(body, '3/10', '1/10') WHERE sequence = 6")
    assert _opening(written) == "ledger-edited"


@pytest.mark.parametrize("last", range(7))
def test_deleted_last_entries_are_noticed(written: Place, last: int) -> None:
    written.by_hand(f"DELETE FROM entries WHERE sequence > {last}")
    assert _opening(written) == "ledger-rolled-back"


@pytest.mark.parametrize("sequence", range(1, 7))
def test_a_deleted_entry_is_noticed(written: Place, sequence: int) -> None:
    written.by_hand(f"DELETE FROM entries WHERE sequence = {sequence}")
    assert _opening(written) == "ledger-edited"


def test_an_entry_that_nobody_paid_for_is_noticed(written: Place) -> None:
    written.by_hand("INSERT INTO entries SELECT 8, kind, body, payload, digest, 'none' FROM entries WHERE sequence = 7")
    assert _opening(written) == "ledger-edited"


def test_a_chain_that_was_written_anew_does_not_go_through_the_anchor(written: Place) -> None:
    rows = written.rows("SELECT kind, body, payload FROM entries ORDER BY sequence")
    head = NOTHING
    written.by_hand("DELETE FROM entries")
    for kind, body, payload in rows:
        link = Link.after(head, kind, json.loads(body) | {"written": "later"}, payload)
        written.insert(link)
        head = link.head
    assert _opening(written) == "ledger-edited"


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


def test_a_deleted_ledger_is_not_begun_again(written: Place) -> None:
    written.remove()
    assert _opening(written) == "ledger-missing"
    assert code_of(lambda: Ledger.create(written.url, "clinic")) == "ledger-exists"


def test_a_deleted_anchor_is_noticed(written: Place) -> None:
    written.anchor.unlink()
    assert _opening(written) == "ledger-anchor-missing"
    assert code_of(lambda: Ledger.create(written.url, "clinic")) == "ledger-exists"


def test_a_lost_anchor_is_made_again_from_a_head_that_was_kept(written: Place) -> None:
    ledger = Ledger.open(written.url, "clinic")
    kept = ledger.head
    ask(ledger, "four")
    ledger.close()
    assert code_of(lambda: Ledger.reanchor(written.url, "clinic", kept)) == "ledger-exists"
    written.anchor.unlink()
    for head, code in ((Head(99, kept.digest), "ledger-rolled-back"), (Head(6, kept.digest), "ledger-edited")):
        assert code_of(lambda head=head: Ledger.reanchor(written.url, "clinic", head)) == code  # type: ignore[misc]
    Ledger.reanchor(written.url, "clinic", kept)
    assert Ledger.open(written.url, "clinic").verify() == 9


def test_an_anchor_of_another_ledger_does_not_hold(path: Path, tmp_path: Path) -> None:
    Ledger.create(url(tmp_path / "other"), "clinic").close()
    shutil.copy(tmp_path / "other.head", tmp_path / "clinic.ledger.head")
    assert _opening(path) == "ledger-edited"


def test_another_populations_ledger_is_refused(path: Path) -> None:
    assert _opening(path, "school") == "ledger-other-population"


def test_a_ledger_is_not_created_over_another(path: Path) -> None:
    before = path.read_bytes()
    assert code_of(lambda: Ledger.create(url(path), "clinic")) == "ledger-exists"
    assert path.read_bytes() == before


def test_a_folder_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    assert code_of(lambda: Ledger.create(url(tmp_path / "no" / "where"), "clinic")) == "ledger-unavailable"
    assert _opening(tmp_path / "no" / "where") == "ledger-missing"


def test_a_ledger_ahead_of_its_anchor_is_what_a_crash_leaves(written: Place) -> None:
    anchor = written.anchor
    before = anchor.read_bytes()
    ledger = Ledger.open(written.url, "clinic")
    ask(ledger, "four")
    head = ledger.head
    ledger.close()
    anchor.write_bytes(before)
    Ledger.open(written.url, "clinic").close()
    assert head.digest in anchor.read_text()
    written.by_hand("DELETE FROM entries WHERE sequence = 9")
    assert _opening(written) == "ledger-rolled-back"


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("UPDATE entries SET body = body || ' ' WHERE sequence = 7", "ledger-edited"),
        ("UPDATE entries SET payload = x'00' WHERE sequence = 7", "ledger-edited"),
        ("DELETE FROM entries WHERE sequence = 7", "ledger-rolled-back"),
        ("DELETE FROM entries WHERE sequence > 1", "ledger-rolled-back"),
    ],
)
def test_a_change_under_its_hands_is_noticed_at_the_next_charge(written: Place, statement: str, code: str) -> None:
    ledger = Ledger.open(written.url, "clinic")
    written.by_hand(statement)
    for step in (lambda: ledger.charge(charge("four"), [account(1)]), lambda: ledger.find("one"), ledger.verify):
        assert code_of(step) == code


def test_totals_are_not_read_again_from_where_they_could_have_been_changed(written: Place) -> None:
    ledger = Ledger.open(written.url, "clinic")
    written.by_hand("UPDATE entries SET body = replace(body, '1/5', '1/9') WHERE sequence = 4")
    ledger.charge(charge("four"), [account(1)])
    assert str(ledger.spent("clinic").epsilon) == "2/5"
    assert code_of(ledger.verify) == code_of(ledger.history) == "ledger-edited"


def test_a_changed_answer_is_not_given(written: Place) -> None:
    ledger = Ledger.open(written.url, "clinic")
    written.by_hand("UPDATE entries SET payload = x'00' WHERE sequence = 3")
    assert code_of(lambda: ledger.find("one")) == "ledger-edited"
    assert ledger.find("two") == b"42"


def test_at_record_a_changed_ledger_gives_no_answer(written: Place) -> None:
    ledger = Ledger.open(written.url, "clinic")
    ticket = ledger.charge(charge("four"), [account(1)])
    written.by_hand("UPDATE entries SET body = body || ' ' WHERE sequence = 8")
    with pytest.raises(Failed):
        ledger.record(ticket, b"1")


def test_files_taken_away_under_its_hands_are_missed(path: Path, tmp_path: Path) -> None:
    ledger = Ledger.open(url(path), "clinic")
    anchor = path.with_name("clinic.ledger.head")
    anchor.rename(tmp_path / "away")
    assert code_of(lambda: ledger.charge(charge("four"), [account(1)])) == "ledger-anchor-missing"
    (tmp_path / "away").rename(anchor)
    path.rename(tmp_path / "away")
    assert code_of(lambda: ledger.charge(charge("four"), [account(1)])) == "ledger-missing"


def test_an_older_copy_in_its_place_is_noticed_under_its_hands(path: Path, tmp_path: Path) -> None:
    shutil.copy(path, tmp_path / "older")
    ledger = Ledger.open(url(path), "clinic")
    ask(ledger, "four")
    (tmp_path / "older").rename(path)
    path.with_name("clinic.ledger-wal").unlink()
    assert code_of(lambda: ledger.charge(charge("five"), [account(1)])) == "ledger-rolled-back"
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
