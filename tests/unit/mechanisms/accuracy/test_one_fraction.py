"""One fraction: its error and the people it takes are the formulas, worked out here once more."""

from __future__ import annotations

from math import ceil, log, sqrt

import pytest
from dp_accounting import get_sigma_gaussian
from scipy.stats import norm

from deniable.mechanisms.accuracy.one_fraction import errors, sizes
from tests.support.textbook import laplace_radius, response_error


@pytest.mark.parametrize(("people", "epsilon", "beta"), [(10_000, 1.0, 0.05), (500, 0.2, 0.01), (3, 2.0, 0.25)])
def test_the_errors_of_a_mean_are_the_formulas(people: int, epsilon: float, beta: float) -> None:
    found = errors(people, epsilon, "1e-6", 1 - beta)
    assert found["randomized response"] == pytest.approx(response_error(people, epsilon, beta))
    assert found["Laplace"] == laplace_radius(1 / epsilon, beta) / people
    sigma = sqrt(get_sigma_gaussian(epsilon, 1e-6) ** 2 + 5)  # the discrete law's smoothing
    assert found["Gaussian"] * people == pytest.approx(ceil(sigma * norm.ppf(1 - beta / 2)), abs=1)
    assert found["sampling alone"] == pytest.approx(sqrt(log(2 / beta) / (2 * people)))


def test_laplace_errs_like_one_over_n_and_randomized_response_like_one_over_its_root() -> None:
    few, many = errors(1000, 1, "1e-6", "0.95"), errors(100_000, 1, "1e-6", "0.95")
    assert few["Laplace"] / many["Laplace"] == pytest.approx(100)
    assert few["randomized response"] / many["randomized response"] == pytest.approx(10)


@pytest.mark.parametrize(("error", "epsilon", "beta"), [("0.01", 1.0, 0.05), ("0.05", 0.25, 0.01)])
def test_the_people_needed_are_just_enough(error: str, epsilon: float, beta: float) -> None:
    people, wanted = sizes(error, epsilon, "1e-6", 1 - beta), float(error)
    for name in ("randomized response", "Laplace", "Gaussian"):
        assert errors(people[name], epsilon, "1e-6", 1 - beta)[name] <= wanted * (1 + 1e-9)
        assert errors(people[name] - 1, epsilon, "1e-6", 1 - beta)[name] > wanted * (1 - 1e-9)
