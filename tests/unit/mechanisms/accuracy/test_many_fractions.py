"""Many fractions: the largest error is the formula, worked out here once more."""

from __future__ import annotations

from math import ceil, log, sqrt

import pytest
from dp_accounting import get_sigma_gaussian
from scipy.stats import norm

from deniable.mechanisms.accuracy.many_fractions import largest_errors
from tests.support.textbook import laplace_radius, response_error


@pytest.mark.parametrize("questions", [1, 10, 1000])
def test_the_errors_of_k_queries_are_the_formulas(questions: int) -> None:
    found = largest_errors(questions, 10_000, 1, "1e-6", "0.95")
    beta = 0.05 / questions
    assert found["Laplace"] == laplace_radius(questions, beta) / 10_000
    assert found["Laplace"] <= ceil(questions * log(1 / beta)) / 10_000  # the textbook's k ln(k/beta) / epsilon
    assert found["randomized response"] == pytest.approx(response_error(10_000, 1 / questions, beta))
    sigma = sqrt(questions) * get_sigma_gaussian(1, 1e-6)
    assert found["Gaussian"] == pytest.approx(sigma * norm.ppf(1 - beta / 2) / 10_000, rel=0.01)


def test_gaussian_noise_wins_when_there_are_many_queries() -> None:
    one, many = (largest_errors(k, 10_000, 1, "1e-6", "0.95") for k in (1, 1000))
    assert one["Laplace"] < one["Gaussian"]
    assert many["Laplace"] > 10 * many["Gaussian"]
