"""Rows that no sane table has, and in each engine a table of them, to spell expressions over."""

from __future__ import annotations

import math
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq

from deniable.core.algebra.expression import Column, Expression, Kind
from deniable.engines.duckdb.dialect import DuckDBDialect
from deniable.engines.duckdb.lockdown import MISTRUSTED
from deniable.engines.engine import GapError, TooLongError
from deniable.engines.postgres import schema
from deniable.engines.postgres.dialect import PostgresDialect
from deniable.engines.spark.connection import SparkConnection
from deniable.engines.spark.dialect import SparkDialect
from deniable.engines.sql.dialect import Stored
from deniable.engines.sql.spelling import Speller
from deniable.files.scan import steps, take
from deniable.files.source import DataFile
from tests.support.moved import filled
from tests.support.sail import stored

WHOLES = [None, 0, 1, -1, 7, -7, 110, 2**31, 2**53 + 1, -(2**62), 2**63 - 1, -(2**63)]
REALS = [
    None,
    math.nan,
    math.inf,
    -math.inf,
    0.0,
    -0.0,
    5e-324,
    -5e-324,
    0.5,
    -0.5,
    1.5,
    2.5,
    1e15 + 0.5,
    1e308,
    -1e308,
]
TEXTS = [
    None,
    "",
    " ",
    "a",
    "A%_'",
    "é",
    "e\u0301",
    "nan",
    "-inf",
    " 12 ",
    "1e400",
    "2025-02-30",
    "\x00",
    "İß",
    "infinity",
    "-2.5",
    "1e-7",
    "2024-02-29T23:59:59.5",
    "0000-01-01",
    "tRue",
    "9223372036854775807.5",
    "7:30",
    "07:30",
    " 0.5e1\n",
    "1_000",
    "0x10",
]
"""Those of PostgreSQL have no zero byte: see `without_zero`."""
TRUTHS = [None, True, False]
DAYS = [None, -719162, -1, 0, 19782, 20093, 2932896, -2_180_000, 2932897, 2**31 - 1, -(2**31) + 1]
"""As days since 1970: the ends of the calendar, a leap day, a Sunday, the year -4000, the year 10000, plus and minus
infinity."""

