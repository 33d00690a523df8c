"""Exact aggregates from a Spark cluster, or from Sail."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import ClassVar
from urllib.parse import urlsplit

from deniable.core.errors import InvalidArgumentError, Refused
from deniable.engines.engine import Broken
from deniable.engines.spark.connection import SparkConnection
from deniable.engines.spark.dialect import SparkDialect, dialect_of
from deniable.engines.sql.relations import Tables
from deniable.engines.sql.server import ServerEngine
from deniable.files.fingerprint import Contents, keyed
from deniable.policy import Policy


class Spark(ServerEngine[SparkConnection]):
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

    library: ClassVar[str | None] = "pyspark"

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

    def _connected(self) -> SparkConnection:
        """Tables are looked up anew: a view of a folder reads the files that it found."""
        views = {_view(name): source for name, source in self._sources.items()}
        return SparkConnection(self._url, self._token(), views, self._seconds)

    @property
    def tables(self) -> Tables:
        """The declared tables, in the words of the server, which is asked for its version."""
        return Tables(self._stored, _view, dialect_of(self._asked(lambda connection: connection.version)))

    def describe(self, table: str) -> dict[str, str]:
        """The columns and Spark's names for their types. Reads no rows."""
        if table not in self._sources:
            raise InvalidArgumentError(table, "is not a declared table")
        try:
            found: dict[str, str] = self._asked(lambda connection: connection.types(_view(table)))
        except (Broken, Refused):
            raise InvalidArgumentError(table, "cannot be asked: the server does not answer, or lacks it") from None
        return found

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


def opened(policy: Policy, contents: Contents | None = None) -> Spark:
    """The engine that a policy names."""
    settings = policy.engine
    sources = {name: table.source for name, table in policy.tables.items() if table.source is not None}
    versions = {name: table.version_query for name, table in policy.tables.items() if table.version_query is not None}
    return Spark(settings.url or "", sources, settings.seconds, contents, versions=versions, token=settings.password)


def _view(table: str) -> str:
    """What a table is called in our session: a name that needs no quotes, and that no table of a catalogue has."""
    return f"deniable_{table.encode().hex()}"
