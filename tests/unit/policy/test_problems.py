"""Every way in which a policy can be wrong, with the key that is named."""

from copy import deepcopy
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from deniable.policy import InvalidPolicyError, Policy, Problem
from deniable.policy.column import Declared

NAN, INFINITE = float("nan"), float("inf")
VISITS = "tables.visits"
COLUMNS = "tables.visits.columns"

GOOD: dict[str, Any] = {
    "population": {"name": "clinic", "neighbours": "replace"},
    "budget": {"epsilon": 3, "delta": 1e-6},
    "engine": {"kind": "duckdb"},
    "ledger": {"url": "sqlite:///clinic.ledger"},
    "tables": {
        "visits": {
            "source": "visits.parquet",
            "unit": "patient",
            "contribution": 10,
            "columns": {
                "patient": {"type": "integer"},
                "age": {"type": "integer", "bounds": [0, 110]},
                "cost": {"type": "number", "bounds": [0, 500], "step": 0.01},
                "region": {"type": "text", "values": ["north", "south"]},
                "floor": {"type": "integer", "values": [1, 2]},
                "day": {"type": "date", "bounds": ["2025-01-01", "2025-12-31"]},
                "insured": {"type": "boolean"},
            },
        },
        "rows": {"source": "rows.csv"},
        "hospitals": {"source": "hospitals.csv", "public": True},
    },
    "analysts": {"alice": {"epsilon": 1}},
}


def read(data: dict[str, Any]) -> Policy:
    return Policy.from_mapping(data, origin="clinic.toml", folder=Path())


def changed(path: str, value: object) -> dict[str, Any]:
    """The good policy with one key set; None leaves it out."""
    data = deepcopy(GOOD)
    *above, last = path.split(".")
    section = data
    for key in above:
        section = section[key]
    section[last] = value
    return data


def problems(path: str, value: object) -> list[Problem]:
    with pytest.raises(InvalidPolicyError) as caught:
        read(changed(path, value))
    return list(caught.value.problems)


def test_the_unchanged_policy_is_good() -> None:
    assert read(GOOD).population == "clinic"


