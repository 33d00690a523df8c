"""A built question is the SQL of the same meaning, whatever its words hold."""

from datetime import date
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest

from deniable.core.errors import InvalidArgumentError, Refused
from deniable.curator.builder import (
    Question,
    correlation,
    count,
    deviation,
    distinct,
    maximum,
    mean,
    median,
    minimum,
    mode,
    most_common,
    quantile,
    total,
    units,
    variance,
)
from deniable.planner import Spend, plan_question
from tests.support.tables import policy

VISITS = Question(None, "visits")
PATIENTS = Question(SimpleNamespace(policy=policy(Path("nowhere"), contribution=3)), "visits")
ROWS = Question(SimpleNamespace(policy=policy(Path("nowhere"), contribution=None)), "visits")


def _digest(sql: str) -> str:
    return plan_question(sql, policy(Path("nowhere"), contribution=3), Spend.of(epsilon=1)).digest


@pytest.mark.parametrize(
    ("built", "sql"),
    [
        (VISITS.agg(n=count()), "SELECT COUNT(*) FROM visits"),
        (VISITS.agg(n=count("score")), "SELECT COUNT(score) FROM visits"),
        (PATIENTS.agg(n=units()), "SELECT COUNT(DISTINCT patient_id) FROM visits"),
        (
            PATIENTS.agg(n=units().where(urgent=True)),
            "SELECT COUNT(DISTINCT patient_id) FILTER (WHERE urgent = TRUE) FROM visits",
        ),
        (
            VISITS.where(age__ge=18).group_by("region").agg(n=count(), cost=mean("cost")),
            "SELECT region, COUNT(*), AVG(cost) FROM visits WHERE age >= 18 GROUP BY region",
        ),
        (
            VISITS.where(age__lt=18, region="north").agg(a=total("cost"), b=variance("age")),
            "SELECT SUM(cost), VAR_SAMP(age) FROM visits WHERE age < 18 AND region = 'north'",
        ),
        (
            VISITS.agg(a=deviation("cost").where(urgent=True), b=correlation("cost", "age")),
            "SELECT STDDEV(cost) FILTER (WHERE urgent = TRUE), CORR(cost, age) FROM visits",
        ),
        (
            VISITS.where(day__ge=date(2025, 6, 1), reason__in=["heart", "x'; DROP TABLE y"]).agg(n=count()),
            "SELECT COUNT(*) FROM visits WHERE day >= DATE '2025-06-01' AND reason IN ('heart', 'x''; DROP TABLE y')",
        ),
        (
            VISITS.where(score__gt=-1.5, region__isnull=False, reason__like="h%").agg(n=count()),
            "SELECT COUNT(*) FROM visits WHERE score > -1.5 AND NOT region IS NULL AND reason LIKE 'h%'",
        ),
        (
            VISITS.group_by("region").agg(m=median("age"), a=quantile("cost", 0.9), n=distinct("day")),
            "SELECT region, MEDIAN(age), QUANTILE_CONT(cost, 0.9), COUNT(DISTINCT day) FROM visits GROUP BY region",
        ),
        (
            VISITS.agg(a=quantile("cost", Fraction(1, 4), 0.75), b=minimum("age"), c=maximum("age").where(age__lt=18)),
            "SELECT QUANTILE_CONT(cost, [0.25, 0.75]), MIN(age), MAX(age) FILTER (WHERE age < 18) FROM visits",
        ),
        (
            VISITS.agg(a=mode("urgent"), b=most_common("region", 2)),
            "SELECT MODE(urgent), APPROX_TOP_K(region, 2) FROM visits",
        ),
        (VISITS.where(region__isnull=True).agg(n=count()), "SELECT COUNT(*) FROM visits WHERE region IS NULL"),
        (
            VISITS.group_by("region").agg(n=count()).order_by("-n").limit(2),
            "SELECT region, COUNT(*) AS n FROM visits GROUP BY region ORDER BY n DESC LIMIT 2",
        ),
    ],
)
def test_the_same_question_has_the_same_name(built, sql):
    assert _digest(built.sql) == _digest(sql)


def test_steps_leave_the_question_they_start_from_alone():
    first = VISITS.agg(n=count())
    first.where(age__ge=18).group_by("region").limit(3)
    assert first == VISITS.agg(n=count())


@pytest.mark.parametrize("bad", [{"age": [1]}, {"age__in": 3}, {"age__in": "abc"}, {"age": object()}, {"age": None}])
def test_conditions_that_cannot_be_are_named(bad):
    with pytest.raises(InvalidArgumentError, match=next(iter(bad))):
        _ = VISITS.where(**bad).agg(n=count()).sql


@pytest.mark.parametrize("name", ['x" FROM secrets --', "x; DROP TABLE visits", "nothing"])
def test_names_are_only_names(name):
    for built in (
        VISITS.agg(n=mean(name)),
        VISITS.where(**{name: 1}).agg(n=count()),
        Question(None, name).agg(n=count()),
    ):
        with pytest.raises(Refused) as caught:
            _digest(built.sql)
        assert caught.value.code in ("unknown-column", "unknown-table")


def test_exact_numbers_stay_exact():
    assert "0.1" in VISITS.where(score=0.1).agg(n=count()).sql
    with pytest.raises(Refused):
        _digest(VISITS.where(score=Fraction(1, 3)).agg(n=count(), m=mean("nothing")).sql)


def test_without_a_curator_nothing_can_be_asked():
    with pytest.raises(InvalidArgumentError, match="curator"):
        VISITS.agg(n=count()).ask(epsilon=1)


def test_where_each_row_stands_for_itself_units_are_rows():
    assert ROWS.agg(n=units()).sql == 'SELECT COUNT(*) AS "n" FROM "visits"'
    assert Question(ROWS.curator, "nothing").agg(n=units()).sql == 'SELECT COUNT(*) AS "n" FROM "nothing"'
    with pytest.raises(InvalidArgumentError, match="curator"):
        _ = VISITS.agg(n=units()).sql
