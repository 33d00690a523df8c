"""An account moves from a file to a server: the same entries, and nothing can be spent in the old place any more."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from typer.testing import CliRunner

import deniable
from deniable.apps.cli import app
from deniable.core.errors import Failed, InvalidArgumentError
from deniable.curator import move
from deniable.ledger import Ledger
from deniable.ledger import move as move_ledger
from deniable.ledger.entries.entry import Link
from deniable.ledger.storage.postgres import Postgres
from tests.support.ages import COUNT, ages, kept_at
from tests.support.ledgers import FilePlace, ServerPlace
from tests.support.refusals import code_of
from tests.unit.ledger.asking import account, ask, charge


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    path = ages(tmp_path, "clinic")
    deniable.create(path).close()
    return path


@pytest.fixture
def old(tmp_path: Path) -> FilePlace:
    place = FilePlace(tmp_path / "clinic.ledger")
    ledger = Ledger.create(place.url, "clinic")
    for question in ("one", "two", "three"):
        ask(ledger, question)
    ledger.close()
    return place


def test_the_account_goes_on_where_it_was_and_what_was_answered_stays_free(clinic: Path, server_url: str) -> None:
    with deniable.open(clinic) as early:
        answer = early.ask(COUNT, epsilon="0.25")
        run = CliRunner().invoke(app, ["ledger", "move", str(clinic), server_url])
        assert run.exit_code == 0, run.output
        assert f'[ledger] url = "{server_url}"' in run.output
        assert code_of(lambda: early.ask(f"{COUNT} WHERE age > 1", epsilon="0.25")) == "ledger-moved"
    assert code_of(lambda: deniable.open(clinic)) == "ledger-moved"
    clinic.write_text(clinic.read_text() + kept_at(server_url))
    with deniable.open(clinic) as late:
        again = late.ask(COUNT, epsilon="0.25")
        assert (again.free, again.table) == (True, answer.table)
        late.ask(f"{COUNT} WHERE age > 1", epsilon="0.25")
        assert float(late.budget().spent.epsilon) == 0.5
        assert late.ledger.verify() == 5
    second = clinic.with_name("second.toml")
    second.write_text(clinic.read_text().replace('"clinic"', '"second"'))
    assert code_of(lambda: deniable.create(second)) == "source-taken"


def test_both_have_the_same_entries_and_the_old_one_is_closed(old: FilePlace, server_place: ServerPlace) -> None:
    before = old.rows("SELECT * FROM entries ORDER BY sequence")
    told: list[tuple[int, int]] = []
    head = move_ledger(old.url, server_place.url, "clinic", lambda done, of: told.append((done, of)))
    assert [tuple(row) for row in server_place.rows("SELECT * FROM entries ORDER BY sequence")] == before
    assert (head.sequence, head.digest) == (before[-1][0], before[-1][-1])
    assert told[-1] == (7, 7)
    closed, moved = Ledger.open(old.url, "clinic"), Ledger.open(server_place.url, "clinic")
    assert moved.head == head
    assert closed.history()[-1].kind == "moved"
    assert closed.verify() == moved.verify() + 1 == 8
    assert closed.spent("clinic") == moved.spent("clinic")
    assert closed.find("one") == moved.find("one") == b"42"
    assert code_of(lambda: closed.charge(charge("four"), [account(1)])) == "ledger-moved"
    assert code_of(lambda: closed.show(charge("one"), [account(1, "bob")])) == "ledger-moved"
    ask(moved, "four")
    for ledger in (closed, moved):
        ledger.close()


def test_an_answer_that_comes_after_the_move_is_not_kept_in_the_old_place(
    old: FilePlace, server_place: ServerPlace
) -> None:
    ledger = Ledger.open(old.url, "clinic")
    ticket = ledger.charge(charge("late"), [account(1)])
    move_ledger(old.url, server_place.url, "clinic")
    with pytest.raises(Failed):
        ledger.record(ticket, b"1")
    ledger.close()
    moved = Ledger.open(server_place.url, "clinic")
    moved.record(ticket, b"1")
    assert moved.find("late") == b"1"
    moved.close()


def test_who_is_interrupted_says_the_same_again(
    old: FilePlace, server_place: ServerPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(Postgres, "begin", broken)
        assert code_of(lambda: move_ledger(old.url, server_place.url, "clinic")) == "ledger-unavailable"
    closed = Ledger.open(old.url, "clinic")
    assert code_of(lambda: closed.charge(charge("four"), [account(1)])) == "ledger-moved"
    closed.close()
    assert code_of(lambda: Ledger.open(server_place.url, "clinic")) == "ledger-missing"
    elsewhere = f"{server_place.url}?connect_timeout=9"
    assert code_of(lambda: move_ledger(old.url, elsewhere, "clinic")) == "ledger-moved"
    heads = {move_ledger(old.url, server_place.url, "clinic") for _ in range(2)}
    assert {head.sequence for head in heads} == {7}
    assert Ledger.open(server_place.url, "clinic").verify() == 7


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("moment", ["_prepare", "_is_there"])
def test_who_is_killed_says_the_same_again(old: FilePlace, server_place: ServerPlace, moment: str) -> None:
    child = os.fork()
    if child == 0:
        setattr(Postgres, moment, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
        move_ledger(old.url, server_place.url, "clinic")
        os._exit(0)
    assert os.WIFSIGNALED(os.waitpid(child, 0)[1])
    assert move_ledger(old.url, server_place.url, "clinic").sequence == 7
    assert Ledger.open(server_place.url, "clinic").verify() == 7


def test_as_long_as_it_cannot_be_moved_nothing_is_closed(old: FilePlace, server_place: ServerPlace) -> None:
    Ledger.create(server_place.url, "clinic").close()
    assert code_of(lambda: move_ledger(old.url, server_place.url, "clinic")) == "ledger-exists"
    nowhere = "postgresql://nobody@127.0.0.1:1/nowhere"
    assert code_of(lambda: move_ledger(old.url, nowhere, "clinic")) == "ledger-unavailable"
    with pytest.raises(InvalidArgumentError):
        move_ledger(old.url, "sqlite:///elsewhere.ledger", "clinic")
    ledger = Ledger.open(old.url, "clinic")
    ask(ledger, "four")
    ledger.close()


def test_an_edited_ledger_is_not_moved(old: FilePlace, server_place: ServerPlace) -> None:
    old.by_hand("DELETE FROM places WHERE sequence = 2")
    assert code_of(lambda: move_ledger(old.url, server_place.url, "clinic")) == "ledger-edited"
    ledger = Ledger.open(old.url, "clinic")
    assert ledger.head.sequence == 7
    ledger.close()


def test_nothing_follows_the_entry_that_closes(old: FilePlace, server_place: ServerPlace) -> None:
    """Whoever can write entries with the right digests still cannot go on charging."""
    move_ledger(old.url, server_place.url, "clinic")
    ledger = Ledger.open(old.url, "clinic")
    forged = charge("four")
    total = ledger.spent("clinic") + forged.loss
    old.insert(Link.after(ledger.head, "charged", forged.body({"clinic": total}, "")))
    ledger.close()
    assert code_of(lambda: Ledger.open(old.url, "clinic")) == "ledger-edited"


def test_moving_by_the_policy_says_what_to_write(clinic: Path, server_url: str) -> None:
    assert move(clinic, server_url).sequence == 1
