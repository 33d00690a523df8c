"""The list of charges: times, filters, totals, and a loss that stays readable on a narrow terminal."""

from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import deniable
from deniable.apps.cli import app
from deniable.core.errors import InvalidArgumentError
from deniable.core.loss import Loss

POLICY = """
[population]
name = "clinic"
[budget]
epsilon = 3
delta = 1e-6
[analysts]
alice = { epsilon = 2.0, delta = 5e-7 }
bob = { epsilon = 1.0, delta = 5e-7 }
[tables.visits]
source = "visits.parquet"
[tables.visits.columns]
age = { type = "integer", bounds = [0, 110] }
"""


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger with charges of two analysts: Alice's are of both kinds of noise."""
    folder = tmp_path_factory.mktemp("clinic")
    pq.write_table(pa.table({"age": list(range(100))}), folder / "visits.parquet")
    (folder / "clinic.toml").write_text(POLICY)
    with deniable.create(folder / "clinic.toml") as curator:
        curator.ask("SELECT COUNT(*) AS n FROM visits", epsilon="0.1", analyst="alice")
        curator.ask("SELECT SUM(age) AS years\nFROM visits", rho="0.01", analyst="alice")
        curator.ask("SELECT COUNT(*) AS n FROM visits WHERE age > 50", epsilon="0.5", analyst="bob")
    return folder / "clinic.toml"


def listed(policy: Path, *options: str, columns: int = 120) -> str:
    """What is printed on a terminal of so many columns."""
    result = CliRunner().invoke(app, ["ledger", "list", str(policy), *options], env={"COLUMNS": str(columns)})
    assert result.exit_code == 0, result.output
    return result.output


def test_every_charge_has_its_time_its_analyst_its_loss_and_its_question(clinic: Path) -> None:
    output = listed(clinic)
    for text in ("alice", "bob", "ε 0.1", "ρ 0.01", "ε 0.5", "SELECT SUM(age) AS years FROM visits"):
        assert text in output
    assert output.count(f"{datetime.now(UTC):%Y-%m-%d}") == 3


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_no_loss_is_cut(clinic: Path, columns: int) -> None:
    output = listed(clinic, columns=columns)
    assert all(len(line) <= columns for line in output.splitlines())
    for loss in ("ε 0.1 ", "ρ 0.01 ", "ε 0.5 "):
        assert loss in output
    assert "…" not in output


def test_totals_are_those_of_the_accounts(clinic: Path) -> None:
    rows = [line.split("│")[1:-1] for line in listed(clinic).split("totals")[1].splitlines() if line.startswith("│")]
    found = {cells[0].strip(): (cells[1].strip(), cells[2].strip()) for cells in rows}
    with deniable.open(clinic) as curator:
        alice = curator.budget("alice").spent
    assert found == {"alice": ("2", f"ρ {float(alice.rho):.4g}"), "bob": ("1", "ε 0.5")}


def test_one_analyst(clinic: Path) -> None:
    output = listed(clinic, "--analyst", "bob")
    assert "ε 0.5" in output
    assert "alice" not in output


def test_since_a_day_or_a_time(clinic: Path) -> None:
    assert listed(clinic, "--since", "2020-01-31") == listed(clinic)
    assert listed(clinic, "--since", "2020-01-31T09:30:00+02:00") == listed(clinic)
    assert "nothing" in listed(clinic, "--since", "2999-01-01T10:00")


def test_a_time_that_is_none_is_named(clinic: Path) -> None:
    result = CliRunner().invoke(app, ["ledger", "list", str(clinic), "--since", "yesterday"])
    assert isinstance(result.exception, InvalidArgumentError)
    assert "since must be a day or a time" in str(result.exception)


@pytest.mark.parametrize(
    ("loss", "text"),
    [
        (Loss.pure("0.5"), "ε 0.5"),
        (Loss.pure("1/3"), "ε 0.3334"),
        (Loss.concentrated(Fraction(1, 100), Fraction(1, 50)), "ρ 0.01"),
        (Loss.approximate("0.5", "1e-7"), "ε 0.5, δ 1e-7"),
        (Loss(None, None, Fraction(1, 4)), "μ 0.5"),
    ],
)
def test_a_loss_is_shown_in_its_simplest_form(loss: Loss, text: str) -> None:
    assert str(loss) == text


def test_a_terminal_obeys_no_question_and_no_analyst(tmp_path: Path) -> None:
    """What stands in the ledger was written by whoever asked."""
    pq.write_table(pa.table({"age": list(range(100))}), tmp_path / "visits.parquet")
    policy = tmp_path / "clinic.toml"
    policy.write_text(POLICY.replace("bob =", '"[red]b\\u001b[31mob" ='))
    with deniable.create(policy, reason="a test") as curator:
        question = "SELECT COUNT(*) AS n FROM visits WHERE 'a\x1b[31m[/red]' = 'b'"
        curator.ask(question, epsilon="0.1", analyst="[red]b\x1b[31mob")
    output = listed(policy, columns=200)
    assert not [one for one in output if not one.isprintable() and one != "\n"]
    assert "[red]b\\x1b[31mob" in output
    assert "a\\x1b[31m[/red]" in output
