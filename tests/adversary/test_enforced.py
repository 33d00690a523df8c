"""What is concluded bounds nothing: doubles leave their ranges, promises are untrue, and no answer moves farther."""

import pytest

from tests.support.neighbours import SOMEONE, exact
from tests.support.towns import mark, towns, visit

COLLIDING = "SELECT CASE WHEN level = 3 THEN level * 0.1 ELSE 0.3 END FROM places"
"""Two doubles that exact arithmetic takes for one: 3 * 0.1 is more than 0.3."""
TWICE = f"place * 0 + 0.3 IN ({COLLIDING}) AND place * 0 + 0.3 + 0 IN ({COLLIDING})"


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """One more row in the survey, where each row is a unit."""
    found = towns(tmp_path_factory.mktemp("rows"), {"survey": [mark(0, place=3)], "visits": [visit(SOMEONE, place=3)]})
    yield found
    found.close()


@pytest.mark.parametrize("table", ["survey", "(SELECT person, 3 AS place FROM visits GROUP BY person) t"])
@pytest.mark.parametrize(
    "condition",
    [
        f"place * 0 + 0.3 IN ({COLLIDING})",
        f"place * 0.1 IN ({COLLIDING})",
        TWICE,
        f"{TWICE} AND 0.3 + 0 * place IN ({COLLIDING})",
        "place * 0.3 IN (SELECT level * 0.1 * 3 FROM places)",
        "place + 0.5 IN (SELECT place + 0.5 FROM places UNION ALL SELECT place * 1.0 + 0.5 FROM places)",
        "place * 1e300 IN (SELECT place * 1e300 FROM places)",
        "place * 1.5 IN (SELECT level FROM places UNION ALL SELECT serial FROM places)",
    ],
)
def test_81_a_set_never_multiplies_rows(rows, table, condition):
    rows.total(f"SELECT COUNT(*) AS n FROM {table} WHERE {condition}")
    rows.total(f"SELECT SUM(CASE WHEN {condition} THEN 1 ELSE 0 END) AS n FROM {table}")


@pytest.mark.parametrize(
    ("value", "option"),
    [("place * 0.1", "level * 0.1"), ("place / 3", "level / 3"), ("place * 0.7 + 0.1", "(level * 0.7) + 0.1")],
)
def test_81_equal_expressions_are_found(rows, value, option):
    """However wide the set's own range is: what it holds is compared as it is."""
    inside, everyone = (
        exact(rows.without, f"SELECT COUNT(*) AS n FROM survey WHERE {condition}")
        for condition in (f"{value} IN (SELECT {option} FROM places)", "place <= 3")
    )
    assert next(iter(inside.values())) == next(iter(everyone.values()))


def test_81_a_column_of_a_subquery_is_not_cut_by_its_range(rows):
    made, plain = (
        exact(rows.without, sql)
        for sql in (
            (
                "SELECT COUNT(*) AS n FROM (SELECT DISTINCT person, place * 0.1 AS x FROM visits) t "
                "JOIN (SELECT level * 0.1 AS x, COUNT(*) AS m FROM places GROUP BY 1) p ON t.x = p.x"
            ),
            "SELECT COUNT(*) AS n FROM (SELECT DISTINCT person, place FROM visits) t WHERE place <= 3",
        )
    )
    assert next(iter(made.values())) == next(iter(plain.values()))


TINY = "(0.1 * 3 - 0.3)"
"""Zero in exact arithmetic, 5.6e-17 in doubles."""


@pytest.mark.parametrize("way", ["FLOOR({})", "CEIL({})", "ROUND({})", "CAST({} AS BIGINT)"])
def test_84_whole_numbers_from_doubles_never_overflow(rows, way):
    """Somebody alone has place 9; in 64 bits the product of what looks like zero would overflow for them."""
    huge = way.format(f"{TINY} * 1e34 * CASE WHEN mark = 5 AND place = 3 THEN 9 ELSE 0 END")
    rows.total(f"SELECT COUNT(*) AS n FROM survey WHERE {huge} * {huge} * {huge} = 0")
    rows.total(f"SELECT SUM(LEAST(GREATEST({huge} * {huge} * {huge} - {huge}, 0), 9)) AS n FROM survey")
    rows.same(f"SELECT COUNT(*) AS n FROM survey WHERE SUBSTRING('abc', {huge}) = 'abc'")


def test_84_a_promise_that_values_are_there_bounds_nothing(tmp_path):
    """`nulls = false` is the custodian's word: LEAST passes over the NULL, and gives what was thought to be cut."""
    found = towns(tmp_path, {"visits": [visit(SOMEONE, place=None, **{"0.person": 2**62})]})
    large = 'GREATEST(LEAST(place, "0.person"), 0)'
    found.total(f"SELECT COUNT(*) AS n FROM visits WHERE {large} * {large} * {large} >= 0")
    found.close()
