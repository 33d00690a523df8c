"""The grid in SQL, by itself: whatever stands below it, what comes out is a whole number within reach, halves up."""

from __future__ import annotations

from fractions import Fraction

import duckdb
import pytest

from deniable.core.algebra.expression import Call, Column, Expression, Kind, Literal, Range
from deniable.engines.duckdb.dialect import DuckDBDialect
from deniable.engines.sql.dialect import Stored
from deniable.engines.sql.spelling import Speller
from deniable.planner.aggregates.statistics import placed

NARROW = Range(Fraction(0), Fraction(1))
"""What is said of values that are not so."""


def found(value: Expression, reach: int, rows: list[float | int | None]) -> list[int | None]:
    """The places of these rows, of a column `c` that the value is computed from."""
    whole = value.kind is Kind.INTEGER
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t (n INTEGER, c {'BIGINT' if whole else 'DOUBLE'})")
        connection.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(rows)))
        speller = Speller({"c": Stored("c", "BIGINT" if whole else "DOUBLE")}, DuckDBDialect())
        spelled = speller.spell(placed(value, Fraction(0), Fraction(1), reach), Kind.INTEGER)
        return [place for (place,) in connection.execute(f"SELECT {spelled} FROM t ORDER BY n").fetchall()]


@pytest.mark.parametrize("kind", [Kind.INTEGER, Kind.NUMBER])
def test_what_is_concluded_of_an_expression_is_not_believed(kind: Kind) -> None:
    column = Column("c", kind)
    said = Call("multiply", (column, Literal(Fraction(1), kind)), kind, NARROW)
    assert found(said, 2, [0, 1, 2, 9, -9, 10**15, None]) == [0, 1, 2, 2, -2, 2, None]


@pytest.mark.parametrize("kind", [Kind.INTEGER, Kind.NUMBER])
def test_a_column_is_within_its_bounds_because_it_is_read_so(kind: Kind) -> None:
    assert found(Column("c", kind, NARROW), 2, [0, 1, 2, 9, -9, None]) == [0, 1, 1, 1, 0, None]


def test_halves_go_upward_and_what_is_no_number_nowhere() -> None:
    rows = [-1.5, -0.5, 0.5, 1.5, 2.5, float("inf"), -float("inf"), float("nan")]
    assert found(Column("c", Kind.NUMBER), 5, rows) == [-1, 0, 1, 2, 3, 5, -5, None]
