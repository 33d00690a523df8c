"""Many sets of keys in one query: each set has what a query of its own gives."""

from __future__ import annotations

from fractions import Fraction

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.core.algebra.expression import Kind, Literal
from deniable.core.algebra.query import MOST_KEYS, Key, MarginalSums, Source, Sums, Total
from deniable.engines.sql.statements import statement
from tests.unit.engines.sql.statements.test_query import (
    KEYS,
    TYPES,
    UP,
    Rows,
    ask,
    connection,
    counts,
    loose,
    rows,
    sources,
    totals,
    weights,
)

__all__ = ["connection"]  # a fixture

SETS = [((0, 1, 2),), ((0, 1), (1, 2), (0, 2)), ((0,), (1,), (2,), ()), ((2, 0), (1,), (0, 1, 2), ())]


@settings(max_examples=90, deadline=None)
@given(
    table=rows,
    source=st.one_of(sources, loose),
    values=st.lists(st.sampled_from([*KEYS, UP]), min_size=3, max_size=3),
    totals=st.one_of(totals, counts),
    sets=st.sampled_from(SETS),
)
def test_each_set_is_what_a_query_of_its_own_gives(
    connection: duckdb.DuckDBPyConnection,
    *,
    table: Rows,
    source: Source,
    values: list[object],
    totals: tuple[Total, ...],
    sets: tuple[tuple[int, ...], ...],
) -> None:
    keys = tuple(Key(f"key {place}", value) for place, value in enumerate(values))  # type: ignore[arg-type]
    query = MarginalSums(source, keys, totals, sets, "left")
    for places in sets:
        alone = ask(connection, Sums(source, tuple(keys[place] for place in places), totals), table)  # fills the table
        left = sum(1 << (2 - place) for place in range(3) if place not in places)
        answer = connection.sql(statement(query, weights(TYPES))).fetchall()
        found = {tuple(row[place] for place in places): row[4:] for row in answer if row[3] == left}
        if not places and not found:  # without rows there is no group
            found = {(): (0,) * len(totals)}
        assert found == alone


@pytest.mark.parametrize("unit", [None, "unit"])
def test_as_many_keys_as_there_are_bits_are_told_apart(connection: duckdb.DuckDBPyConnection, unit: str | None) -> None:
    """PostgreSQL takes 31 at a time, so all engines are asked in parts."""
    keys = tuple(Key(f"key {place}", UP) for place in range(MOST_KEYS))
    total = Total("t", Literal(Fraction(1), Kind.INTEGER), None, 1, 0)
    sets = tuple((place,) for place in range(MOST_KEYS))
    query = MarginalSums(Source("weights", unit, 1, None), keys, (total,), sets, "left")
    table = [{"unit": 1, "weight": "a", "x": 0.0, "v": 5}]
    ask(connection, Sums(query.source, keys[:1], (total,)), table)  # fills the table
    sql = statement(query, weights(TYPES))
    assert max(part.partition(")")[0].count(",") for part in sql.split("GROUPING(")[1:]) < 31
    found = connection.sql(sql).fetchall()
    every = (1 << MOST_KEYS) - 1
    assert {row[MOST_KEYS] for row in found} == {every - (1 << place) for place in range(MOST_KEYS)}
    for row in found:
        (place,) = [place for place in range(MOST_KEYS) if row[place] is not None]
        assert every - row[MOST_KEYS] == 1 << (MOST_KEYS - 1 - place)
