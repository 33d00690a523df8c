"""Plans, and what they made of recorded answers, are used again only where they would be made the same again."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pyarrow as pa

from deniable.core.paid import Paid
from deniable.curator.plans import RememberedAnswers, RememberedPlans
from deniable.curator.purchase import to_bytes
from deniable.curator.questions import PricedQuestions
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


class Told:
    """Outer queries that are none, and count."""

    def __init__(self) -> None:
        self.made = 0

    def answer(self, asked, inner, *, paid, delta):
        del asked, paid, delta
        self.made += 1
        (only,) = inner
        return only


def test_what_is_made_of_the_same_bytes_by_the_same_plan_is_made_once(tmp_path):
    outer = Told()
    answers, plans = RememberedAnswers(outer, Fraction(0)), RememberedPlans(plan_statement)
    one = policy(tmp_path, contribution=5)
    question = PricedQuestions((COUNT,), plans.plan(COUNT, SPEND, one))
    (name,) = (part.statistic.name for part in question.plans[0].noise)
    bytes_of = {number: to_bytes([pa.table({name: [number]})]) for number in (10**9, 10**10)}
    first = answers.answer(question, bytes_of[10**9], Paid.BEFORE)
    assert answers.answer(question, bytes_of[10**9], Paid.BEFORE) is first
    assert outer.made == 1
    shared = answers.answer(question, bytes_of[10**9], Paid.SHARE)
    assert (first.free, first.share, shared.free, shared.share) == (True, False, False, True)
    assert shared.table == first.table
    assert answers.answer(question, bytes_of[10**10], Paid.BEFORE).table != first.table, "other bytes"
    again = PricedQuestions((COUNT,), replace(question.together))
    assert answers.answer(again, bytes_of[10**9], Paid.BEFORE) is not first, "a plan with notes of its own"
    assert outer.made == 3
