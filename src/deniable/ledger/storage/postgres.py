"""A ledger on a server: PostgreSQL, for curators on any number of machines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256

from deniable.core.errors import Refused
from deniable.files.state import state
from deniable.ledger import refusals
from deniable.ledger.entries.canon import canonical
from deniable.ledger.entries.entry import NOTHING, Head, Link
from deniable.ledger.storage import server, table
from deniable.ledger.storage.anchor import Anchor
from deniable.ledger.storage.database import Connection
from deniable.ledger.storage.server_turns import ServerTurns
from deniable.ledger.storage.store import Store
from deniable.ledger.storage.trouble import TROUBLE
from deniable.policy import ServerAddress

_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_WRITE = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
"""So that each statement after the lock sees what was committed before it. A stricter level has one snapshot, which may
be older than the lock."""

_MOST_READABLE = 30
"""Characters of a population's name that its schema is called by; PostgreSQL cuts names after 63."""

_SEAL = """
CREATE TRIGGER {table}_are_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON {schema}.{table}
FOR EACH STATEMENT EXECUTE FUNCTION {schema}.append_only();
ALTER TABLE {schema}.{table} ENABLE ALWAYS TRIGGER {table}_are_never_changed;
REVOKE UPDATE, DELETE, TRUNCATE ON {schema}.{table} FROM PUBLIC, CURRENT_USER;
"""
_PREPARE = """
CREATE SCHEMA IF NOT EXISTS {schema};
CREATE FUNCTION {schema}.append_only() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'the ledger is append-only'; END $$;
CREATE TABLE {schema}.secret (key bytea NOT NULL);
CREATE TABLE {schema}.entries (sequence bigint PRIMARY KEY, kind text NOT NULL, body text NOT NULL, payload bytea,
    previous text NOT NULL UNIQUE, digest text NOT NULL UNIQUE);
"""
"""Unique: what the lock sees to, once more, as no two come after one."""
_PLACES = "CREATE TABLE {schema}.places (key text NOT NULL, sequence bigint NOT NULL, PRIMARY KEY (key, sequence))"


class Postgres(Store):
    """A schema of its own for each population, in a database that many may share; the anchor is on this machine.

    Lock:       an advisory lock of the transaction, whose number follows from the population: the server lets go of it
                when the transaction ends, however it ends. A second entry after the same one, or under the same number,
                is refused by the table itself.
    Durability: fsync, full_page_writes and synchronous_commit are read in the transaction that writes.
    Caution:    a standby that takes over may lack the last commits, unless replication is synchronous; only an anchor
                that knows of them notices. See docs/threats.md
    Needs:      the `postgres` extra.
    """

    def __init__(self, address: ServerAddress, population: str) -> None:
        self._population = population
        self._schema = schema_of(population)
        self._number = server.number("ledger", population)
        anchor = Anchor(state() / "anchors" / f"{_anchor_of(address, population)}.head")
        database = server.connect(address, self._schema)
        super().__init__(database, anchor, ServerTurns(address, population))

    def begin(self, links: Iterable[Link], key: bytes) -> None:
        """The anchor is written before the commit: without it, nobody here could open what was made."""
        if self.anchor is None or self.anchor.path.exists():
            raise refusals.exists(self._anchor_name)
        head = NOTHING
        try:
            with self.writing() as connection:
                self._prepare(connection, key)
                for link in links:
                    table.append(connection, link)
                    head = link.head
                self.anchor.create(head)
        except BaseException:
            self._undo(head)
            raise

    def is_there(self) -> bool:
        """A schema of its name with a table, or an anchor that remembers one."""
        with self.reading() as connection:
            return self._is_there(connection)

    def require(self) -> None:
        """Refuse where there is no table."""
        if not self.is_there():
            raise refusals.missing(f"schema {self._schema} of the server")

    def is_indexed(self, connection: Connection) -> bool:  # noqa: ARG002 - always was
        """From the first one on."""
        return True

    def prepare_index(self, connection: Connection) -> None:
        """Together with the entries."""
        connection.rows(_PLACES.format(schema=self._schema))
        connection.rows(_SEAL.format(schema=self._schema, table=table.PLACES))

    def secret(self) -> bytes | None:
        """Kept beside the entries: whoever can read it can read what was answered, too."""
        with self.reading() as connection:
            if not self._is_there(connection):
                return None
            return bytes(connection.value(f"SELECT key FROM {self._schema}.secret"))  # noqa: S608

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One snapshot for all statements."""
        with self._transaction(_READ) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Waits for the lock, and for nothing else; half a minute at most."""
        with self.settled() as connection:
            yield connection
            connection.commit()

    @contextmanager
    def settled(self) -> Iterator[Connection]:
        """Under the lock: a commit that was sent over a connection which was lost may be under way until it is free."""
        with self._transaction(_WRITE) as connection:
            server.lock(connection, self._number)
            yield connection

    @property
    def _anchor_name(self) -> str:
        return "the address in the policy" if self.anchor is None else self.anchor.path.name

    def _prepare(self, connection: Connection, key: bytes) -> None:
        if self._is_there(connection):
            raise refusals.exists(f"schema {self._schema} of the server")
        connection.rows(_PREPARE.format(schema=self._schema))
        connection.rows(f"INSERT INTO {self._schema}.secret VALUES (?)", key)  # noqa: S608
        connection.rows(_SEAL.format(schema=self._schema, table=table.ENTRIES))
        self.prepare_index(connection)

    def _undo(self, head: Head) -> None:
        """Without the ledger, its anchor goes, too; where it is unknown what became of it, the anchor stays."""
        with suppress(Refused, *TROUBLE):
            with self.settled() as connection:
                made = self._is_there(connection) and table.with_digest(connection, head.digest) is not None
            if not made and self.anchor is not None and self.anchor.read() == head:
                self.anchor.path.unlink()

    def _is_there(self, connection: Connection) -> bool:
        return connection.value("SELECT to_regclass(?)", f"{self._schema}.{table.ENTRIES}") is not None

    def _check(self) -> None:
        if self._closed:
            raise refusals.closed()


def schema_of(population: str) -> str:
    """The schema that holds the ledger: readable, and different for different names.

    Example:
        >>> schema_of("St. Mary's clinic")
        'deniable_st_mary_s_clinic_26b889c4'
    """
    readable = re.sub(r"[^a-z0-9]+", "_", population.lower())[:_MOST_READABLE].strip("_")
    return f"deniable_{readable}_{sha256(population.encode()).hexdigest()[:8]}"


def _anchor_of(address: ServerAddress, population: str) -> str:
    """The same for whoever reaches this ledger from this machine, by this name of the server."""
    return sha256(canonical([*address.place, population]).encode()).hexdigest()[:32]
