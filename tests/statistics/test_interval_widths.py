"""Intervals at 95% hold 95% of the time, and hardly more often; and are narrower than worst cases added up.

Each group of one answer is a trial. If an interval holds with a probability between 0.95 and 0.965, the number of
trials in which it does lies outside the stated range with probability at most 2e-8 (exact binomial tails): below 1e-6
for the whole file. The deep run has 80 such tests with more trials, at 1e-9 for each end.
"""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.stats import binom

from deniable.curator.answers.answer import Answer
from deniable.curator.factory import engine_of
from deniable.curator.noise import add_noise
from deniable.planner import Spend, bind, parse, price
from deniable.planner.expressions.evaluate import Band, evaluate
from deniable.planner.plan import singly
from deniable.policy import Policy
from tests.support.limits import LOOSE

ALPHA = 1e-8
ROWS = 5_000
PLAIN = {
    "COUNT(*)": 1,
    "SUM(cost)": 1,
    "SUM(cost) + 0 * COUNT(*)": 0.65,
    "COUNT(*) FILTER (WHERE urgent) - COUNT(*) FILTER (WHERE NOT urgent)": 0.63,
    "SUM(cost) - SUM(age)": 0.75,
    "AVG(cost)": 0.85,
    "COUNT(*) FILTER (WHERE urgent) / COUNT(*)": 0.75,
    "SUM(cost) / SUM(age)": 0.7,
    "(COUNT(*) - COUNT(*) FILTER (WHERE urgent)) / COUNT(*)": 0.6,
}
"""Each with the width that it may have, of what worst cases added up to."""
MOMENTS = {
    "VAR_POP(cost)": 0.6,
    "STDDEV(cost)": 0.6,
    "COVAR_SAMP(cost, age)": 0.6,
    "REGR_SLOPE(cost, age)": 0.6,
    "CORR(cost, age)": 0.5,
}
SPENDS = {"laplace": {"epsilon": Fraction(1, 10)}, "gaussian": {"rho": Fraction(1, 1000)}}


@pytest.mark.parametrize("spend", SPENDS.values(), ids=SPENDS)
@pytest.mark.parametrize("column", PLAIN)
def test_intervals_hold_as_often_as_they_say_and_hardly_more_often(column, spend, few):
    _check(few, column, spend, size=5_000, groups=4_000, most=0.965, width=PLAIN[column])


@pytest.mark.parametrize("spend", SPENDS.values(), ids=SPENDS)
@pytest.mark.parametrize("column", MOMENTS)
def test_moments_are_narrower_than_worst_cases_and_hold(column, spend, few):
    _check(few, column, spend, size=100_000, groups=2_000, most=0.98, width=MOMENTS[column])


@pytest.mark.deep
@pytest.mark.parametrize("person", [False, True], ids=["rows", "people"])
@pytest.mark.parametrize("size", [50, 1_000, 10_000, 100_000, 1_000_000])
@pytest.mark.parametrize("spend", SPENDS.values(), ids=SPENDS)
@pytest.mark.parametrize("column", PLAIN)
def test_intervals_hold_at_every_size(column, spend, size, person, few):
    """Of 50 rows at so small a spend, divisors may be zero: intervals end at public bounds, or nowhere."""
    open_ended = size == 50 and ("/" in column or "AVG" in column)
    bounded = "COUNT" in column or "AVG" in column
    scaled = {name: value * (10 if person else 1) for name, value in spend.items()}
    _check(
        few,
        column,
        scaled,
        size=size,
        groups=100_000,
        most=(0.972 if bounded else 0.99) if open_ended else 0.965,
        width=10,
        person=person,
        alpha=1e-9,
    )


