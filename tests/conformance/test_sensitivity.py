"""Sensitivity is measured, not only proved: add, remove or replace one unit, and the exact integers stay within it."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from deniable.curator.factory import engine_of
from deniable.planner import Spend, bind, parse, price
from tests.support.neighbours import exact_vectors, moved
from tests.support.tables import policy, visits

QUESTIONS = [
    "SELECT COUNT(*) FROM visits",
    "SELECT COUNT(*), COUNT(score), AVG(score) FROM visits WHERE age > 20",
    "SELECT region, COUNT(*), SUM(cost), AVG(cost) FROM visits GROUP BY region",
    "SELECT region, urgent, SUM(score) FROM visits GROUP BY region, urgent",
    "SELECT VARIANCE(cost), STDDEV(score) FROM visits",
    "SELECT COUNT(DISTINCT patient_id) FROM visits WHERE urgent",
    "SELECT region, COUNT(DISTINCT patient_id) FROM visits GROUP BY region",
    "SELECT age // 10, SUM(CASE WHEN urgent THEN cost ELSE -cost END) FROM visits GROUP BY 1",
    "SELECT urgent, CORR(cost, score), REGR_INTERCEPT(age, cost) FROM visits GROUP BY urgent",
    "SELECT SUM(cost) FILTER (WHERE age > 50), AVG(age * 3) FROM visits",
    "SELECT COUNT(*) FILTER (WHERE urgent), SUM(cost) FILTER (WHERE NOT urgent), COUNT(*) FROM visits",
    "SELECT region, SUM(CASE WHEN age < 30 THEN cost END), COUNT_IF(age >= 30) FROM visits GROUP BY region",
    "SELECT COUNT(DISTINCT age) FROM visits",
    "SELECT region, COUNT(DISTINCT day) FROM visits GROUP BY region",
    "SELECT MEDIAN(age), QUANTILE_CONT(age, [0.1, 0.75]), MIN(age), MAX(age) FROM visits",
    "SELECT region, MEDIAN(age), QUANTILE_CONT(age, 0.9), MODE(urgent) FROM visits GROUP BY region",
]
ROWS = 60
PAIRS = 8


def _neighbour(table: pa.Table, chance: np.random.Generator, relation: str) -> pa.Table:
    """One unit less; under replace, its rows become another unit's, with other values."""
    people = [person for person in pc.unique(table["patient_id"]).to_pylist() if person is not None]
    person = people[chance.integers(len(people))]
    others = table.filter(pc.or_kleene(pc.not_equal(table["patient_id"], person), pc.is_null(table["patient_id"])))
    if relation == "add-remove":
        return others
    fresh = visits(int(chance.integers(1, 12)), seed=int(chance.integers(1 << 30)))
    same = fresh.set_column(0, "patient_id", pa.array([10_000] * fresh.num_rows, type=table.schema.field(0).type))
    return pa.concat_tables([others, same])


def _vectors(folder, table, rules, plans):
    """The exact integers of every statistic, over all groups; a question has two plans, which mostly ask the same."""
    pq.write_table(table, folder / "visits.parquet")
    engine = engine_of(rules)
    try:
        return [
            exact_vectors(engine, one) | ({} if one.queries == other.queries else exact_vectors(engine, other))
            for one, other in plans
        ]
    finally:
        engine.close()


@pytest.mark.parametrize("relation", ["add-remove", "replace"])
@pytest.mark.parametrize("contribution", [1, 4])
def test_no_pair_of_neighbours_is_farther_apart_than_claimed(tmp_path, relation, contribution):
    rules = policy(tmp_path, contribution=contribution, neighbours=relation)
    bound = [bind(parse(sql), rules) for sql in QUESTIONS]
    pure = [price(question, Spend.of(epsilon=1)) for question in bound]
    concentrated = [price(question, Spend.of(rho=1)) for question in bound]
    chance = np.random.default_rng(contribution)
    farthest: dict[str, float] = {}
    for _ in range(PAIRS):
        table = visits(ROWS, seed=int(chance.integers(1 << 30)))
        plans = list(zip(pure, concentrated, strict=True))
        one = _vectors(tmp_path, table, rules, plans)
        other = _vectors(tmp_path, _neighbour(table, chance, relation), rules, plans)
        for plan, squared, mine, theirs in zip(pure, concentrated, one, other, strict=True):
            for part in (*plan.noise, *squared.noise):
                far = moved(part, mine, theirs)
                assert far <= 1
                kind = type(part).__name__
                farthest[kind] = max(farthest.get(kind, 0.0), float(far))
    assert set(farthest) == {"Noisy", "Chosen", "Counted", "Parallel"}
    farthest.pop("Parallel")  # whose extremes are in test_parallel.py
    assert min(farthest.values()) > 0.4  # far enough apart to tell a claim that is half of what it should be
