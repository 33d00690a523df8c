"""The 95% intervals of every aggregate, and of arithmetic over them, hold at least 95% of the time.

Each column and group is one trial of a run. If an interval holds with probability 0.95 or more, fewer than the stated
number of trials hold with probability at most 1e-8 (exact binomial tail), so the whole file, of fewer than a hundred
such tests, raises a false alarm with probability below 1e-6. Quantiles and most common values have a file of their own.
"""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.stats import binom

from deniable.core.algebra.query import WEIGHT, Sums, Units
from deniable.curator.answers.answer import Answer
from deniable.curator.factory import engine_of
from deniable.curator.noise import add_noise
from deniable.planner import Spend, bind, parse, price
from tests.support.curators import silence
from tests.support.tables import REGIONS, policy, visits

RUNS = 150
ALPHA = 1e-8

COLUMNS = {
    "COUNT(*)": 0,
    "SUM(cost)": 1,
    "AVG(cost)": 2,
    "VAR_POP(cost)": 3,
    "STDDEV(cost)": 4,
    "AVG(age) - AVG(score)": 5,
    "SUM(cost) / COUNT(*)": 6,
    "ROUND(AVG(cost), 1)": 7,
    "CASE WHEN COUNT(*) > 4000 THEN AVG(cost) ELSE SUM(age) END": 8,
    "ABS(AVG(score))": 9,
    "2 * COUNT(*) - COUNT(score)": 10,
    "GREATEST(AVG(cost), AVG(age))": 11,
    "COVAR_POP(cost, age)": 12,
    "REGR_SLOPE(cost, age)": 13,
    "REGR_INTERCEPT(cost, age)": 14,
    "CORR(cost, age)": 15,
    "COVAR_SAMP(score, cost)": 16,
    "VAR_SAMP(score)": 17,
    "STDDEV_POP(score)": 18,
    "COUNT(score)": 19,
    "SUM(score) FILTER (WHERE urgent)": 20,
    "AVG(cost) FILTER (WHERE age > 50)": 21,
    "FLOOR(AVG(cost)) + CEIL(AVG(age))": 22,
    "SQRT(COUNT(*)) - EXP(AVG(score) / 100)": 23,
    "LEAST(COUNT(*), 4000)": 24,
    "-COALESCE(AVG(score), 0) * AVG(age)": 25,
}


PEOPLE = {
    "COUNT(*)": 30,
    "SUM(cost)": 31,
    "AVG(score)": 32,
    "STDDEV(age)": 33,
    "COUNT(DISTINCT patient_id)": 34,
    "COUNT(DISTINCT reason)": 35,
    "COUNT(*) / COUNT(DISTINCT patient_id)": 36,
}
"""Where the unit is a person, so that rows weigh."""


def _exact(plan, seed):
    """What the engine may say to each query."""
    return [
        _of_sums(plan, query, seed) if isinstance(query, Sums) else _of_counts(query, seed) for query in plan.queries
    ]


def _of_counts(query, seed):
    """So many units, or values, in each group."""
    weight = WEIGHT if isinstance(query, Units) else 1
    return pa.table({"k0": [*REGIONS, None], query.name: np.random.default_rng(seed).integers(500, 900, 5) * weight})


def _of_sums(plan, query, seed):
    """Totals that look like those of a few thousand rows a group."""
    chance = np.random.default_rng(seed)
    columns = {"k0": [*REGIONS, None]}
    weights = {statistic.name: statistic for statistic in plan.bound.statistics}
    for total in query.totals:
        statistic = weights[total.name]
        row = 1 if plan.bound.source.unit is None else Fraction(WEIGHT, 1 << total.shift)
        one = 1 if statistic.signed else float(total.reach * statistic.each_row)  # at an end, half of a row
        middle = 4000 * (0.2 * total.reach * float(chance.uniform(-1, 1)) if statistic.signed else one)
        columns[total.name] = ((middle + chance.integers(-500, 500, 5) * one) * float(row)).astype(np.int64)
    return pa.table(columns)