@pytest.mark.parametrize(
    ("path", "value", "what"),
    [
        ("population.name", None, "is missing"),
        ("population.name", " ", "must be a text, not ' '"),
        ("population.name", 3, "must be a text, not 3"),
        ("population.neighbours", "swap", "cannot be 'swap'"),
        ("population.neighbours", ["replace"], "cannot be ['replace']"),
        ("population", "clinic", "must be a table, not 'clinic'"),
        ("budget.epsilon", None, "is missing"),
        ("budget.epsilon", 0, "must be a positive number, not 0"),
        ("budget.epsilon", -1, "must be a positive number, not -1"),
        ("budget.epsilon", NAN, "must be a positive number, not nan"),
        ("budget.epsilon", INFINITE, "must be a positive number, not inf"),
        ("budget.epsilon", Decimal("NaN"), "must be a positive number, not NaN"),
        ("budget.epsilon", "1.0", "must be a positive number, not '1.0'"),
        ("budget.epsilon", True, "must be a positive number, not true"),
        ("budget.epsilon", Decimal("1e999999999"), "must be a positive number, not 1E+999999999"),
        ("budget.delta", -1e-6, "must be zero or a positive number, not -1e-06"),
        ("budget.delta", 1, "1 is no protection at all"),
        ("budget.delta_for_keys", "half", "must be zero or a positive number, not 'half'"),
        ("engine.kind", "duck", "there is no engine 'duck'"),
        ("engine.seconds", 0, "must be a positive number, not 0"),
        ("engine.seconds", 1e6, "is more than a day"),
        ("engine.memory", "lots", "'lots' is not an amount of memory"),
        ("engine.memory", 4, "must be a text, not 4"),
        ("engine.threads", 1.5, "must be a whole number from 1 to 1024, not 1.5"),
        ("engine.threads", 0, "must be a whole number from 1 to 1024, not 0"),
        ("ledger.url", "clinic.ledger", "is not the address of a ledger"),
        ("ledger.url", "sqlite:///", "is not the address of a ledger"),
        ("ledger.url", "sqlite:///a.ledger?mode=memory", "is not the address of a ledger"),
        ("ledger.url", "mysql://host/clinic", "is not the address of a ledger"),
        (
            "ledger.url",
            "postgresql://curator:secret@host/clinic",
            "holds a password, which does not belong into a policy",
        ),
        ("tables", None, "names no table"),
        ("tables", {}, "names no table"),
        (VISITS, "visits.parquet", "must be a table, not 'visits.parquet'"),
        (f"{VISITS}.source", "", "must be a text, not ''"),
        (
            f"{VISITS}.source",
            "s3://bucket/visits.parquet",
            "is not on this machine, and other places cannot be read yet",
        ),
        (f"{VISITS}.source", "clinic.duckdb", "is a file of several tables"),
        (f"{VISITS}.source", "clinic.duckdb::", "needs a file before '::' and a table after it"),
        (f"{VISITS}.source", "vis\0its", "cannot be the name of a file"),
        (f"{VISITS}.unit", "patients", "'patients' is not among the columns"),
        (f"{VISITS}.unit", 1, "must be a text, not 1"),
        (f"{VISITS}.contribution", 0, "must be a whole number from 1 to 1000000000, not 0"),
        (f"{VISITS}.contribution", 2.5, "must be a whole number from 1 to 1000000000, not 2.5"),
        (f"{VISITS}.keys", -1, "must be a whole number from 1 to 1000000000, not -1"),
        (f"{VISITS}.public", "no", "must be true or false, not 'no'"),
        (f"{VISITS}.columns", ["age"], "must be a table, not ['age']"),
        ("tables.rows.contribution", 3, "without a unit, each row stands for itself and counts once"),
        ("tables.rows.keys", 3, "without a unit, each row stands for itself and is in one group"),
        ("tables.hospitals.unit", "id", "a public table protects nobody"),
        ("tables.hospitals.contribution", 1, "a public table protects nobody"),
        (f"{COLUMNS}.age", "integer", "must be a table, not 'integer'"),
        (f"{COLUMNS}.age.type", None, "is missing"),
        (f"{COLUMNS}.age.type", "int", "cannot be 'int'"),
        (f"{COLUMNS}.age.type", 3, "cannot be 3"),
        (f"{COLUMNS}.age.bounds", [110, 0], "the lower bound 110 is above the upper bound 0"),
        (f"{COLUMNS}.age.bounds", [5, 5], "the lower bound 5 is the upper bound 5"),
        (f"{COLUMNS}.age.bounds", [0], "must be a lower and an upper bound, not [0]"),
        (f"{COLUMNS}.age.bounds", [0, 1, 2], "must be a lower and an upper bound, not [0, 1, 2]"),
        (f"{COLUMNS}.age.bounds", 110, "must be a lower and an upper bound, not 110"),
        (f"{COLUMNS}.age.bounds", "01", "must be a lower and an upper bound, not '01'"),
        (f"{COLUMNS}.age.bounds", [0, "110"], "'110' is not a finite number"),
        (f"{COLUMNS}.age.bounds", [0, INFINITE], "inf is not a finite number"),
        (f"{COLUMNS}.age.bounds", [NAN, 110], "nan is not a finite number"),
        (f"{COLUMNS}.age.bounds", [False, 110], "false is not a finite number"),
        (f"{COLUMNS}.age.bounds", [0, 99.5], "99.5 is not a whole number of 64 bits"),
        (f"{COLUMNS}.age.bounds", [0, 1 << 63], f"{1 << 63} is not a whole number of 64 bits"),
        (
            f"{COLUMNS}.day.bounds",
            ["2025-12-31", "2025-01-01"],
            "the lower bound '2025-12-31' is above the upper bound '2025-01-01'",
        ),
        (f"{COLUMNS}.day.bounds", ["2025-01-01", "2025-02-30"], "'2025-02-30' is not a day"),
        (f"{COLUMNS}.day.bounds", ["2025-01-01", "2025-W02-1"], "'2025-W02-1' is not a day"),
        (f"{COLUMNS}.day.bounds", [0, "2025-01-01"], "0 is not a day"),
        (
            f"{COLUMNS}.day.bounds",
            ["2025-01-01", datetime(2025, 2, 1, tzinfo=UTC)],
            "2025-02-01 00:00:00+00:00 is not a day",
        ),
        (f"{COLUMNS}.region.bounds", ["a", "z"], "a column of type text has no bounds"),
        (f"{COLUMNS}.insured.bounds", [0, 1], "a column of type boolean has no bounds"),
        (f"{COLUMNS}.patient.bounds", [0, 9], "would take different people for one"),
        (f"{COLUMNS}.patient.type", "number", "a number cannot name the unit"),
        (f"{COLUMNS}.patient.type", "boolean", "a boolean cannot name the unit"),
        (f"{COLUMNS}.cost.step", 0, "must be a positive number, not 0"),
        (f"{COLUMNS}.cost.step", "cent", "must be a positive number, not 'cent'"),
        (f"{COLUMNS}.cost.step", 501, "is wider than the bounds"),
        (f"{COLUMNS}.age.step", 1, "a column of type integer has no step"),
        (f"{COLUMNS}.region.values", [], "must be a list of at least one value, not []"),
        (f"{COLUMNS}.region.values", "north", "must be a list of at least one value, not 'north'"),
        (f"{COLUMNS}.region.values", ["north", 1], "must all be of the column's type, text"),
        (f"{COLUMNS}.region.values", ["north", "north"], "'north' is there twice"),
        (f"{COLUMNS}.region.values", ["caf\u00e9", "cafe\u0301"], "'caf\u00e9' is there twice"),
        (f"{COLUMNS}.floor.values", [1, "2"], "must all be of the column's type, integer"),
        (f"{COLUMNS}.floor.values", [True, 2], "must all be of the column's type, integer"),
        (f"{COLUMNS}.floor.values", [1, 2, 1], "1 is there twice"),
        (f"{COLUMNS}.age.values", [50, 111], "111 is outside of the bounds"),
        (f"{COLUMNS}.cost.values", [1.5], "a column of type number has no list of values"),
        (f"{COLUMNS}.age.nulls", "no", "must be true or false, not 'no'"),
        ("analysts", {}, "names nobody"),
        ("analysts.alice", 1.0, "must be a table, not 1.0"),
        ("analysts.alice.epsilon", None, "is missing"),
        ("analysts.alice.epsilon", NAN, "must be a positive number, not nan"),
        ("analysts.alice.epsilon", 3.5, "3.5 is more than the population's epsilon"),
        ("analysts.alice.delta", 1e-5, "1e-05 is more than the population's delta"),
    ],
)
def test_the_problem_names_its_key(path: str, value: object, what: str) -> None:
    (problem,) = problems(path, value)
    assert (problem.key, problem.what) == (path, what)
    assert problem.instead


