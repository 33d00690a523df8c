"""The catalogue of one population: a database in memory that reaches nothing, and answers within limits."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime

import duckdb
import pyarrow as pa
from sqlglot import exp

from deniable.core.recent import Recent
from deniable.doors.postgres.catalogue import made_up
from deniable.doors.postgres.catalogue.functions import macros
from deniable.doors.postgres.catalogue.relations import oids, relations, schema, written
from deniable.doors.postgres.catalogue.rows import OWN_TABLES, SPACES, Row, catalogue_rows, listed, of_column
from deniable.doors.postgres.catalogue.translate import Known, place_of, translated
from deniable.doors.postgres.errors import PgError, unsupported
from deniable.doors.postgres.portals import PgColumn
from deniable.doors.postgres.settings import FIXED, VERSION, path
from deniable.doors.postgres.types import (
    DATE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    NUMERIC,
    OID,
    TEXT,
    TIME,
    TIMESTAMP,
    Value,
)
from deniable.policy import Policy

_SECONDS = 5.0
_MOST_ROWS, _MOST_BYTES = 100_000, 128 << 20
_EACH = 32
"""Bytes that a value takes besides its text."""
_MOST_TEXTS = 1_024
_TYPES = {"BIGINT": INT8, "INTEGER": INT4, "SMALLINT": INT2, "DOUBLE": FLOAT8, "FLOAT": FLOAT4, "BOOLEAN": 16}
_TYPES |= {"DATE": DATE, "TIMESTAMP": TIMESTAMP, "HUGEINT": NUMERIC, "UINTEGER": OID, "VARCHAR": TEXT, "UBIGINT": INT8}
_TYPES |= {"TIME": TIME}
_TYPES |= {"VARCHAR[]": 1009, "BIGINT[]": 1016, "INTEGER[]": 1007, "SMALLINT[]": 1005, "UINTEGER[]": 1028}
_TYPES |= {"TINYINT": INT2, "UTINYINT": INT2, "USMALLINT": INT4, "BOOLEAN[]": 1000, "DOUBLE[]": 1022}
_NEVER = {"INTERVAL", "TIMESTAMP WITH TIME ZONE", "TIME WITH TIME ZONE"}
_OWN = {INT8: pa.int64(), FLOAT8: pa.float64(), TEXT: pa.string(), 16: pa.bool_()}


class Interrupt:
    """By which whoever waits for a statement ends it, now or as soon as it runs."""

    def __init__(self) -> None:
        self._lock, self._said = threading.Lock(), False
        self._what: Callable[[], None] | None = None

    def then(self, what: Callable[[], None]) -> None:
        """Do this when it is time; at once, if it is."""
        with self._lock:
            self._what = what
            if self._said:
                what()

    def now(self) -> None:
        """It is time."""
        with self._lock:
            self._said = True
            if self._what is not None:
                self._what()


class Catalogue:
    """What clients may know without paying.

    Promise:  nothing that is answered here depends on a private row: none is in reach.
    """

    def __init__(self, policy: Policy, public: Mapping[str, pa.Table]) -> None:
        self._policy = policy
        self.questions: Recent[tuple[str, str], bool] = Recent(_MOST_TEXTS)
        """By the path and a statement's text: whether it is for the planner, and not for here. The policy says it."""
        self._private = frozenset(name.lower() for name, table in policy.tables.items() if not table.public)
        self._lock, self._running, self._closing = threading.Condition(), set[duckdb.DuckDBPyConnection](), False
        self._database = duckdb.connect(":memory:", config={"threads": 1, "memory_limit": "512MB"})
        self._classes = {one.name: one.oid for one in listed(policy) if one.schema == "public"}
        self._tables = {("deniable", name): f"own_{name}" for name in OWN_TABLES}
        for statement in ("BEGIN", *schema(), "CREATE SCHEMA rows", "CREATE SCHEMA dummy"):
            self._database.execute(statement)
        for place, rows in catalogue_rows(policy):
            self._insert(place, rows)
        short = {oid: name for name, oid in oids().items()}
        names = pa.table(
            {
                "oid": pa.array(list(written()), pa.uint32()),
                "name": list(written().values()),
                "short": [short[oid] for oid in written()],
            }
        )
        self._keep("pgc.written", names)
        for name, table in public.items():
            self._keep(f'rows."{name}"', table)
            self._tables["public", name.lower()] = f'rows."{name}"'
        for name, declared in policy.tables.items():
            if not declared.public:
                self._keep(f'dummy."{name}"', made_up.made_up(declared))
                self._tables["dummy", name.lower()] = f'dummy."{name}"'
        for statement in macros():
            self._database.execute(statement)
        self._database.execute("COMMIT")
        self._database.execute("SET enable_external_access = false")
        self._database.execute("SET lock_configuration = true")

    @property
    def columns(self) -> pa.Table:
        """What is declared of each column: the table `deniable.columns`."""
        return own(
            "columns",
            [
                {
                    "table_name": table.name,
                    "column_name": name,
                    "type": one.kind.value,
                    "nulls": one.nulls,
                    "low": _text(one.low),
                    "high": _text(one.high),
                    "step": _text(one.step),
                    "values": None if one.values is None else ", ".join(map(str, one.values)),
                    "says": of_column(one, table),
                }
                for table in self._policy.tables.values()
                for name, one in table.columns.items()
            ],
        )

    def space_of(self, schema: str, name: str, searched: Sequence[str]) -> str | None:
        """The schema in which a table is found; None if there is none.

        What stands in `public` and is private is the planner's; all else is for here to answer for, or to refuse.
        """
        if schema in SPACES and schema != "public":
            return schema
        for space in (schema,) if schema else (*searched, "pg_catalog"):
            if (space == "public" and name in self._private) or place_of(name, space, self._known({}, "")) is not None:
                return space
        return "pg_catalog" if not schema and name.startswith("pg_") else None

    def is_private(self, space: str | None, name: str) -> bool:
        """Whether a table that is found there, or nowhere, is the planner's to speak of."""
        return space is None or (space == "public" and name in self._private)

    def run(
        self,
        tree: exp.Expression,
        values: Sequence[Value],
        *,
        settings: Mapping[str, str],
        user: str,
        tables: Mapping[str, pa.Table],
        most: int = _MOST_ROWS,
        stop: Interrupt | None = None,
    ) -> tuple[tuple[PgColumn, ...], list[tuple[Value, ...]], int]:
        """The columns and rows of a statement, and how many bytes they take, about.

        `tables`: those of the schema `deniable`, as this person sees them.
        """
        text = translated(tree, self._known(settings, user))
        with self._lock:
            if self._closing:
                raise PgError("57P01", "The server is stopping.")
            cursor = self._database.cursor()
            self._running.add(cursor)
        alarm = threading.Timer(_SECONDS, cursor.interrupt)
        try:
            for name, table in {**tables, "settings": _settings(settings)}.items():
                cursor.register(f"own_{name}", table)
            alarm.start()
            if stop is not None:
                stop.then(cursor.interrupt)
            done = cursor.execute(text, list(values) or None)
            if any(str(one[1]) in _NEVER for one in done.description):
                raise unsupported("Values of this type are not given here.", "Cast them to text, or to timestamp.")
            columns = tuple(PgColumn(one[0], _oid(str(one[1]))) for one in done.description)
            rows, size = _taken(done, most)
        except duckdb.InterruptException:
            raise PgError("57014", "The statement takes too long.") from None
        except duckdb.Error as error:
            raise _refused(error) from None
        finally:
            alarm.cancel()
            with self._lock:
                cursor.close()
                self._running.discard(cursor)
                self._lock.notify_all()
        return columns, rows, size

    def close(self) -> None:
        """Interrupt what is running, and let go of the memory."""
        with self._lock:
            self._closing = True
            for cursor in self._running:
                cursor.interrupt()
            self._lock.wait_for(lambda: not self._running, _SECONDS)
            self._database.close()

    def _known(self, settings: Mapping[str, str], user: str) -> Known:
        text, now = exp.Literal.string, datetime.now(UTC)
        lowered = {name.lower(): value for name, value in settings.items()}
        searched = path(lowered.get("search_path"))
        home = next((one for one in searched if one in SPACES), None)
        moment, day = exp.cast(text(f"{now:%Y-%m-%d %H:%M:%S.%f}"), "timestamp"), exp.cast(text(f"{now:%F}"), "date")
        constants: dict[str, exp.Expression] = {
            "version": text(f"PostgreSQL {VERSION} (Deniable)"),
            "current_version": text(f"PostgreSQL {VERSION} (Deniable)"),
            **dict.fromkeys(("current_database", "current_catalog"), text(self._policy.population)),
            "current_schema": exp.Null() if home is None else text(home),
            **dict.fromkeys(("current_timestamp", "localtimestamp", "clock_timestamp"), moment),
            **dict.fromkeys(("statement_timestamp", "transaction_timestamp"), moment),
            "current_date": day,
            **dict.fromkeys(("current_time", "localtime"), exp.cast(text(f"{now:%H:%M:%S.%f}"), "time")),
            **dict.fromkeys(("current_user", "session_user", "user", "current_role"), text(user)),
            "pg_backend_pid": exp.Literal.number(0),
            "inet_server_port": exp.Literal.number(5432),
            "pg_postmaster_start_time": exp.cast(exp.Null(), "TIMESTAMP"),
        }
        tables = {**self._tables, ("pg_catalog", "pg_settings"): "own_settings"}
        declared = frozenset(column.lower() for one in self._policy.tables.values() for column in one.columns)
        return Known(constants, tables, self._classes, lowered, user, searched, self._private, declared)

    def _insert(self, place: str, rows: Sequence[Row]) -> None:
        space, _, name = place.partition(".")
        home = {"pgc": "pg_catalog", "ischema": "information_schema"}[space]
        if rows:
            columns = {
                column: pa.array([_flat(row.get(column)) for row in rows]) for column, _ in relations()[home, name]
            }
            self._database.register("arriving", pa.table(columns))
            self._database.execute(f"INSERT INTO {place} SELECT * FROM arriving")  # noqa: S608 - our own names
            self._database.unregister("arriving")

    def _keep(self, place: str, table: pa.Table) -> None:
        self._database.register("arriving", table)
        self._database.execute(f"CREATE TABLE {place} AS SELECT * FROM arriving")  # noqa: S608 - same
        self._database.unregister("arriving")


