"""Keys as small numbers: the same groups and sums as by the keys themselves, by an array, and of no more memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.core.algebra.expression import Expression
from deniable.core.algebra.query import Key, Source, Sums, Total
from deniable.engines.duckdb.lockdown import MISTRUSTED
from deniable.engines.sql.statements import statement
from tests.unit.engines.reference import number
from tests.unit.engines.sql.statements.test_query import (
    TOWN,
    TYPES,
    UP,
    Rows,
    X,
    ask,
    chosen,
    counts,
    placed,
    rows,
    sources,
    sums,
    weights,
)

STEPS = placed(X, Fraction(1, 2), Fraction(1, 100), 350)
SIGN = "\u212a"
KNOWN = [("a", "é"), ("a", "é", None), (None, "nan", ""), ("é", "e\u0301", "é", "it's"), ("K", "A", "a ")]
SOURCE, ONE = Source("weights", "unit", 3, None), (Total("n", number(1), None, 1, 0),)


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """Which groups by an array, also of few rows."""
    with duckdb.connect() as opened:
        opened.execute(f"SET disabled_optimizers = '{MISTRUSTED}'; SET perfect_ht_threshold = 20")
        yield opened


def by_town(known: tuple[Any, ...] | None, *values: Expression) -> tuple[Key, ...]:
    return (Key("town", TOWN, known), *(Key(f"key {place}", value) for place, value in enumerate(values)))


@settings(max_examples=60, deadline=None)
@given(
    table=rows, source=sources, totals=counts, known=st.sampled_from(KNOWN), values=st.sampled_from([(STEPS,), (UP,)])
)
def test_known_groups_are_as_by_their_keys_and_no_row_is_lost(
    connection: duckdb.DuckDBPyConnection,
    *,
    table: Rows,
    source: Source,
    totals: tuple[Total, ...],
    known: tuple[Any, ...],
    values: tuple[Expression, ...],
) -> None:
    """Texts that are not known are together, as one that no row has."""
    query = Sums(source, by_town(known, *values), totals)
    assert "ENUM" in statement(query, weights(TYPES))
    every = sums(query, chosen(source, table))
    expected: dict[tuple[Any, ...], list[int]] = {}
    for (town, *rest), found in every.items():
        group = expected.setdefault((town if town in known else SIGN, *rest), [0] * len(found))
        group[:] = [one + other for one, other in zip(group, found, strict=True)]
    assert ask(connection, query, table) == {key: tuple(found) for key, found in expected.items()}


@settings(max_examples=20, deadline=None)
@given(table=rows, source=sources, totals=counts)
def test_steps_alone(
    connection: duckdb.DuckDBPyConnection, table: Rows, source: Source, totals: tuple[Total, ...]
) -> None:
    fine = placed(X, Fraction(1, 2), Fraction(1, 1000), 3500)
    query = Sums(source, (Key("cell", fine),), totals)
    assert "RANGE" in statement(query, weights(TYPES))
    expected = {key: tuple(found) for key, found in sums(query, chosen(source, table)).items()}
    assert ask(connection, query, table) == expected


@pytest.mark.parametrize("known", [None, (), ("a\x00b",), (SIGN,), tuple(map(str, range(1 << 12))), ("x" * (1 << 17),)])
def test_texts_that_are_not_known_or_cannot_be_listed_are_keys_themselves(known):
    assert "ENUM" not in statement(Sums(SOURCE, by_town(known, STEPS), ONE), weights(TYPES))


def test_what_is_known_makes_no_other_question():
    """So recorded answers are found again, whatever an engine is told besides."""
    one, other = Key("town", TOWN, ("a",)), Key("town", TOWN)
    assert (one, repr(one), hash(one)) == (other, repr(other), hash(other))


def test_a_text_is_as_it_is_and_the_sign_for_kelvin_is_a_letter(connection):
    table = [{"unit": 1, "weight": town, "x": 0.5, "v": 0} for town in ("K", SIGN, "k", "K ", "A", "a", None)]
    query = Sums(Source("weights", "unit", 7, None), by_town(("K", "a"), STEPS), ONE)
    assert ask(connection, query, table) == {("K", 0): (2 << 20,), ("a", 0): (1 << 20,), (SIGN, 0): (4 << 20,)}


def test_rows_are_grouped_by_an_array_and_lists_are_joined_with_no_person(connection):
    """A list of all steps beside every person would be gigabytes."""
    table = [{"unit": one, "weight": "a", "x": one / 4, "v": one} for one in range(2000)]
    query = Sums(SOURCE, by_town(("a", None), STEPS), ONE)
    ask(connection, query, table)
    text = statement(query, weights(TYPES))
    (plan,) = json.loads(connection.execute(f"EXPLAIN (FORMAT json) {text}").fetchall()[0][1])
    arrays = [node for node in _nodes(plan) if node["name"].strip() == "PERFECT_HASH_GROUP_BY"]
    assert any("#1" in str(node["extra_info"]) for node in arrays)
    (join,) = [node for node in _nodes(plan) if "JOIN" in node["name"]]
    rows_side, people_side = join["children"]
    assert "CROSS_PRODUCT" in map(_name, _nodes(rows_side))
    assert "CROSS_PRODUCT" not in map(_name, _nodes(people_side))


def _name(node: dict[str, Any]) -> str:
    return str(node["name"]).strip()


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan["children"]:
        yield from _nodes(child)
