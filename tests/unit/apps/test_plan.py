"""The calculators: each shows the numbers that the formulas give, worked out here once more."""

from __future__ import annotations

from math import ceil, exp, log
from pathlib import Path

import pytest
from typer.testing import CliRunner

from deniable.accounting import METHODS
from deniable.apps.plan.budget import budget
from deniable.apps.plan.commands import app
from deniable.apps.plan.limits import limits
from deniable.apps.plan.meaning import meaning
from deniable.local import Shuffled, WarnerResponse
from deniable.mechanisms.accuracy.many_fractions import largest_errors
from tests.support.textbook import laplace_radius, response_error

PNG = b"\x89PNG\r\n\x1a\n"


def run(*arguments: str) -> str:
    """What the command prints, on a wide terminal."""
    result = CliRunner().invoke(app, arguments, env={"COLUMNS": "300"})
    assert result.exit_code == 0, result.output
    return result.output


def cells(output: str, first: str) -> list[str]:
    """The table's row that begins with this word."""
    (row,) = [line for line in output.splitlines() if line.startswith("│ " + first)]
    return [cell.strip() for cell in row.strip("│").split("│")]


# ------------------------------------------------------------------------------------------------------------ mean


def test_plan_mean_shows_them() -> None:
    output = run("mean", "--n", "2000", "--epsilon", "0.5", "--confidence", "0.9")
    error = response_error(2000, 0.5, 0.1)
    assert cells(output, "randomized response") == [
        "randomized response",
        f"± {error:.3g}",
        f"± {error * 2000:,.0f}",
        "nobody",
    ]
    radius = laplace_radius(2, 0.1)
    assert cells(output, "Laplace")[1:3] == [f"± {radius / 2000:.3g}", f"± {radius}"]
    assert "2,000 people at epsilon 0.5" in output


# ------------------------------------------------------------------------------------------------------------ size


def test_plan_size_shows_them() -> None:
    output = run("size", "--error", "0.02", "--epsilon", "0.5")
    gamma = exp(0.5) / (1 + exp(0.5)) - 0.5
    people = ceil(log(2 / 0.05) / 2 / (2 * gamma * 0.02) ** 2)
    assert cells(output, "randomized response")[1] == f"{people:,}"
    assert cells(output, "Laplace")[1] == f"{ceil(laplace_radius(2, 0.05) / 0.02):,}"
    assert "1/(epsilon error)^2 = 10,000 against 2/(epsilon error) = 200" in output


def test_a_fraction_may_be_written_as_one() -> None:
    assert "1/(epsilon error)^2 = 90,000" in run("size", "--epsilon", "1/3")
    assert "33.3%" in run("meaning", "--prior", "1/3")


# --------------------------------------------------------------------------------------------------------- queries


def test_plan_queries_shows_them() -> None:
    output = run("queries", "--k", "100", "--n", "5000", "--epsilon", "2")
    errors = largest_errors(100, 5000, 2, "1e-6", "0.95")
    assert cells(output, "100 ")[1:] == [f"± {error:.3g}" for error in errors.values()]
    assert cells(output, "1 ")[2] == f"± {laplace_radius(1 / 2, 0.05) / 5000:.3g}"


def test_the_table_is_the_lectures() -> None:
    rows = {row[0].split(":")[0]: row[1:] for row in limits(1000, 10_000, 1, "1e-6", "0.95", None, "0.06").rows}
    few, _, same, every = rows["below 1/sqrt n"]
    assert "Gaussian" in few
    assert "impossible" in same
    assert every == rows["constant"][-1] == "impossible"
    filled = {row[0].split(":")[0]: row[1:] for row in limits(1000, 10**6, 1, "1e-6", "0.95", 100, "0.06").rows}
    assert filled["constant"][-1] == "matrix mechanism"


# ---------------------------------------------------------------------------------------------------------- budget


