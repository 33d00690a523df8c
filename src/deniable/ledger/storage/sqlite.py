"""A ledger in a file: SQLite, for the processes of one machine; or in the memory of one process."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from deniable.files import fingerprint
from deniable.ledger import refusals
from deniable.ledger.entries.entry import NOTHING, Head, Link
from deniable.ledger.storage import table
from deniable.ledger.storage.anchor import Anchor
from deniable.ledger.storage.database import Connection, Database
from deniable.ledger.storage.store import Store
from deniable.ledger.turns import FileTurns

_READ = "BEGIN"
_WRITE = "BEGIN IMMEDIATE"
"""The lock is taken before the first look: what a charge is decided on cannot change until it is written."""

_SETTINGS = {
    "busy_timeout": "30000",  # first: the others may have to wait, too
    "journal_mode": "wal",  # readers never wait for a writer
    "synchronous": "2",  # FULL: a commit that returns has been flushed
    "wal_autocheckpoint": "256",  # pages; a log that is written over is flushed in half the time of one that grows
    "fullfsync": "1",  # on macOS, flushed means flushed
    "trusted_schema": "0",  # nothing that was put into the file's schema is run
}

_ENTRIES = """
CREATE TABLE entries (sequence INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, payload BLOB,
    previous TEXT NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (sequence))
"""
_PLACES = """
CREATE TABLE places (key TEXT NOT NULL, sequence INTEGER NOT NULL, PRIMARY KEY (key, sequence)) WITHOUT ROWID
"""
_APPEND_ONLY = """
CREATE TRIGGER {table}_are_never_{done} BEFORE {what} ON {table}
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END
"""


class SQLite(Store):
    """One file and its anchor beside it, or nothing but memory.

    Lock:       BEGIN IMMEDIATE: one writer at a time, across threads and processes of one machine.
    Durability: write-ahead log with synchronous = FULL, read back, because SQLite passes over what it cannot keep.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._process = os.getpid()
        self._file: tuple[int, int] | None = None
        super().__init__(_connect(path), None if path is None else Anchor.of(path), FileTurns(path))

    def begin(self, links: Iterable[Link], key: bytes) -> None:  # noqa: ARG002 - a folder has its own
        """The anchor comes last: what is unfinished cannot be opened."""
        if self._path is None or self.anchor is None:
            self._begin(links)
            return
        if self.anchor.path.exists():
            raise refusals.exists(self._path.name)
        try:
            _claim(self._path)
        except FileExistsError:
            raise refusals.exists(self._path.name) from None
        try:
            self.anchor.create(self._begin(links))
        except BaseException:
            self.close()
            self._path.unlink()
            self.anchor.path.unlink(missing_ok=True)
            raise

    def is_there(self) -> bool:
        """A file of that name, whatever it is."""
        return self._path is not None and self._path.exists()

    def require(self) -> None:
        """By its name; whether it is a ledger shows when it is read."""
        if self._path is not None:
            _identity(self._path)

    def is_indexed(self, connection: Connection) -> bool:
        """Files from before there was an index have none."""
        return bool(connection.rows("SELECT 1 FROM sqlite_master WHERE name = ?", table.PLACES))

    def prepare_index(self, connection: Connection) -> None:
        """Sealed like the entries."""
        connection.rows(_PLACES)
        _seal(connection, table.PLACES)

    def secret(self) -> bytes | None:
        """That of the ledger's folder."""
        return None if self._path is None else fingerprint.secret(self._path.parent)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A reader never waits for a writer."""
        with self._transaction(_READ) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Waits half a minute for its turn at most."""
        with self._transaction(_WRITE) as connection:
            yield connection
            connection.commit()

    @contextmanager
    def settled(self) -> Iterator[Connection]:
        """What this process has sent to a file is written, or it never will be."""
        with self.reading() as connection:
            yield connection

    def disconnect(self) -> None:
        """A table in memory would be gone, so it stays."""
        if self._path is not None:
            super().disconnect()

    def _begin(self, links: Iterable[Link]) -> Head:
        head = NOTHING
        with self.writing() as connection:
            connection.rows(_ENTRIES)
            _seal(connection, table.ENTRIES)
            self.prepare_index(connection)
            for link in links:
                table.append(connection, link)
                head = link.head
        return head

    def _check(self) -> None:
        """Not a copy of a ledger in memory, which would pay a second time; and the file that has the name now."""
        if self._closed or (self._path is None and self._process != os.getpid()):
            raise refusals.closed()
        if self._path is not None and (found := _identity(self._path)) != self._file:
            self.disconnect()
            self._file = found


def place(url: str) -> Path:
    """The file that the url names. Links are followed, so that a second name leads to the same ledger."""
    scheme, _, name = url.partition(":///")
    if scheme not in {"sqlite", "sqlite+pysqlite"} or not name or "?" in name or name.startswith(("file:", ":")):
        raise refusals.bad_url()
    return Path(name).resolve()


def _claim(path: Path) -> None:
    """Take the place, for oneself alone, or raise `FileExistsError`."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _connect(path: Path | None) -> Database:
    """One connection, to a file that must be there, or to memory."""
    address = "file::memory:" if path is None else f"file:{quote(str(path))}?mode=rw"

    wanted = _SETTINGS | ({"journal_mode": "memory"} if path is None else {})

    def opened() -> sqlite3.Connection:
        connection = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
        try:
            _settle(connection, wanted)
        except BaseException:
            connection.close()
            raise
        return connection

    return Database(opened, sqlite3.Error)


def _seal(connection: Connection, name: str) -> None:
    """Rows can be added; a slip of the hand cannot change or remove one."""
    for done, what in (("changed", "UPDATE"), ("removed", "DELETE")):
        connection.rows(_APPEND_ONLY.format(table=name, done=done, what=what))


def _settle(connection: sqlite3.Connection, wanted: dict[str, str]) -> None:
    """SQLite answers a setting that it cannot keep with silence, so each is read back."""
    for name, value in wanted.items():
        connection.execute(f"PRAGMA {name} = {value}").close()
        (found,) = connection.execute(f"PRAGMA {name}").fetchone()
        if str(found) != value:
            raise sqlite3.OperationalError(f"PRAGMA {name} is {found}, not {value}")


def _identity(path: Path) -> tuple[int, int]:
    """Which file it is, whatever its name."""
    try:
        found = path.stat()
    except FileNotFoundError:
        raise refusals.missing(path.name) from None
    return found.st_dev, found.st_ino