def own(name: str, rows: Iterable[Mapping[str, object]]) -> pa.Table:
    """A table of the schema `deniable`, with these rows."""
    fields = [(column, _OWN[oid]) for column, oid in OWN_TABLES[name]]
    return pa.Table.from_pylist(list(rows), schema=pa.schema(fields))


def _taken(done: duckdb.DuckDBPyConnection, most: int) -> tuple[list[tuple[Value, ...]], int]:
    """At most so many rows, one by one: the database keeps within its memory, and they are in ours."""
    rows: list[tuple[Value, ...]] = []
    size = 0
    while most and (row := done.fetchone()) is not None:
        if len(rows) == most:
            raise PgError("54000", f"There are more than {most:,} rows.", hint="Write a LIMIT.")
        rows.append(tuple(_value(one) for one in row))
        size += sum(map(_size, rows[-1]))
        if size > _MOST_BYTES:
            raise PgError("54000", "The rows take too much memory.", hint="Write a LIMIT, or ask for shorter texts.")
    return rows, size


def _size(value: Value) -> int:
    if isinstance(value, list | tuple):
        return _EACH + sum(map(_size, value))
    return _EACH + (len(value) if isinstance(value, str | bytes) else 0)


def _settings(settings: Mapping[str, str]) -> pa.Table:
    names = [column for column, _ in relations()["pg_catalog", "pg_settings"]]
    own = [name.startswith("deniable.") and bool(value) for name, value in settings.items()]
    filled = {
        "name": list(settings),
        "setting": list(settings.values()),
        "context": ["internal" if name in FIXED else "user" for name in settings],
        "vartype": ["string"] * len(settings),
        "source": ["session" if one else "default" for one in own],
    }
    empty = [None] * len(settings)
    return pa.table({name: pa.array(filled.get(name, empty), pa.string()) for name in names})


def _flat(value: object) -> str | None:
    """As a text, which the table's own type reads."""
    return None if value is None else str(value)


def _oid(kind: str) -> int:
    return NUMERIC if kind.startswith("DECIMAL") else _TYPES.get(kind, TEXT)


def _value(value: Value) -> Value:
    return str(value) if isinstance(value, dict) else value


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _refused(error: duckdb.Error) -> PgError:
    """The database has seen nothing but public facts and the statement, so its first line may be shown."""
    text = str(error).splitlines()[0][:200]
    if isinstance(error, duckdb.BinderException) and "not found in FROM" in text:
        return PgError("42703", text.removeprefix("Binder Error: "))
    if isinstance(error, duckdb.ConversionException | duckdb.InvalidInputException):
        return PgError("22P02", text)
    return unsupported(f"This is not understood here: {text}")
