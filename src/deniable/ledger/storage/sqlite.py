"""What is particular to SQLite. Another database is another file with these names."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, StaticPool, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from deniable.ledger import refusals

READ = "BEGIN"
WRITE = "BEGIN IMMEDIATE"
"""The lock is taken before the first look: what a charge is decided on cannot change until it is written."""

TROUBLE = (OSError, SQLAlchemyError, sqlite3.Error)
"""What disk and database raise."""

_SETTINGS = {
    "busy_timeout": "30000",  # first: the others may have to wait, too
    "journal_mode": "wal",  # readers never wait for a writer
    "synchronous": "2",  # FULL: a commit that returns has been flushed
    "wal_autocheckpoint": "256",  # pages; a log that is written over is flushed in half the time of one that grows
    "fullfsync": "1",  # on macOS, flushed means flushed
    "trusted_schema": "0",  # nothing that was put into the file's schema is run
}

_APPEND_ONLY = """
CREATE TRIGGER {table}_are_never_{done} BEFORE {what} ON {table}
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END
"""

_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT}


def place(url: str) -> Path:
    """The file that the url names. Links are followed, so that a second name leads to the same ledger."""
    try:
        parts = make_url(url)
    except ArgumentError:
        raise refusals.bad_url() from None
    if parts.drivername not in {"sqlite", "sqlite+pysqlite"} or parts.query or not parts.database:
        raise refusals.bad_url()
    if parts.database.startswith(("file:", ":")):
        raise refusals.bad_url()
    return Path(parts.database).resolve()


def claim(path: Path) -> None:
    """Take the place, for oneself alone, or raise `FileExistsError`."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def connect(path: Path | None) -> Engine:
    """An engine with one connection, to a file that must be there, or to memory."""
    address = "file::memory:" if path is None else f"file:{quote(str(path))}?mode=rw"

    def opened() -> sqlite3.Connection:
        return sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)

    engine = create_engine("sqlite://", creator=opened, poolclass=StaticPool, hide_parameters=True)  # from the log
    wanted = _SETTINGS | ({"journal_mode": "memory"} if path is None else {})
    event.listen(engine, "connect", lambda connection, _: _settle(connection, wanted))
    return engine


def seal(connection: Connection, table: str) -> None:
    """Rows can be added; a slip of the hand cannot change or remove one."""
    for done, what in (("changed", "UPDATE"), ("removed", "DELETE")):
        connection.exec_driver_sql(_APPEND_ONLY.format(table=table, done=done, what=what))


def is_damage(error: BaseException) -> bool:
    """Whether the file is not what it was, rather than out of reach for the moment."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    return isinstance(cause, sqlite3.Error) and getattr(cause, "sqlite_errorcode", 0) & 0xFF in _DAMAGE


def _settle(connection: Any, wanted: dict[str, str]) -> None:  # noqa: ANN401 - the driver's own type
    """SQLite answers a setting that it cannot keep with silence, so each is read back."""
    for name, value in wanted.items():
        connection.execute(f"PRAGMA {name} = {value}").close()
        (found,) = connection.execute(f"PRAGMA {name}").fetchone()
        if str(found) != value:
            raise sqlite3.OperationalError(f"PRAGMA {name} is {found}, not {value}")
