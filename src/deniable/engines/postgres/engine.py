"""Exact aggregates from the tables of a PostgreSQL database."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import ClassVar

from deniable.core.errors import InvalidArgumentError, Refused
from deniable.engines.engine import Broken
from deniable.engines.postgres import schema
from deniable.engines.postgres.dialect import PostgresDialect
from deniable.engines.postgres.role import problems, script
from deniable.engines.postgres.schema import Place
from deniable.engines.postgres.snapshot import Snapshot
from deniable.engines.sql.relations import Tables
from deniable.engines.sql.server import ServerEngine
from deniable.files.fingerprint import Contents, keyed
from deniable.files.source import inside
from deniable.policy import Policy
from deniable.policy.address import ServerAddress


class PostgreSQL(ServerEngine[Snapshot]):
    """Asks tables and views where they are, as a role that may read them and nothing else.

    Sees:       exact SQL and private rows; never a budget, a noise scale or an analyst.
    Isolation:  the role's rights are the wall: SELECT on the declared tables, no TEMP, no CREATE, nobody's member;
                `deniable engine role` writes them down, `deniable check` verifies them. One plan is one transaction,
                REPEATABLE READ and READ ONLY; only PostgreSQL's own functions are found.
    Numbers:    whole numbers are exact, sums are decimal and cut to 2^61 at the end; nothing wraps, nothing raises:
                where doubles overflow or vanish, they are infinite or zero. NaN is NULL, in decimal numbers too; dates
                outside the years 1 to 9999 are NULL.
    Limits:     `seconds` of running time: the server stops, or is told to, or the connection is cut. Memory is the
                server's own (work_mem).
    Caution:    whether and how fast a query ends depends on the data; see docs/threats.md. Who reads the server's log
                sees our statements, and with log_min_error_statement as usual, those that fail. Rows that row security
                hides are not there.
    Gaps:       never: other statements than SELECT. not yet: REVERSE, texts with a zero byte, patterns that count
                further than 255, have more parts than that which may be missing, or negate a class in brackets; views
                whose rows change at every look; see docs/engines.md.
    Needs:      the `postgres` extra; PostgreSQL 14 or later, in UTF-8, with the collation C.utf8.

    Example:
        >>> engine = PostgreSQL("postgresql://deniable@db.example/clinic", {"visits": Place("public", "visits")})
        >>> engine.tables.place("visits")
        '"public"."visits"'
    """

    library: ClassVar[str | None] = "psycopg"

    def __init__(
        self,
        url: str,
        sources: Mapping[str, Place],
        seconds: float = 60.0,
        contents: Contents | None = None,
        password: Callable[[], str | None] = lambda: None,
    ) -> None:
        """Tables by name, each by its schema and name in the database. Nothing is connected yet."""
        self._url, self._sources, self._seconds = url, dict(sources), seconds
        self._contents, self._password = contents or Contents(), password
        self._states: dict[str, tuple[str, str]] = {}
        """Of each table, in which moment it was looked at, and what it was."""

    def _connected(self) -> Snapshot:
        """One transaction for all that a plan asks."""
        return Snapshot.opened(self._url, self._password(), self._seconds)

    @property
    def tables(self) -> Tables:
        """The declared tables, in PostgreSQL's words."""
        return Tables(self._stored, lambda table: self._place(table).spelled, PostgresDialect(), self._has_index)

    def label(self, name: str) -> str:
        """Long names are told apart by a digest."""
        return PostgresDialect().label(name)

    def describe(self, table: str) -> dict[str, str]:
        """The columns and PostgreSQL's names of their types. Reads no rows."""
        place = self._place(table)
        found: dict[str, str]
        try:
            found, unsteady = self._asked(
                lambda session: (schema.columns(session.rows, place), schema.unsteady(session.rows, place))
            )
        except (Broken, Refused):
            raise InvalidArgumentError(table, "cannot be asked: there is no connection to the database") from None
        if not found:
            raise InvalidArgumentError(table, f"is not in the database: there is no {place.schema}.{place.name}")
        if unsteady:
            reason = f"has rows that may change while they are read, because it calls {unsteady}"
            raise InvalidArgumentError(table, f"{reason}: make a materialized view, or declare the function STABLE")
        return found

    def version(self, table: str) -> str:
        """Keyed; looked up again when any transaction has ended in between."""
        place = self._place(table)

        def found(session: Snapshot) -> str:
            now = schema.moment(session.rows)
            known = self._states.get(table)
            if known is None or known[0] != now:
                known = self._states[table] = now, schema.state(session.rows, place)
            return known[1]

        try:
            state = str(self._asked(found))
        except (Broken, Refused, IndexError):
            raise InvalidArgumentError(table, "cannot be read at the moment") from None
        return keyed(self._contents.key, b"postgres", place.spelled.encode(), state.encode())

    @property
    def looks(self) -> bool:
        """One pass over each table that has no query of the custodian's."""
        return any(place.version_query is None for place in self._sources.values())

    def identity(self, table: str) -> str:
        """The table itself, whatever is in it: the database's address without the user, and the table's name."""
        return sha256(f"{self._address.place}\n{self._place(table).spelled}".encode()).hexdigest()

    def where(self) -> str:
        """The address, without a password, which it never has."""
        host, port, database = self._address.place
        return f"PostgreSQL at {host}:{port}/{database}, as {self._address.user or 'whoever runs this'}"

    def role(self) -> str:
        """For the user and the database of the url."""
        if self._address.user is None:
            raise InvalidArgumentError("url", "names no user: postgresql://deniable@localhost:5432/clinic")
        return script(self._address.user, self._address.database, list(self._sources.values()))

    @property
    def _address(self) -> ServerAddress:
        return ServerAddress.read(self._url)

    def weaknesses(self) -> list[str]:
        """What the role may do that it should not; for custodians."""
        try:
            found: list[str] = self._asked(lambda session: problems(session.rows, list(self._sources.values())))
        except (Broken, Refused):
            return ["the database cannot be reached, so the rights of its user were not looked at"]
        return found

    def close(self) -> None:
        """Nothing is kept between sessions."""
        self._states.clear()

    def _place(self, table: str) -> Place:
        if table not in self._sources:
            raise InvalidArgumentError(table, "is not a declared table")
        return self._sources[table]

    def _has_index(self, table: str, column: str) -> bool:
        place = self._place(table)

        def found() -> bool:
            return bool(self._asked(lambda session: schema.indexed(session.rows, place, column)))

        return self._once(("index", table, column), found)


def opened(policy: Policy, contents: Contents | None = None) -> PostgreSQL:
    """The engine that a policy names."""
    settings = policy.engine
    places = {
        name: Place(*inside(table.source, "public"), table.version_query)
        for name, table in policy.tables.items()
        if table.source is not None
    }
    return PostgreSQL(settings.url or "", places, settings.seconds, contents, settings.password)
