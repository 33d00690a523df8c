"""One table of aggregates: SQL, Python, hints and the page about SQL say the same."""

import inspect
import re
from pathlib import Path

import pytest
import sqlglot
from sqlglot import exp

import deniable
from deniable import curator
from deniable.core.errors import Refused
from deniable.curator import builder
from deniable.curator.builder import Question, Term
from deniable.planner import bind, parse
from deniable.planner.aggregates.table import BY_NODE, DISTINCT, DISTINCT_AVERAGE, DISTINCT_SUM, TABLE, UNITS, instead
from deniable.planner.aggregates.written import written
from tests.support.tables import policy

PAGE = (Path(__file__).parents[4] / "docs/sql.md").read_text()
ARGUMENTS = {"x": "age", "y": "cost", "q": "0.25", "k": "2"}
RULES = policy(Path("nowhere"), contribution=3)

every_row = pytest.mark.parametrize("row", TABLE, ids=[row.sql[0] for row in TABLE])
every_python_name = pytest.mark.parametrize("row", [row for row in TABLE if row.python], ids=lambda row: row.python)


def _called(name: str, takes: str) -> exp.Expression:
    arguments = ", ".join(ARGUMENTS[letter] for letter in takes)
    return parse(f"SELECT {name}({arguments}) FROM visits").expressions[0]


@every_row
def test_the_parser_makes_of_every_name_what_the_row_says(row):
    found = {type(_called(name, row.takes)) for name in row.sql if "(" not in name}
    assert found == set(row.nodes)
    assert all(BY_NODE[node] is row for node in row.nodes)


def test_no_name_and_no_node_is_in_two_rows():
    for column in ("sql", "nodes"):
        entries = [entry for row in TABLE for entry in getattr(row, column)]
        assert len(set(entries)) == len(entries)


@pytest.mark.parametrize(("row", "written_so"), [(UNITS, "patient_id"), (DISTINCT, "age")], ids=["units", "distinct"])
def test_counts_without_repeats_are_forms_of_count(row, written_so):
    label = {"units": "units", "distinct": "values"}[row.python]
    assert bind(parse(f"SELECT COUNT(DISTINCT {written_so}) FROM visits"), RULES).statistics[0].label == label


@pytest.mark.parametrize(("row", "labels"), [(DISTINCT_SUM, 1), (DISTINCT_AVERAGE, 2)], ids=["sum", "average"])
def test_sums_without_repeats_are_forms_of_sum_and_average(row, labels):
    (column,) = parse(f"SELECT {row.sql[0].replace('x', 'age')} FROM visits").expressions
    assert written(column).function is row
    assert len(bind(column.parent, RULES).statistics) == labels


@every_row
def test_what_needs_a_count_lets_a_sum_share_it(row):
    """COUNT(*) beside it costs nothing more, exactly where it has a count already."""
    asked = "COUNT(DISTINCT patient_id)" if row is UNITS else None
    asked = asked or (row.sql[0].replace("x", "age") if "(" in row.sql[0] else None)
    asked = asked or _called(row.sql[0], row.takes).sql("duckdb")
    alone, beside = (
        len(bind(parse(f"SELECT {columns} FROM visits"), RULES).statistics)
        for columns in (asked, f"{asked}, COUNT(*) AS n")
    )
    assert beside == alone + (not row.counts)


# ------------------------------------------------------------------------------------------------------------ Python


def test_every_function_of_the_builder_is_in_the_table():
    functions = {
        name
        for name, found in inspect.getmembers(builder, inspect.isfunction)
        if not name.startswith("_") and inspect.signature(found).return_annotation == "Term"
    }
    assert functions == {row.python for row in TABLE if row.python}


@every_python_name
def test_every_python_name_is_exported(row):
    assert getattr(deniable, row.python) is getattr(curator, row.python) is getattr(builder, row.python)
    assert {row.python} <= set(deniable.__all__) & set(curator.__all__)


@every_python_name
def test_every_python_name_writes_its_row(row):
    make = getattr(builder, row.python)
    arguments = {"x": "age", "y": "cost", "q": 0.25, "k": 2}
    accepted = inspect.signature(make).parameters
    term = make(*(arguments[letter] for letter in row.takes)) if accepted else make()
    assert isinstance(term, Term)
    if row is UNITS and not accepted:
        return  # which column names the unit, its curator knows
    (column,) = parse(Question(None, "visits").agg(n=term).sql).expressions
    if row.takes[-1] == "k":
        column.this.set("counters", exp.Literal.number(1))
    assert written(column.this).function is (DISTINCT if row is UNITS else row)


# ------------------------------------------------------------------------------------------------- hints and the page


@pytest.mark.parametrize(
    ("sql", "meant"),
    [("STD_DEV(age)", "STDDEV"), ("MEAN(age)", "AVG"), ("medain(age)", "MEDIAN"), ("COUNTS(urgent)", "COUNT")],
)
def test_near_misses_are_told_what_was_meant(sql, meant):
    with pytest.raises(Refused) as caught:
        bind(parse(f"SELECT {sql} FROM visits"), RULES)
    assert caught.value.hint == f"Did you mean {meant}?"
    assert caught.value.code in ("unknown-aggregate", "unknown-function")


def test_others_are_told_what_there_is():
    hint = instead("KURTOSIS")
    assert all(row.sql[0].partition("(")[0] in hint for row in TABLE)


def _is_aggregate(name: str) -> bool:
    """Whether the parser knows it as one."""
    try:
        return isinstance(sqlglot.parse_one(f"{name}(x)", dialect="duckdb"), exp.AggFunc)
    except sqlglot.ParseError:
        return False


def test_the_page_names_every_aggregate_and_no_other():
    named = set(re.findall(r"\b[A-Z][A-Z_]+\b", " ".join(re.findall(r"`([^`\n]+)`", PAGE.split("## Refusals")[0]))))
    names = {name.partition("(")[0] for row in TABLE for name in row.sql}
    inside_subqueries = {"BOOL_OR", "BOOL_AND"}
    assert names <= named
    filtered = {"COUNT_IF"}  # another way to write COUNT(*) FILTER (WHERE ...)
    around = {"FIRST", "GROUPING", "LAG", "LEAD", "RANK"}  # computed from noisy answers, or a part of FETCH FIRST
    assert {name for name in named if _is_aggregate(name)} <= names | inside_subqueries | filtered | around
