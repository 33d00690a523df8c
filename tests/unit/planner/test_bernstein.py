"""Moments for one price: where rows are divided, and that parts of a row never add up to more than the row."""

import numpy as np
import pyarrow as pa
import pytest

import deniable
from deniable.planner import Spend, bind, parse, price
from deniable.planner.bernstein import LABEL
from deniable.planner.plan import Parallel, singly
from tests.support.curators import curator
from tests.support.tables import policy, visits


def _plan(sql, tmp_path, contribution=None, spend=None, **terms):
    rules = policy(tmp_path, contribution=contribution, **terms)
    return price(bind(parse(sql), rules), Spend.of(**(spend or {"epsilon": 1})))


def _families(plan):
    found = [part for part in plan.noise if isinstance(part, Parallel) and part.members[0].label == LABEL]
    return sorted(len(part.members) for part in found)


@pytest.mark.parametrize(
    ("columns", "families", "parts"),
    [
        ("VARIANCE(cost)", [3], 1),
        ("COVAR_POP(cost, age)", [4], 1),
        ("REGR_SLOPE(cost, age)", [6], 1),
        ("CORR(cost, age)", [9], 1),
        ("CORR(cost, age), STDDEV(cost), VAR_POP(age), COVAR_SAMP(cost, age)", [9], 1),  # all of the same rows
        ("COUNT(*), STDDEV(cost)", [3], 1),
        ("STDDEV(cost), STDDEV(age)", [3, 3], 2),
        ("CORR(cost, score)", [9], 1),
        ("CORR(cost, score), STDDEV(cost)", [3, 9], 2),  # rows with a score, and all rows
        ("STDDEV(cost), SUM(age)", [], 4),  # the sum is one of distances, and counts the same rows
        ("AVG(cost), STDDEV(cost)", [], 3),  # the sum is asked for by itself, too
        ("AVG(cost)", [], 1),
        ("COUNT(*)", [], 1),
    ],
)
def test_the_sums_of_moments_share_a_spend(columns, families, parts, tmp_path):
    plan = _plan(f"SELECT {columns} FROM visits", tmp_path)
    assert (_families(plan), len(plan.noise)) == (families, parts)
    assert plan.quote.loss.epsilon == 1


@pytest.mark.parametrize("terms", [{"neighbours": "replace"}, {"spend": {"rho": 1}}])
def test_who_is_replaced_and_gaussian_noise_keep_sums_apart(terms, tmp_path):
    plan = _plan("SELECT CORR(cost, age) FROM visits", tmp_path, **terms)
    assert (_families(plan), len(plan.noise)) == ([], 6)


@pytest.mark.parametrize("contribution", [None, 3])
def test_every_part_has_the_whole_spend_and_all_cost_it_once(contribution, tmp_path):
    plan = _plan("SELECT CORR(cost, age) FROM visits", tmp_path, contribution)
    (family,) = plan.noise
    assert {member.mechanism.loss.epsilon for member in family.members} == {1}
    assert len({member.mechanism.sensitivity for member in family.members}) == 1
    assert (plan.quote.loss.epsilon, len(plan.events)) == (1, 1)


ODD = [0.0, 500.0, -1e300, 1e300, np.nan, np.inf, -np.inf, 249.99, 250.0, 250.01, 1e-300, 123.456, None]


@pytest.mark.parametrize(
    "columns", ["VARIANCE(cost)", "COVAR_POP(score, age)", "REGR_SLOPE(age, score)", "CORR(cost, score)"]
)
def test_no_row_is_more_than_one_row_whatever_its_values_are(columns, tmp_path):
    """What privacy rests on, by the statement that runs: parts are never negative, and add up to a row at most."""
    rows = [(a, b) for a in ODD for b in ODD]
    table = visits(len(rows), seed=1)
    for name, values in (("cost", [a for a, _ in rows]), ("score", [b for _, b in rows])):
        table = table.set_column(table.column_names.index(name), name, pa.array(values, pa.float64()))
    with curator(tmp_path, table, policy(tmp_path, contribution=None)) as one:
        plan = _plan(f"SELECT age, {columns} AS m FROM visits GROUP BY age", tmp_path)
        (exact,) = [one.engine.run(query) for query in plan.queries]
    names = [member.statistic.name for member in singly(plan.noise)]
    (most,) = {member.mechanism.sensitivity for member in singly(plan.noise)}
    parts = np.stack([exact[name].to_numpy() for name in names])
    assert parts.min() >= 0
    assert set(parts.sum(axis=0).tolist()) <= {0, *(most * many for many in range(1, 30))}  # whole rows, and no less


@pytest.mark.parametrize("reach", [4095, 4096, 4097, 1 << 14])
def test_a_row_of_a_person_is_a_whole_row_however_wide_the_bounds_are(reach):
    """Also where bounds are powers of two: weighing cuts nothing from a row that weighs one."""
    places = [-reach, -reach + 1, -1, 0, 1, 1365, reach - 1, reach]
    table = pa.table({"p": list(range(64)), "x": places * 8, "y": [one for one in places for _ in range(8)]})
    bounds = dict.fromkeys("xy", (-reach, reach))
    with deniable.protect(table, epsilon=1, unit="p", contribution=1, bounds=bounds) as one:
        plan = price(bind(parse("SELECT x, CORR(x, y) FROM data GROUP BY x"), one.policy), Spend.of(epsilon=1))
        (exact,) = [one.engine.run(query) for query in plan.queries]
    parts = [part.statistic for part in singly(plan.noise)]
    rows = sum(exact[part.name].to_numpy().astype(object) * part.worth for part in parts)
    assert rows.tolist() == [8] * len(places)


def test_the_same_question_is_the_same_however_often_it_is_fitted(tmp_path):
    from deniable.planner.bernstein import fitting  # noqa: PLC0415 - beside its use

    spend = Spend.of(epsilon=1)
    bound = bind(parse("SELECT CORR(cost, age), COUNT(*) FROM visits"), policy(tmp_path, contribution=3))
    once = fitting(bound, spend)
    assert once != bound
    assert fitting(once, spend) == once
