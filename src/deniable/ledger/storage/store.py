"""Where the entries of a ledger are kept: the contract of a storage, and what all of them share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from threading import RLock
from weakref import finalize

from deniable.ledger.entries.entry import Link
from deniable.ledger.storage import forks
from deniable.ledger.storage.anchor import Anchor
from deniable.ledger.storage.database import Connection, Database, DatabaseError
from deniable.ledger.turns import Turns


class Store(ABC):
    """One connection to a ledger's table, used by one thread at a time; every use is one transaction.

    Promise:  whoever is `writing` is alone in it, among all threads, processes and machines that use the ledger, from
              before the first look until the end; what was written is on disk when the block is left, and undone if it
              raises. Whoever is `reading` sees the table as it was at one moment.
    Assumes:  nobody writes to the table but through a store.
    """

    def __init__(self, database: Database, anchor: Anchor | None, turns: Turns) -> None:
        self.anchor = anchor
        """On this machine; None: the ledger ends with the process."""
        self.turns = turns
        self._database = database
        self._lock = RLock()
        self._closed = False
        forks.watch(self)
        finalize(self, database.dispose)  # one that is forgotten lets go of its connection, too

    @abstractmethod
    def begin(self, links: Iterable[Link], key: bytes) -> None:
        """A new table with these entries, and its anchor; nothing is left of it if that fails.

        Raises:
            Refused: there is something in its place.
        """

    @abstractmethod
    def is_there(self) -> bool:
        """Whether there is a ledger, or a part of one, in its place."""

    @abstractmethod
    def require(self) -> None:
        """Refuse if there is no ledger in its place."""

    @abstractmethod
    def is_indexed(self, connection: Connection) -> bool:
        """Whether entries can be found by what they are about; of a ledger from before, they cannot yet."""

    @abstractmethod
    def prepare_index(self, connection: Connection) -> None:
        """An empty index."""

    @abstractmethod
    def secret(self) -> bytes | None:
        """The key under which everybody who uses the ledger tells data apart; None: there is none yet."""

    @abstractmethod
    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """The table as it is at this moment."""

    @abstractmethod
    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """The table, and nobody else writes. On disk when the block is left; undone if it raises."""

    @abstractmethod
    @contextmanager
    def settled(self) -> Iterator[Connection]:
        """The table, once nothing that was sent before can still be written."""

    def close(self) -> None:
        """Let go of it for good."""
        with self._lock:
            self._closed = True
            self._database.dispose()
        self.turns.close()

    def disconnect(self) -> None:
        """Let go of it until the next use."""
        with self._lock:
            self._database.dispose()

    def pause(self) -> None:
        """A process is about to divide."""
        self._lock.acquire()
        self.disconnect()

    def resume(self) -> None:
        """It has."""
        self._lock.release()

    @abstractmethod
    def _check(self) -> None:
        """Refuse what was closed, or is not what it was."""

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[Connection]:
        with self._lock:
            self._check()
            with self._begun(begin) as connection:
                yield connection

    def _begun(self, begin: str) -> Connection:
        """A connection that was lost while nobody used it is made once more: nothing had been said on it."""
        try:
            return _said(self._database.connect(), begin)
        except DatabaseError as error:
            if not error.lost:
                raise
        return _said(self._database.connect(), begin)


def _said(connection: Connection, begin: str) -> Connection:
    try:
        connection.rows(begin)
    except BaseException:
        connection.close()
        raise
    return connection
