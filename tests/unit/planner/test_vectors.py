"""SELECTs as rows of vectors: which columns become which coordinates, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from deniable.core.errors import Refused
from deniable.core.vectors.design import GRID, BinnedFeature, CategoryFeature, Classes, Encoding, NumberFeature
from deniable.planner.vectors import MOST_COORDINATES, plan_vectors
from deniable.policy import Policy

POLICY = Policy.from_mapping(
    {
        "population": {"name": "clinic"},
        "budget": {"epsilon": 1, "delta": 1e-6},
        "tables": {
            "visits": {
                "source": "visits.parquet",
                "unit": "patient",
                "contribution": 5,
                "columns": {
                    "patient": {"type": "integer"},
                    "age": {"type": "integer", "bounds": [0, 110]},
                    "cost": {"type": "number", "bounds": [0, 500]},
                    "free": {"type": "number"},
                    "region": {"type": "text", "values": ["north", "south"]},
                    "reason": {"type": "text"},
                    "grade": {"type": "integer", "values": [1, 2, 3]},
                    "smoker": {"type": "boolean"},
                    "day": {"type": "date", "bounds": ["2025-01-01", "2025-12-31"]},
                },
            },
            "towns": {
                "source": "towns.csv",
                "public": True,
                "columns": {"name": {"type": "text"}, "size": {"type": "integer", "bounds": [0, 10]}},
            },
            "people": {
                "source": "people.parquet",
                "unit": "patient",
                "contribution": 1,
                "columns": {"patient": {"type": "integer"}, "height": {"type": "number", "bounds": [0, 3]}},
            },
        },
    },
    origin="test",
    folder=Path(),
)


def planned(sql: str, target: str | None = None, **how):
    return plan_vectors(sql, target, POLICY, Encoding(**how))


def test_columns_become_coordinates_by_their_kind() -> None:
    design = planned("SELECT age, region, smoker, grade, day, cost FROM visits", "cost").design
    assert [type(feature) for feature in design.features] == [
        NumberFeature,
        CategoryFeature,
        CategoryFeature,
        CategoryFeature,
        NumberFeature,
    ]
    assert design.names[1:8] == (
        "region=north",
        "region=south",
        "smoker=False",
        "smoker=True",
        "grade=1",
        "grade=2",
        "grade=3",
    )
    assert design.target == NumberFeature("cost", Fraction(0), Fraction(500), Fraction(1, 2))
    assert design.square == 3 * GRID**2 + 2 * GRID**2 // 16 + GRID**2 // 4


def test_people_weigh_as_in_any_question() -> None:
    found = planned("SELECT age, cost FROM visits")
    assert (found.source.unit, found.source.contribution, found.person) == ("patient", 5, True)
    assert (found.design.contribution, found.design.weighed) == (5, True)
    one = planned("SELECT MAX(cost) AS most, MIN(age) AS age FROM (SELECT * FROM visits) GROUP BY patient")
    assert (one.design.contribution, one.design.weighed) == (1, False)


def test_tables_can_be_joined() -> None:
    found = planned("SELECT v.age, p.height FROM visits v JOIN people p ON v.patient = p.patient", "height")
    assert [feature.name for feature in found.design.features] == ["age"]


def test_rows_without_a_target_are_left_out() -> None:
    found = planned("SELECT age, cost FROM visits WHERE age > 3", "cost")
    assert "is_null" in repr(found.source.where)
    assert len(found.fields) == 2


def test_numbers_can_be_binned() -> None:
    design = planned("SELECT age, region FROM visits", bins=4).design
    assert design.features[0] == BinnedFeature("age", Fraction(0), Fraction(110), 4)
    assert design.longest == 2 * GRID**2 + GRID**2 // 4 == design.square


@pytest.mark.parametrize(
    ("sql", "values"),
    [
        ("SELECT age, region FROM visits", ("north", "south")),
        ("SELECT age, smoker AS region FROM visits", (False, True)),
        ("SELECT age, cost > 100 AS region FROM visits", (False, True)),
        ("SELECT age, grade AS region FROM visits", (1, 2, 3)),
        ("SELECT age, CASE WHEN cost > 9 THEN 'dear' ELSE 'cheap' END AS region FROM visits", ("dear", "cheap")),
    ],
)
def test_classes_are_public_values(sql: str, values: tuple[object, ...]) -> None:
    assert planned(sql, "REGION", classes=True).design.target == Classes("REGION", values)


@pytest.mark.parametrize(
    ("sql", "target", "how", "code"),
    [
        ("SELECT age, patient FROM visits", None, {}, "unit-column"),
        ("SELECT age, patient FROM visits", "patient", {}, "unit-column"),
        ("SELECT age, reason FROM visits", None, {}, "needs-values"),
        ("SELECT age, free FROM visits", None, {}, "needs-bounds"),
        ("SELECT age, free FROM visits", "free", {}, "needs-bounds"),
        ("SELECT age, cost FROM visits", "cost", {"classes": True}, "needs-classes"),
        ("SELECT age, reason FROM visits", "reason", {"classes": True}, "needs-classes"),
        ("SELECT age FROM visits", "age", {}, "needs-features"),
        ("SELECT age, cost FROM visits", "weight", {}, "unknown-column"),
        ("SELECT size FROM towns", None, {}, "public-table"),
        ("SELECT age FROM nowhere", None, {}, "unknown-table"),
        ("DROP TABLE visits", None, {}, "not-a-select"),
        ("SELECT age, cost FROM visits LIMIT 3", None, {}, "unsupported-clause"),
        ("SELECT age, cost, day FROM visits", None, {"bins": MOST_COORDINATES}, "too-many-features"),
    ],
)
def test_refusals(sql: str, target: str | None, how: dict[str, object], code: str) -> None:
    with pytest.raises(Refused) as refusal:
        planned(sql, target, **how)
    assert refusal.value.code == code
