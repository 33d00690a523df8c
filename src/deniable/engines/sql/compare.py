"""What a policy says of columns, beside what is in them: counts of rows, for custodians. Never part of an answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any
from unicodedata import normalize

from deniable.core.algebra.expression import Column, Kind, Range
from deniable.engines.engine import Declared, RowCounts
from deniable.engines.sql.columns import read
from deniable.engines.sql.dialect import Dialect
from deniable.engines.sql.relations import Tables


def compared(
    tables: Tables, table: str, declared: Declared, distinct: Collection[str], ask: Callable[[str], Sequence[Any]]
) -> list[RowCounts]:
    """Every declared column, which must be in the table, against what it holds, in one pass over all rows.

    `ask` gives the only row of a SELECT.
    """
    types = tables.columns(table)
    facts = [
        fact
        for column, values in declared
        for fact in _compared(column, types[column.name], values, column.name in distinct, tables.dialect)
    ]
    named = ", ".join(f"{fact} AS f{place}" for place, fact in enumerate(["COUNT(*)", *facts]))
    found = iter(ask(f"SELECT {named} FROM {tables.place(table)}"))  # noqa: S608 - all names are quoted
    rows = next(found)
    counts = []
    for column, _ in declared:
        missing, unread, outside, unlisted = (next(found) for _ in range(4))
        different = next(found) if column.name in distinct else None
        counts.append(RowCounts(rows, missing, unread, outside, unlisted, different))
    return counts


def _compared(
    column: Column,
    type_name: str,
    values: Sequence[str | int] | None,
    told_apart: bool,  # noqa: FBT001 - a fact
    dialect: Dialect,
) -> list[str]:
    """What is read within the bounds, beside what would be read without them."""
    place = dialect.found(dialect.quoted(column.name), type_name)
    within = read(place, column, dialect)
    free = read(place, replace(column, range=Range()), dialect)
    unlisted = "0"
    if values is not None:
        texts = ", ".join(dialect.text(normalize("NFC", str(value))) for value in values)
        shown = free if column.kind is Kind.TEXT else dialect.written(free, column.kind)
        unlisted = f"COUNT({free}) FILTER (WHERE NOT {dialect.primitive('normal', shown)} IN ({texts}))"
    return [
        f"COUNT(*) - COUNT({place.place})",
        f"COUNT({place.place}) FILTER (WHERE {within} IS NULL)",
        f"COUNT({within}) FILTER (WHERE {free} IS DISTINCT FROM {within})",
        unlisted,
        *([f"COUNT(DISTINCT {place.place})"] if told_apart else []),
    ]