_DAY = 86_400_000_000
MOMENTS = [None, 0, -1, 1, 20_093 * _DAY + 37_425_123_456, 20_118 * _DAY + _DAY - 1, 19_782 * _DAY + 1_500_000]
MOMENTS += [-719_162 * _DAY, 2_932_897 * _DAY - 1, 2_932_897 * _DAY, -719_162 * _DAY - 1, 2**63 - 1, -(2**63) + 1]
"""As microseconds since 1970: around the epoch, a Sunday, the last of a month, a leap day, the ends of the calendar and
just beyond them, plus and minus infinity."""
TIMES = [None, 0, 1, 37_425_123_456, _DAY // 2, _DAY - 1, _DAY]
"""As microseconds since midnight; the last is 24:00, which is no time of day."""

COLUMNS = {
    "i": Column("i", Kind.INTEGER),
    "j": Column("j", Kind.INTEGER),
    "x": Column("x", Kind.NUMBER),
    "y": Column("y", Kind.NUMBER),
    "t": Column("t", Kind.TEXT),
    "u": Column("u", Kind.TEXT),
    "b": Column("b", Kind.BOOLEAN),
    "c": Column("c", Kind.BOOLEAN),
    "d": Column("d", Kind.DATE),
    "e": Column("e", Kind.DATE),
    "m": Column("m", Kind.TIMESTAMP),
    "n": Column("n", Kind.TIMESTAMP),
    "p": Column("p", Kind.TIME),
    "q": Column("q", Kind.TIME),
}
TYPES = {"i": "BIGINT", "x": "DOUBLE", "t": "VARCHAR", "b": "BOOLEAN", "d": "DATE"}
TYPES |= {"j": "BIGINT", "y": "DOUBLE", "u": "VARCHAR", "c": "BOOLEAN", "e": "DATE"}
TYPES |= {"m": "TIMESTAMP", "n": "TIMESTAMP", "p": "TIME", "q": "TIME"}
STORED = {name: Stored(f"r.{name}", kind) for name, kind in TYPES.items()}
ARROW = {
    "BIGINT": pa.int64(),
    "DOUBLE": pa.float64(),
    "VARCHAR": pa.string(),
    "BOOLEAN": pa.bool_(),
    "DATE": pa.date32(),
    "TIMESTAMP": pa.timestamp("us"),
    "TIME": pa.time64("us"),
}


def crossed() -> dict[str, list[Any]]:
    """Every odd value of each kind, beside every other where they are as few as numbers are."""
    columns: dict[str, list[Any]] = {}
    for names, values in (
        ("ij", WHOLES),
        ("xy", REALS),
        ("tu", TEXTS),
        ("bc", TRUTHS),
        ("de", DAYS),
        ("mn", MOMENTS),
        ("pq", TIMES),
    ):
        size = len(values)
        pairs = [(values[place % size], values[(place + place // size) % size]) for place in range(len(REALS) ** 2)]
        columns[names[0]], columns[names[1]] = ([pair[side] for pair in pairs] for side in (0, 1))
    return columns


def speller() -> Speller:
    """Over these rows, in DuckDB's words."""
    return Speller(STORED, DuckDBDialect())


def without_zero(value: Any) -> Any:
    """What can be stored in its place where a text has no zero byte."""
    return value.replace("\x00", "\x01") if isinstance(value, str) else value


class PostgresBench:
    """The same rows in PostgreSQL."""

    def __init__(self, url: str) -> None:
        columns = {name: [without_zero(value) for value in values] for name, values in crossed().items()}
        self.rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
        table = pa.table({name: _array(values, TYPES[name]) for name, values in columns.items()})
        place = filled(url, "odd", table.append_column("place", pa.array(range(len(self.rows)))))
        self._source = f"{place.spelled} AS r"
        self._connection = psycopg.connect(url, autocommit=True, options="-c search_path=pg_catalog")
        types = schema.columns(lambda sql, *values: self._connection.execute(sql, values).fetchall(), place)
        stored = {name: PostgresDialect().found(f"r.{name}", types[name]) for name in COLUMNS}
        self.speller = Speller(stored, PostgresDialect())

    def values(self, expression: Expression) -> list[Any]:
        """The expression in each row, in order."""
        sql = f"SELECT {self.speller.spell(expression)} AS v FROM {self._source} ORDER BY place"
        return [value for (value,) in self._connection.execute(sql.encode()).fetchall()]

    def close(self) -> None:
        """Let go."""
        self._connection.close()


class SparkBench:
    """The same rows in a file that a server reads, which speaks Spark Connect: Sail, or Spark."""

    SIZE = 25
    """Expressions in one statement: each has its price there, however small."""

    def __init__(self, url: str, folder: Path) -> None:
        columns = crossed()
        self.rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
        table = pa.table({name: _array(values, TYPES[name]) for name, values in columns.items()})
        file = folder / "odd.parquet"
        pq.write_table(stored(table.append_column("place", pa.array(range(len(self.rows))))), file)
        self._connection = SparkConnection(url, None, {"odd": str(file)}, seconds=300)
        types = self._connection.types("odd")
        kept = {name: SparkDialect().found(f"r.{name}", types[name]) for name in COLUMNS}
        self.speller = Speller(kept, SparkDialect())
        self._known: dict[str, list[Any]] = {}

    def ask(self, expressions: Iterable[Expression]) -> None:
        """All of them now, several in each statement."""
        spelled = []
        for expression in expressions:
            with suppress(GapError, TooLongError):
                spelled.append(self.speller.spell(expression))
        missing = sorted({one for one in spelled if one not in self._known})
        for start in range(0, len(missing), self.SIZE):
            with suppress(Exception):  # whichever it is, it fails again when it is asked alone
                self._ask(missing[start : start + self.SIZE])

    def values(self, expression: Expression) -> list[Any]:
        """The expression in each row, in order."""
        spelled = self.speller.spell(expression)
        if spelled not in self._known:
            self._ask([spelled])
        return self._known[spelled]

    def _ask(self, spelled: list[str]) -> None:
        named = ", ".join(f"{one} AS v{place}" for place, one in enumerate(spelled))
        found = self._connection.fetch(f"SELECT {named} FROM odd AS r ORDER BY place")
        self._known |= {one: column.to_pylist() for one, column in zip(spelled, found.columns, strict=True)}

    def close(self) -> None:
        """Let go."""
        self._connection.close()


class Bench:
    """The rows in a table, and expressions computed over them."""

    def __init__(self) -> None:
        columns = crossed()
        self.rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
        self._connection = duckdb.connect()
        self._connection.execute(f"SET disabled_optimizers = '{MISTRUSTED}'")
        table = pa.table({name: _array(values, TYPES[name]) for name, values in columns.items()})
        self._table = table.append_column("place", pa.array(range(len(self.rows))))
        self._connection.register("given", self._table)
        self._connection.execute("CREATE TABLE odd AS FROM given")

    def values(self, expression: Expression) -> list[Any]:
        """The expression in each row, in order."""
        return self._asked(expression, "odd")

    def values_from_file(self, expression: Expression, rows: list[int], path: Path) -> list[Any]:
        """The same in a few rows of a Parquet file, which states bounds for its columns that DuckDB makes use of."""
        pq.write_table(self._table.take(rows), path)
        self._connection.execute("DROP VIEW IF EXISTS stored")
        for step in steps(DataFile.named(path), "stored", path.parent):
            take(self._connection, step)
        return self._asked(expression, "stored")

    def _asked(self, expression: Expression, source: str) -> list[Any]:
        spelled = speller().spell(expression)
        sql = f"SELECT {spelled} AS v FROM {source} AS r ORDER BY place"
        table = self._connection.sql(sql).to_arrow_table()
        found: list[Any] = table["v"].to_pylist()
        return found


def _array(values: list[Any], kind: str) -> pa.Array:
    whole = {"DATE": pa.int32(), "TIMESTAMP": pa.int64(), "TIME": pa.int64()}.get(kind, ARROW[kind])
    return pa.array(values, whole).cast(ARROW[kind])
