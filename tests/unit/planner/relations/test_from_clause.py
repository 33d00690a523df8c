"""Which rows a question ranges over: what is put together, what a unit may weigh then, and what is refused."""

import pytest

from deniable.core.algebra.relation import UNIT, Grouped, Joined, Numbered, tables
from deniable.core.errors import Refused
from deniable.planner import Spend, bind, parse, plan_question
from tests.support.world import policy


@pytest.fixture(scope="module")
def rules(tmp_path_factory):
    return policy(tmp_path_factory.mktemp("relations"), contribution=3)


def source(question, rules):
    return bind(parse(question), rules).source


@pytest.mark.parametrize(
    ("origin", "weight"),
    [
        ("visits", 3),
        ("visits v JOIN hospitals h ON v.hospital = h.hospital", 3),
        ("visits v JOIN stays s ON v.patient_id = s.patient_id", 9),
        ("visits v LEFT JOIN stays s ON v.patient_id = s.patient_id", 9),
        ("visits a JOIN visits b USING (patient_id) JOIN visits c USING (patient_id)", 27),
        ("(SELECT patient_id FROM visits UNION ALL SELECT patient_id FROM stays) t", 6),
        ("(SELECT patient_id, region FROM visits GROUP BY 1, 2) t", 3),
        ("(SELECT patient_id, COUNT(*) FROM visits GROUP BY 1) t JOIN stays s ON t.patient_id = s.patient_id", 3),
        ("visits WHERE patient_id IN (SELECT patient_id FROM stays)", 3),
        ("survey s JOIN hospitals h ON s.hospital = h.hospital", 1),
    ],
)
def test_what_a_unit_may_weigh(origin, weight, rules):
    found = source(f"SELECT COUNT(*) FROM {origin}", rules)
    assert found.unit is not None
    assert found.contribution == weight


@pytest.mark.parametrize(
    "origin",
    [
        "survey",
        "survey WHERE hospital IN (SELECT hospital FROM hospitals)",
        "(SELECT patient_id, COUNT(*) FROM visits GROUP BY patient_id) t",
        "(SELECT DISTINCT patient_id FROM visits) t WHERE patient_id IN (SELECT patient_id FROM stays)",
    ],
)
def test_with_one_row_per_unit_nothing_is_weighed(origin, rules):
    found = source(f"SELECT COUNT(*) FROM {origin}", rules)
    assert found.unit is None
    assert found.contribution == 1


def test_after_a_join_everything_is_weighed(rules):
    """Even where both sides have one row per unit: what is concluded bounds nothing."""
    sides = "(SELECT DISTINCT patient_id FROM visits) t JOIN (SELECT DISTINCT patient_id FROM stays) s"
    found = source(f"SELECT COUNT(*) FROM {sides} USING (patient_id)", rules)
    assert (found.unit, found.contribution) == (f"0.{UNIT}", 1)


def test_subqueries_row_by_row_leave_no_trace(rules):
    spellings = [
        "SELECT region, AVG(cost * 2) FROM visits WHERE age > 18 AND urgent GROUP BY region",
        (
            "SELECT r, AVG(c) FROM (SELECT region AS r, cost * 2 AS c, urgent FROM visits WHERE age > 18) t "
            "WHERE urgent GROUP BY r"
        ),
        (
            "WITH v AS (SELECT * FROM visits WHERE age > 18), w(a, b, c) AS (SELECT urgent, region, cost * 2 FROM v) "
            "SELECT w.b, AVG(W.C) FROM w WHERE a GROUP BY w.b"
        ),
    ]
    plans = [plan_question(sql, rules, Spend.of(epsilon=1)) for sql in spellings]
    assert len({plan.digest for plan in plans}) == 1
    assert plans[0].bound.source.table == "visits"


def test_a_cte_can_be_called_like_a_table(rules):
    found = source("WITH visits AS (SELECT * FROM visits WHERE urgent) SELECT COUNT(*) FROM VISITS", rules)
    assert found == source("SELECT COUNT(*) FROM visits WHERE urgent", rules)


def test_rows_that_are_units_get_a_name_where_a_join_can_double_them(rules):
    joined = source("SELECT COUNT(*) FROM survey s JOIN hospitals h ON s.hospital = h.hospital", rules).table
    assert isinstance(joined, Joined)
    assert isinstance(joined.first, Numbered)
    assert tables(joined) == ("survey", "hospitals")


def test_a_third_table_can_join_on_the_second(rules):
    question = (
        "SELECT COUNT(*) FROM visits a JOIN stays b ON a.patient_id = b.patient_id "
        "JOIN stays c ON c.patient_id = b.patient_id AND c.nights < b.nights"
    )
    assert source(question, rules).unit == "0.patient_id"


