"""Which parts of a statement are questions, and that nothing around them is moved into them."""

from pathlib import Path

import pytest

from deniable.core.errors import Refused
from deniable.planner import Spend, plan_question, plan_statement
from tests.support import world

POLICY = world.policy(Path("nowhere"), contribution=3)
SPEND = Spend.of(epsilon=1)
REGIONS = "SELECT region, COUNT(*) AS n FROM visits GROUP BY region"


def _inside(sql):
    return plan_statement(sql, POLICY, SPEND).batch.plans


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT * FROM ({REGIONS}) q WHERE region = 'north' AND n > 3",
        f"WITH q AS ({REGIONS}) SELECT * FROM q WHERE region = 'north' LIMIT 1",
        f"SELECT MAX(n) FROM ({REGIONS}) q WHERE region <> 'x'",
        "SELECT region, COUNT(*) AS n, SUM(COUNT(*)) OVER () FROM visits GROUP BY region HAVING region = 'north'",
        f"SELECT n FROM ({REGIONS}) q UNION ALL (SELECT n FROM ({REGIONS}) r WHERE region = 'north')",
        f"SELECT city FROM hospitals JOIN ({REGIONS}) q ON q.region = city WHERE beds > 3",
    ],
)
def test_one_question_is_inside_as_if_it_were_asked_alone(sql):
    (inner,) = _inside(sql)
    alone = plan_question(REGIONS, POLICY, SPEND)
    assert (inner.queries, inner.noise, inner.digest) == (alone.queries, alone.noise, alone.digest)


def test_what_is_grouped_by_the_person_stays_inside():
    people = "SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY patient_id"
    statement = plan_statement(f"SELECT COUNT(*) FROM ({people}) p WHERE n > 2", POLICY, SPEND)
    assert statement.asked[0].outer is None
    wrapped = plan_statement(
        f"WITH p AS ({people}), c AS (SELECT n > 2 AS many, COUNT(*) AS m FROM p GROUP BY 1) SELECT MAX(m) FROM c",
        POLICY,
        SPEND,
    )
    (inner,) = wrapped.batch.plans
    assert "Grouped" in repr(inner.bound.source.table)


def test_questions_that_are_the_same_are_asked_once_and_found_in_any_order():
    urgent = "(SELECT COUNT(*) FROM visits WHERE urgent)"
    every = "(SELECT COUNT(*) FROM visits)"
    one = _inside(f"SELECT {urgent} / {every}, {every}")
    other = _inside(f"SELECT {every} - {every} + {urgent}")
    assert len(one) == 2
    assert [plan.digest for plan in one] == [plan.digest for plan in other]


def test_a_name_means_what_the_nearest_with_says():
    sql = (
        "WITH v AS (SELECT * FROM visits WHERE urgent) SELECT * FROM "
        "(WITH v AS (SELECT * FROM visits WHERE age > 9) SELECT region, COUNT(*) AS n FROM v GROUP BY region) q"
    )
    (inner,) = _inside(sql)
    plain = "SELECT region, COUNT(*) AS n FROM visits WHERE age > 9 GROUP BY region"
    assert inner.digest == plan_question(plain, POLICY, SPEND).digest
    with pytest.raises(Refused, match="another query of the same name"):
        _inside(sql.replace("SELECT * FROM visits WHERE age", "SELECT * FROM v WHERE age"))


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        (f"SELECT v.age FROM visits v JOIN ({REGIONS}) q ON q.region = v.region", "noisy-beside-rows"),
        (f"SELECT COUNT(*) FROM visits, ({REGIONS}) q", "noisy-beside-rows"),
        ("SELECT COUNT(*) FROM visits WHERE age > (SELECT AVG(age) FROM visits)", "noisy-beside-rows"),
        (f"SELECT COUNT(*) FROM visits WHERE region IN (SELECT region FROM ({REGIONS}) q)", "noisy-beside-rows"),
        ("SELECT SUM(age - (SELECT MIN(age) FROM visits)) FROM visits", "noisy-beside-rows"),
        ("SELECT COUNT(*) FROM visits GROUP BY age > (SELECT AVG(age) FROM visits)", "noisy-beside-rows"),
        (f"SELECT n FROM ({REGIONS}) q UNION ALL SELECT age FROM visits", "noisy-beside-rows"),
        (f"SELECT n FROM ({REGIONS}) q WHERE n IN (SELECT age FROM visits)", "subquery"),
        (f"SELECT n FROM ({REGIONS}) q WHERE EXISTS (SELECT 1 FROM visits v WHERE v.region = q.region)", "subquery"),
        ("SELECT COUNT(*) FROM (SELECT DISTINCT region FROM visits) q", "distinct"),
        ("SELECT COUNT(*) FROM (SELECT region FROM visits GROUP BY region) q", "distinct"),
    ],
)
def test_private_rows_never_meet_noisy_ones(sql, code):
    with pytest.raises(Refused) as caught:
        plan_statement(sql, POLICY, SPEND)
    assert caught.value.code == code, caught.value
    assert caught.value.hint


def test_both_steps_can_be_pasted():
    with pytest.raises(Refused) as caught:
        plan_statement("SELECT COUNT(*) FROM visits WHERE cost > (SELECT AVG(cost) FROM visits)", POLICY, SPEND)
    first, second = (part.strip() for part in caught.value.hint.split("First: ")[1].split(":answer: "))
    plan_question(first.split(";")[0], POLICY, SPEND)
    plan_question(second.replace(":answer", "80.5"), POLICY, SPEND)
