"""Count and sum of the same rows for one price: where they are divided, and that what follows from both is the same."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from deniable.planner import Spend, bind, parse, price
from deniable.planner.plan import Parallel
from tests.support.curators import curator, silence
from tests.support.tables import policy, visits

BOTH = "SELECT COUNT(*) AS n, SUM(cost) AS s, AVG(cost) AS m FROM visits"


def _plan(sql, tmp_path, contribution=None, spend=None, **terms):
    rules = policy(tmp_path, contribution=contribution, **terms)
    return price(bind(parse(sql), rules), Spend.of(**(spend or {"epsilon": 1})))


@pytest.mark.parametrize(
    ("sql", "together"),
    [
        (BOTH, True),
        ("SELECT AVG(cost) AS m FROM visits", True),
        ("SELECT COUNT(*) AS n FROM visits", False),
        ("SELECT SUM(cost) AS s FROM visits", False),
        ("SELECT COUNT(*) AS n, SUM(cost) FILTER (WHERE urgent) AS s FROM visits", False),  # of other rows
        ("SELECT AVG(cost) AS m, STDDEV(cost) AS d FROM visits", False),  # which has an interval of its own
        ("SELECT AVG(cost) FILTER (WHERE urgent), AVG(cost) FILTER (WHERE NOT urgent) FROM visits", False),
        ("SELECT region FROM visits GROUP BY region ORDER BY AVG(cost)", True),
        ("SELECT region FROM visits GROUP BY region HAVING AVG(cost) > 10", True),
    ],
)
def test_a_count_and_a_sum_of_the_same_rows_are_divided(sql, together, tmp_path):
    assert bool(_plan(sql, tmp_path).bound.divided) == together


def test_who_is_replaced_can_move_both_ends_so_they_stay_apart(tmp_path):
    assert not _plan(BOTH, tmp_path, neighbours="replace").bound.divided


@pytest.mark.parametrize("contribution", [None, 3])
def test_both_ends_have_the_whole_spend_and_cost_it_once(contribution, tmp_path):
    plan = _plan(BOTH, tmp_path, contribution)
    (pair,) = plan.noise
    assert isinstance(pair, Parallel)
    assert [member.mechanism.loss.epsilon for member in pair.members] == [1, 1]
    assert plan.quote.loss.epsilon == 1
    assert len(plan.events) == 1
    per_row = [member.statistic.total.reach * member.statistic.worth for member in pair.members]
    whole = Fraction(1) if contribution is None else Fraction(1, 1 << 20) * (1 << pair.members[0].statistic.total.shift)
    assert per_row == [whole, whole]


def test_gaussian_noise_gives_both_ends_two_shares(tmp_path):
    """Beside another sum: two thirds of rho, as count and sum would have had together."""
    plan = _plan("SELECT AVG(cost), AVG(age) FROM visits", tmp_path, spend={"rho": 3})
    (pair,) = [part for part in plan.noise if isinstance(part, Parallel)]
    assert pair.loss.rho == 2
    assert plan.quote.loss.rho == 3


@pytest.mark.parametrize("contribution", [None, 3])
def test_without_noise_the_answer_is_what_count_and_sum_give(contribution, tmp_path, monkeypatch):
    """NaN counts as a row in the middle of the bounds, as it does in a sum that has a count beside it."""
    table = visits(2_000, seed=3)
    costs = table["cost"].to_numpy(zero_copy_only=False).copy()
    costs[::100] = np.nan
    table = table.set_column(table.column_names.index("cost"), "cost", pa.array(costs))
    asked = curator(tmp_path, table, policy(tmp_path, contribution=contribution))
    silence(monkeypatch)
    both = asked.ask(BOTH, epsilon=1).table.to_pylist()[0]
    alone = asked.ask("SELECT COUNT(*) AS n FROM visits", epsilon=1).table.to_pylist()[0]
    asked.close()
    assert both["n"] == alone["n"]
    assert both["m"] == pytest.approx(both["s"] / both["n"], rel=1e-4)


def test_what_one_unit_moves_is_said_of_the_column_and_not_of_an_end(tmp_path):
    lines = {line.column: line for line in _plan(BOTH, tmp_path, 3).quote.lines}
    assert lines["n"].sensitivity == pytest.approx(3)
    assert lines["s"].sensitivity == pytest.approx(1500)


def test_the_bounds_are_still_spoken_of(tmp_path):
    assert any("outside their bounds" in note for note in _plan(BOTH, tmp_path).quote.notes)
