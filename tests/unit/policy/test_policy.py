"""What a good policy says: accounts, defaults, and the digest of what its answers depend on."""

import pickle
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from deniable.accounting import Filter
from deniable.core.cap import Cap
from deniable.core.errors import Refused
from deniable.core.guarantee import Guarantee
from deniable.core.number import Number
from deniable.core.sensitivity import Neighbours
from deniable.policy import Account, Policy

SMALL: dict[str, Any] = {
    "population": {"name": "clinic"},
    "budget": {"epsilon": 3, "delta": 1e-6},
    "tables": {
        "visits": {
            "unit": "patient",
            "contribution": 10,
            "columns": {
                "patient": {"type": "text"},
                "age": {"type": "integer", "bounds": [0, 110]},
                "cost": {"type": "number", "bounds": [0, 500], "step": 0.01},
                "region": {"type": "text", "values": ["north", "south"]},
            },
        },
    },
}


def read(data: dict[str, Any]) -> Policy:
    return Policy.from_mapping(data, origin="clinic.toml", folder=Path())


def with_budget(**budget: float) -> Policy:
    return read({**SMALL, "budget": budget})


def with_analysts(**shares: dict[str, float]) -> Policy:
    return read({**SMALL, "analysts": shares})


def division(policy: Policy) -> tuple[Fraction, Fraction, Fraction]:
    return policy.cap.concentrated, policy.cap.gaussian, policy.cap.approximate


def millionths(*parts: str) -> tuple[Fraction, ...]:
    return tuple(Fraction(part) / 10**6 for part in parts)


def divided(epsilon: Number, delta: Number, *parts: str) -> Cap:
    concentrated, gaussian, approximate = millionths(*parts)
    return Cap(epsilon, delta, concentrated=concentrated, gaussian=gaussian, approximate=approximate)


def test_what_is_left_out() -> None:
    policy = read(SMALL)
    assert policy.neighbours is Neighbours.ADD_REMOVE
    assert policy.tables["visits"].source is None
    assert policy.tables["visits"].columns["age"].nulls
    assert policy.ledger == f"sqlite:///{Path('clinic.ledger').resolve()}"
    assert with_budget(epsilon=1).budget == Guarantee(1)


def test_a_notebook_may_keep_its_ledger_in_memory() -> None:
    assert read({**SMALL, "ledger": {"url": "sqlite://"}}).ledger == "sqlite://"


def test_rows_without_a_unit_weigh_one() -> None:
    table = read({**SMALL, "tables": {"visits": {}}}).tables["visits"]
    assert (table.unit, table.contribution, table.keys) == (None, 1, 1)


def test_keys_are_as_many_as_rows_unless_told() -> None:
    data = deepcopy(SMALL)
    assert read(data).tables["visits"].keys == 10
    data["tables"]["visits"]["keys"] = 3
    assert read(data).tables["visits"].keys == 3


def test_policies_travel_to_other_processes() -> None:
    policy = read(SMALL)
    assert pickle.loads(pickle.dumps(policy)) == policy  # noqa: S301 - our own bytes


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({}, ("0.25", "0.25", "0.5")),
        ({"delta_for_keys": 0}, ("0.5", "0.5", "0")),
        ({"delta_for_keys": 4e-7}, ("0.3", "0.3", "0.4")),
        ({"delta_for_zcdp": 2e-7}, ("0.2", "0.4", "0.4")),
        ({"delta_for_zcdp": 2e-7, "delta_for_gdp": 3e-7}, ("0.2", "0.3", "0.5")),
        ({"delta_for_gdp": 0, "delta_for_keys": 5e-7}, ("0.5", "0", "0.5")),
        ({"delta_for_zcdp": 1e-7, "delta_for_gdp": 2e-7, "delta_for_keys": 3e-7}, ("0.1", "0.2", "0.3")),
    ],
)
def test_delta_is_divided_exactly(parts: dict[str, float], expected: tuple[str, ...]) -> None:
    assert division(with_budget(epsilon=1, delta=1e-6, **parts)) == millionths(*expected)


def test_without_delta_there_is_nothing_to_divide() -> None:
    assert division(with_budget(epsilon=1)) == millionths("0", "0", "0")


