"""What public tables say of themselves: their values may be read, and questions about them alone need no noise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from deniable.core.algebra.expression import Column, Kind
from deniable.engines.sql.columns import read
from deniable.engines.sql.relations import Tables

_RANGED = frozenset(Kind) - {Kind.TEXT, Kind.BOOLEAN}

Fetch = Callable[[str], pa.Table]
"""Runs one SELECT."""


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


def facts(fetch: Fetch, tables: Tables, table: str, columns: Sequence[Column], most: int) -> list[Facts]:
    """Every column of a public table, with at most so many values."""
    return [_facts(fetch, tables, table, column, most) for column in columns]


def shown(tables: Tables, table: str, columns: Sequence[Column]) -> str:
    """The table with its declared columns alone, as questions read them: a query."""
    types, quoted = tables.columns(table), tables.dialect.quoted
    places = [tables.dialect.found(quoted(column.name), types[column.name]) for column in columns]
    listed = ", ".join(
        f"{read(place, column, tables.dialect)} AS {quoted(column.name)}"
        for place, column in zip(places, columns, strict=True)
    )
    return f"SELECT {listed} FROM {tables.place(table)}"  # noqa: S608 - all names are quoted


def _facts(fetch: Fetch, tables: Tables, table: str, column: Column, most: int) -> Facts:
    name = tables.dialect.quoted(column.name)
    rows = f"(SELECT {name} AS v FROM ({shown(tables, table, [column])}) AS c) AS r"  # noqa: S608 - same
    below, above = tables.dialect.infinities
    ends = "MIN(v) AS low, MAX(v) AS high" if column.kind in _RANGED else "NULL AS low, NULL AS high"
    known = f"COALESCE(bool_and(v > {below} AND v < {above}), false)" if column.kind is Kind.NUMBER else "true"
    summary = f"SELECT COUNT(*) = COUNT(v) AS complete, {ends}, {known} AS known FROM {rows}"  # noqa: S608 - same
    complete, low, high, finite = _rows(fetch, summary)[0]
    distinct = f"SELECT DISTINCT v FROM {rows} WHERE v IS NOT NULL LIMIT {most + 1}"  # noqa: S608 - same
    found = [one for (one,) in _rows(fetch, distinct)] if column.kind in {Kind.TEXT, Kind.INTEGER} else []
    listed = tuple(sorted(found)) if 0 < len(found) <= most else None
    return Facts(complete, low if finite else None, high if finite else None, listed)


def _rows(fetch: Fetch, sql: str) -> list[tuple[Any, ...]]:
    table = fetch(sql)
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))
