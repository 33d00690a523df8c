"""The command line: help, version, and one line for what cannot be right."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from deniable import __version__
from deniable.apps.cli import app
from tests.unit.apps.conftest import exit_code

PLANS = {
    "mean": ["--n", "--epsilon", "--delta", "--confidence", "--plot"],
    "size": ["--error", "--epsilon", "--delta", "--confidence", "--plot"],
    "queries": ["--k", "--n", "--epsilon", "--delta", "--confidence", "--plot"],
    "budget": ["--epsilon", "--delta", "--each", "--sigma"],
    "meaning": ["--epsilon", "--delta", "--prior", "--group"],
}


@pytest.mark.parametrize(("command", "options"), PLANS.items())
def test_help_names_every_option(command: str, options: list[str]) -> None:
    result = CliRunner().invoke(app, ["plan", command, "--help"], env={"COLUMNS": "200", "TERM": "dumb"})
    assert result.exit_code == 0
    for option in options:
        assert option in result.output


def test_help_names_every_command() -> None:
    result = CliRunner().invoke(app, ["plan", "--help"], env={"COLUMNS": "200", "TERM": "dumb"})
    assert result.exit_code == 0
    for command in PLANS:
        assert command in result.output


def test_version() -> None:
    result = CliRunner().invoke(app, ["--version"])
    assert (result.exit_code, result.output.strip()) == (0, f"deniable {__version__}")


@pytest.mark.parametrize("command", PLANS)
@pytest.mark.parametrize("epsilon", ["0", "-1", "nan", "inf", "abc", ""])
def test_an_epsilon_that_means_nothing_is_one_line(
    command: str, epsilon: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(monkeypatch, "plan", command, "--epsilon", epsilon) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("error: epsilon must be ")
    assert output.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["mean", "--n", "0"], "n"),
        (["mean", "--n", "-5"], "n"),
        (["mean", "--delta", "0"], "delta"),
        (["mean", "--delta", "1"], "delta"),
        (["mean", "--confidence", "1"], "confidence"),
        (["mean", "--confidence", "0"], "confidence"),
        (["size", "--error", "0"], "error"),
        (["size", "--error", "nan"], "error"),
        (["queries", "--k", "0"], "k"),
        (["queries", "--n", "0"], "n"),
        (["queries", "--confidence", "2"], "confidence"),
        (["budget", "--delta", "-1"], "delta"),
        (["budget", "--each", "0"], "epsilon"),
        (["budget", "--sigma", "0"], "sigma"),
        (["budget", "--sigma", "abc"], "sigma"),
        (["meaning", "--prior", "2"], "prior"),
        (["meaning", "--prior", "0"], "prior"),
        (["meaning", "--group", "0"], "group"),
        (["meaning", "--delta", "1"], "delta"),
    ],
)
def test_an_argument_that_cannot_be_right_is_named_in_one_line(
    arguments: list[str], name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(monkeypatch, "plan", *arguments) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith(f"error: {name} must ")
    assert output.err.count("\n") == 1


@pytest.mark.parametrize("arguments", [["plan", "mean", "--n", "many"], ["plan", "nonsense"], ["plan", "mean", "--no"]])
def test_what_the_command_line_cannot_read_stops_it_with_code_two(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(monkeypatch, *arguments) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_a_picture_that_cannot_be_written_is_one_line_however_long_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "no such folder" / ("a very long name " * 10) / "chart.png"
    assert exit_code(monkeypatch, "plan", "mean", "--plot", str(path)) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("error: plot could not be written to ")
    assert output.err.count("\n") == 1


def test_a_message_with_brackets_keeps_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert exit_code(monkeypatch, "plan", "mean", "--plot", str(tmp_path / "chart.png")) == 2
    assert "pip install 'deniable[plot]'" in capsys.readouterr().err


def test_the_installed_program_runs() -> None:
    program = Path(sys.executable).parent / "deniable"
    if not program.exists():
        pytest.skip("not installed as a program here")
    done = subprocess.run([program, "plan", "mean", "--epsilon", "0"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: epsilon must be positive, not 0\n"
