"""Simultaneous intervals: all groups and columns of an answer hold at once 95% of the time.

If they do with probability 0.95 or more, fewer than the stated number of runs hold with probability at most 1e-8 (exact
binomial tail); there are four such tests.
"""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom

import deniable
from deniable.curator.answers.answer import Answer
from deniable.curator.noise import add_noise
from deniable.planner import Spend, bind, parse, price
from tests.support.curators import silence

RUNS, ALPHA = 300, 1e-8
QUESTIONS = {
    "counts and averages": "SELECT g, COUNT(*) AS n, AVG(cost) AS m FROM data GROUP BY g",
    "medians": "SELECT g, MEDIAN(cost) AS m FROM data GROUP BY g",
}


@pytest.mark.parametrize("spend", [{"epsilon": 1}, {"rho": "0.1"}], ids=["laplace", "gaussian"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_all_intervals_hold_at_once(question, spend, monkeypatch):
    chance = np.random.default_rng(8)
    table = pa.table({"g": chance.integers(0, 10, 9_000), "cost": np.round(chance.gamma(2, 40, 9_000).clip(0, 500))})
    bounds = {"cost": (0, 500), "g": (0, 9)}
    with deniable.protect(table, epsilon=100, bounds=bounds, steps={"cost": 1}) as house:
        plan = price(bind(parse(QUESTIONS[question]), house.policy), Spend.of(**spend, simultaneous=True))
        exact = [house.engine.run(query) for query in plan.queries]
    with monkeypatch.context() as quiet:
        silence(quiet)
        truth = _answer(plan, exact).table
    held = sum(_all_hold(_answer(plan, exact).intervals, truth) for _ in range(RUNS))
    assert held >= binom.ppf(ALPHA, RUNS, 0.95)


def _all_hold(intervals, truth):
    """Of the group without rows, an average has no value, and says nothing."""
    for name in truth.column_names[1:]:
        value, low, high = (
            np.array(column.to_pylist(), dtype=float)
            for column in (truth[name], intervals[f"{name}_low"], intervals[f"{name}_high"])
        )
        if not ((low <= value) & (value <= high) | np.isnan(value)).all():
            return False
    return True


def _answer(plan, exact):
    return Answer(plan, add_noise(plan, exact), plan.quote.loss, free=False, delta=Fraction(0))
