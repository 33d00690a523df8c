"""Choices and distinct counts on neighbouring tables: the same shape, and scores no closer than the noise hides."""

import pytest

from tests.support.neighbours import SOMEONE, outcome, pair, row

QUESTIONS = [
    "SELECT MEDIAN(age) AS a FROM visits",
    "SELECT MIN(age) AS a, MAX(wide) AS b FROM visits",
    "SELECT QUANTILE_CONT(cost, [0.01, 0.5, 0.99]) AS a FROM visits WHERE cost > 3",
    "SELECT town AS k, MEDIAN(score) AS a, MODE(urgent) AS b FROM visits GROUP BY town",
    "SELECT town AS k, COUNT(DISTINCT word) AS a, COUNT(DISTINCT moment) AS b FROM visits GROUP BY town",
    "SELECT COUNT(DISTINCT score) AS a, COUNT(DISTINCT word || town) AS b FROM visits",
    "SELECT MODE(town) AS a, APPROX_TOP_K(age, 4) AS b FROM visits",
    "SELECT MEDIAN(1 / (age - 40)) AS a FROM visits",
    "SELECT MEDIAN(LEAST(GREATEST(LN(score), -5), 5)) AS a FROM visits",
    "SELECT town AS k, COUNT(*) AS n FROM visits GROUP BY town HAVING MEDIAN(age) > 30 ORDER BY MAX(age)",
]
EXTREMES = {
    "ordinary": {},
    "missing": {"age": None, "cost": None, "score": None, "town": None, "word": None, "urgent": None, "wide": None},
    "nan": {"cost": float("nan"), "score": float("nan")},
    "infinite": {"cost": float("inf"), "score": float("-inf"), "heat": float("inf")},
    "huge": {"age": 2**62, "cost": 1e308, "score": -1e308, "wide": -(2**62)},
    "at the bounds": {"age": 110, "cost": 500.0, "score": -100.0, "wide": 2**50},
    "unknown": {"town": "nowhere", "word": "\u0000", "age": -5},
    "new": {"town": "Zürich", "word": "Zürich"},
}


@pytest.mark.parametrize("kind", EXTREMES)
@pytest.mark.parametrize(("contribution", "neighbours"), [(None, "add-remove"), (2, "add-remove"), (2, "replace")])
def test_a_unit_moves_no_choice_farther_than_claimed(tmp_path, kind, contribution, neighbours):
    rows = [row(SOMEONE, **EXTREMES[kind]) for _ in range(1 if contribution is None else 7)]
    rows = [one | {"age": one["age"] and one["age"] - place} for place, one in enumerate(rows)]
    both = pair(tmp_path / "pair", *rows, contribution=contribution, neighbours=neighbours)
    try:
        for sql in QUESTIONS:
            if "1 / (age - 40)" in sql:
                both.refused(sql, "needs-bounds")
            else:
                both.total(sql)
    finally:
        both.close()


def test_where_nobody_is_it_looks_as_everywhere(tmp_path):
    both = pair(tmp_path / "pair")
    try:
        for full in [sql for sql in QUESTIONS if "WHERE" not in sql]:
            empty = full.replace(" FROM visits", " FROM visits WHERE cost < -1", 1)
            assert outcome(both.without, full) == outcome(both.having, empty)
    finally:
        both.close()


def test_no_groups_no_choices(tmp_path):
    both = pair(tmp_path / "pair")
    try:
        for values in ("MEDIAN(cost) AS a, MODE(town) AS b", "QUANTILE_CONT(age, [0.1, 0.2, 0.4, 0.7]) AS a"):
            sql = f"SELECT age, {values} FROM visits WHERE age > 9 AND age < 5 GROUP BY age"
            assert both.same(sql).status == "answered"
    finally:
        both.close()


def test_a_unit_with_many_values_is_sampled_by_its_own_rows_alone(tmp_path):
    """The values that someone adds are the same whoever else is there: removing another moves the count by that one."""
    many = [row(SOMEONE, word=f"w{place}", age=place % 100) for place in range(50)]
    sql = "SELECT COUNT(DISTINCT word) AS a FROM visits"
    for common in ([], [row(300, word="w1")], [row(300 + place, word=f"w{place}") for place in range(30)]):
        both = pair(tmp_path / str(len(common)), *many, contribution=5, common=common)
        try:
            assert both.distance(sql) <= 1
        finally:
            both.close()
