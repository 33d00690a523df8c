"""Hints become buttons: each writes what the hint says, and none leads to the same refusal again."""

import asyncio
from pathlib import Path

import pytest

from deniable.core.errors import Refused
from deniable.doors.console.mending import mended, usual_amount
from deniable.doors.console.written import WrittenQuestion
from deniable.planner import Spend, plan_question
from deniable.policy import Policy
from tests.support.served import declared

POLICY = Policy.from_mapping(declared(), origin="clinic.toml", folder=Path())


async def priced(written, policy=POLICY):
    plain, spending = written.settled
    return plan_question(plain, policy, Spend.of(**spending))


def offered(sql, price=priced, **paid):
    written = WrittenQuestion.read({"sql": sql, **({"amount": "0.5"} | paid)})

    async def tried():
        try:
            await price(written)
        except Refused as refusal:
            return await mended(written, refusal, "0.05", price)
        raise AssertionError("it was not refused")

    return asyncio.run(tried())


@pytest.mark.parametrize(
    ("sql", "words", "value"),
    [
        ("SELECT AVG(agee) FROM visits", "Write age", "SELECT AVG(age) FROM visits"),
        ("SELECT AVERGE(age) FROM visits", "Write AVG", "SELECT AVG(age) FROM visits"),
        ("SELCT COUNT(*) FROM visits", "Write SELECT", "SELECT COUNT(*) FROM visits"),
        ("SELECT COUNT(*) FORM visits", "Write FROM", "SELECT COUNT(*) FROM visits"),
        ("SELECT COUNT(*) FROM visit", "Write visits", "SELECT COUNT(*) FROM visits"),
        ("SELECT * FROM visits", "Write COUNT(*)", "SELECT COUNT(*) FROM visits"),
        (
            "SELECT region, COUNT(*) AS n FROM visits ORDER BY n",
            "Add GROUP BY region",
            "SELECT region, COUNT(*) AS n FROM visits\nGROUP BY region ORDER BY n",
        ),
        (
            "SELECT cost, COUNT(*) FROM visits GROUP BY cost",
            "Write ROUND(cost, 1)",
            "SELECT ROUND(cost, 1), COUNT(*) FROM visits GROUP BY ROUND(cost, 1)",
        ),
        ("SELECT SUM(patient) FROM visits", "Write SUM(LEAST(GREATEST(patient, 0), 100))", None),
        ("SELECT COUNT(*) FROM visits WHERE urgent = 'ture'", "Write TRUE", None),
        ("SELECT COUNT(*) FROM visits LIMIT x", "Write 10", "SELECT COUNT(*) FROM visits LIMIT 10"),
        ("SELECT COUNT(*) FROM visits; SELECT 1", "Keep the first", "SELECT COUNT(*) FROM visits"),
    ],
)
def test_a_hint_becomes_a_question_that_has_a_price(sql, words, value):
    first = offered(sql)[0]
    assert (first.words, first.field) == (words, "sql")
    assert value is None or first.value == value
    assert asyncio.run(priced(WrittenQuestion(first.value, amount="0.5")))


def test_brackets_in_the_name_of_a_column_call_nothing():
    settings = declared()
    settings["tables"]["visits"]["columns"]["stay (days)"] = {"type": "number", "bounds": [0, 30]}
    policy = Policy.from_mapping(settings, origin="clinic.toml", folder=Path())
    (first,) = offered('SELECT AVG("stay (day)") FROM visits', lambda written: priced(written, policy))
    assert first.value == 'SELECT AVG("stay (days)") FROM visits'


def test_what_is_missing_beside_the_question_is_filled_in():
    (delta,) = offered("SELECT reason, COUNT(*) FROM visits GROUP BY reason")
    assert (delta.field, delta.value) == ("delta", "1e-8")
    (amount,) = offered("SELECT COUNT(*) FROM visits", amount="")
    assert (amount.field, amount.value) == ("amount", "0.05")
    assert [usual_amount(share) for share in (2, 1, 0.3, 0)] == ["0.1", "0.05", "0.01", ""]


@pytest.mark.parametrize(
    "sql", ["DELETE FROM visits", "SELECT COUNT( FROM visits", "SELECT COUNT(*) OVER () FROM visits"]
)
def test_where_a_hint_names_nothing_to_write_there_is_no_button(sql):
    assert offered(sql) == ()
