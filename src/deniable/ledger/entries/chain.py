"""The entries on disk: checked whenever they are read, anchored whenever one is added."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Self, TypeVar

from deniable.core.errors import Failed, Refused
from deniable.ledger import refusals
from deniable.ledger.entries import checkpoint
from deniable.ledger.entries.balances import Standing
from deniable.ledger.entries.entry import NOTHING, Head, Link
from deniable.ledger.entries.records import Marks, Records
from deniable.ledger.refusals import Unusable
from deniable.ledger.storage import places, table, trouble
from deniable.ledger.storage.database import Connection
from deniable.ledger.storage.sqlite import SQLite
from deniable.ledger.storage.store import Store

Result = TypeVar("Result")
Added = TypeVar("Added", bound=Link | None)

_curator_log = logging.getLogger("deniable.curator")


class Chain:
    """Reads and adds entries, and believes none that does not follow from those before.

    What disk and database say when they fail goes to the curator's log. Here it becomes `Unusable` if certainly nothing
    was added, and a bare `Failed` if something was, or may have been.
    """

    def __init__(self, store: Store, population: str) -> None:
        self._store = store
        self._anchor = store.anchor
        self._standing = Standing(population)
        self._marks: Marks = {}

    @classmethod
    def create(cls, store: Store, population: str, first: Link, key: bytes = b"") -> Self:
        """A new chain, where there is none."""
        try:
            attempt(lambda: store.begin([first], key))
        except Refused:
            store.close()
            raise
        return cls(store, population)

    @classmethod
    def memory(cls, population: str, first: Link) -> Self:
        """A chain that ends with this process."""
        return cls.create(SQLite(None), population, first)

    @classmethod
    def open(cls, store: Store, population: str) -> Self:
        """The chain that is there, if every entry since the last checkpoint fits and none is missing."""
        chain = cls(store, population)
        try:
            attempt(chain._check)
        except Refused:
            chain.close()
            raise
        return chain

    @classmethod
    def reanchor(cls, store: Store, population: str, head: Head | str) -> None:
        """An anchor for a chain that has none on this machine, if it goes through `head`, or through its digest."""
        chain = cls(store, population)
        try:
            attempt(lambda: chain._reanchor(head))
        finally:
            chain.close()

    def read(self, look: Callable[[Records, Standing], Result]) -> Result:
        """What `look` sees in the entries as they are now; those that are new to this process are checked."""
        return attempt(lambda: self._read(look))

    def walk(self, take: Callable[[Link], Result]) -> list[Result]:
        """What `take` makes of each entry; all are checked again, from the first to the last, and so is the index."""
        return attempt(lambda: self._walk(take))

    def append(self, compose: Callable[[Records, Standing], Added]) -> Added:
        """Add what `compose` makes of the entries so far, while nobody else can add any. On disk afterwards."""
        composed: list[Added] = []
        try:
            attempt(lambda: self._append(compose, composed))
            attempt(lambda: self._publish(composed[0]))
        except Unusable:
            if not composed or self._is_absent(composed[0]):
                raise
        else:
            return composed[0]
        raise Failed

    def turn(self, question: str) -> AbstractContextManager[None]:
        """Alone with the question, among all who use the same storage."""
        return self._store.turns.of(question)

    def close(self) -> None:
        """Let go of the files."""
        self._store.close()

    def _reanchor(self, head: Head | str) -> None:
        if self._anchor is None:
            return
        self._store.require()
        self._index()
        with self._store.reading() as connection:
            if isinstance(head, str):
                found = table.with_digest(connection, head)
                if found is None:
                    raise refusals.rolled_back()
                head = found.head
            self._follow(connection, head)
        if self._anchor.path.exists():
            raise refusals.exists(self._anchor.path.name)
        self._anchor.create(self._standing.head)

    def _check(self) -> None:
        """A ledger that is ahead of its anchor is what a crash leaves; the anchor is moved up."""
        self._store.require()
        anchored = self._anchored()
        self._index()
        with self._store.reading() as connection:
            self._follow(connection, anchored)
        if anchored != self._standing.head:
            self._publish(None)

    def _index(self) -> None:
        """A ledger from before there was an index is read once from the first entry on; then checkpoints begin."""
        with self._store.reading() as connection:
            if self._store.is_indexed(connection):
                return
        afresh = Standing(self._standing.population)
        with self._store.writing() as connection:
            if self._store.is_indexed(connection):
                return  # another process was faster
            self._store.prepare_index(connection)
            past = self._records(connection, afresh)
            for link in table.links(connection):
                afresh.step(link, past)
                table.index(connection, link)
            if self._is_due(afresh.head, afresh):
                table.append(connection, afresh.checkpoint())
        self._standing = afresh

    def _read(self, look: Callable[[Records, Standing], Result]) -> Result:
        with self._store.reading() as connection:
            self._follow(connection)
            return look(self._records(connection), self._standing)

    def _walk(self, take: Callable[[Link], Result]) -> list[Result]:
        anchored = self._anchored()
        afresh = Standing(self._standing.population)
        taken, follow_from_entries, stored = [], places.Tally(), places.Tally()
        with self._store.reading() as connection:
            self._follow(connection, anchored)
            past = self._records(connection, afresh)
            for link in table.links(connection):
                afresh.step(link, past)
                taken.append(take(link))
                for key in places.keys(link):
                    follow_from_entries.add(key, link.sequence)
            for key, sequence in table.every_place(connection):
                stored.add(key, sequence)
        if stored != follow_from_entries:
            raise refusals.index_edited()
        return taken

    def _append(self, compose: Callable[[Records, Standing], Added], composed: list[Added]) -> None:
        """The link is handed out before it is written: from there on, what became of it has to be looked up."""
        with self._store.writing() as connection:
            self._follow(connection, self._anchored())
            if self._standing.moved:
                raise refusals.moved(self._standing.moved)
            past = self._records(connection)
            link = compose(past, self._standing)
            composed.append(link)
            if link is not None:
                table.append(connection, link)
                if link.kind != "moved" and self._is_due(link.head, self._standing):
                    table.append(connection, self._standing.after(link, past).checkpoint())

    @staticmethod
    def _is_due(head: Head, standing: Standing) -> bool:
        """A checkpoint comes in the same transaction as the entry that fills up the stretch since the last one."""
        return head.sequence - standing.mark.sequence >= checkpoint.EVERY

    def _publish(self, link: Link | None) -> None:
        """Move the anchor up to the last entry, under the lock, so that it never moves down.

        An answer's anchor may reach the disk later: if it is lost, no budget is.
        """
        if self._anchor is None:
            return
        with self._store.writing() as connection:
            self._follow(connection, self._anchored())
            self._anchor.write(self._standing.head)
        if link is not None and link.kind != "answered":
            self._anchor.flush()

    def _anchored(self) -> Head | None:
        """Where the anchor lies. Read before the entries, or under the lock: entries that it knows must be there."""
        return None if self._anchor is None else self._anchor.read()

    def _follow(self, connection: Connection, anchored: Head | None = None) -> None:
        """Check what was added since this process last looked, and that it goes through the anchor."""
        if self._standing.head == NOTHING and anchored is not None:
            self._standing = self._begun(connection, anchored)
        links = table.links(connection, self._standing.head.sequence)
        self._standing.follow(links, self._records(connection))
        if anchored is None or anchored == self._standing.head:
            return
        if anchored.sequence > self._standing.head.sequence:
            raise refusals.rolled_back()
        link = table.link(connection, anchored.sequence)
        if link is None or link.head != anchored:
            raise refusals.edited(anchored.sequence)

    def _begun(self, connection: Connection, anchored: Head) -> Standing:
        """At the last checkpoint that the anchor vouches for: the entries from there on must lead to the anchor."""
        population = self._standing.population
        sequence = table.last(connection, places.CHECKPOINT, anchored.sequence)
        if sequence is None:
            return Standing(population)
        link = table.link(connection, sequence)
        if link is None:
            raise refusals.edited(sequence)
        return Standing.at(population, link)

    def _records(self, connection: Connection, standing: Standing | None = None) -> Records:
        return Records(connection, standing or self._standing, self._marks)

    def _is_absent(self, link: Link | None) -> bool:
        """Whether the entry, which was about to be written, certainly was not."""
        if link is None:
            return True
        try:
            with self._store.settled() as connection:
                found = table.link(connection, link.sequence)
        except (Refused, *trouble.TROUBLE):
            _curator_log.exception("the ledger does not say whether a charge was written; it counts as written")
            return False
        return found is None or found.digest != link.digest


def attempt(step: Callable[[], Result]) -> Result:
    """What `step` gives; or a refusal that carries no trace of what disk or database said."""
    try:
        return step()
    except trouble.TROUBLE as error:
        _curator_log.exception("the ledger cannot be used")
        refusal = trouble.refusal(error)
    raise refusal
