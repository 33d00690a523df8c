"""The table of entries: rows are added at its end, and read in their order."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from weakref import finalize

from sqlalchemy import Column, Connection, Integer, LargeBinary, MetaData, Table, Text, func, insert, inspect, select

from deniable.ledger import refusals
from deniable.ledger.entry import Link
from deniable.ledger.storage import forks, places, sqlite

_metadata = MetaData()
_entries = Table(
    "entries",
    _metadata,
    Column("sequence", Integer, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("payload", LargeBinary),
    Column("previous", Text, nullable=False),
    Column("digest", Text, nullable=False),
)
_places = Table(
    "places",
    _metadata,
    Column("key", Text, primary_key=True),
    Column("sequence", Integer, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)


class Store:
    """One connection to the table, used by one thread at a time; every use is one transaction."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._engine = sqlite.connect(path)
        self._lock = RLock()
        self._process = os.getpid()
        self._file = None if path is None else _identity(path)
        self._closed = False
        forks.watch(self)
        finalize(self, self._engine.dispose)  # one that is forgotten lets go of its file, too

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """The table as it is at this moment."""
        with self._transaction(sqlite.READ) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """The table, and nobody else writes. On disk when the block is left; undone if it raises."""
        with self._transaction(sqlite.WRITE) as connection:
            yield connection
            connection.commit()

    @staticmethod
    def prepare(connection: Connection) -> None:
        """An empty table, and its index."""
        _entries.create(connection)
        sqlite.seal(connection, _entries.name)
        Store.prepare_index(connection)

    @staticmethod
    def prepare_index(connection: Connection) -> None:
        """An empty index."""
        _places.create(connection)
        sqlite.seal(connection, _places.name)

    @staticmethod
    def is_indexed(connection: Connection) -> bool:
        """Whether entries can be found by what they are about; of a ledger from before, they cannot yet."""
        return inspect(connection).has_table(_places.name)

    @staticmethod
    def append(connection: Connection, link: Link) -> None:
        """One row more."""
        row = {column.name: getattr(link, column.name) for column in _entries.columns}
        connection.execute(insert(_entries).values(row))
        Store.index(connection, link)

    @staticmethod
    def index(connection: Connection, link: Link) -> None:
        """Where the row can be found."""
        rows = [{"key": key, "sequence": link.sequence} for key in places.keys(link)]
        if rows:
            connection.execute(insert(_places), rows)

    @staticmethod
    def first(connection: Connection, key: str) -> int | None:
        """The first row under a key."""
        sequence: int | None = connection.scalar(select(func.min(_places.c.sequence)).where(_places.c.key == key))
        return sequence

    @staticmethod
    def last(connection: Connection, key: str, until: int) -> int | None:
        """The last row under a key, up to a place."""
        rows = select(func.max(_places.c.sequence)).where(_places.c.key == key, _places.c.sequence <= until)
        sequence: int | None = connection.scalar(rows)
        return sequence

    @staticmethod
    def places(connection: Connection) -> Iterator[tuple[str, int]]:
        """The whole index."""
        for row in connection.execute(select(_places), execution_options={"yield_per": 4096}):
            yield row.key, row.sequence

    @staticmethod
    def links(connection: Connection, since: int = 0) -> Iterator[Link]:
        """The rows from this sequence on, in order, a few at a time."""
        rows = select(_entries).where(_entries.c.sequence >= since).order_by(_entries.c.sequence)
        for row in connection.execute(rows, execution_options={"yield_per": 256}):
            yield Link(*row)

    @staticmethod
    def link(connection: Connection, sequence: int) -> Link | None:
        """One row."""
        row = connection.execute(select(_entries).where(_entries.c.sequence == sequence)).one_or_none()
        return None if row is None else Link(*row)

    def close(self) -> None:
        """Let go of the file for good."""
        with self._lock:
            self._closed = True
            self._engine.dispose()

    def disconnect(self) -> None:
        """Let go of the file until the next use. A table in memory would be gone, so it stays."""
        with self._lock:
            if self._path is not None:
                self._engine.dispose()

    def pause(self) -> None:
        """A process is about to divide."""
        self._lock.acquire()
        self.disconnect()

    def resume(self) -> None:
        """It has."""
        self._lock.release()

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[Connection]:
        with self._lock:
            self._check()
            with self._engine.connect() as connection:
                connection.exec_driver_sql(begin)
                yield connection

    def _check(self) -> None:
        """Not a copy of a ledger in memory, which would pay a second time; and the file that has the name now."""
        if self._closed or (self._path is None and self._process != os.getpid()):
            raise refusals.closed()
        if self._path is not None and _identity(self._path) != self._file:
            self.disconnect()
            self._file = _identity(self._path)


def _identity(path: Path) -> tuple[int, int]:
    """Which file it is, whatever its name."""
    try:
        found = path.stat()
    except FileNotFoundError:
        raise refusals.missing(path.name) from None
    return found.st_dev, found.st_ino
