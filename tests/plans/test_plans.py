"""Golden files: a question in SQL, and the plan that it becomes, as text.

A change in what one unit can move, or in the noise, is seen here as a change of a line. `pytest tests/plans
--rewrite-plans` writes all plans again; what changed is for the review of the commit.
"""

import re
import tomllib
from pathlib import Path

import pytest

from deniable.core.algebra.query import ExactQuery, MarginalSums, VectorSums
from deniable.core.algebra.relation import Relation
from deniable.planner import PricedStatement, Spend, plan_statement
from deniable.planner.aggregates.table import TABLE
from deniable.policy import Policy
from tests.support.plan_text import PlanText

FOLDER = Path(__file__).parent
QUESTIONS = sorted(FOLDER.glob("*.sql"))


def _planned(question: Path) -> str:
    """The plan of a file: settings in its first lines, as comments, then SQL."""
    text = question.read_text()
    settings = tomllib.loads("\n".join(re.findall(r"^-- (\w+ = .*)$", text, re.MULTILINE)))
    sql = re.sub(r"^--.*\n", "", text, flags=re.MULTILINE)
    rules = tomllib.loads((FOLDER / "clinic.toml").read_text())
    rules["population"]["neighbours"] = settings.pop("neighbours", "add-remove")
    policy = Policy.from_mapping(rules, origin="clinic.toml", folder=FOLDER)
    if not settings.keys() & {"rho", "accuracy"}:
        settings["epsilon"] = 1
    together = plan_statement(sql, policy, Spend.of(**settings))
    (asked,) = together.asked
    plans = [PlanText(plan).text() for plan in together.batch.plans]
    if asked.outer is None:
        return plans[0]
    return "\n".join([*plans, _around(asked)])


def _around(asked: PricedStatement) -> str:
    """What is computed from the noisy tables, each an answer to one of the questions above."""
    tables = [f"noisy {number} is question {place + 1}" for number, place in enumerate(asked.places, 1)]
    carried = asked.outer.carried
    ends = [] if carried.sql is None else [f"intervals   {carried.sql}"]
    return "\n".join(["tables      " + ", ".join(tables), f"outer       {asked.outer.sql}", *ends]) + "\n"


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.stem)
def test_each_question_becomes_the_plan_that_stands_beside_it(question, request):
    plan = question.with_suffix(".plan")
    if request.config.getoption("--rewrite-plans"):
        plan.write_text(_planned(question))
    assert _planned(question) == plan.read_text()


def test_every_plan_has_its_question():
    assert {plan.stem for plan in FOLDER.glob("*.plan")} == {question.stem for question in QUESTIONS}


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.sql[0])
def test_every_aggregate_is_in_some_question(row):
    asked = "".join(question.read_text() for question in QUESTIONS)
    names = [re.escape(name.partition("(")[0]) for name in row.sql]
    assert re.search(rf"\b({'|'.join(names)})\(", asked)


@pytest.mark.parametrize("kind", [*ExactQuery.__args__, *Relation.__args__], ids=lambda kind: kind.__name__)
def test_every_kind_of_query_and_of_relation_is_in_some_plan(kind):
    plans = "".join(plan.read_text() for plan in FOLDER.glob("*.plan"))
    if kind in (str, MarginalSums, VectorSums):
        return  # a declared table is shown by its name; a whole workload and a training are no questions
    assert re.search(rf"\b{kind.__name__}\b", plans)
