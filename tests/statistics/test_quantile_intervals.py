"""The 95% intervals of quantiles, extremes and distinct counts, and of arithmetic over them, hold 95% of the time.

Each column and group is one trial of a run: groups of thousands of rows, of five and of none but one. If an interval
holds with probability 0.95 or more, fewer than the stated number of trials hold with probability at most 1e-8 (exact
binomial tail); with 23 questions the whole file raises a false alarm with probability below 1e-6.
"""

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from scipy.stats import binom

from deniable.curator.answers.answer import Answer
from deniable.curator.noise import add_noise
from deniable.planner import Spend, bind, parse, price
from tests.support.curators import curator, silence
from tests.support.tables import policy, visits

RUNS = 120
ALPHA = 1e-8
ROWS = 3_000

COLUMNS = [
    "MEDIAN(age)",
    "MEDIAN(score)",
    "QUANTILE_CONT(score, 0.9)",
    "QUANTILE_CONT(age * 2, 0.25)",
    "PERCENTILE_CONT(0.99) WITHIN GROUP (ORDER BY age)",
    "MIN(age)",
    "MAX(score)",
    "QUANTILE_CONT(score, 0.75) - QUANTILE_CONT(score, 0.25)",
    "MEDIAN(age) + AVG(age)",
    "COUNT(DISTINCT age)",
]
SPENDS = {"pure": {"epsilon": 1}, "concentrated": {"rho": "0.05"}}


def _table():
    """Groups of all sizes: the west has five rows, the south has one."""
    table = visits(ROWS, seed=5)
    places = np.arange(ROWS)
    few = pa.array((places % 600 == 0) | (places == 1))
    kept = pc.is_in(table["region"], pa.array(["north", "east", None]))
    regions = pc.if_else(kept, table["region"], "north")
    regions = pc.if_else(few, pc.if_else(pa.array(places == 1), "south", "west"), regions)
    scores = pc.if_else(few, 12.5, table["score"])  # where there are few rows, all have a value
    names = table.column_names
    return table.set_column(names.index("region"), "region", regions).set_column(names.index("score"), "score", scores)


@pytest.mark.parametrize("spend", SPENDS)
@pytest.mark.parametrize("column", COLUMNS)
def test_intervals_hold(column, spend, tmp_path):
    table = _table()
    sql = f"SELECT region, {column} AS x FROM visits GROUP BY region"
    asked = curator(tmp_path, table, policy(tmp_path, contribution=None))
    plan = price(bind(parse(sql), asked.policy), Spend.of(**SPENDS[spend]))
    exact = [asked.engine.run(query) for query in plan.queries]
    asked.close()
    plain = duckdb.connect()
    plain.register("visits", table)
    truth = dict(plain.sql(sql).fetchall())
    _holds(plan, exact, [float(truth[region]) for region in _regions(plan, exact)])


@pytest.mark.parametrize("column", ["MEDIAN(score)", "QUANTILE_CONT(age, 0.2)", "COUNT(DISTINCT age)"])
def test_intervals_hold_where_units_are_weighed(column, tmp_path, monkeypatch):
    """The exact answer is then the one of the weighed rows, or of the values that are kept."""
    asked = curator(tmp_path, _table(), policy(tmp_path, contribution=2))
    sql = f"SELECT region, {column} AS x FROM visits GROUP BY region"
    plan = price(bind(parse(sql), asked.policy), Spend.of(epsilon=2))
    exact = [asked.engine.run(query) for query in plan.queries]
    asked.close()
    with monkeypatch.context() as quiet:
        silence(quiet)
        truth = _answer(plan, exact).table["x"].to_pylist()
    _holds(plan, exact, [float(value) for value in truth])


@pytest.mark.parametrize(("spend", "shares"), [("pure", 8), ("concentrated", 32)])
def test_intervals_of_many_quantiles_at_once_hold(spend, shares, tmp_path):
    """From running counts, which the planner picks for so many; all of them are trials."""
    table = _table()
    asked = curator(tmp_path, table, policy(tmp_path, contribution=None))
    wanted = [f"{(place + 1) / (shares + 1):.4f}" for place in range(shares)]
    sql = f"SELECT region, QUANTILE_CONT(score, [{', '.join(wanted)}]) AS x FROM visits GROUP BY region"
    plan = price(bind(parse(sql), asked.policy), Spend.of(**SPENDS[spend]))
    assert [type(part).__name__ for part in plan.noise] == ["Counted"]
    exact = [asked.engine.run(query) for query in plan.queries]
    asked.close()
    plain = duckdb.connect()
    plain.register("visits", table)
    truth = dict(plain.sql(sql).fetchall())
    held = np.zeros(shares)
    for _ in range(RUNS // 2):
        intervals = _answer(plan, exact).intervals.to_pandas().to_numpy().reshape(-1, shares, 2)
        exactly = np.array([truth[region] for region in _regions(plan, exact)])
        held += ((intervals[:, :, 0] <= exactly) & (exactly <= intervals[:, :, 1])).sum(axis=0)
    trials = RUNS // 2 * len(truth)
    assert held.min() >= binom.ppf(ALPHA / shares, trials, 0.95)


def test_a_higher_confidence_falls_back_on_the_bounds(tmp_path):
    asked = curator(tmp_path, _table(), policy(tmp_path, contribution=None))
    answer = asked.ask("SELECT MEDIAN(age) AS x FROM visits", epsilon=1)
    asked.close()
    assert answer.intervals_at("0.99").to_pylist() == [{"x_low": 0, "x_high": 110}]
    assert answer.intervals_at("0.5") == answer.intervals


def _regions(plan, exact):
    return _answer(plan, exact).table["region"].to_pylist()


def _holds(plan, exact, truth):
    held = trials = 0
    wanted = np.array(truth)
    for _ in range(RUNS):
        intervals = _answer(plan, exact).intervals
        low, high = (np.array(intervals[f"x_{side}"].to_pylist(), dtype=float) for side in ("low", "high"))
        held += int(((low <= wanted) & (wanted <= high)).sum())
        trials += wanted.size
    assert held >= binom.ppf(ALPHA, trials, 0.95)


def _answer(plan, exact):
    return Answer(plan, add_noise(plan, exact), plan.quote.loss, free=False, delta=plan.quote.confidence)
