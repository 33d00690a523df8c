"""Bounds of what a person's rows add up to: from the contribution, and enforced by the statement."""

from fractions import Fraction

import pytest

from deniable.planner import Spend, bind, parse, price
from tests.support.curators import silence
from tests.support.world import curator, policy, tables

PER_PERSON = "(SELECT patient_id, COUNT(*) AS n, SUM(cost) AS total FROM visits GROUP BY patient_id) t"


def _statistic(tmp_path, aggregate, contribution=7):
    bound = bind(parse(f"SELECT {aggregate} AS a FROM {PER_PERSON}"), policy(tmp_path, contribution=contribution))
    return bound, bound.statistics[0]


@pytest.mark.parametrize(("aggregate", "most"), [("SUM(n)", 7), ("SUM(total)", 3500), ("SUM(n * 2 + 1)", 15)])
def test_one_person_adds_at_most_what_the_contribution_allows(tmp_path, aggregate, most):
    bound, statistic = _statistic(tmp_path, aggregate)
    assert abs(statistic.reach * statistic.worth - most) <= Fraction(1, 100)
    assert "count" in bound.usual[0]
    assert "'least'" in repr(statistic.total.row)  # cut by the statement, and not believed


def test_ends_of_the_question_come_first(tmp_path):
    bound, statistic = _statistic(tmp_path, "SUM(LEAST(n, 3))")
    assert statistic.reach * statistic.worth == 3
    assert bound.usual == ()


def test_explain_says_so(tmp_path):
    bound, _ = _statistic(tmp_path, "AVG(total)")
    notes = price(bound, Spend.of(epsilon=1)).quote.notes
    assert "total of one person counts as between 0 and 3,500: LEAST(total, ...) sets another end" in notes


@pytest.mark.parametrize(
    ("added", "meant"),
    [
        ("CASE WHEN n > 3 THEN 0 ELSE n END", "CASE WHEN n > 3 THEN 0 ELSE LEAST(n, 2) END"),
        ("COALESCE(NULLIF(n, 3), 100)", "CASE WHEN n = 3 THEN 100 ELSE LEAST(n, 2) END"),
        ("n * CAST(n > 3 AS INTEGER)", "LEAST(n, 2) * CAST(n > 3 AS INTEGER)"),
    ],
)
def test_conditions_are_about_what_was_measured(added, meant, tmp_path, monkeypatch):
    """Nobody counts as having more than two here, and yet who has more than three is known."""
    silence(monkeypatch)
    quiet = curator(tmp_path, tables(200, seed=5), policy(tmp_path, contribution=2))
    question = "SELECT SUM({}) AS s FROM (SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY patient_id) t"
    found, wanted = (quiet.ask(question.format(value), epsilon=1).table["s"][0].as_py() for value in (added, meant))
    quiet.close()
    assert found == wanted
