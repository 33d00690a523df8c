"""Parameters become literals: a value is never more than a value, and is part of what was asked."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any
from uuid import UUID

import numpy as np
import pyarrow as pa
import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

import deniable
from deniable.core.errors import Refused
from deniable.curator import Curator
from deniable.planner.wording.parameters import beside, filled, filled_all, numbers

QUESTION = "SELECT COUNT(*) AS n FROM data WHERE"


@pytest.fixture(scope="module")
def curator() -> Iterator[Curator]:
    start = datetime(2025, 1, 1)
    rows = range(1000)
    table = pa.table(
        {
            "age": [row % 100 for row in rows],
            "city": [("Bonn", "Ulm", "L'Aquila", "?")[row % 4] for row in rows],
            "day": [date(2025, 1, 1) + timedelta(days=row % 20) for row in rows],
            "seen": [start + timedelta(hours=row) for row in rows],
            "paid": [row % 2 == 0 for row in rows],
            "cost": pa.array([Decimal(row % 10) / 10 for row in rows], pa.decimal128(9, 2)),
        }
    )
    with deniable.protect(table, epsilon=10**5, bounds={"age": (0, 100), "cost": (0, 1)}) as found:
        yield found


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_whatever_is_in_a_text_it_stays_one_literal(value: str) -> None:
    tree = sqlglot.parse_one(filled("SELECT COUNT(*) FROM t WHERE a = ? AND b = 1", [value]).text, dialect="duckdb")
    found = [node.this for node in tree.find_all(exp.Literal) if node.is_string]
    assert found == [value]
    assert len(list(tree.find_all(exp.And))) == 1


@pytest.mark.parametrize(
    ("condition", "params", "same"),
    [
        ("age = ?", [8], "age = 8"),
        ("age = $1", ["8"], "age = 8"),
        ("age BETWEEN $1 AND $2 AND age <> $1", [3, 9], "age BETWEEN 3 AND 9 AND age <> 3"),
        ("age > :least AND city = :city", {"least": 3, "city": "L'Aquila"}, "age > 3 AND city = 'L''Aquila'"),
        ("city IN (?, ?)", ["Bonn", "? OR 1=1"], "city IN ('Bonn', '? OR 1=1')"),
        ("city = '?' AND age = ? -- ?", [5], "city = '?' AND age = 5"),
        ("day < ?", [date(2025, 1, 9)], "day < DATE '2025-01-09'"),
        ("day < $1", ["2025-01-09"], "day < DATE '2025-01-09'"),
        ("seen < ?", [datetime(2025, 1, 9, 12)], "seen < TIMESTAMP '2025-01-09 12:00:00'"),
        ("seen < ?", [np.datetime64("2025-01-09T12", "ns")], "seen < TIMESTAMP '2025-01-09 12:00:00'"),
        ("seen < DATE '2025-01-01' + ?", [timedelta(days=2)], "seen < DATE '2025-01-01' + INTERVAL 2 DAY"),
        ("CAST(seen AS TIME) < ?", [time(12)], "CAST(seen AS TIME) < TIME '12:00:00'"),
        ("paid = ?", [True], "paid = TRUE"),
        ("paid = ?", [1], "paid = TRUE"),
        ("cost = ?", [0.3], "cost = 0.3"),
        ("cost = ?", [Decimal("0.30")], "cost = 0.3"),
        ("cost = ?", [Fraction(3, 10)], "cost = 0.3"),
        ("age > ?", [np.int32(-4)], "age > -4"),
        ("age IS DISTINCT FROM ?", [None], "age IS NOT NULL"),
        ("city <> ?", [UUID(int=0)], "city <> '00000000-0000-0000-0000-000000000000'"),
    ],
)
def test_a_question_with_values_is_the_question_with_literals(
    curator: Curator, condition: str, params: list[object] | dict[str, object], same: str
) -> None:
    """Answered alike, and called the same by the ledger; another value is another question."""
    parametrized, plain = f"{QUESTION} {condition}", f"{QUESTION} {same}"
    found = curator.ask(parametrized, params=params, epsilon=1000)
    assert found.table == curator.ask(plain, epsilon=1000).table
    name = curator.name(parametrized, params=params, epsilon=10)
    if "IS" not in condition and "1=1" not in same:
        assert name == curator.name(plain, epsilon=10)


def test_the_value_is_part_of_the_question(curator: Curator) -> None:
    question = f"{QUESTION} age < ?"
    names = {curator.name(question, params=[value], epsilon=10) for value in (5, 6, "6", 6.0, Decimal(6))}
    assert len(names) == 2
    first = curator.ask(question, params=[50], epsilon=10)
    assert not first.free
    assert curator.ask(question, params=["50"], epsilon=10).free
    assert curator.recorded(question, params=[50], epsilon=10) is not None
    assert curator.recorded(question, params=[51], epsilon=10) is None
    assert curator.explain(question, params=[51], epsilon=10).loss == first.loss


def test_a_batch_has_values_for_each_question(curator: Curator) -> None:
    questions = [f"{QUESTION} age < $1", f"{QUESTION} age >= 0"]
    answers = curator.ask_all(questions, params=[[50], None], epsilon=2000)
    assert [answer.table["n"][0].as_py() for answer in answers] == [500, 1000]
    assert curator.explain_all(questions, params=[[50], None], epsilon=20).loss.epsilon == 20


def test_limits_take_numbers_that_are_written_as_texts(curator: Curator) -> None:
    question = "SELECT age, COUNT(*) AS n FROM data GROUP BY age ORDER BY age LIMIT ? OFFSET ?"
    assert curator.ask(question, params=["3", 2], epsilon=1000).table["age"].to_pylist() == [2, 3, 4]
    assert numbers("SELECT a FROM t WHERE b = $2 LIMIT $1") == {"1"}


@pytest.mark.parametrize(
    ("text", "params", "place"),
    [
        ("SELECT COUNT(*) FROM t WHERE a = ?", None, "?"),
        ("SELECT COUNT(*) FROM t WHERE a = $2", [1], "$2"),
        ("SELECT COUNT(*) FROM t WHERE a = :b", {"c": 1}, ":b"),
        ("SELECT COUNT(*) FROM t", [1], None),
        ("SELECT COUNT(*) FROM t WHERE a = ? AND b = ?", [1, 2, 3], None),
        ("SELECT COUNT(*) FROM t WHERE a = ? AND b = $1", [1], "$1"),
        ("SELECT COUNT(*) FROM t WHERE a = ?", [[1, 2]], "?"),
        ("SELECT COUNT(*) FROM t WHERE a = ?", [float("nan")], "?"),
        ("SELECT COUNT(*) FROM t WHERE a = ?", ["a\0b"], "?"),
        ("SELECT COUNT(*) FROM t WHERE a = ?", ["\ud800"], "?"),
        ("SELECT COUNT(*) FROM t WHERE a = ?", [datetime(2025, 1, 1, tzinfo=UTC)], "?"),
        ("SELECT COUNT(*) FROM t WHERE a = ?", "1", None),
    ],
)
def test_what_does_not_fit_is_refused_and_says_where(text: str, params: object, place: str | None) -> None:
    with pytest.raises(Refused) as refusal:
        filled(text, params)  # type: ignore[arg-type]  # what people may write
    assert refusal.value.code == "bad-parameters"
    assert refusal.value.hint
    if place is not None:
        assert refusal.value.position is not None
        assert text[slice(*refusal.value.position)] == place


def test_a_parameter_without_values_is_refused_by_the_planner_too(curator: Curator) -> None:
    with pytest.raises(Refused) as refusal:
        curator.explain(f"{QUESTION} age = :age", epsilon=10)
    assert refusal.value.code == "bad-parameters"


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("SELECT a IN ($1,$2)", ["x", "y"], "SELECT a IN ('x','y')"),
        ("SELECT $a+$b WHERE c<$a", {"a": 1, "b": 2}, "SELECT 1+2 WHERE c<1"),
        ("SELECT $1||'$1,$2' -- $2,$3", ["x"], "SELECT 'x'||'$1,$2' -- $2,$3"),
        ("SELECT $$ $1,$2 $$,$1,$t$ $3 $t$", [4], "SELECT $$ $1,$2 $$,4,$t$ $3 $t$"),
        ("SELECT a$1,$1 FROM t", [7], "SELECT a$1,7 FROM t"),
        ("SELECT x = ANY($1)", [["a", "b"]], "SELECT x = ANY(ARRAY['a', 'b'])"),
        ("SELECT x=ANY(?),?", [[1, 2], 3], "SELECT x=ANY(ARRAY[1, 2]),3"),
    ],
)
def test_parameters_are_found_without_spaces_between_them(text: str, values: Any, expected: str) -> None:
    assert filled(text, values).text == expected


def test_types_are_known_of_parameters_without_spaces_between_them(curator: Curator) -> None:
    found = beside("SELECT COUNT(*) FROM data WHERE age IN ($1,$2) AND city = ANY($3)", curator.policy)
    assert {name: column.name for name, column in found.items()} == {"1": "age", "2": "age", "3": "city"}


def test_as_many_lists_as_questions() -> None:
    with pytest.raises(Refused):
        filled_all(["SELECT 1", "SELECT 2"], [[1]])


def test_nothing_stays_nothing() -> None:
    assert filled("", None).text == ""


def test_places_are_found_again() -> None:
    text = "SELECT COUNT(*) FROM t WHERE a = ? AND b = ? AND oops = 1"
    found = filled(text, ["a long text", 1])
    assert found.place(found.text.index("oops")) == text.index("oops")
    assert found.place(3) == 3


def test_columns_beside_parameters(curator: Curator) -> None:
    found = beside("SELECT COUNT(*) FROM data WHERE age > $1 AND city = $2 AND $3 <= day", curator.policy)
    assert {name: column.name for name, column in found.items()} == {"1": "age", "2": "city", "3": "day"}


HUGE = {
    **{text: Decimal(text) for text in ("1e999999999", "-1e-999999999", "0e-999999999", "nan", "inf")},
    "a whole number": 10**5000,
    "a fraction": Fraction(1, 10**5000),
    "a float": float("inf"),
}


@pytest.mark.parametrize("name", HUGE)
def test_a_number_that_no_question_has_room_for_is_refused_and_not_written_out(name):
    with pytest.raises(Refused) as refusal:
        filled("SELECT COUNT(*) FROM t WHERE a = ?", [HUGE[name]])
    assert refusal.value.code == "bad-parameters"