@pytest.mark.parametrize("spend", [{"epsilon": 1}, {"rho": "0.1"}], ids=["laplace", "gaussian"])
@pytest.mark.parametrize("column", COLUMNS)
def test_intervals_hold(column, spend, monkeypatch):
    _check(column, COLUMNS[column], None, spend, monkeypatch)


@pytest.mark.parametrize("column", PEOPLE)
def test_intervals_hold_where_rows_weigh(column, monkeypatch):
    _check(column, PEOPLE[column], 3, {"epsilon": 1}, monkeypatch)


def _check(column, seed, contribution, spend, monkeypatch):
    sql = f"SELECT region, {column} AS x FROM visits GROUP BY region"
    plan = price(bind(parse(sql), policy(Path("nowhere"), contribution=contribution)), Spend.of(**spend))
    exact = _exact(plan, seed)
    with monkeypatch.context() as quiet:
        silence(quiet)
        truth = np.array(_answer(plan, exact).table["x"].to_pylist(), dtype=float)
    held = trials = 0
    for _ in range(RUNS):
        intervals = _answer(plan, exact).intervals
        low, high = (np.array(intervals[f"x_{side}"].to_pylist(), dtype=float) for side in ("low", "high"))
        held += int(((low <= truth) & (truth <= high)).sum())
        trials += truth.size
    assert held >= binom.ppf(ALPHA, trials, 0.95)


def _answer(plan, exact):
    return Answer(plan, add_noise(plan, exact), plan.quote.loss, free=False, delta=plan.quote.confidence)


STEP = 2.0**-17
"""Of the grid on which a score lies that has no step of its own: 100 / 2^24, up to the next power of two."""
SCORES = [value + 0.49 * STEP for value in (-61.0, 12.5, 93.25)]
"""All of them lose nearly half a step, so that nothing cancels out."""
ROUNDED = {
    "AVG(score)": lambda score, _: np.mean(score),
    "SUM(score) + 0 * COUNT(score)": lambda score, _: np.sum(score),
    "SUM(score) + 0 * COUNT(*)": lambda score, _: np.sum(score),
    "SUM(score * 2) + 0 * COUNT(score * 2)": lambda score, _: 2 * np.sum(score),
    "VAR_POP(score)": lambda score, _: np.var(score),
    "STDDEV_POP(cost)": lambda _, cost: np.std(cost),
    "COVAR_POP(score, cost)": lambda score, cost: np.mean(score * cost) - np.mean(score) * np.mean(cost),
    "REGR_SLOPE(cost, score)": lambda score, cost: (
        (np.mean(score * cost) - np.mean(score) * np.mean(cost)) / np.var(score)
    ),
}


@pytest.fixture(scope="module")
def million(tmp_path_factory):
    """A million visits whose scores lie between the places of the grid."""
    rows, chance = 1_000_000, np.random.default_rng(40)
    table = visits(rows, seed=40)
    score, cost = np.array(SCORES)[chance.integers(0, 3, rows)], table["cost"].to_numpy()
    table = table.set_column(table.column_names.index("score"), "score", pa.array(score))
    folder = tmp_path_factory.mktemp("million")
    rules = policy(folder, contribution=None)
    pq.write_table(table, folder / "visits.parquet")
    return rules, engine_of(rules), score.astype(np.longdouble), cost.astype(np.longdouble)


@pytest.mark.parametrize("spend", [{"epsilon": 1000}, {"rho": 10**6}], ids=["laplace", "gaussian"])
@pytest.mark.parametrize("column", ROUNDED)
def test_intervals_hold_what_the_grid_rounds(column, spend, million):
    rules, engine, score, cost = million
    plan = price(bind(parse(f"SELECT {column} AS x FROM visits"), rules), Spend.of(**spend))
    exact = [engine.run(query) for query in plan.queries]
    truth = float(ROUNDED[column](score, cost))
    held = 0
    for _ in range(RUNS):
        (row,) = _answer(plan, exact).intervals.to_pylist()
        held += row["x_low"] <= truth <= row["x_high"]
    assert held >= binom.ppf(ALPHA, RUNS, 0.95)
