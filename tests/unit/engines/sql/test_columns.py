"""Columns as they are read: units and texts are told apart by their bytes, whatever a file makes of them."""

from __future__ import annotations

from fractions import Fraction

import duckdb
import pytest

from deniable.core.algebra.expression import Column, Kind, Range
from deniable.engines.duckdb.dialect import DuckDBDialect
from deniable.engines.engine import UnlikeUnitsError
from deniable.engines.sql.columns import identified, read

DUCKDB = DuckDBDialect()


def groups(kind: str, values: list[object], spelled: str, collation: str = "") -> int:
    """How many groups there are, by this spelling of the column `c`."""
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t (c {kind}{collation})")
        connection.executemany("INSERT INTO t VALUES (?)", [(value,) for value in values])
        (found,) = connection.execute(f"SELECT COUNT(*) FROM (SELECT {spelled} AS g FROM t GROUP BY g)").fetchone()
        return int(found)


@pytest.mark.parametrize("collation", ["", " COLLATE NOCASE", " COLLATE NOACCENT", " COLLATE NOCASE.NOACCENT"])
def test_texts_have_no_collation(collation: str) -> None:
    texts = ["north", "NORTH", "nórth", "north"]
    assert groups("VARCHAR", texts, DUCKDB.found("c", "VARCHAR").place, collation) == 3
    assert groups("VARCHAR", texts, identified(DUCKDB.found("c", "VARCHAR"), DUCKDB), collation) == 3


@pytest.mark.parametrize("kind", ["DOUBLE", "FLOAT"])
def test_equal_floats_have_equal_bytes(kind: str) -> None:
    """What is hashed as text and grouped as a number must be one unit in both."""
    values = [0.0, -0.0, float("nan"), -float("nan"), 1.5]
    assert groups(kind, values, f"CAST({identified(DUCKDB.found('c', kind), DUCKDB)} AS VARCHAR)") == 3


@pytest.mark.parametrize("kind", ["INTERVAL", "TIME WITH TIME ZONE", "INTEGER[]", "STRUCT(a INTEGER)", "BIT"])
def test_types_with_another_equality_name_no_unit(kind: str) -> None:
    with pytest.raises(UnlikeUnitsError):
        identified(DUCKDB.found("c", kind), DUCKDB)


BOUNDS = Range(Fraction(0), Fraction(9))


@pytest.mark.parametrize(
    ("column", "kind", "values", "seen"),
    [
        (Column("c", Kind.INTEGER, BOUNDS), "BIGINT", [-5, 0, 7, 50, 2**62, None], [0, 0, 7, 9, 9, None]),
        (Column("c", Kind.INTEGER, BOUNDS), "HUGEINT", [-(2**100), 2**100], [0, 9]),
        (Column("c", Kind.NUMBER, BOUNDS), "DOUBLE", [-5.0, 7.5, 50.0, None], [0.0, 7.5, 9.0, None]),
        (Column("c", Kind.NUMBER, BOUNDS), "DOUBLE", [float("inf"), -float("inf"), float("nan")], [9.0, 0.0, None]),
        (
            Column("c", Kind.TEXT, length=3),
            "VARCHAR",
            ["", "abc", "abcdef", "éééé", None],
            ["", "abc", "abc", "ééé", None],
        ),
    ],
)
def test_what_is_read_lies_within_its_declaration(
    column: Column, kind: str, values: list[object], seen: list[object]
) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t (n INTEGER, c {kind})")
        connection.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(values)))
        spelled = read(DUCKDB.found("c", kind), column, DUCKDB)
        found = connection.execute(f"SELECT {spelled} FROM t ORDER BY n").fetchall()
    assert [value for (value,) in found] == seen
