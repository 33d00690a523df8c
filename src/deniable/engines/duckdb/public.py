"""What public tables say of themselves: their values may be read, and questions about them alone need no noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deniable.core.algebra.expression import Column, Kind
from deniable.engines.duckdb.columns import read, stored
from deniable.engines.duckdb.engine import DuckDB
from deniable.engines.duckdb.literals import quoted

_RANGED = frozenset(Kind) - {Kind.TEXT, Kind.BOOLEAN}


@dataclass(frozen=True, slots=True)
class Facts:
    """What is in one column of a public table, as questions read it."""

    complete: bool
    """Whether no value is missing."""
    low: Any = None
    high: Any = None
    """Both ends, of kinds that have some; None if there is no value, or an infinite one."""
    values: tuple[Any, ...] | None = None
    """All different values, in order; None if they are too many."""


def facts(engine: DuckDB, table: str, columns: Sequence[Column], most: int) -> list[Facts]:
    """Every column of a public table, with at most so many values."""
    return [_facts(engine, table, column, _value(column, engine.describe(table)), most) for column in columns]


def shown(columns: Sequence[Column], table: str, types: Mapping[str, str]) -> str:
    """The table with its declared columns alone, as questions read them: a query."""
    listed = ", ".join(f"{_value(column, types)} AS {quoted(column.name)}" for column in columns)
    return f"SELECT {listed} FROM main.{quoted(table)}"  # noqa: S608 - all names are quoted


def _value(column: Column, types: Mapping[str, str]) -> str:
    place = stored(quoted(column.name), types[column.name])
    return read(place.place, place.type, column)


def _facts(engine: DuckDB, table: str, column: Column, value: str, most: int) -> Facts:
    rows = f"(SELECT {value} AS v FROM main.{quoted(table)})"  # noqa: S608 - same
    ends = "MIN(v), MAX(v)" if column.kind in _RANGED else "NULL, NULL"
    finite = "COALESCE(bool_and(isfinite(v)), false)" if column.kind is Kind.NUMBER else "true"
    summary = f"SELECT COUNT(*) = COUNT(v), {ends}, {finite} FROM {rows}"  # noqa: S608 - same
    complete, low, high, known = _rows(engine, summary)[0]
    distinct = f"SELECT DISTINCT v FROM {rows} WHERE v IS NOT NULL LIMIT {most + 1}"  # noqa: S608 - same
    found = [one for (one,) in _rows(engine, distinct)] if column.kind in {Kind.TEXT, Kind.INTEGER} else []
    listed = tuple(sorted(found)) if 0 < len(found) <= most else None
    return Facts(complete, low if known else None, high if known else None, listed)


def _rows(engine: DuckDB, sql: str) -> list[tuple[Any, ...]]:
    table = engine.fetch(sql)
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))