def test_but_not_on_one_that_may_be_missing(rules):
    question = (
        "SELECT COUNT(*) FROM visits a LEFT JOIN stays b ON a.patient_id = b.patient_id "
        "JOIN stays c ON c.patient_id = b.patient_id"
    )
    with pytest.raises(Refused, match="joined person by person"):
        bind(parse(question), rules)


def test_values_come_through(rules):
    bound = bind(
        parse("SELECT k, COUNT(*) FROM (SELECT patient_id, region AS k FROM visits GROUP BY 1, 2) t GROUP BY k"), rules
    )
    assert bound.keys[0].domain == ("north", "east", "south", "west", None)
    assert isinstance(bound.source.table, Grouped)


@pytest.mark.parametrize(
    ("origin", "code"),
    [
        ("survey a JOIN survey b ON a.hospital = b.hospital", "unit-join"),
        ("survey a JOIN visits b ON a.hospital = b.hospital", "unit-join"),
        ("hospitals h LEFT JOIN visits v ON v.hospital = h.hospital", "unit-join"),
        ("visits v JOIN hospitals h ON v.age > 20", "unit-join"),
        ("visits v JOIN hospitals h ON h.hospital = 3", "unit-join"),
        ("(SELECT mark FROM survey UNION ALL SELECT mark FROM survey) t", "unit-join"),
        ("(SELECT hospital FROM survey UNION ALL SELECT hospital FROM visits) t", "unit-join"),
        ("(SELECT hospital FROM hospitals UNION ALL SELECT hospital FROM visits) t", "unit-join"),
        (
            (
                "(SELECT mark FROM survey s JOIN hospitals h ON s.hospital = h.hospital UNION ALL "
                "SELECT mark FROM survey s JOIN hospitals h ON s.hospital = h.hospital) t"
            ),
            "unit-join",
        ),
        ("(SELECT hospital, COUNT(*) FROM survey GROUP BY hospital) t", "subquery"),
        ("visits WHERE hospital NOT IN (SELECT city FROM hospitals)", "subquery"),
        ("visits WHERE reason NOT IN (SELECT city FROM hospitals)", "subquery"),
        ("visits WHERE reason IN (SELECT hospital FROM hospitals)", "type-mismatch"),
        ("hospitals", "public-table"),
        ("(SELECT DISTINCT city FROM hospitals) t", "public-table"),
        ("visits v, LATERAL (SELECT v.age) t", "unknown-table"),
        ("(VALUES (1), (2)) t(x)", "unknown-table"),
        ("(SELECT * EXCLUDE (age) FROM visits) t", "unsupported-clause"),
        ("(SELECT COLUMNS('a.*') FROM visits) t", "unknown-function"),
        ("visits SEMI JOIN stays USING (patient_id)", "unsupported-clause"),
        ("visits POSITIONAL JOIN stays", "unsupported-clause"),
        ("visits ASOF JOIN stays ON visits.patient_id = stays.patient_id", "unsupported-clause"),
    ],
)
def test_refused(origin, code, rules):
    with pytest.raises(Refused) as refusal:
        bind(parse(f"SELECT COUNT(*) FROM {origin}"), rules)
    assert refusal.value.code == code


DOUBLED = {
    "expressions": ("SELECT age AS x FROM visits", "SELECT x + x AS x FROM {0}", "SUM(x)"),
    "cases": ("SELECT age AS x FROM visits", "SELECT CASE WHEN x > 1 THEN x ELSE -x END AS x FROM {0}", "SUM(x)"),
    "joins": (
        "SELECT patient_id FROM visits",
        "SELECT a.patient_id FROM {0} a JOIN {0} b ON a.patient_id = b.patient_id",
        "COUNT(*)",
    ),
    "unions": (
        "SELECT patient_id FROM visits",
        "SELECT patient_id FROM {0} UNION ALL SELECT patient_id FROM {0}",
        "COUNT(*)",
    ),
}


@pytest.mark.parametrize("what", DOUBLED)
def test_what_doubles_at_every_level_is_refused(what, rules):
    first, again, asked = DOUBLED[what]
    levels = ", ".join(f"c{level} AS ({again.format(f'c{level - 1}')})" for level in range(1, 60))
    with pytest.raises(Refused, match=r"too long|more than 16|more than 100,000 rows"):
        bind(parse(f"WITH c0 AS ({first}), {levels} SELECT {asked} FROM c59"), rules)


def test_a_long_column_cannot_be_repeated_without_end(rules):
    case = " ".join(f"WHEN age = {year} THEN {year + 1}" for year in range(90))
    many = " OR ".join(["x > 3"] * 90)
    with pytest.raises(Refused, match="too long"):
        bind(parse(f"SELECT COUNT(*) FROM (SELECT CASE {case} END AS x FROM visits) t WHERE {many}"), rules)