def test_plan_budget_shows_how_many_fit() -> None:
    output = run("budget", "--each", "0.1", "--each", "0.01", "--sigma", "50")
    assert cells(output, "Laplace, epsilon 0.1")[1:3] == ["10", "10"]
    assert int(cells(output, "Laplace, epsilon 0.01")[1]) >= 455
    assert int(cells(output, "Gaussian, sigma 50")[1]) >= 130
    assert cells(output, "Gaussian, sigma 50")[2] == "0"  # no number of Gaussian questions is pure


def test_a_search_that_was_cut_off_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("accounting.how_many", "apps.plan.budget"):
        monkeypatch.setattr(f"deniable.{module}.MOST", 50)
    (row,) = budget(1, "1e-6", ["0.001"], []).rows
    shown = dict(zip(("filter", *METHODS), row[1:], strict=True))
    assert shown["basic"] == "1,000"
    assert shown["advanced"] == shown["pld"] == "50+"
    assert int(shown["filter"].replace(",", "")) > 40_000


# --------------------------------------------------------------------------------------------------------- meaning


def test_plan_meaning_shows_odds_beliefs_and_groups() -> None:
    output = run("meaning", "--epsilon", "0.7", "--prior", "0.2", "--group", "3")
    assert f"factor {exp(0.7):.3g}" in output
    assert f"at most {exp(0.7):.3g} times likelier" in output
    assert f"true with probability {exp(0.7) / (1 + exp(0.7)):.3g}" in output
    right = exp(0.7) / (1 + exp(0.7))  # the best guess against a fair coin
    assert f"right at most {right:.1%}" in output
    assert "3 people together have epsilon 2.1" in output
    low, high = belief(0.2, -0.7), belief(0.2, 0.7)
    group_low, group_high = belief(0.2, -2.1), belief(0.2, 2.1)
    assert cells(output, "20.0%") == [
        "20.0%",
        f"{low:.1%} to {high:.1%}",
        f"{group_low:.1%} to {group_high:.1%}",
    ]


def belief(prior: float, shift: float) -> float:
    """Bayes, when the logarithm of the odds moves by this much."""
    odds = prior / (1 - prior) * exp(shift)
    return odds / (1 + odds)


def test_several_beliefs_are_shown_when_none_is_named() -> None:
    assert [row[0] for row in meaning(1, 0, None, 4).rows] == ["0.100%", "1.0%", "10.0%", "50.0%", "90.0%"]


def test_delta_is_said_in_words_and_grows_with_the_group() -> None:
    assert "Without exception (delta is 0)." in run("meaning")
    output = run("meaning", "--delta", "1e-6", "--group", "4")
    group = 1e-6 * (exp(4) - 1) / (exp(1) - 1)
    assert f"Except with probability 1e-06 (for the group {group:.3g})" in output


# ---------------------------------------------------------------------------------------------------- the pictures


@pytest.mark.parametrize("command", ["mean", "size", "queries"])
def test_a_picture_is_written(command: str, tmp_path: Path) -> None:
    path = tmp_path / "chart [1].png"
    output = run(command, "--plot", str(path))
    assert path.read_bytes().startswith(PNG)
    assert f"picture: {path}" in output
    assert "●" in output


def test_the_ending_decides_the_format(tmp_path: Path) -> None:
    path = tmp_path / "chart.svg"
    run("mean", "--plot", str(path))
    assert "<svg" in path.read_text()


# --------------------------------------------------------------------------------------------------------- shuffle


def test_plan_shuffle_shows_both_kinds_of_protocols() -> None:
    output = run("shuffle", "--n", "2000", "--epsilon", "2", "--delta", "1e-5")
    response = float(Shuffled(WarnerResponse(epsilon=2), 2000).guarantee("1e-5").epsilon)
    general = float(Shuffled(2, 2000).guarantee("1e-5").epsilon)
    assert cells(output, "randomized response")[1:3] == ["2", f"{response:.4g}"]
    assert cells(output, "any protocol")[1:3] == ["2", f"{general:.4g}"]
    assert response < general < 2
