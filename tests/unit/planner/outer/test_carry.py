"""Which columns keep an interval, and that it surely follows from those of the noisy numbers."""

from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from deniable.planner import Spend, plan_statement
from deniable.planner.outer.rows import end_name, ranged
from tests.support import world

POLICY = world.policy(Path("nowhere"), contribution=3)
REGIONS = "SELECT region, COUNT(*) AS x, SUM(score) AS y FROM visits GROUP BY region"
EXACT, BAND, LOST = "exact", "band", "lost"


def _outer(sql):
    (asked,) = plan_statement(sql, POLICY, Spend.of(epsilon=1)).asked
    return asked


@pytest.mark.parametrize(
    ("sql", "kept"),
    [
        (f"SELECT * FROM ({REGIONS}) q", [EXACT, BAND, BAND]),
        (f"SELECT q.* FROM ({REGIONS}) q WHERE x > 3 ORDER BY y LIMIT 2", [EXACT, BAND, BAND]),
        (f"SELECT UPPER(region) AS r, x * 2 + 1 AS a, x / y AS b FROM ({REGIONS}) q", [EXACT, BAND, BAND]),
        (f"SELECT CASE WHEN x > 3 THEN x END AS a, x > 3 AS b, ABS(x) AS c FROM ({REGIONS}) q", [LOST, LOST, LOST]),
        (f"SELECT region, SUM(x) AS a FROM ({REGIONS}) q GROUP BY region", [EXACT, LOST]),
        (f"SELECT DISTINCT region, x FROM ({REGIONS}) q", [EXACT, LOST]),
        (f"SELECT region, RANK() OVER (ORDER BY x) AS r, SUM(x) OVER () AS s FROM ({REGIONS}) q", [EXACT, LOST, LOST]),
        (f"SELECT x - LAG(x) OVER (ORDER BY region) AS d FROM ({REGIONS}) q", [BAND]),
        (f"SELECT x - LAG(x) OVER (ORDER BY y) AS d FROM ({REGIONS}) q", [LOST]),
        (f"SELECT region, x FROM ({REGIONS}) q UNION ALL SELECT region, y FROM ({REGIONS}) r", [EXACT, BAND]),
        (f"SELECT region, x FROM ({REGIONS}) q UNION SELECT region, y FROM ({REGIONS}) r", [EXACT, LOST]),
        (f"SELECT x FROM ({REGIONS}) q EXCEPT SELECT y FROM ({REGIONS}) r", [LOST]),
        (f"WITH q AS ({REGIONS}) SELECT a.x - b.x AS d FROM q a JOIN q b USING (region)", [BAND]),
        (f"SELECT x * (SELECT COUNT(*) FROM visits) AS p FROM ({REGIONS}) q", [BAND]),
        (f"SELECT x * (SELECT MAX(x) FROM ({REGIONS}) r) AS p FROM ({REGIONS}) q", [LOST]),
        ("SELECT region, COUNT(*) AS n FROM visits GROUP BY ROLLUP (region)", [EXACT, BAND]),
        ("SELECT region, MEDIAN(age) AS m FROM visits GROUP BY region ORDER BY 2 NULLS FIRST", [EXACT, BAND]),
        ("SELECT region, LN(MEDIAN(age)) AS m FROM visits GROUP BY region", [EXACT, LOST]),
        (f"SELECT beds * x AS a, beds FROM ({REGIONS}) q, hospitals h", [BAND, EXACT]),
    ],
)
def test_what_goes_row_by_row_keeps_its_interval_and_nothing_else_does(sql, kept):
    carried = _outer(sql).outer.carried
    places = range(len(kept))
    assert [EXACT if at in carried.exact else BAND if at in carried.bands else LOST for at in places] == kept


def test_numbers_that_must_hold_together_are_counted():
    levels = {
        f"SELECT x + x AS a FROM ({REGIONS}) q": (1,),
        f"SELECT x + y AS a FROM ({REGIONS}) q": (2,),
        f"SELECT x, x + y AS a FROM ({REGIONS}) q": (1, 2),
        f"WITH q AS ({REGIONS}) SELECT a.x + b.x AS d FROM q a JOIN q b ON a.region < b.region": (2,),
        f"SELECT x - LAG(x) OVER (ORDER BY region) AS d FROM ({REGIONS}) q": (2,),
        f"SELECT x FROM ({REGIONS}) q UNION ALL SELECT y FROM ({REGIONS}) r": (1,),
    }
    assert {sql: _outer(sql).outer.carried.levels for sql in levels} == levels


EXPRESSIONS = [
    "x + y",
    "x - y",
    "x - (y - 3)",
    "-(x - 2 * y)",
    "x * y",
    "(x + 1) * (y - 2)",
    "x / y",
    "100.0 * x / (x + y)",
    "x / 7 - y / -3",
    "ROUND(x / 3, 1) + FLOOR(y)",
    "CAST(x AS DOUBLE) / NULLIF(y, 0)",
    "COALESCE(x, 0) - CAST(y AS BIGINT)",
    "1 - x * 0.5 - (2 - y)",
]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_whatever_lies_within_the_intervals_the_result_lies_within_its_own(expression):
    asked = _outer(f"SELECT {expression} AS z FROM ({REGIONS}) q")
    (level,) = asked.outer.carried.levels
    chance = np.random.default_rng(len(expression))
    size = 400
    true = {name: chance.integers(-20, 20, size).astype(float) for name in ("x", "y")}
    ends = {name: (true[name] - chance.integers(0, 9, size), true[name] + chance.integers(0, 9, size)) for name in true}
    columns = {"region": ["a"] * size}
    for name, (low, high) in ends.items():
        noisy = chance.integers(low.astype(int), high.astype(int) + 1)
        columns[name] = noisy if name == "x" else noisy.astype(float)
        columns |= {end_name(name, side, level): end for side, end in zip(("low", "high"), (low, high), strict=True)}
    with duckdb.connect() as plain:
        plain.register("noisy 1", pa.table(columns))
        found = plain.sql(asked.outer.carried.sql).fetchnumpy()
        plain.unregister("noisy 1")
        plain.register("noisy 1", pa.table({"region": ["a"] * size, "x": true["x"].astype(int), "y": true["y"]}))
        exact = plain.sql(asked.outer.sql).fetchnumpy()["z"]
    (low_name, high_name) = list(found)[1:]
    there = ~np.ma.getmaskarray(np.ma.masked_invalid(exact))
    low, high, value = (
        np.ma.filled(np.ma.asarray(part).astype(float), np.nan) for part in (found[low_name], found[high_name], exact)
    )
    assert (np.isnan(low) == np.isnan(high))[there].all()  # unknown ends are open
    known = there & ~np.isnan(low)
    assert known.sum() > size / 3
    assert (low[known] <= value[known] + 1e-9).all()
    assert (value[known] <= high[known] + 1e-9).all()


def test_only_outputs_with_noise_in_numbers_have_ends():
    (bound,) = (plan.bound for plan in plan_statement(REGIONS, POLICY, Spend.of(epsilon=1)).batch.plans)
    assert [output.name for output in ranged(bound)] == ["x", "y"]