def test_without_shares_everybody_is_charged_to_the_population() -> None:
    policy = read(SMALL)
    assert policy.accounts() == policy.accounts("anybody")
    assert policy.accounts() == (Account("population", divided(3, 1e-6, "0.25", "0.25", "0.5"), 1000),)
    assert policy.accounts() == (policy.population_account,)


def test_a_share_is_charged_beside_the_population() -> None:
    policy = with_analysts(alice={"epsilon": 1}, bob={"epsilon": 0.5, "delta": 1e-7}, carol={"epsilon": 1, "delta": 0})
    population = policy.accounts("alice")[0]
    assert population == policy.population_account
    assert population.name == "population"
    assert policy.accounts("alice")[1] == Account("analyst:alice", divided(1, 1e-6, "0.25", "0.25", "0.5"), 1000)
    assert policy.accounts("bob")[1] == Account("analyst:bob", divided("1/2", 1e-7, "0.025", "0.025", "0.05"), 1000)
    assert policy.accounts("carol")[1] == Account("analyst:carol", divided(1, 0, "0", "0", "0"), 1000)


@pytest.mark.parametrize("analyst", [None, "", "mallory", "Alice"])
def test_strangers_learn_nothing_about_the_others(analyst: str | None) -> None:
    with pytest.raises(Refused) as caught:
        with_analysts(alice={"epsilon": 1}).accounts(analyst)
    assert caught.value.code == "unknown-analyst"
    assert "custodian" in caught.value.hint
    assert "alice" not in caught.value.show()


def test_every_account_makes_a_filter() -> None:
    data = {**SMALL, "budget": {"epsilon": 3, "delta": 1e-6, "delta_for_keys": 3e-7}}
    policy = read({**data, "analysts": {"alice": {"epsilon": 1, "delta": 1e-7}}})
    for account in policy.accounts("alice"):
        assert Filter(account.cap).limit.delta == account.cap.delta * Fraction(3, 10)


def test_the_digest_does_not_know_the_order_of_keys() -> None:
    def backwards(data: object) -> object:
        return {key: backwards(data[key]) for key in reversed(data)} if isinstance(data, dict) else data

    turned = backwards(SMALL)
    assert isinstance(turned, dict)
    assert list(turned) == list(reversed(SMALL))
    assert read(turned).digest == read(SMALL).digest


@pytest.mark.parametrize(
    "other",
    [
        {"budget": {"epsilon": 9}},
        {"analysts": {"alice": {"epsilon": 1}}},
        {"engine": {"threads": 2}},
        {"ledger": {"url": "sqlite:///other.ledger"}},
        {"population": {"name": "another name"}},
    ],
)
def test_the_digest_ignores_what_answers_do_not_depend_on(other: dict[str, Any]) -> None:
    assert read({**SMALL, **other}).digest == read(SMALL).digest


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("population", "neighbours"), "replace"),
        (("tables", "visits", "contribution"), 11),
        (("tables", "visits", "keys"), 2),
        (("tables", "visits", "unit"), "region"),
        (("tables", "visits", "columns", "age", "bounds"), [0, 111]),
        (("tables", "visits", "columns", "age", "type"), "number"),
        (("tables", "visits", "columns", "age", "nulls"), False),
        (("tables", "visits", "columns", "cost", "step"), 0.02),
        (("tables", "visits", "columns", "region", "values"), ["north", "west"]),
        (("tables", "visits", "columns", "region", "values"), None),
        (("tables", "visits", "columns", "new"), {"type": "text"}),
        (("tables", "more"), {}),
        (("tables", "more"), {"public": True}),
    ],
)
def test_the_digest_changes_with_what_answers_depend_on(path: tuple[str, ...], value: object) -> None:
    data = deepcopy(SMALL)
    section = data
    for key in path[:-1]:
        section = section[key]
    section[path[-1]] = value
    assert read(data).digest != read(SMALL).digest


def test_a_changed_copy_has_a_digest_of_its_own() -> None:
    policy = read(SMALL)
    assert len(policy.digest) == 64
    assert replace(policy, neighbours=Neighbours.REPLACE).digest != policy.digest
    assert replace(policy, cap=Cap(9)).digest == policy.digest
