"""What a change of the terms takes, one by one: a sum of losses must go on meaning what it meant."""

from __future__ import annotations

from typing import Any

import pytest

from deniable.policy import Weight, changes, digest_of

BUDGET = {
    "epsilon": "1",
    "delta": "1/1000000",
    "concentrated": "0",
    "gaussian": "1/2000000",
    "approximate": "1/2000000",
}
COLUMN = {"type": "integer", "bounds": ["0", "100"]}
TABLE = {"unit": "patient", "source": "visits.csv", "public": False, "contribution": 3, "columns": {"cost": COLUMN}}
TERMS: dict[str, Any] = {
    "population": "clinic",
    "neighbours": "add-remove",
    "budget": BUDGET,
    "analysts": {"alice": {"epsilon": "1/2", "delta": "0"}},
    "tables": {"visits": TABLE},
}


def table(**changed: object) -> dict[str, Any]:
    return TERMS | {"tables": {"visits": TABLE | changed}}


def budget(**changed: str) -> dict[str, Any]:
    return TERMS | {"budget": BUDGET | changed}


@pytest.mark.parametrize(
    ("new", "weight"),
    [
        (TERMS | {"neighbours": "replace"}, Weight.NEVER),
        (table(unit="doctor"), Weight.NEVER),
        (table(unit=None), Weight.NEVER),
        (budget(gaussian="0", concentrated="1/2000000"), Weight.NEVER),
        (budget(epsilon="2", approximate="1/4000000"), Weight.NEVER),
        (budget(approximate="1/4000000"), Weight.NEVER),
        (budget(epsilon="2"), Weight.RAISE),
        (budget(delta="1/1000", approximate="1/1001"), Weight.RAISE),
        (table(public=True), Weight.CONFIRMED),
        (table(source="others.csv"), Weight.CONFIRMED),
        (budget(epsilon="1/2"), Weight.PLAIN),
        (table(contribution=4), Weight.PLAIN),
        (table(columns={"cost": COLUMN | {"bounds": ["0", "200"]}}), Weight.PLAIN),
        (TERMS | {"analysts": {}}, Weight.PLAIN),
        (TERMS | {"tables": {}}, Weight.PLAIN),
    ],
)
def test_each_change_weighs_what_it_does_to_the_sums(new: dict[str, Any], weight: Weight) -> None:
    found = changes(TERMS, new)
    assert found[0].weight is weight
    assert digest_of(new) != digest_of(TERMS)


def test_the_same_terms_in_another_order_are_the_same() -> None:
    turned = {name: TERMS[name] for name in reversed(TERMS)}
    assert changes(TERMS, turned) == []
    assert digest_of(turned) == digest_of(TERMS)


def test_the_weightiest_comes_first() -> None:
    new = table(unit="doctor", source="others.csv", contribution=4) | {"budget": BUDGET | {"epsilon": "2"}}
    order = list(Weight)
    places = [order.index(change.weight) for change in changes(TERMS, new)]
    assert places == sorted(places, reverse=True)
    assert set(places) == set(range(len(order)))
