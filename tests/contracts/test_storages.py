"""What every storage of a ledger promises, in a file and on a server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from threading import Event, Thread

import pytest

from deniable.core.errors import Refused
from deniable.ledger.entries.entry import NOTHING, Link
from deniable.ledger.storage import table
from deniable.ledger.storage.storages import store_at
from deniable.ledger.storage.store import Store
from tests.support.ledgers import Place, ServerPlace

SHORT, PATIENCE = 0.3, 60
FIRST = Link.after(NOTHING, "created", {"population": "clinic", "written": ""})
NEXT = Link.after(FIRST.head, "charged", {"question": "q", "totals": {"clinic": {}}})


@pytest.fixture
def store(place: Place) -> Iterator[Store]:
    with closing(store_at(place.url, "clinic")) as store:
        store.begin([FIRST], b"key")
        yield store


@pytest.fixture
def other(place: Place, store: Store) -> Iterator[Store]:  # noqa: ARG001 - which must be there
    """As another process has it."""
    with closing(store_at(place.url, "clinic")) as other:
        yield other


def test_what_was_written_is_there_for_everybody(store: Store, other: Store) -> None:
    with store.writing() as connection:
        table.append(connection, NEXT)
    with other.reading() as connection:
        assert list(table.links(connection)) == [FIRST, NEXT]
        assert list(table.links(connection, 2)) == [NEXT]
        assert table.link(connection, 2) == table.with_digest(connection, NEXT.digest) == NEXT
        assert table.link(connection, 3) is table.with_digest(connection, "none") is None
        assert table.first(connection, '["q","charged"]') == table.last(connection, '["q","charged"]', 2) == 2
        assert table.last(connection, '["q","charged"]', 1) is table.first(connection, "none") is None
        assert len(list(table.every_place(connection))) == 2


def test_many_rows_come_in_their_order(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "_PAGE", 3)
    written = [FIRST]
    with store.writing() as connection:
        for _ in range(9):
            written.append(Link.after(written[-1].head, "charged", {"question": "q", "totals": {}}))
            table.append(connection, written[-1])
        for since in (0, 1, 4, 8, 10, 11):
            assert list(table.links(connection, since)) == [link for link in written if link.sequence >= since]


def test_what_raises_leaves_nothing(store: Store, other: Store) -> None:
    def broken() -> None:
        with store.writing() as connection:
            table.append(connection, NEXT)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        broken()
    for look in (store.reading, other.reading, store.settled, other.settled):
        with look() as connection:
            assert list(table.links(connection)) == [FIRST]


def test_one_writes_at_a_time_from_before_the_first_look(store: Store, other: Store) -> None:
    inside, seen = Event(), []

    def write() -> None:
        with other.writing() as connection:
            inside.set()
            seen.extend(table.links(connection))

    waiting = Thread(target=write)
    with store.writing() as connection:
        waiting.start()
        assert not inside.wait(SHORT)
        table.append(connection, NEXT)
        assert not inside.wait(SHORT)
    waiting.join(PATIENCE)
    assert seen == [FIRST, NEXT]


def test_who_reads_sees_one_moment(store: Store, other: Store) -> None:
    with other.reading() as connection:
        before = list(table.links(connection))
        with store.writing() as writing:
            table.append(writing, NEXT)
        assert list(table.links(connection)) == before == [FIRST]
        assert table.first(connection, '["q","charged"]') is None


def test_there_is_one_ledger_in_a_place(store: Store, other: Store) -> None:
    assert other.is_there()
    for taken in (store, other):
        with pytest.raises(Refused) as refused:
            taken.begin([FIRST], b"")
        assert refused.value.code == "ledger-exists"
    other.require()


def test_what_could_not_be_begun_leaves_nothing(place: Place) -> None:
    def broken() -> Iterator[Link]:
        yield FIRST
        raise ZeroDivisionError

    with closing(store_at(place.url, "clinic")) as store, pytest.raises(ZeroDivisionError):
        store.begin(broken(), b"")
    with closing(store_at(place.url, "clinic")) as store:
        assert not store.is_there()
        with pytest.raises(Refused) as refused:
            store.require()
        assert refused.value.code == "ledger-missing"
        store.begin([FIRST], b"")
    assert place.anchor.exists()


def test_a_closed_one_is_closed(store: Store) -> None:
    store.close()
    for use in (store.reading, store.writing, store.settled):
        with pytest.raises(Refused) as refused, use():
            pytest.fail("it is open")
        assert refused.value.code == "ledger-closed"


def test_everybody_has_the_same_secret(store: Store, other: Store) -> None:
    assert store.secret() == other.secret() is not None


@pytest.mark.parametrize("what", ["UPDATE {} SET sequence = 7", "DELETE FROM {}", "TRUNCATE {}"])
@pytest.mark.parametrize("name", ["entries", "places"])
def test_a_slip_changes_nothing(place: Place, store: Store, what: str, name: str) -> None:
    with store.writing() as connection:
        table.append(connection, NEXT)
    if what.startswith("TRUNCATE") and not isinstance(place, ServerPlace):
        pytest.skip("SQLite has no such statement")
    with pytest.raises(Exception, match="append-only"):
        place.slip(what.format(name))
    assert len(place.rows("SELECT * FROM entries")) == len(place.rows("SELECT * FROM places")) == 2


def test_turns_are_taken_by_question(store: Store, other: Store) -> None:
    inside, apart = Event(), Event()

    def comes(question: str, event: Event) -> None:
        with other.turns.of(question):
            event.set()

    waiting, free = Thread(target=comes, args=("q", inside)), Thread(target=comes, args=("r", apart))
    with store.turns.of("q"):
        for thread in (waiting, free):
            thread.start()
        assert apart.wait(PATIENCE)
        assert not inside.wait(SHORT)
    assert inside.wait(PATIENCE)
    for thread in (waiting, free):
        thread.join(PATIENCE)
