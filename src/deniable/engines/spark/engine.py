"""Exact aggregates from a Spark cluster, or from Sail."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa

from deniable.core.algebra.expression import Column
from deniable.core.algebra.query import ExactQuery
from deniable.core.algebra.relation import Matches
from deniable.core.errors import InvalidArgumentError, Refused
from deniable.engines.engine import Broken, Declared, Engine, RowCounts
from deniable.engines.spark.connection import SparkConnection
from deniable.engines.spark.dialect import SparkDialect
from deniable.engines.sql.compare import compared
from deniable.engines.sql.fan_out import count, lightened
from deniable.engines.sql.public import shown
from deniable.engines.sql.relations import Tables
from deniable.engines.sql.statements import statement
from deniable.files.fingerprint import Contents, keyed
from deniable.policy import Policy


class Spark(Engine):
    """Asks a Spark Connect server: a cluster, Databricks, or Sail on one machine.

    Sees:       exact SQL and private rows; never a budget, a noise scale or an analyst.
    Isolation:  the custodian's. Whoever reaches the server's port can read whatever the server can, and run programs
                on it: only the curator may reach it. Our statements are single SELECTs over the declared tables.
    Numbers:    whole numbers are exact and sums have 38 digits, cut to 2^61 at the end; nothing wraps, nothing raises.
                Numbers are doubles, NaN is NULL, dates outside the years 1 to 9999 are NULL.
    Limits:     `seconds` of running time, after which the query is interrupted and its answer is not waited for;
                memory is the cluster's.
    Caution:    whether and how fast a query ends depends on the data; see docs/threats.md. The server's own log can
                quote rows in the texts of errors.
    Gaps:       never: regular expressions, joins of tables whose rows are the units. not yet: times of day, real
                numbers as texts; texts in another Unicode form are other texts. See docs/engines.md.
    Needs:      the `spark` extra, and a server: `sail spark server --port 50051`, or Spark 4.

    Example:
        >>> Spark("sc://127.0.0.1:50051/;token=hush", {"visits": "clinic.visits"}).where()
        'Spark at 127.0.0.1:50051'
    """

    def __init__(
        self,
        url: str,
        sources: Mapping[str, str],
        seconds: float = 60.0,
        contents: Contents | None = None,
        *,
        versions: Mapping[str, str] | None = None,
        token: Callable[[], str | None] = lambda: None,
    ) -> None:
        """Tables by name, each a table of the server's catalogue or a folder of Parquet files. Nothing is opened yet.

        `versions` has for some tables a query whose answer changes when the data do.
        """
        self._url, self._sources, self._seconds = url, dict(sources), seconds
        self._contents, self._versions, self._token = contents or Contents(), dict(versions or {}), token
        self._open: SparkConnection | None = None
        self._columns: dict[str, dict[str, str]] = {}

    @contextmanager
    def session(self) -> Iterator[Engine]:
        """Tables are looked up anew: a view of a folder reads the files that it found. A session's engine is its own.

        Raises:
            Refused: the data cannot be reached; nothing was charged yet.
        """
        if self._open is not None:
            yield self
            return
        try:
            views = {_view(name): source for name, source in self._sources.items()}
            found = SparkConnection(self._url, self._token(), views, self._seconds)
        except Exception:  # noqa: BLE001 - whatever it is, its text can name hosts and quote rows
            found = None
        if found is None:
            raise Refused("data-unavailable", "The data cannot be asked at the moment.", "Ask the custodian.")
        bound = copy.copy(self)
        bound._open, bound._columns = found, {}  # noqa: SLF001 - of the same class
        try:
            yield bound
        finally:
            found.close()

    def _asked(self, work: Callable[[SparkConnection], Any]) -> Any:  # noqa: ANN401 - whatever the work gives
        """In this engine's session, or in one of its own."""
        if self._open is not None:
            return work(self._open)
        with self.session() as engine:
            return engine._asked(work)  # type: ignore[attr-defined]  # noqa: SLF001 - of the same class

    @property
    def tables(self) -> Tables:
        """The declared tables, in Spark's words."""
        return Tables(self._stored, _view, SparkDialect())

    def emit(self, query: ExactQuery) -> str:
        """Every node of the algebra has one spelling here, and each spelling is total."""
        return statement(lightened(query, self.matched), self.tables)

    def plan(self, sql: str) -> None:
        """By EXPLAIN, which reads no row: Sail 0.7 cannot plan some statements that it understands."""
        self._asked(lambda connection: connection.plan(sql))

    def fetch(self, sql: str) -> pa.Table:
        """In the session, or in one of its own."""
        table: pa.Table = self._asked(lambda connection: connection.fetch(sql))
        return table

    def matched(self, matches: Matches) -> int:
        """Counted in the session that asks."""
        return int(self.fetch(count(matches, self.tables))["most"][0].as_py())

    def describe(self, table: str) -> dict[str, str]:
        """The columns and Spark's names for their types. Reads no rows."""
        if table not in self._sources:
            raise InvalidArgumentError(table, "is not a declared table")
        try:
            found: dict[str, str] = self._asked(lambda connection: connection.types(_view(table)))
        except (Broken, Refused):
            raise InvalidArgumentError(table, "cannot be asked: the server does not answer, or lacks it") from None
        return found

    def compare(self, table: str, declared: Declared, distinct: Collection[str]) -> list[RowCounts]:
        """In one pass over the table."""

        def ask(sql: str) -> Sequence[Any]:
            return [column[0].as_py() for column in self.fetch(sql).columns]

        return compared(self.tables, table, declared, distinct, ask)

    def rows(self, table: str, columns: Sequence[Column]) -> pa.Table:
        """As a question would read them."""
        return self.fetch(shown(self.tables, table, columns))

    def version(self, table: str) -> str:
        """By the custodian's query; else of every row, under a key: their number, and the sum of their hashes."""
        try:
            found = self.fetch(self._versions.get(table) or self._digest(table))
        except Exception:  # noqa: BLE001 - the text of an error can quote rows
            raise InvalidArgumentError(table, "cannot be read at the moment") from None
        return keyed(self._contents.key, b"spark", table.encode(), repr(found.to_pylist()).encode())

    @property
    def looks(self) -> bool:
        """One pass over each table that has no query of the custodian's."""
        return not self._sources.keys() <= self._versions.keys()

    def _digest(self, table: str) -> str:
        dialect = SparkDialect()
        hashed = dialect.added(dialect.hashed(dialect.quoted(name) for name in self._stored(table)))
        return f"SELECT COUNT(*) AS many, CAST({hashed} AS STRING) AS digest FROM {_view(table)}"  # noqa: S608 - all names are quoted

    def identity(self, table: str) -> str:
        """The table itself, whatever is in it: the server's address without a token, and the table's name."""
        return sha256(f"{self.where()}\n{self._sources[table]}".encode()).hexdigest()

    def where(self) -> str:
        """The server, without what follows its address."""
        return f"Spark at {urlsplit(self._url).netloc}"

    def weaknesses(self) -> list[str]:
        """What no query can find out."""
        return ["whoever reaches the Spark server can read all that it can: see docs/engines.md"]

    def close(self) -> None:
        """Nothing is kept between sessions."""

    def _stored(self, table: str) -> dict[str, str]:
        """Looked up once in a session."""
        if self._open is None:
            return self.describe(table)
        if table not in self._columns:
            self._columns[table] = self.describe(table)
        return self._columns[table]


def opened(policy: Policy, contents: Contents | None = None) -> Spark:
    """The engine that a policy names."""
    settings = policy.engine
    sources = {name: table.source for name, table in policy.tables.items() if table.source is not None}
    versions = {name: table.version_query for name, table in policy.tables.items() if table.version_query is not None}
    return Spark(settings.url or "", sources, settings.seconds, contents, versions=versions, token=settings.password)


def _view(table: str) -> str:
    """What a table is called in our session: a name that needs no quotes, and that no table of a catalogue has."""
    return f"deniable_{table.encode().hex()}"
