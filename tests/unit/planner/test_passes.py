"""The passes stand in one order, and what the drawing names exists."""

import re
from importlib import import_module
from pathlib import Path

import deniable.planner
from deniable.planner import Spend, bind, parse, plan_question, plan_statements, price
from tests.support.tables import policy

RULES = policy(Path("nowhere"), contribution=3)
COUNT, MEAN = "SELECT COUNT(*) FROM visits", "SELECT region, AVG(cost) FROM visits GROUP BY region"


def test_a_plan_is_what_the_passes_make_in_their_order():
    spend = Spend.of(epsilon=1)
    assert plan_question(MEAN, RULES, spend) == price(bind(parse(MEAN), RULES), spend)


def test_a_batch_of_one_is_the_question():
    spend = Spend.of(epsilon=1)
    assert plan_statements([MEAN], RULES, spend).batch.plans == (plan_question(MEAN, RULES, spend),)


def test_shares_divide_a_batch():
    plans = plan_statements([COUNT, MEAN], RULES, Spend.of(epsilon=1), [1, 3]).batch.plans
    assert [plan.quote.loss.epsilon * 4 for plan in plans] == [1, 3]


def test_every_step_of_the_drawing_exists():
    drawing = deniable.planner.__doc__
    steps = re.findall(r"^ +(?:\d\. +)?([a-z_]+(?:\.[A-Za-z_]+)+)", drawing, re.MULTILINE)
    assert len(steps) > 8
    for step in steps:
        *modules, last = step.split(".")
        module = import_module(".".join(["deniable.planner", *modules]))
        assert hasattr(module, last) or import_module(f"{module.__name__}.{last}"), step
