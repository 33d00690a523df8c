"""A connection to PostgreSQL on which a commit that returns has reached the disk."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from deniable.ledger import refusals
from deniable.ledger.storage.database import Connection, Database
from deniable.policy import ServerAddress

_SESSION = """
SET lock_timeout = '30s';
SET idle_in_transaction_session_timeout = '60s';
SET client_min_messages = 'error';
SET search_path = pg_catalog;
"""
"""Nobody waits for a lock without end; a curator that stands still lets go of its own; names are found where we say."""

_PATIENCE = {
    "connect_timeout": "10",  # seconds
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "60000",  # milliseconds
    "application_name": "deniable",
}
_ROOM = int.from_bytes(b"deni", signed=True)
"""Advisory locks of two numbers: the first says whose they are."""

_LOCK = """
SELECT pg_advisory_xact_lock(?, ?), current_setting('fsync'), current_setting('full_page_writes'),
       current_setting('synchronous_commit'), current_setting('transaction_isolation')
"""
_DURABLE = {"on", "remote_write", "remote_apply"}


def connect(address: ServerAddress, schema: str | None = None) -> Database:
    """One connection; tables are those of this schema."""
    try:
        import psycopg  # noqa: PLC0415 - only who keeps an account on a server needs it
    except ImportError:
        raise refusals.no_driver() from None

    def opened() -> Any:  # noqa: ANN401 - the driver's own type
        connection = psycopg.connect(**(_PATIENCE | address.settings), autocommit=True)  # type: ignore[arg-type]
        connection.execute(_SESSION)
        (found,) = connection.execute("SELECT current_setting('synchronous_commit')").fetchone() or ("",)
        if found not in _DURABLE:
            connection.execute("SET synchronous_commit = 'on'")
        return connection

    return Database(opened, psycopg.Error, mark="%s", schema=schema)


def lock(connection: Connection, number: int) -> None:
    """Alone until the transaction ends; refused where a commit could be forgotten."""
    ((_, fsync, pages, commit, isolation),) = connection.rows(_LOCK, _ROOM, number)
    for name, found, wanted in (
        ("fsync", fsync, {"on"}),
        ("full_page_writes", pages, {"on"}),
        ("synchronous_commit", commit, _DURABLE),
        ("transaction_isolation", isolation, {"read committed"}),
    ):
        if found not in wanted:
            raise refusals.not_durable(name, found)


def hold(connection: Connection, number: int) -> None:
    """Alone until the session ends, or its process does."""
    connection.rows("SELECT pg_advisory_lock(?, ?)", _ROOM, number)


def number(what: str, name: str) -> int:
    """The number of a lock. Two things with one number wait for each other, which costs time and nothing else."""
    return int.from_bytes(sha256(f"{what}\n{name}".encode()).digest()[:4], signed=True)
