"""Units that are found through keys: ways that lead to a person, and those that do not."""

from pathlib import Path

import pytest

from deniable.policy import InvalidPolicyError, Policy, Weight, changes, reunited, terms_of

NUMBER = {"type": "integer"}


def shop(**changed):
    """Lines of orders of cards of households; `changed` gives tables other keys."""
    tables = {
        "cards": {"unit": "house", "key": "card", "columns": {"card": NUMBER, "house": NUMBER}},
        "orders": {"unit": "card -> cards.house", "key": "id", "columns": {"id": NUMBER, "card": NUMBER}},
        "lines": {
            "unit": "id -> orders.card -> cards.house",
            "columns": {"id": NUMBER, "other": NUMBER, "word": {"type": "text"}},
        },
    }
    tables = {
        name: {"source": f"{name}.csv", "contribution": 3, **table, **changed.get(name, {})}
        for name, table in tables.items()
    }
    tables["places"] = {"public": True, "key": "place", "columns": {"place": NUMBER}}
    data = {"population": {"name": "shop"}, "budget": {"epsilon": 1}, "tables": tables}
    return Policy.from_mapping(data, origin="shop", folder=Path())


@pytest.mark.parametrize(
    "written", ["id -> orders", "id->orders.card->cards.house", " id -> orders.card -> cards.house"]
)
def test_a_way_is_the_same_in_short_and_in_full(written):
    lines = shop(lines={"unit": written}).tables["lines"]
    assert lines.unit is None
    assert [(step.column, step.table, step.key, step.unit) for step in lines.path] == [
        ("id", "orders", "id", "card"),
        ("card", "cards", "card", "house"),
    ]
    assert lines.facts["unit"] == "id -> orders.card -> cards.house"


@pytest.mark.parametrize(
    ("table", "said", "problem"),
    [
        ("lines", {"unit": "id -> order"}, "there is no table 'order'"),
        ("lines", {"unit": "id ->"}, "there is no table ''"),
        ("lines", {"unit": "-> orders"}, "'' is not among the columns of lines"),
        ("lines", {"unit": "number -> orders"}, "'number' is not among the columns of lines"),
        ("lines", {"unit": "id -> orders.id"}, "leads elsewhere"),
        ("lines", {"unit": "id -> orders.card"}, "leads elsewhere"),
        ("lines", {"unit": "word -> orders"}, "are of different types"),
        ("lines", {"unit": "id -> places"}, "places has no unit"),
        ("orders", {"key": None}, "orders has no key"),
        ("orders", {"key": "number"}, "'number' is not among the columns"),
        ("orders", {"unit": "id -> orders"}, "comes back to where it was"),
        ("orders", {"unit": "card -> lines"}, "lines has no key"),
        ("orders", {"unit": None, "contribution": None}, "orders has no unit"),
    ],
)
def test_a_way_that_leads_to_nobody_is_a_problem(table, said, problem):
    with pytest.raises(InvalidPolicyError, match=problem):
        shop(**{table: said})


def _weights(**changed):
    return {change.weight for change in changes(terms_of(shop()), terms_of(shop(**changed)))}


def test_another_way_to_the_same_people_must_be_confirmed():
    assert _weights(lines={"unit": "other -> orders"}) == {Weight.CONFIRMED}
    assert _weights(orders={"key": "card"}) == {Weight.CONFIRMED}
    assert not reunited([terms_of(shop())], terms_of(shop(lines={"unit": "other -> orders"})))


def test_other_people_can_never_be_meant():
    assert Weight.NEVER in _weights(lines={"unit": "other"})
    assert Weight.NEVER in _weights(cards={"unit": "card"}, orders={"unit": "card"}, lines={"unit": "id -> orders"})
    assert reunited([terms_of(shop())], terms_of(shop(lines={"unit": "other"})))
