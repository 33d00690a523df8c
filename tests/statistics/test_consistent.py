"""Answers that were made consistent: their errors are smaller, and their intervals still hold what they claim.

The noise is drawn by the production path, on exact tables without rows, so that what an answer says is its error. One
cell of each table of a draw is looked at, so that draws are independent.
"""

from fractions import Fraction
from itertools import chain

import pyarrow as pa
import pytest

from deniable.core.loss import Loss
from deniable.curator.answers.answer import Answer
from deniable.curator.noise import add_noise
from deniable.planner import Spend, plan_statement
from deniable.planner.consistent import Totals
from tests.support.tables import policy

CUBE = "SELECT urgent, age > 40 AS old, COUNT(*) AS n, SUM(score) AS s FROM visits GROUP BY CUBE (urgent, old)"
DRAWS = 500
NOISES = [({"epsilon": 8}, {"epsilon": "0.1"}), ({"rho": 8}, {"rho": "0.01"})]
"""Laplace and Gaussian, each of few steps of the grid, and of many."""


def drawn(spend, folder):
    """Of the finest set of keys and of the total, many answers, as they are and reconciled; exactly, all are zero."""
    (asked,) = plan_statement(CUBE, policy(folder, contribution=None), Spend.of(**spend)).asked
    totals = Totals.of(asked.plans)
    exact = [[_nothing(query) for query in plan.queries] for plan in asked.plans]
    ends = sorted(asked.plans, key=lambda plan: len(plan.bound.keys))[:: len(asked.plans) - 1]
    for _ in range(DRAWS):
        tables = {plan.bound: add_noise(plan, rows) for plan, rows in zip(asked.plans, exact, strict=True)}
        changed = totals.reconciled(tables)
        yield [
            tuple(
                Answer(plan, tables[plan.bound], Loss.zero(), free=False, delta=Fraction(0), changed=one)
                for one in (None, changed[plan.bound])
            )
            for plan in ends
        ]


def _nothing(query):
    """No rows, of the columns that an engine gives."""
    keys = {key.name: pa.array([], pa.bool_()) for key in query.keys}
    return pa.table(keys | {total.name: pa.array([], pa.int64()) for total in query.totals})


@pytest.mark.parametrize("spends", NOISES, ids=["laplace", "gaussian"])
def test_intervals_hold_as_often_as_they_claim_and_errors_are_smaller(tmp_path, spends):
    """Binomial counts of 2000: 500 draws for two spends, of a count and a sum, whose noises are independent.

    At 95% an interval is wrong with probability 0.05, and 160 times or more with probability at most
    exp(-2000 KL(0.08, 0.05)) < 1e-7 (Chernoff). By two keys of two values, reconciling leaves 4/9 of the variance, and
    the error is then the larger of the two with probability 0.34 (Gaussian) or 0.41 (Laplace; less, in whole numbers):
    at most 0.42, so 980 times with probability at most exp(-2000 KL(0.49, 0.42)) < 3e-9. In the finest set and of the
    total, with noise of both kinds, there are four counts of each: a false alarm has probability below 5e-7.

    Were noises that are alike counted once, intervals would be too narrow, and about 200 of the 2000 wrong.
    """
    wrong, larger = [0, 0], [0, 0]
    for tables in chain.from_iterable(drawn(spend, tmp_path) for spend in spends):
        for place, (plain, shown) in enumerate(tables):
            for name in shown.table.column_names[-2:]:
                low, high = (shown.intervals[f"{name}_{side}"][0].as_py() for side in ("low", "high"))
                error, before = (abs(one.table[name][0].as_py()) for one in (shown, plain))
                wrong[place] += not low <= 0 <= high
                larger[place] += error > before
    assert max(wrong) < 160
    assert max(larger) < 980
