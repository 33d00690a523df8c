"""Intervals of what is computed from noisy answers hold as often as they say.

Each test compares some thousand noisy results with those of the same question without noise. An interval of 90% may
miss each with probability 0.1 at most; the tests allow for as many misses as such an interval exceeds with probability
1e-7 (a binomial tail, and groups have independent noise), which is their false-alarm rate.
"""

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom

import deniable
from tests.support.curators import silence

DAYS = 365
CONFIDENCE = 0.9
QUESTION = "SELECT day, COUNT(*) AS n, SUM(cost) AS s FROM visits WHERE day IS NOT NULL GROUP BY day"
OTHER = "SELECT day, COUNT(*) AS n FROM visits WHERE cost > 40 AND day IS NOT NULL GROUP BY day"


@pytest.fixture(scope="module")
def year():
    chance = np.random.default_rng(4)
    rows = 40_000
    table = pa.table(
        {
            "day": pa.array(20089 + chance.integers(0, DAYS, rows), pa.int32()).cast(pa.date32()),
            "cost": np.round(chance.uniform(0, 100, rows), 2),
        }
    )
    bounds = {"day": ("2025-01-01", "2025-12-31"), "cost": (0, 100)}
    curator = deniable.protect(
        table,
        epsilon=1e6,
        bounds=bounds,
        steps={"cost": 0.01},
        name="visits",
        limits={"questions_per_day": 10_000, "least_spend": 1e-9},
    )
    yield curator
    curator.close()


STATEMENTS = {
    "a name": (f"SELECT day, n AS x FROM ({QUESTION}) q", 1),
    "a multiple": (f"SELECT day, 3 - n * 2 AS x FROM ({QUESTION}) q", 1),
    "a quotient": (f"SELECT day, s / n AS x FROM ({QUESTION}) q", 1),
    "a change": (f"SELECT day, n - LAG(n) OVER (ORDER BY day) AS x FROM ({QUESTION}) q", 2),
    "two answers": (f"SELECT a.day, b.n * 100.0 / a.n AS x FROM ({QUESTION}) a JOIN ({OTHER}) b ON a.day = b.day", 1),
}


@pytest.mark.parametrize("name", STATEMENTS)
def test_intervals_hold_as_often_as_they_say(year, name, monkeypatch):
    sql, dependent = STATEMENTS[name]
    noisy = [year.ask(sql, epsilon=0.5 + again / 1000, confidence=CONFIDENCE) for again in range(4)]
    with monkeypatch.context() as quiet:
        silence(quiet)
        exact = year.ask(sql, epsilon=0.7).table.sort_by("day")["x"].to_numpy()
    misses = trials = 0
    for answer in noisy:
        shown = answer.with_intervals.sort_by("day")
        low, high = (shown[f"x_{side}"].to_numpy() for side in ("low", "high"))
        there = ~np.isnan(exact)
        misses += int(((exact < low - 1e-6) | (exact > high + 1e-6))[there].sum())
        trials += int(there.sum())
    # neighbouring changes share a number: those of even and of odd days are independent among themselves
    most = dependent * binom.isf(1e-7 / dependent, trials // dependent, 1 - CONFIDENCE)
    assert misses <= most
    assert trials > 1_000


def test_a_change_in_a_noisy_order_has_no_interval(year):
    sql = f"SELECT day, n - LAG(n) OVER (ORDER BY n) AS x FROM ({QUESTION}) q"
    answer = year.ask(sql, epsilon=0.9)
    assert answer.intervals.column_names == []
    assert "no interval for x" in answer.notes[-1]
