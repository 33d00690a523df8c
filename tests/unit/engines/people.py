"""Five people, and the questions that the engine's tests ask about them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pyarrow as pa

from deniable.core.algebra.expression import Column, Kind, Literal, Range
from deniable.core.algebra.query import Key, Source, Sums, Total

ONE = Literal(Fraction(1), Kind.INTEGER)
AGE = Column("age", Kind.INTEGER, Range(Fraction(0), Fraction(110)))
TOWN = Column("town", Kind.TEXT)
FOR_EVER = "SELECT COUNT(*) FROM range(1000000000000) a, range(1000000) b"
PEOPLE = {
    "id": [1, 1, 2, 3, None],
    "age": [31, 47, -5, 999, 50],
    "town": ["north", "south", "south", None, "north"],
}


def count(table: str = "people", unit: str | None = None) -> Sums:
    return Sums(Source(table, unit, 1, None), (), (Total("n", ONE, None, 1, 0),))


def ages(unit: str | None = None) -> Sums:
    return Sums(Source("people", unit, 1, None), (Key("town", TOWN),), (Total("age", AGE, None, 110, 0),))


def by_town(table: pa.Table, name: str) -> dict[Any, Any]:
    return dict(zip(table["town"].to_pylist(), table[name].to_pylist(), strict=True))