@pytest.mark.parametrize("path", ["budget.epsilon", "population.name", f"{COLUMNS}.age.type", f"{VISITS}.public"])
def test_numbers_that_python_will_not_print(path: str) -> None:
    (problem,) = problems(path, 1 << 20000)
    assert problem.key == path
    assert "a very long number" in problem.what


def test_lists_without_end_are_not_followed() -> None:
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]
    (problem,) = problems("budget.epsilon", nested)
    assert problem.what == "must be a positive number, not [a list]"
    while nested:  # taken apart one by one: freeing it at once is deep, too
        nested = nested.pop()


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("budgets", "did you mean 'budget'?"),
        ("population.neighbors", "did you mean 'neighbours'?"),
        ("budget.Delta", "did you mean 'delta'?"),
        ("engine.second", "did you mean 'seconds'?"),
        ("ledger.path", "the keys here are: url"),
        (f"{VISITS}.contributions", "did you mean 'contribution'?"),
        (f"{COLUMNS}.age.bound", "did you mean 'bounds'?"),
        ("analysts.alice.epsilom", "did you mean 'epsilon'?"),
        ("seed", "the keys here are: population, budget, limits, engine, ledger, tables, analysts"),
        ("budget.seed", "the keys here are: epsilon"),
        ("engine.random", "the keys here are: kind"),
        ("random", "the keys here are"),
    ],
)
def test_unknown_keys_are_refused_with_a_guess(path: str, hint: str) -> None:
    (problem,) = problems(path, 1)
    assert (problem.key, problem.what) == (path, "is not a key here")
    assert hint in problem.instead