def _check(engines, column, spend, *, size, groups, most, width, person=False, alpha=ALPHA):
    plan = price(
        bind(parse(f"SELECT g, {column} AS x FROM visits GROUP BY g"), _policy(Path("nowhere"), groups, person=person)),
        Spend.of(**spend),
    )
    (output,) = [output for output in plan.bound.outputs if output.name == "x"]
    exact = _exact(plan, engines[person], size, groups)
    truth = _truth(plan, output, exact[0])
    answer = Answer(plan, add_noise(plan, exact), plan.quote.loss, free=False, delta=Fraction(0))
    low, high = (answer.intervals[f"x_{side}"].to_numpy() for side in ("low", "high"))
    held = int(((low <= truth) & (truth <= high)).sum())
    assert held >= binom.ppf(alpha, groups, 0.95)
    assert held <= binom.ppf(1 - alpha, groups, most)
    before = _added_up(plan, output, answer.noisy)
    assert np.median(high - low) <= width * np.median(before.high - before.low) * (1 + 1e-9)


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    """A group of a few thousand rows: what the engine says of it."""
    folder, chance = tmp_path_factory.mktemp("rows"), np.random.default_rng(11)
    age = chance.integers(0, 100, ROWS)
    columns = {
        "person": np.arange(ROWS),
        "age": age,
        "cost": np.round(np.minimum(chance.gamma(2, 40, ROWS) + age / 2, 500), 2),
        "urgent": chance.random(ROWS) < 0.3,
        "g": np.full(ROWS, "g0"),
    }
    pq.write_table(pa.table(columns), folder / "visits.parquet")
    return engine_of(_policy(folder, 1, person=False)), engine_of(_policy(folder, 1, person=True))


def _exact(plan, engine, size, groups):
    """Groups of another size, whose rows are like those: all of them the same."""
    (query,) = plan.queries
    table = engine.run(query)
    totals = {name: round(table[name][0].as_py() * size / ROWS) for name in table.column_names if name != "k0"}
    columns = {name: np.full(groups, total) for name, total in totals.items()}
    return [pa.table({"k0": [f"g{number}" for number in range(groups)]} | columns)]


def _truth(plan, output, exact):
    """Without noise."""
    worths = {statistic.name: float(statistic.worth) for statistic in plan.bound.statistics}
    columns = {name: Band.exactly(exact[name].to_numpy()[:1] * worth) for name, worth in worths.items()}
    return evaluate(output.value, columns, 1).value[0]


def _added_up(plan, output, noisy):
    """Every statistic surely within its own interval: the construction before."""
    used = [part for part in singly(plan.noise) if part.names & output.rests_on]
    share = 1 - (1 - plan.quote.confidence) / len(used)
    recorded = {part.statistic.name: noisy[part.statistic.name].to_numpy() for part in used}
    columns = {name: band for part in used for name, band in part.results(recorded, share).items()}
    return evaluate(output.value, columns, noisy.num_rows)


def _policy(folder, groups, *, person):
    table = {
        "source": "visits.parquet",
        "columns": {
            "person": {"type": "integer", "nulls": False},
            "age": {"type": "integer", "bounds": [0, 110], "nulls": False},
            "cost": {"type": "number", "bounds": [0, 500], "step": 0.01, "nulls": False},
            "urgent": {"type": "boolean", "nulls": False},
            "g": {"type": "text", "values": [f"g{number}" for number in range(groups)], "nulls": False},
        },
    }
    if person:
        table |= {"unit": "person", "contribution": 10}
    return Policy.from_mapping(
        {
            "population": {"name": "tests"},
            "budget": {"epsilon": 1e6, "delta": 1e-6},
            "limits": LOOSE,
            "tables": {"visits": table},
        },
        origin="tests",
        folder=folder,
    )


@pytest.mark.parametrize("column", ["COUNT(*)", "AVG(cost)"])
def test_the_difference_of_two_groups_holds_as_often_as_it_says(column, few):
    """One trial for each of 150 answers; counts by the law of both noises, 4.1 scales and not 6 at 95%."""
    rules = _policy(Path("nowhere"), 2, person=False)
    plan = price(
        bind(parse(f"SELECT g, {column} AS x FROM visits GROUP BY g"), rules), Spend.of(epsilon=Fraction(1, 10))
    )
    exact, held = _exact(plan, few[0], 5_000, 2), 0
    for _ in range(150):
        answer = Answer(plan, add_noise(plan, exact), plan.quote.loss, free=False, delta=Fraction(0))
        (row,) = answer.compare("g0", "g1").to_pylist()
        held += row["low"] <= 0 <= row["high"]
        if column == "COUNT(*)":
            assert (row["high"] - row["low"]) / 2 == pytest.approx(41, abs=1)
    assert held >= binom.ppf(ALPHA, 150, 0.95)
