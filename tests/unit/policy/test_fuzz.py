"""However a good policy is mangled, it loads or it is an invalid policy; nothing else happens."""

from collections.abc import Callable
from copy import deepcopy
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.policy import InvalidPolicyError, Policy, load

CLINIC = """
[population]
name = "clinic"
neighbours = "add-remove"
[budget]
epsilon = 3.0
delta = 1e-6
delta_for_keys = 1e-7
[engine]
seconds = 60
memory = "4GB"
[ledger]
url = "sqlite:///clinic.ledger"
[tables.visits]
source = "visits.parquet"
unit = "patient_id"
contribution = 10
[tables.visits.columns]
patient_id = { type = "integer" }
age = { type = "integer", bounds = [0, 110], nulls = false }
cost = { type = "number", bounds = [0, 500], step = 0.01 }
region = { type = "text", values = ["north", "east"] }
day = { type = "date", bounds = ["2025-01-01", 2025-12-31] }
[tables.hospitals]
source = "hospitals.csv"
public = true
[analysts.alice]
epsilon = 1.0
"""

SCRAPS = st.one_of(
    st.text(max_size=5),
    st.sampled_from(["nan", "inf", "-", "1e999999999", "1e99999999999999999999", "0x" + "f" * 9000, "9" * 5000]),
    st.sampled_from(['"', "[", "]", "{", "}", "=", "\n", ".", "true", "\\u0000", "2025-01-01T00:00:00Z"]),
)

ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(),
    st.dates(),
    st.sampled_from([Decimal("sNaN"), Decimal("1e-999999"), datetime(2025, 1, 1, tzinfo=UTC), b"x", object()]),
)
KEYS = st.text() | st.integers() | st.none()
ANYTHING = st.recursive(ODD, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3))

GOOD: dict[str, Any] = {
    "population": {"name": "clinic", "neighbours": "replace"},
    "budget": {"epsilon": 3, "delta": 1e-6, "delta_for_keys": 0, "delta_for_zcdp": 0, "delta_for_gdp": 0},
    "engine": {"kind": "duckdb", "seconds": 1, "memory": "1GB", "threads": 1},
    "ledger": {"url": "sqlite://"},
    "tables": {
        "visits": {
            "source": "a.csv",
            "unit": "id",
            "contribution": 1,
            "keys": 1,
            "columns": {
                "id": {"type": "text"},
                "age": {"type": "integer", "bounds": [0, 110], "values": [1, 2], "nulls": False},
                "cost": {"type": "number", "bounds": [0, 500], "step": 0.01},
                "day": {"type": "date", "bounds": ["2025-01-01", "2025-12-31"]},
                "region": {"type": "text", "values": ["north", "east"]},
            },
        },
    },
    "analysts": {"alice": {"epsilon": 1, "delta": 0}},
}


def places(data: object, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [found for key, value in inside for found in ((*path, key), *places(value, (*path, key)))]


def loads_or_explains(make: Callable[[], Policy]) -> None:
    try:
        policy = make()
    except InvalidPolicyError as error:
        explained = bool(error.problems) and all(problem.what and problem.instead for problem in error.problems)
    else:
        columns = [column for table in policy.tables.values() for column in table.columns.values()]
        explained = all(column.expression.range.finite == (column.low is not None) for column in columns)
        explained = explained and bool(policy.accounts(next(iter(policy.analysts), None)))
    assert explained


@settings(deadline=None)
@given(cuts=st.lists(st.tuples(st.integers(0, len(CLINIC)), st.integers(0, 9), SCRAPS), min_size=1, max_size=4))
def test_mangled_text(cuts: list[tuple[int, int, str]]) -> None:
    text = CLINIC
    for start, length, scrap in cuts:
        text = text[:start] + scrap + text[start + length :]
    with TemporaryDirectory() as folder:
        file = Path(folder) / "clinic.toml"
        file.write_text(text, encoding="utf-8", errors="replace")
        loads_or_explains(lambda: load(file))


@settings(deadline=None)
@given(data=st.binary(max_size=60))
def test_any_bytes(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "clinic.toml"
        file.write_bytes(data)
        loads_or_explains(lambda: load(file))


@settings(deadline=None)
@given(place=st.sampled_from(places(GOOD)), value=ANYTHING, more=st.dictionaries(KEYS, ANYTHING, max_size=2))
def test_mangled_values(place: tuple[Any, ...], value: object, more: dict[Any, object]) -> None:
    data: Any = deepcopy(GOOD)
    *above, last = place
    section = data
    for key in above:
        section = section[key]
    section[last] = value
    if isinstance(section, dict):
        section.update(more)
    loads_or_explains(lambda: Policy.from_mapping(data, origin="fuzz", folder=Path()))
