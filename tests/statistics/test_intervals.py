"""The 95% intervals of every aggregate, and of arithmetic over them, hold at least 95% of the time.

Each column and group is one trial of a run. If an interval holds with probability 0.95 or more, fewer than the stated
number of trials hold with probability at most 1e-7 (exact binomial tail); with fourteen columns, the whole file raises
a false alarm with probability below 1e-5 / 7 = 1.4e-6 at most, and below 1e-6 per question.
"""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom

from deniable.core.query import Sums
from deniable.curator.answer import Answer
from deniable.curator.noise import add_noise
from deniable.planner import Spend, bind, parse, price
from tests.support.curators import silence
from tests.support.tables import REGIONS, policy

RUNS = 400
ALPHA = 1e-7

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
}


def _exact(plan, seed):
    """Totals that look like those of a few thousand rows a group."""
    (query,) = plan.queries
    assert isinstance(query, Sums)
    chance = np.random.default_rng(seed)
    columns = {"k0": [*REGIONS, None]}
    weights = {statistic.name: statistic for statistic in plan.bound.statistics}
    for total in query.totals:
        statistic = weights[total.name]
        middle = 4000 if not statistic.signed else 4000 * 0.2 * total.reach * float(chance.uniform(-1, 1))
        columns[total.name] = (middle + chance.integers(-500, 500, 5)).astype(np.int64)
    return pa.table(columns)


@pytest.mark.parametrize("spend", [{"epsilon": 1}, {"rho": "0.1"}], ids=["laplace", "gaussian"])
@pytest.mark.parametrize("column", COLUMNS)
def test_intervals_hold(column, spend, monkeypatch):
    sql = f"SELECT region, {column} AS x FROM visits GROUP BY region"
    plan = price(bind(parse(sql), policy(Path("nowhere"), contribution=None)), Spend.of(**spend))
    exact = _exact(plan, seed=COLUMNS[column])
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
    return Answer(plan, add_noise(plan, [exact]), plan.quote.loss, free=False, delta=plan.quote.confidence)
