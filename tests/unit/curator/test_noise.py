"""Noise is drawn anew for every statistic and every group; private keys come out in an order of their own."""

import numpy as np
import pyarrow as pa
import pytest

from deniable.core.deadline import within
from deniable.core.errors import Failed
from deniable.curator.noise import add_noise
from deniable.planner import Spend, plan_question
from deniable.planner.plan import singly
from tests.support.curators import curator, silence
from tests.support.tables import policy

AGES = 111
ALIKE = [
    "SELECT age, COUNT(*) FILTER (WHERE urgent) AS a, COUNT(*) FILTER (WHERE NOT urgent) AS b FROM visits GROUP BY 1",
    "SELECT age, SUM(cost) FILTER (WHERE urgent) AS a, SUM(cost) FILTER (WHERE NOT urgent) AS b FROM visits GROUP BY 1",
]


def noise(folder, text, draws, **spend):
    """Of every statistic, over all groups, on a table where every exact number is the same."""
    rules = policy(folder, contribution=None)
    table = pa.table({"age": [1], "cost": [1.0], "urgent": [None], "reason": ["a"]})
    with curator(folder, table.slice(0, 0), rules) as house:
        plan = plan_question(text, rules, Spend.of(**spend))
        exact = [house.engine.run(query) for query in plan.queries]
        assert len({part.mechanism for part in singly(plan.noise)}) == 1
        tables = [add_noise(plan, exact) for _ in range(draws)]
    names = [name for part in singly(plan.noise) for name in part.names]
    return [np.concatenate([found[name].to_numpy() for found in tables]) for name in names]


@pytest.mark.parametrize("spend", [{"epsilon": 1}, {"rho": 1}])
@pytest.mark.parametrize("text", ALIKE)
def test_columns_of_equal_noise_are_independent(tmp_path, text, spend):
    """A correlation of 4,440 independent pairs is beyond 0.1 with probability below 1e-10."""
    one, other = noise(tmp_path, text, 40, **spend)
    assert one.size == 40 * AGES
    assert abs(np.corrcoef(one, other)[0, 1]) < 0.1
    assert one.std() > 0.5


@pytest.mark.parametrize("spend", [{"epsilon": 1}, {"rho": 1}])
def test_groups_and_draws_are_independent(tmp_path, spend):
    """So is every group from its neighbour, and every draw from the last."""
    one, _ = noise(tmp_path, ALIKE[0], 40, **spend)
    draws = one.reshape(40, AGES)
    assert abs(np.corrcoef(draws[:, :-1].ravel(), draws[:, 1:].ravel())[0, 1]) < 0.1
    assert abs(np.corrcoef(draws[:-1].ravel(), draws[1:].ravel())[0, 1]) < 0.1


def test_private_keys_have_an_order_that_is_not_the_data_s(tmp_path, monkeypatch):
    silence(monkeypatch)
    rules = policy(tmp_path, contribution=None)
    plan = plan_question(
        "SELECT reason, COUNT(*) AS n FROM visits GROUP BY 1", rules, Spend.of(epsilon=1, delta="1e-7")
    )
    (query,) = plan.queries
    words = ["m", "b", "z", "a", "q"]
    exact = pa.table({"k0": words, query.totals[0].name: [1, 2, 3, 4, 5], query.units: [9] * 5})
    orders = [exact, exact.take([4, 3, 2, 1, 0])]
    assert [add_noise(plan, [table])["k0"].to_pylist() for table in orders] == [sorted(words)] * 2


@pytest.mark.parametrize("column", ["COUNT(*)", "MEDIAN(cost)"])
def test_noise_stops_when_the_time_of_the_question_is_over(tmp_path, column):
    rules = policy(tmp_path, contribution=None)
    table = pa.table({"age": [1], "cost": [1.0], "urgent": [None], "reason": ["a"]})
    with curator(tmp_path, table, rules) as house:
        plan = plan_question(f"SELECT age, {column} AS a FROM visits GROUP BY 1", rules, Spend.of(epsilon=1))
        exact = [house.engine.run(query) for query in plan.queries]
        add_noise(plan, exact)
        with within(0), pytest.raises(Failed):
            add_noise(plan, exact)
