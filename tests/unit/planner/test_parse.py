"""What the planner rests on in sqlglot's trees: one of these fails before a new version changes a meaning."""

import subprocess
import sys

import pytest
import sqlglot
from sqlglot import exp

from deniable.core.errors import Refused
from deniable.planner.parse import parse, position

FROM = "SELECT COUNT(*) FROM visits"


def _where(condition: str) -> exp.Expression:
    return parse(f"{FROM} WHERE {condition}").args["where"].this


def _given(node: exp.Expression) -> dict[str, object]:
    return {name: value for name, value in node.args.items() if value}


@pytest.mark.parametrize("clause", ["from_", "with_", "joins", "where", "group", "having", "order", "limit", "offset"])
def test_clauses_have_the_names_that_we_look_for(clause):
    everything = """
        WITH v AS (SELECT * FROM visits) SELECT DISTINCT region, COUNT(*) FROM v JOIN h ON v.h = h.id WHERE age > 1
        GROUP BY region HAVING COUNT(*) > 1 ORDER BY 1 LIMIT 2 OFFSET 3"""
    given = _given(parse(everything))
    assert clause in given
    assert set(given) == {
        *("expressions", "distinct", "from_", "with_", "joins"),
        *("where", "group", "having", "order", "limit", "offset"),
    }


def test_a_negated_pattern_is_marked_or_wrapped():
    """Both are read alike; a third way would be refused, never overlooked."""
    node = _where("reason NOT LIKE 'a%'")
    marked = isinstance(node, exp.Like) and set(_given(node)) == {"this", "expression", "negate"}
    wrapped = isinstance(node, exp.Not) and isinstance(node.this, exp.Like)
    assert marked or wrapped
    assert set(_given(_where("reason LIKE 'a%'"))) == {"this", "expression"}


@pytest.mark.parametrize(
    ("condition", "inner"),
    [("age NOT IN (1)", exp.In), ("age NOT BETWEEN 1 AND 2", exp.Between), ("age IS NOT NULL", exp.Is)],
)
def test_other_negations_are_wrapped(condition, inner):
    node = _where(condition)
    assert type(node) is exp.Not
    assert type(node.this) is inner
    assert set(_given(node.this)) <= {"this", "expression", "expressions", "low", "high"}


def test_a_long_in_list_is_a_list_and_a_query_is_not():
    assert set(_given(_where("age IN (1, 2)"))) == {"this", "expressions"}
    assert set(_given(_where("age IN (SELECT age FROM visits)"))) == {"this", "query"}


@pytest.mark.parametrize(
    "how", ["ROLLUP (region)", "CUBE (region)", "GROUPING SETS ((region), ())", "region WITH ROLLUP"]
)
def test_grouping_more_than_once_is_an_argument_or_a_term_of_its_own(how):
    group = parse(f"{FROM} GROUP BY {how}").args["group"]
    as_argument = {"rollup", "cube", "grouping_sets"} & set(_given(group))
    as_term = [node for node in group.expressions if isinstance(node, exp.Rollup | exp.Cube | exp.GroupingSets)]
    assert as_argument or as_term


@pytest.mark.parametrize(
    ("call", "given"),
    [
        ("COUNT(*)", {"this", "big_int"}),
        ("COUNT(DISTINCT age)", {"this", "big_int"}),
        ("SUM(age)", {"this"}),
        ("CORR(age, cost)", {"this", "expression"}),
        ("QUANTILE_CONT(age, 0.5)", {"this", "expression"}),
        ("QUANTILE(age, 0.5)", {"this", "quantile"}),
        ("APPROX_QUANTILE(age, 0.5)", {"this", "quantile"}),
        ("APPROX_TOP_K(region, 2)", {"this", "expression"}),
        ("MODE() WITHIN GROUP (ORDER BY age)", {"this", "expression"}),
        ("SUM(age) FILTER (WHERE urgent)", {"this", "expression"}),
    ],
)
def test_arguments_of_aggregates_stand_where_we_look(call, given):
    assert set(_given(parse(f"SELECT {call} FROM visits").expressions[0])) == given


def test_y_stands_before_x_in_a_regression():
    node = parse("SELECT REGR_SLOPE(cost, age) FROM visits").expressions[0]
    assert [node.this.name, node.expression.name] == ["cost", "age"]


@pytest.mark.parametrize(
    "text", ["SELECT a.b, COUNT(*) FROM t", "SELECT COUNT(*),\n  MEDIAN(a.b) FROM t", 'SELECT \'é\', "a"."b" FROM t']
)
def test_positions_are_offsets_into_the_text(text):
    column = next(parse(text).find_all(exp.Column))
    start, end = position(column)
    assert text[start:end].replace('"', "") == "a.b"


def test_errors_say_where_they_are():
    text = "SELECT COUNT(*)\nFROM visits WHERE (age > 3"
    with pytest.raises(Refused) as caught:
        parse(text)
    start, end = caught.value.position
    assert 0 <= start < end <= len(text)
    assert start > text.index("\n")


def test_unread_text_is_never_dropped():
    """A statement that the parser does not know is no SELECT, and nothing behind a SELECT is overlooked."""
    for text in (
        f"{FROM}; DROP TABLE visits",
        "EXPLAIN ANALYZE SELECT 1",
        "INSTALL httpfs",
        f"{FROM} FETCH FIRST 1 ROW ONLY x y",
    ):
        with pytest.raises(Refused):
            parse(text)


def test_nodes_are_equal_by_content_and_copies_keep_their_place():
    one, other = (sqlglot.parse_one(text, dialect="duckdb") for text in ("SUM(a + 1)", "SUM( a+1 )"))
    assert one == other
    assert hash(one) == hash(other)
    column = next(parse("SELECT SUM(age) FROM visits").find_all(exp.Column))
    assert position(column.copy()) == position(column)


def test_what_is_no_question_is_refused_and_not_repeated_to_a_terminal():
    """The parser's own remark has the text as it was written: with escapes, it would rewrite a server's log."""
    said = "from deniable.planner.parse import read\nread('ALTER TABLE x ADD \\x1b[2J')"
    done = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=False)
    assert "Only SELECT is supported" in done.stderr
    assert "\x1b" not in done.stderr
    assert "Falling back" not in done.stderr