@pytest.mark.parametrize(
    ("path", "value", "hint"),
    [
        (
            f"{COLUMNS}.age.type",
            "int",
            f"did you mean 'integer'? write one of: {', '.join(each.value for each in Declared)}",
        ),
        (f"{VISITS}.unit", "patients", "did you mean 'patient'? declare it: patients = { type = \"integer\" }"),
        (f"{VISITS}.source", "clinic.duckdb", 'name one: source = "clinic.duckdb::visits"'),
        ("analysts.alice.epsilon", 3.5, "write at most epsilon = 3"),
    ],
)
def test_hints_say_what_to_write(path: str, value: object, hint: str) -> None:
    assert [problem.instead for problem in problems(path, value)] == [hint]


@pytest.mark.parametrize(
    ("parts", "what"),
    [
        ({"delta_for_keys": 2e-6}, "delta_for_keys is more than delta"),
        ({"delta_for_zcdp": 6e-7, "delta_for_gdp": 6e-7}, "delta_for_zcdp + delta_for_gdp is more than delta"),
    ],
)
def test_parts_of_delta_fit_into_it(parts: dict[str, float], what: str) -> None:
    (problem,) = problems("budget", {"epsilon": 3, "delta": 1e-6, **parts})
    assert (problem.key, problem.what) == ("budget.delta", what)


@pytest.mark.parametrize("group", ["tables", COLUMNS, "analysts"])
def test_names_are_more_than_their_case(group: str) -> None:
    *above, last = group.split(".")
    section = GOOD
    for key in (*above, last):
        section = section[key]
    name = next(iter(section))
    (problem,) = problems(f"{group}.{name.upper()}", section[name])
    assert problem.key == f"{group}.{name.upper()}"
    assert f"differs from '{name}'" in problem.what


@pytest.mark.parametrize("group", ["tables", COLUMNS, "analysts"])
@pytest.mark.parametrize("name", ["", " "])
def test_names_are_not_blank(group: str, name: str) -> None:
    (problem,) = problems(f"{group}.{name}", {"type": "text", "epsilon": 1})
    assert problem == Problem(group, f"has {name!r} as a name", "choose a name that can be read")


def test_names_with_blanks_are_quoted() -> None:
    (problem,) = problems(f"{COLUMNS}.blood type", {"type": "letters"})
    assert problem.key == f'{COLUMNS}."blood type".type'


def test_all_problems_are_told_at_once_and_can_be_read() -> None:
    data = changed("budget.epsilon", 0)
    data["tables"]["visits"]["columns"]["age"]["bounds"] = [110, 0]
    data["tables"]["visits"]["contribution"] = 0
    data["sede"] = 1
    with pytest.raises(InvalidPolicyError) as caught:
        read(data)
    assert [problem.key for problem in caught.value.problems] == [
        "budget.epsilon",
        f"{VISITS}.contribution",
        f"{COLUMNS}.age.bounds",
        "sede",
    ]
    lines = str(caught.value).splitlines()
    assert [*lines[:3], *lines[5:7]] == [
        "clinic.toml: 4 problems",
        "  budget.epsilon: must be a positive number, not 0",
        "    write epsilon = 1.0",
        "  tables.visits.columns.age.bounds: the lower bound 110 is above the upper bound 0",
        "    write bounds = [0, 110], the lower one first",
    ]
