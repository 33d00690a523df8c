"""The calculators: each shows the numbers that the formulas give, worked out here once more."""

from __future__ import annotations

from math import ceil, exp, log, sqrt
from pathlib import Path

import pytest
from dp_accounting import get_sigma_gaussian
from scipy.stats import norm
from typer.testing import CliRunner

from deniable.accounting import METHODS, compose
from deniable.apps.plan import mean, queries, size
from deniable.apps.plan.budget import budget, fits
from deniable.apps.plan.commands import app
from deniable.apps.plan.meaning import meaning
from deniable.core.guarantee import Guarantee
from deniable.core.loss import Loss
from deniable.local import Shuffled, WarnerResponse
from deniable.mechanisms import Gaussian

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


def laplace_radius(scale: float, beta: float) -> int:
    """The least m with Pr[|x| > m] = 2 q^(m+1) / (1 + q) <= beta, q = e^(-1/scale)."""
    ratio, radius = exp(-1 / scale), 0
    while 2 * ratio ** (radius + 1) / (1 + ratio) > beta:
        radius += 1
    return radius


def response_error(people: int, epsilon: float, beta: float) -> float:
    """Hoeffding: sqrt(ln(2/beta) / (2n)) / (2 gamma)."""
    gamma = exp(epsilon) / (1 + exp(epsilon)) - 0.5
    return sqrt(log(2 / beta) / (2 * people)) / (2 * gamma)


# ------------------------------------------------------------------------------------------------------------ mean


@pytest.mark.parametrize(("people", "epsilon", "beta"), [(10_000, 1.0, 0.05), (500, 0.2, 0.01), (3, 2.0, 0.25)])
def test_the_errors_of_a_mean_are_the_formulas(people: int, epsilon: float, beta: float) -> None:
    errors = mean.errors(people, epsilon, "1e-6", 1 - beta)
    assert errors["randomized response"] == pytest.approx(response_error(people, epsilon, beta))
    assert errors["Laplace"] == laplace_radius(1 / epsilon, beta) / people
    sigma = sqrt(get_sigma_gaussian(epsilon, 1e-6) ** 2 + 5)  # the discrete law's smoothing
    assert errors["Gaussian"] * people == pytest.approx(ceil(sigma * norm.ppf(1 - beta / 2)), abs=1)
    assert errors["sampling alone"] == pytest.approx(sqrt(log(2 / beta) / (2 * people)))


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


def test_laplace_errs_like_one_over_n_and_randomized_response_like_one_over_its_root() -> None:
    few, many = mean.errors(1000, 1, "1e-6", "0.95"), mean.errors(100_000, 1, "1e-6", "0.95")
    assert few["Laplace"] / many["Laplace"] == pytest.approx(100)
    assert few["randomized response"] / many["randomized response"] == pytest.approx(10)


# ------------------------------------------------------------------------------------------------------------ size


@pytest.mark.parametrize(("error", "epsilon", "beta"), [("0.01", 1.0, 0.05), ("0.05", 0.25, 0.01)])
def test_the_people_needed_are_just_enough(error: str, epsilon: float, beta: float) -> None:
    people, wanted = size.sizes(error, epsilon, "1e-6", 1 - beta), float(error)
    for name in ("randomized response", "Laplace", "Gaussian"):
        assert mean.errors(people[name], epsilon, "1e-6", 1 - beta)[name] <= wanted * (1 + 1e-9)
        assert mean.errors(people[name] - 1, epsilon, "1e-6", 1 - beta)[name] > wanted * (1 - 1e-9)


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


@pytest.mark.parametrize("questions", [1, 10, 1000])
def test_the_errors_of_k_queries_are_the_formulas(questions: int) -> None:
    errors = queries.errors(questions, 10_000, 1, "1e-6", "0.95")
    beta = 0.05 / questions
    assert errors["Laplace"] == laplace_radius(questions, beta) / 10_000
    assert errors["Laplace"] <= ceil(questions * log(1 / beta)) / 10_000  # the textbook's k ln(k/beta) / epsilon
    assert errors["randomized response"] == pytest.approx(response_error(10_000, 1 / questions, beta))
    sigma = sqrt(questions) * get_sigma_gaussian(1, 1e-6)
    assert errors["Gaussian"] == pytest.approx(sigma * norm.ppf(1 - beta / 2) / 10_000, rel=0.01)


def test_plan_queries_shows_them() -> None:
    output = run("queries", "--k", "100", "--n", "5000", "--epsilon", "2")
    errors = queries.errors(100, 5000, 2, "1e-6", "0.95")
    assert cells(output, "100 ")[1:] == [f"± {error:.3g}" for error in errors.values()]
    assert cells(output, "1 ")[2] == f"± {laplace_radius(1 / 2, 0.05) / 5000:.3g}"


def test_gaussian_noise_wins_when_there_are_many_queries() -> None:
    one, many = (queries.errors(k, 10_000, 1, "1e-6", "0.95") for k in (1, 1000))
    assert one["Laplace"] < one["Gaussian"]
    assert many["Laplace"] > 10 * many["Gaussian"]


# ---------------------------------------------------------------------------------------------------------- budget


def test_plan_budget_shows_how_many_fit() -> None:
    output = run("budget", "--each", "0.1", "--each", "0.01", "--sigma", "50")
    assert cells(output, "Laplace, epsilon 0.1")[1:3] == ["10", "10"]
    assert int(cells(output, "Laplace, epsilon 0.01")[1]) >= 455
    assert int(cells(output, "Gaussian, sigma 50")[1]) >= 130
    assert cells(output, "Gaussian, sigma 50")[2] == "0"  # no number of Gaussian questions is pure


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "loss", [Loss.pure("0.05"), Gaussian(sensitivity=1, rho="1/800").loss], ids=["laplace", "gaussian"]
)
def test_that_many_fit_and_one_more_does_not(method: str, loss: Loss) -> None:
    cap = Guarantee(1, "1e-6")
    count = fits(loss, cap, method)
    if count:
        assert compose([loss] * count, cap.delta, method).guarantee.epsilon <= cap.epsilon * (1 + 1e-9)
    if loss.epsilon is not None or method not in ("basic", "advanced"):
        assert compose([loss] * (count + 1), cap.delta, method).guarantee.epsilon > cap.epsilon


def test_a_search_that_was_cut_off_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deniable.apps.plan.budget._MOST", 50)
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
