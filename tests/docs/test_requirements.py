"""What we require of others: those whose behaviour a promise rests on have both bounds, and a test that pins it."""

import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
REQUIRED = {
    found.name: found.specifier
    for line in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    for found in [Requirement(line)]
}
PINNED = {
    "duckdb": "tests/unit/engines/duckdb/test_reliance.py",
    "sqlglot": "tests/unit/planner/test_parse.py",
}
"""Which test says what we rely on."""


@pytest.mark.parametrize(("name", "test"), PINNED.items())
def test_what_a_promise_rests_on_is_bounded_and_pinned(name: str, test: str) -> None:
    assert {bound.operator for bound in REQUIRED[name]} == {">=", "<"}
    assert (ROOT / test).is_file()


@pytest.mark.parametrize("name", sorted(REQUIRED))
def test_what_is_installed_is_what_is_required(name: str) -> None:
    assert REQUIRED[name].contains(version(name), prereleases=True)
