"""Group keys alone: declared values are listed for nothing, private ones are selected, conditions are refused."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest

import deniable
from deniable.core.errors import Refused
from deniable.curator import Curator

CITIES = ["Bonn", "Jena", "Ulm"]


@pytest.fixture(scope="module")
def curator() -> Iterator[Curator]:
    """A thousand rows in two of three cities, whose names are declared, and trades, which are not."""
    rows = range(1000)
    table = pa.table(
        {
            "person": [row // 2 for row in rows],
            "city": [CITIES[row % 2] for row in rows],
            "urgent": [row % 3 == 0 for row in rows],
            "trade": ["baker" if row < 990 else f"only {row}" for row in rows],
            "age": [row % 50 for row in rows],
        }
    )
    with deniable.protect(
        table, unit="person", contribution=2, epsilon=100, delta=1e-4, values={"city": CITIES}, bounds={"age": (0, 110)}
    ) as found:
        yield found


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("SELECT DISTINCT city FROM data", [("Bonn",), ("Jena",), ("Ulm",)]),
        ("SELECT city FROM data GROUP BY city", [("Bonn",), ("Jena",), ("Ulm",)]),
        ("SELECT city AS c FROM data GROUP BY 1 ORDER BY c DESC LIMIT 2", [("Ulm",), ("Jena",)]),
        ("SELECT DISTINCT d.city FROM data AS d ORDER BY city LIMIT 1 OFFSET 1", [("Jena",)]),
        ("SELECT DISTINCT UPPER(city) AS loud FROM data WHERE city IN ('Ulm')", None),
        (
            "SELECT DISTINCT urgent, city FROM data ORDER BY urgent, city",
            [(urgent, city) for urgent in (False, True) for city in CITIES],
        ),
        ("SELECT DISTINCT city, 1 AS one FROM data HAVING city > 'C'", [("Jena", 1), ("Ulm", 1)]),
    ],
)
def test_declared_values_are_listed_for_nothing(
    curator: Curator, question: str, rows: list[tuple[object, ...]] | None
) -> None:
    """Ulm is listed though nobody lives there: no row was looked at, and the answer says so."""
    before = curator.budget().spent
    if rows is None:
        with pytest.raises(Refused):
            curator.ask(question)
        return
    for answer in (curator.ask(question), curator.ask(question, epsilon=1), *curator.ask_all([question], epsilon=1)):
        table = answer.table
        assert list(zip(*(column.to_pylist() for column in table.columns), strict=True)) == rows
        assert "no row was looked at" in answer.notes[0]
        assert answer.free
    assert curator.explain(question, epsilon=1).loss.epsilon == 0
    assert curator.budget().spent == before


def test_listing_beside_other_questions_costs_what_they_cost(curator: Curator) -> None:
    questions = ["SELECT DISTINCT city FROM data", "SELECT COUNT(*) AS n FROM data"]
    listed, counted = curator.ask_all(questions, epsilon=10)
    assert listed.table["city"].to_pylist() == CITIES
    assert abs(counted.table["n"][0].as_py() - 1000) < 30  # false alarm: exp(-30 * 5 / 2) at epsilon 5


def test_private_keys_are_selected(curator: Curator) -> None:
    """What one person has is shown with probability delta at most (1e-6)."""
    with pytest.raises(Refused) as refusal:
        curator.ask("SELECT DISTINCT trade FROM data", epsilon=1)
    assert refusal.value.code == "private-keys"
    answer = curator.ask("SELECT DISTINCT trade FROM data WHERE age > 5", epsilon=10, delta=1e-6)
    assert answer.table["trade"].to_pylist() == ["baker"]
    assert not answer.free
    assert answer.loss.epsilon == 10


@pytest.mark.parametrize(
    ("question", "code", "hint"),
    [
        (
            "SELECT DISTINCT city FROM data WHERE age > 40",
            "no-aggregate",
            "SELECT city, COUNT(*) AS n ... GROUP BY city",
        ),
        ("SELECT DISTINCT person FROM data", "rows", "COUNT(DISTINCT person)"),
        ("SELECT person, COUNT(*) FROM data GROUP BY person", "rows", "COUNT(DISTINCT person)"),
        ("SELECT person, city, SUM(age) FROM data GROUP BY 2, 1", "rows", "COUNT(DISTINCT person)"),
        ("SELECT DISTINCT * FROM data", "rows", "COUNT(*)"),
        ("SELECT city FROM data", "not-grouped", "GROUP BY city"),
        ('SELECT "city" FROM data', "not-grouped", 'GROUP BY "city"'),
        ("SELECT DISTINCT ON (city) city, age FROM data", "not-grouped", "GROUP BY city"),
    ],
)
def test_what_would_say_something_about_people_is_refused(
    curator: Curator, question: str, code: str, hint: str
) -> None:
    with pytest.raises(Refused) as refusal:
        curator.ask(question, epsilon=1, delta=1e-6)
    assert refusal.value.code == code
    assert hint in refusal.value.hint
