"""The normal distribution to the last digits, beside fifty of them."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from deniable.core.distributions.normal import quantile, quantile_beside_half, scaled_tail

mpf = mpmath.mpf


@pytest.fixture(autouse=True)
def _digits() -> object:
    with mpmath.workdps(50):
        yield


@pytest.mark.parametrize("x", [*np.linspace(-3, 3, 121), *np.geomspace(3, 1e4, 30), np.nextafter(2, 0), 2.0])
def test_the_scaled_tail_is_right_to_eight_units_of_the_last_place(x: float) -> None:
    truth = mpmath.exp(mpf(float(x)) ** 2) * mpmath.erfc(float(x))
    assert abs(mpf(scaled_tail(float(x))) / truth - 1) <= 8 * mpf(2) ** -52


def test_the_scaled_tail_far_out_is_its_asymptote() -> None:
    assert scaled_tail(1e200) == pytest.approx(1 / (np.sqrt(np.pi) * 1e200), rel=1e-15)
    assert scaled_tail(float("inf")) == 0


@pytest.mark.parametrize("excess", [1e-300, 1e-15, 1e-6, 0.01, 0.1, 0.3, 0.4621171572600098, 0.4999])
def test_quantiles_beside_one_half_keep_their_digits(excess: float) -> None:
    truth = mpmath.sqrt(2) * (mpmath.erfinv(excess) if excess > 1e-20 else mpf(excess) * mpmath.sqrt(mpmath.pi) / 2)
    assert abs(mpf(quantile_beside_half(excess)) / truth - 1) < 1e-15


@pytest.mark.parametrize("probability", [1e-307, 1e-100, 1e-20, 1e-6, 0.025, 0.2, 0.3, 0.9])
def test_quantiles_have_their_probability(probability: float) -> None:
    z = mpf(quantile(probability))
    away = (mpmath.ncdf(z) - mpf(probability)) / mpmath.npdf(z)  # Newton's next step: how far off z is
    assert abs(away) <= abs(z) * 1e-14
