from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import mpmath
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from deniable.core.sampling.digits import Digits, _taylor, exponential, exponential_bracket, logistic, rational, settle

EXPONENTS = st.fractions(min_value=Fraction(1, 10**20), max_value=1000)
PLACES = st.integers(min_value=64, max_value=300)
EXTREMES = [Fraction(text) for text in ("1e-60", "1e-12", "1/2", "1", "7/3", "44.3614", "64", "65", "128", "1e6")]


def floor_of(real: mpmath.mpf, places: int) -> int:
    """floor(real * 2^places), at a precision at which it is not in doubt."""
    scaled = mpmath.ldexp(real, places)
    assert scaled < 2**-50 or abs(scaled - mpmath.nint(scaled)) > mpmath.mpf(10) ** -100
    return int(mpmath.floor(scaled))


def mp(value: Fraction) -> mpmath.mpf:
    return mpmath.mpf(value.numerator) / value.denominator


@settings(deadline=None)
@given(value=st.fractions(min_value=0, max_value=1), places=PLACES)
def test_rational_is_the_floor(value: Fraction, places: int) -> None:
    floor = rational(value)(places)
    assert floor <= value * 2**places < floor + 1


@settings(deadline=None)
@given(exponent=EXPONENTS, places=PLACES)
def test_exponential_is_the_floor(exponent: Fraction, places: int) -> None:
    with mpmath.workdps(300):
        assert exponential(exponent)(places) == floor_of(mpmath.exp(-mp(exponent)), places)


@settings(deadline=None)
@given(exponent=EXPONENTS, places=PLACES)
def test_logistic_is_the_floor(exponent: Fraction, places: int) -> None:
    with mpmath.workdps(300):
        assert logistic(exponent)(places) == floor_of(1 / (1 + mpmath.exp(mp(exponent))), places)


@pytest.mark.parametrize("places", [64, 128, 300])
@pytest.mark.parametrize("exponent", EXTREMES, ids=str)
def test_extreme_exponents_have_their_floors(exponent: Fraction, places: int) -> None:
    with mpmath.workdps(300):
        assert exponential(exponent)(places) == floor_of(mpmath.exp(-mp(exponent)), places)
        assert logistic(exponent)(places) == floor_of(1 / (1 + mpmath.exp(mp(exponent))), places)


@settings(deadline=None)
@given(exponent=EXPONENTS, places=st.integers(min_value=1, max_value=400))
@example(exponent=Fraction(64), places=64)
@example(exponent=Fraction(65), places=64)
@example(exponent=Fraction(1, 2), places=1)
def test_bracket_holds_the_number_and_is_narrow(exponent: Fraction, places: int) -> None:
    low, high = exponential_bracket(exponent, places)
    with mpmath.workdps(300):
        real = mpmath.ldexp(mpmath.exp(-mp(exponent)), places)
        assert low <= real < high
    assert high - low <= 3


@settings(deadline=None)
@given(data=st.data(), working=st.integers(min_value=2, max_value=40))
def test_series_holds_the_number_at_the_coarsest_precision(data: st.DataObject, working: int) -> None:
    large = data.draw(st.integers(min_value=0, max_value=1 << (working - 1)))
    small = data.draw(st.integers(min_value=max(0, large - 1), max_value=large))
    low, high = _taylor(small, large, working)
    with mpmath.workdps(50):
        least, most = (
            mpmath.ldexp(mpmath.exp(-mpmath.ldexp(mpmath.mpf(x), -working)), working) for x in (large, small)
        )
        assert low <= least <= most <= high


@pytest.mark.parametrize("digits", [rational(Fraction(1, 3)), exponential(Fraction(7, 3)), logistic(Fraction(1, 9))])
def test_more_places_refine_fewer(digits: Digits) -> None:
    floors = [digits(places) for places in range(300)]
    assert all(longer >> 1 == shorter for shorter, longer in pairwise(floors))


def test_exponent_zero_is_certain() -> None:
    assert exponential(Fraction(0))(64) == 2**64


def test_settle_asks_for_more_places_until_the_bracket_is_on_one_side() -> None:
    asked = []

    def bracket(working: int) -> tuple[int, int]:
        """A number just above one half, known to within 2^-40 of it until 100 places are asked for."""
        asked.append(working)
        half = 1 << (working - 1)
        return (half - (1 << working >> 40), half + (1 << working >> 40)) if working < 100 else (half + 1, half + 2)

    assert settle(bracket, 8) == 128
    assert asked == [40, 72, 136]
