"""Exit codes: the same five for every command, and the same in help and in the docs."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import deniable
from deniable.apps.cli import app
from deniable.apps.exits import ExitCode, ending
from deniable.core.errors import Failed, InvalidArgumentError, Refused
from deniable.policy import InvalidPolicyError, Problem
from tests.unit.apps.conftest import COUNT, POLICY, exit_code


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["ask", "clinic.toml", COUNT, "--epsilon", "0.5"], ExitCode.ANSWERED),
        (["check", "clinic.toml"], ExitCode.ANSWERED),
        (["ask", "clinic.toml"], ExitCode.USAGE),
        (["ask", "clinic.toml", COUNT, "--epsilon", "0.5", "-o", "answer.xlsx"], ExitCode.USAGE),
        (["ask", "clinic.toml", COUNT, "--epsilon", "0.5", "-o", "answer.csv", "--format", "json"], ExitCode.USAGE),
        (["ask", "nowhere.toml", COUNT, "--epsilon", "0.5"], ExitCode.USAGE),
        (["ask", "clinic.toml", "SELECT COUNT(*) FROM vists", "--epsilon", "0.5"], ExitCode.REFUSED),
        (["ask", "clinic.toml", COUNT], ExitCode.REFUSED),
        (["explain", "clinic.toml", "DROP TABLE visits", "--epsilon", "0.5"], ExitCode.REFUSED),
        (["ledger", "create", "clinic.toml"], ExitCode.REFUSED),
        (["ask", "clinic.toml", COUNT, "--epsilon", "1.5"], ExitCode.OVER_BUDGET),
    ],
)
def test_every_ending_has_its_code(
    clinic: Path, arguments: list[str], expected: ExitCode, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert exit_code(monkeypatch, *arguments) == expected
    with deniable.open(clinic / "clinic.toml") as curator:
        assert (curator.budget().spent.epsilon > 0) == (arguments[0] == "ask" and expected is ExitCode.ANSWERED)


def test_a_policy_that_does_not_fit_its_file_fails_the_check(clinic: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (clinic / "clinic.toml").write_text(POLICY.replace("age =", "years ="))
    assert exit_code(monkeypatch, "check", "clinic.toml") == ExitCode.FAILED


def test_a_file_that_cannot_be_written_is_one_line(
    clinic: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (clinic / "answer.csv").mkdir()
    assert exit_code(monkeypatch, "ask", "clinic.toml", COUNT, "--epsilon", "0.5", "-o", "answer.csv") == ExitCode.USAGE
    assert capsys.readouterr().err.count("\n") == 1
    with deniable.open(clinic / "clinic.toml") as curator:
        assert curator.budget().spent.epsilon == 0  # known before anything is paid


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (Failed(), ExitCode.FAILED),
        (InvalidArgumentError("epsilon", "must be positive"), ExitCode.USAGE),
        (InvalidPolicyError("clinic.toml", [Problem("budget", "is missing", "write one")]), ExitCode.USAGE),
        (Refused("unknown-table", "There is none."), ExitCode.REFUSED),
        (Refused("over-budget", "Nothing is left."), ExitCode.OVER_BUDGET),
        (FileNotFoundError(2, "No such file", "a.csv"), ExitCode.FAILED),
    ],
)
def test_every_error_that_people_can_mend_has_a_code(error: Exception, expected: ExitCode) -> None:
    found = ending(error)
    assert found is not None
    assert found[0] is expected


def test_any_other_error_is_a_fault_of_ours_and_keeps_its_trace() -> None:
    assert ending(ZeroDivisionError()) is None


def test_help_and_docs_name_every_code() -> None:
    text = " ".join(CliRunner().invoke(app, ["--help"], env={"COLUMNS": "200", "TERM": "dumb"}).output.split())
    page = (Path(__file__).parents[3] / "docs" / "cli.md").read_text()
    for one in ExitCode:
        words = one.name.lower().replace("_", " ")
        assert f"{one.value} {words}" in text
        assert f"| {one.value} | {words} |" in page
