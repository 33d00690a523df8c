"""What a command imports before it begins: modules are counted, not seconds, so that no machine is too slow."""

from __future__ import annotations

import pytest

import deniable
from benchmarks.startup import started
from deniable.apps.demo.clinic import make_clinic
from deniable.apps.lazy import COMMANDS

LIBRARIES = {"numpy", "scipy", "pyarrow", "duckdb", "sqlglot", "sqlalchemy", "pandas", "matplotlib", "dp_accounting"}
NOT_FOR_QUESTIONS = {"scipy", "pandas", "matplotlib", "polars", "dp_accounting", "pyarrow.dataset", "pyarrow.compute"}
ATTACKS = {"deniable.attacks", "deniable.local", "deniable.audit", "deniable.releases.linear.strategies"}
COUNTS = "SELECT region, COUNT(*) AS visits FROM visits GROUP BY region"
MEANS = "SELECT region, COUNT(*) AS visits, AVG(cost) AS cost FROM visits GROUP BY region"


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The demonstration's clinic, with a ledger."""
    folder = tmp_path_factory.mktemp("clinic")
    make_clinic(folder)
    deniable.create(folder / "clinic.toml").close()
    return str(folder / "clinic.toml")


def test_help_loads_no_library_and_no_command() -> None:
    found = started(["--help"])
    assert not found.modules & LIBRARIES
    assert {name for name in found.modules if name.startswith("deniable.")} == {
        "deniable.apps",
        "deniable.apps.cli",
        "deniable.apps.exits",
        "deniable.apps.lazy",
        "deniable.core",
        "deniable.core.errors",
    }
    assert len(found.modules) < 450


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - {"attack", "audit"}))  # audit lists all mechanisms
def test_the_help_of_a_command_loads_no_library(command: str) -> None:
    found = started([command, "--help"])
    assert not found.modules & LIBRARIES
    assert len(found.modules) < 600


@pytest.mark.parametrize(
    ("command", "question", "spend"),
    [
        ("explain", MEANS, ["--epsilon", "0.01"]),
        ("ask", MEANS, ["--rho", "0.0001"]),
        ("ask", COUNTS, ["--accuracy", "1000"]),
    ],
)
def test_a_question_does_not_wait_for_what_it_does_not_need(
    policy: str, command: str, question: str, spend: list[str]
) -> None:
    found = started([command, policy, question, *spend])
    assert "sqlglot" in found.modules
    assert not found.modules & NOT_FOR_QUESTIONS
    assert not found.modules & ATTACKS
    assert len(found.modules) < 950


@pytest.mark.parametrize("arguments", [["budget"], ["ledger", "list"], ["ledger", "verify"]])
def test_looking_at_the_account_is_as_quick(policy: str, arguments: list[str]) -> None:
    found = started([*arguments, policy])
    assert not found.modules & NOT_FOR_QUESTIONS
    assert len(found.modules) < 950
