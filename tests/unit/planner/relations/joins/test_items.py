"""Tables behind commas, CROSS and brackets become the same rows as those behind JOIN ... ON."""

import pytest

from deniable.core.algebra.relation import tables
from deniable.core.errors import Refused
from deniable.planner import bind, parse
from tests.support.world import policy

ON = "visits v JOIN stays s ON v.patient_id = s.patient_id"


@pytest.fixture(scope="module")
def rules(tmp_path_factory):
    return policy(tmp_path_factory.mktemp("items"), contribution=3)


def source(origin, rules):
    return bind(parse(f"SELECT COUNT(*) FROM {origin}"), rules).source


@pytest.mark.parametrize(
    "origin",
    [
        "visits v, stays s WHERE v.patient_id = s.patient_id",
        "visits v, stays s WHERE (v.patient_id = s.patient_id)",
        "visits v CROSS JOIN stays s WHERE v.patient_id = s.patient_id",
        "(visits v CROSS JOIN stays s) WHERE v.patient_id = s.patient_id",
        "((visits v)) JOIN (stays s) ON v.patient_id = s.patient_id",
        "visits v JOIN stays s USING (patient_id)",
        "visits v NATURAL JOIN stays s",
        '"public"."visits" v JOIN tests.public.stays s ON v."patient_id" = s."patient_id"',
        "main.visits JOIN tests.stays ON public.visits.patient_id = tests.public.stays.patient_id",
    ],
)
def test_other_spellings_are_the_same_question(origin, rules):
    assert source(origin, rules) == source(ON, rules)


def test_tables_stand_in_an_order_in_which_something_ties_them(rules):
    origin = "hospitals h, stays s, visits v WHERE h.hospital = v.hospital AND v.patient_id = s.patient_id"
    assert tables(source(origin, rules).table) == ("hospitals", "visits", "stays")


def test_a_comma_binds_less_than_a_join(rules):
    """`a, b RIGHT JOIN c` keeps the rows of c beside b, and not beside a and b."""
    origin = "hospitals h, (visits v RIGHT JOIN stays s USING (patient_id)) WHERE h.hospital = v.hospital"
    bare = "hospitals h, visits v RIGHT JOIN stays s USING (patient_id) WHERE h.hospital = v.hospital"
    assert source(bare, rules) == source(origin, rules)


@pytest.mark.parametrize(
    ("origin", "code"),
    [
        ("visits v, stays s", "unit-join"),
        ("visits v, hospitals h WHERE v.hospital < h.hospital", "unit-join"),
        ("visits v, stays s, hospitals h WHERE v.patient_id = s.patient_id", "unit-join"),
        ("visits v, visits v WHERE v.patient_id = v.patient_id", "unsupported-form"),
        ("visits v, stays s WHERE patient_id = patient_id", "unit-join"),
        ("visits v JOIN stays s USING (patient_id) JOIN visits w ON w.patient_id = patient_id", "ambiguous-column"),
        ("visits LEFT JOIN stays", "unit-join"),
        ("visits FULL JOIN hospitals USING (hospital)", "unit-join"),
        ("survey RIGHT JOIN hospitals USING (hospital)", "unit-join"),
        ("other.visits", "unknown-table"),
        ("public.tests.visits", "unknown-table"),
    ],
)
def test_what_nothing_ties_together_is_refused(origin, code, rules):
    with pytest.raises(Refused) as caught:
        source(origin, rules)
    assert caught.value.code == code


def test_a_qualified_name_is_never_that_of_a_subquery(rules):
    cte = "WITH visits AS (SELECT patient_id FROM stays) SELECT COUNT(*) FROM {}"
    assert bind(parse(cte.format("visits")), rules).source.table == "stays"
    assert bind(parse(cte.format("public.visits")), rules).source.table == "visits"


def test_using_makes_two_columns_one(rules):
    """In SELECT * too, and where one side can be missing."""
    inner = "(SELECT * FROM visits LEFT JOIN hospitals USING (hospital)) t"
    assert bind(parse(f"SELECT hospital, COUNT(city) AS n FROM {inner} GROUP BY hospital"), rules).keys[0].domain


def test_a_place_is_underlined_where_it_stands(rules):
    sql = 'SELECT COUNT(*) FROM "nowhere"."visits"'
    with pytest.raises(Refused) as caught:
        bind(parse(sql), rules)
    start, end = caught.value.position
    assert sql[start:end] == '"nowhere"."visits"'
