"""Rows that stay alone in an outer join: which aggregates surely skip them."""

import pytest

from deniable.core.algebra.expression import Column, Kind, Literal
from deniable.core.errors import Refused
from deniable.planner import bind, parse
from deniable.planner.expressions.functions import call, number
from deniable.planner.pricing.cautions import cautions
from deniable.planner.relations.alone import is_null, rejects
from tests.support.world import policy

HERE, GONE = Column("here", Kind.INTEGER), Column("gone", Kind.INTEGER)
MISSING = frozenset({"gone"})
JOIN = "hospitals h LEFT JOIN visits v ON v.hospital = h.hospital"


@pytest.mark.parametrize(
    ("value", "surely"),
    [
        (GONE, True),
        (HERE, False),
        (call("add", GONE, HERE), True),
        (call("coalesce", GONE, number(0)), False),
        (call("least", GONE, HERE), False),
        (call("case", call("more", GONE, number(1)), number(5)), True),
        (call("case", call("is_null", GONE), number(5)), False),
        (call("case", call("more", HERE, number(1)), GONE, number(5)), False),
        (call("nullif", HERE, GONE), False),
        (call("nullif", GONE, HERE), True),
        (call("in", HERE, number(1), Literal(None, Kind.NUMBER)), False),
    ],
)
def test_null_goes_through_what_computes_and_not_through_what_chooses(value, surely):
    assert is_null(value, MISSING) is surely


@pytest.mark.parametrize(
    ("condition", "surely"),
    [
        (call("more", GONE, number(1)), True),
        (call("is_null", GONE), False),
        (call("not", call("is_null", GONE)), True),
        (call("not", call("more", GONE, number(1))), True),
        (call("or", call("more", GONE, number(1)), call("more", HERE, number(1))), False),
        (call("and", call("more", GONE, number(1)), call("more", HERE, number(1))), True),
        (call("not", call("and", call("more", GONE, number(1)), call("more", HERE, number(1)))), False),
        (call("coalesce", call("more", GONE, number(1)), Literal(value=False, kind=Kind.BOOLEAN)), True),
        (call("coalesce", call("more", GONE, number(1)), Literal(value=True, kind=Kind.BOOLEAN)), False),
        (call("same", GONE, HERE), False),
    ],
)
def test_a_condition_rejects_what_it_surely_does_not_hold_for(condition, surely):
    assert rejects(condition, MISSING) is surely


@pytest.mark.parametrize(
    "aggregate",
    ["COUNT(*)", "COUNT(h.beds)", "SUM(COALESCE(v.age, 1))", "COUNT(*) FILTER (WHERE v.age IS NULL)", "AVG(h.beds)"],
)
def test_an_aggregate_that_counts_them_is_refused(tmp_path, aggregate):
    with pytest.raises(Refused) as caught:
        bind(parse(f"SELECT city, {aggregate} FROM {JOIN} GROUP BY city"), policy(tmp_path, contribution=2))
    assert caught.value.code == "unit-join"


@pytest.mark.parametrize(
    "question",
    [
        f"SELECT COUNT(*) FROM {JOIN} WHERE v.age > 3",
        f"SELECT COUNT(*) FILTER (WHERE v.urgent), SUM(CASE WHEN v.age > 3 THEN 1 ELSE 0 END) FROM {JOIN}",
        f"SELECT COUNT(*) FROM {JOIN} JOIN stays s ON s.patient_id = v.patient_id",
        f"SELECT COUNT(s.nights) FROM {JOIN} LEFT JOIN stays s ON s.patient_id = v.patient_id",
    ],
)
def test_what_skips_them_is_accepted(tmp_path, question):
    assert bind(parse(question), policy(tmp_path, contribution=2)).statistics


@pytest.mark.parametrize(("key", "said"), [("v.reason", True), ("city", False)])
def test_it_is_said_where_values_that_nobody_has_are_left_out(tmp_path, key, said):
    """Private keys are found among people's rows; known ones are all shown."""
    rules = policy(tmp_path, contribution=2)
    for join, left in ((JOIN, said), (JOIN.replace("LEFT", ""), False)):
        notes = cautions(bind(parse(f"SELECT {key}, COUNT(v.age) FROM {join} GROUP BY {key}"), rules), ())
        assert any("no private row matches" in note for note in notes) is left


def test_they_cannot_become_rows_of_a_person(tmp_path):
    inner = f"SELECT v.patient_id, COUNT(*) AS n FROM {JOIN} GROUP BY v.patient_id"
    with pytest.raises(Refused) as caught:
        bind(parse(f"SELECT COUNT(*) FROM ({inner}) t"), policy(tmp_path, contribution=2))
    assert caught.value.code == "unit-join"
