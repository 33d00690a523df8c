"""Beside SciPy, which has the same functions, and beside arithmetic with fifty digits."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from scipy import special, stats

from deniable.core.distributions.quantiles import beta_quantile, student_radius

TRIALS = [1, 2, 7, 30, 1000, 10**5, 10**7, 10**9]


@pytest.mark.parametrize("trials", TRIALS)
@pytest.mark.parametrize("chance", [0.5, 0.025, 1e-4, 1e-9, 1e-30])
def test_quantiles_are_right_to_eight_digits_and_never_too_large(trials: int, chance: float) -> None:
    hits = np.unique(np.geomspace(1, trials, 9).round())
    found, expected = (
        beta_quantile(chance, hits, trials - hits + 1),
        special.betaincinv(hits, trials - hits + 1, chance),
    )
    np.testing.assert_allclose(found, expected, rtol=1e-8)
    assert (found <= expected).all()


@pytest.mark.parametrize(("hits", "trials"), [(1, 10), (37, 400), (2500, 10_000)])
def test_no_more_than_the_chance_lies_below(hits: int, trials: int) -> None:
    (place,) = beta_quantile(1e-6, np.array([float(hits)]), np.array([float(trials - hits + 1)]))
    with mpmath.workdps(50):
        true = mpmath.betainc(hits, trials - hits + 1, 0, mpmath.mpf(float(place)), regularized=True)
        assert mpmath.mpf("1e-6") * (1 - mpmath.mpf("2e-9")) < true < mpmath.mpf("1e-6")


@pytest.mark.parametrize("freedom", [1, 2, 10, 60, 61, 1e4, 1e7])
@pytest.mark.parametrize("doubt", [0.8, 0.05, 2e-9])
def test_student(freedom: float, doubt: float) -> None:
    assert student_radius(doubt, freedom) == pytest.approx(stats.t.isf(doubt / 2, freedom), rel=1e-6)


@pytest.mark.parametrize("freedom", [1, 3, 59, 1000, 10**6])
@pytest.mark.parametrize("doubt", [0.5, 1e-6, 1e-12, 1e-15, 1e-100, 1e-300])
def test_student_exceeds_it_no_oftener_than_that_however_small_the_doubt(freedom: int, doubt: float) -> None:
    with mpmath.workdps(50):
        far = mpmath.mpf(student_radius(doubt, freedom))
        half = mpmath.mpf(freedom) / 2
        true = mpmath.betainc(half, mpmath.mpf(1) / 2, 0, freedom / (freedom + far**2), regularized=True)
        assert mpmath.mpf(doubt) * (1 - mpmath.mpf("2e-9")) < true < mpmath.mpf(doubt)


def test_degrees_of_freedom_are_rounded_down() -> None:
    assert student_radius(0.05, 2.9) == student_radius(0.05, 2) > student_radius(0.05, 3)
    assert student_radius(0.05, 1e18) == student_radius(0.05, 1e9)
