"""A connection to PostgreSQL on which a commit that returns has reached the disk."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, Engine, StaticPool, create_engine, event

from deniable.ledger import refusals
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
SELECT pg_advisory_xact_lock(%s, %s), current_setting('fsync'), current_setting('full_page_writes'),
       current_setting('synchronous_commit'), current_setting('transaction_isolation')
"""
_DURABLE = {"on", "remote_write", "remote_apply"}


def connect(address: ServerAddress, schema: str | None = None) -> Engine:
    """An engine with one connection; statements without a schema mean this one."""
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

    engine = create_engine(
        "postgresql+psycopg://",
        creator=opened,
        poolclass=StaticPool,
        hide_parameters=True,  # from the log
        use_native_hstore=False,
        execution_options={"schema_translate_map": {None: schema}},
    )
    event.listen(engine, "handle_error", lambda context: setattr(context, "is_disconnect", _is_lost(context)))
    return engine


def lock(connection: Connection, number: int) -> None:
    """Alone until the transaction ends; refused where a commit could be forgotten."""
    _, fsync, pages, commit, isolation = connection.exec_driver_sql(_LOCK, (_ROOM, number)).one()
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
    connection.exec_driver_sql("SELECT pg_advisory_lock(%s, %s)", (_ROOM, number))


def number(what: str, name: str) -> int:
    """Of a lock. Two things with one number wait for each other, which costs time and nothing else."""
    return int.from_bytes(sha256(f"{what}\n{name}".encode()).digest()[:4], signed=True)


def _is_lost(context: Any) -> bool:  # noqa: ANN401 - SQLAlchemy's own type
    """Whether the connection is of no more use, as the driver itself sees it."""
    raw = getattr(getattr(context.connection, "connection", None), "dbapi_connection", None)
    return bool(context.is_disconnect or (raw is not None and raw.closed))
