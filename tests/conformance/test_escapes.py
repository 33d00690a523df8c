"""Doubles that leave the range which was concluded for them: what a row adds is bounded by the statement that runs.

In exact arithmetic each expression below is zero, or a constant, or another one's equal; in doubles it is not. How far
it goes astray is drawn.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.core.algebra.expression import Call, Column, Kind, Literal, Range
from deniable.core.algebra.query import Key, Source, Sums, Total
from deniable.curator.factory import engine_of
from deniable.engines import DuckDB
from deniable.planner import Spend, plan_question
from deniable.planner.aggregates.statistics import placed
from deniable.planner.plan import singly
from deniable.policy import Policy
from tests.support.neighbours import exact_vectors

NOTHING = ["(x * 0.1 * 3 - x * 0.3)", "(x * 0.7 + x * 0.1 - x * 0.8)", "(x / 3 * 3 - x)", "(x * 1.1 - x - x * 0.1)"]
"""Zero for every x, but for what doubles lose."""
ROWS = 60


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    folder: Path = tmp_path_factory.mktemp("escapes")
    pq.write_table(
        pa.table({"place": list(range(ROWS)), "x": [place / 7 for place in range(ROWS)]}), folder / "t.parquet"
    )
    pq.write_table(pa.table({"k": [1, 2, 3, 3]}), folder / "p.parquet")
    whole = {"type": "integer", "bounds": [0, ROWS - 1], "nulls": False}
    return Policy.from_mapping(
        {
            "population": {"name": "escapes"},
            "budget": {"epsilon": 100},
            "tables": {
                "t": {
                    "source": "t.parquet",
                    "columns": {
                        "place": whole,
                        "x": {"type": "number", "bounds": [0, 9], "nulls": False},
                    },
                },
                "p": {
                    "source": "p.parquet",
                    "public": True,
                    "columns": {"k": {"type": "integer", "bounds": [0, 9], "nulls": False}},
                },
            },
        },
        origin="escapes",
        folder=folder,
    )


@pytest.fixture(scope="module")
def engine(rules: Policy) -> DuckDB:
    return engine_of(rules)


@given(zero=st.sampled_from(NOTHING), places=st.integers(0, 60), offset=st.integers(-3, 3))
@settings(max_examples=12, deadline=None)
def test_no_row_adds_more_than_is_claimed(rules: Policy, engine: DuckDB, zero: str, places: int, offset: int) -> None:
    value = f"{zero} * 1e{places} + {offset}"
    columns = f"SUM({value}), AVG({value}), VARIANCE({value}), COVAR_POP({value}, x)"
    plan = plan_question(f"SELECT {columns} FROM t GROUP BY place", rules, Spend.of(epsilon=1))
    numbers = exact_vectors(engine, plan)
    for part in singly(plan.noise):
        assert max(abs(int(number)) for number in numbers[part.statistic.name]) <= part.mechanism.sensitivity


@given(
    value=st.sampled_from(["x * 0 + 0.3", "place * 0.1", "place * 0 + 0.3", "x * 0.1"]),
    options=st.lists(
        st.sampled_from(["k * 0.1", "0.3", "k * 0.3 - k * 0.2", "CASE WHEN k = 3 THEN k * 0.1 ELSE 0.3 END"]),
        min_size=1,
        max_size=3,
    ),
)
@settings(max_examples=12, deadline=None)
def test_no_set_of_doubles_multiplies_rows(rules: Policy, engine: DuckDB, value: str, options: list[str]) -> None:
    condition = " AND ".join(f"{value} IN (SELECT {option} FROM p)" for option in options)
    counted = f"COUNT(*), SUM(CASE WHEN {condition} THEN 1 ELSE 0 END)"
    plan = plan_question(f"SELECT {counted} FROM t GROUP BY place", rules, Spend.of(epsilon=1))
    numbers = exact_vectors(engine, plan)
    for part in singly(plan.noise):
        assert max(abs(int(number)) for number in numbers[part.statistic.name]) <= part.mechanism.sensitivity


@pytest.mark.parametrize("kind", [Kind.NUMBER, Kind.INTEGER])
def test_a_range_that_was_concluded_wrongly_bounds_nothing(engine: DuckDB, kind: Kind) -> None:
    """A product that is said to lie between 0 and 1, and reaches 177: each row still adds one at most."""
    column = Column("x", kind, Range(Fraction(0), Fraction(9))) if kind is Kind.NUMBER else Column("place", kind)
    said = Call("multiply", (column, Literal(Fraction(3), kind)), kind, Range(Fraction(0), Fraction(1)))
    row = placed(said, Fraction(0), Fraction(1), 1)
    place = Key("place", Column("place", Kind.INTEGER, Range(Fraction(0), Fraction(ROWS))))
    found = engine.run(Sums(Source("t", None, 1, None), (place,), (Total("s", row, None, 1, 0),)))
    assert found.num_rows == ROWS
    assert set(found["s"].to_pylist()) == {0, 1}
