"""A plan is used again only where it would be made the same again."""

from __future__ import annotations

from dataclasses import replace

from deniable.curator.plans import RememberedPlans
from deniable.planner import Spend, plan_statement
from tests.support.tables import policy

COUNT = "SELECT COUNT(*) AS n FROM visits"
SPEND = Spend.of(epsilon=1)


def test_the_same_question_is_planned_once(tmp_path):
    plans, one = RememberedPlans(plan_statement), policy(tmp_path, contribution=5)
    assert plans.plan(COUNT, SPEND, one) is plans.plan(COUNT, SPEND, one)


def test_another_spend_another_policy_or_the_clock_is_planned_again(tmp_path):
    plans, one = RememberedPlans(plan_statement), policy(tmp_path, contribution=5)
    first = plans.plan(COUNT, SPEND, one)
    assert plans.plan(COUNT, Spend.of(epsilon=2), one).asked[0].quote.loss != first.asked[0].quote.loss
    visits = one.tables["visits"]
    other = replace(one, tables={**one.tables, "visits": replace(visits, contribution=visits.contribution + 1)})
    assert plans.plan(COUNT, SPEND, other).asked[0].quote != first.asked[0].quote
    clock = f"{COUNT} WHERE day < CURRENT_DATE"
    assert plans.plan(clock, SPEND, one) is not plans.plan(clock, SPEND, one)
