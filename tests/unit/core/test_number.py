from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.core.errors import InvalidArgumentError
from deniable.core.number import (
    above,
    amount,
    below,
    exact,
    least_decimal,
    positive,
    positive_amount,
    probability,
    root_above,
    whole,
)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, Fraction(3)),
        (0.1, Fraction(1, 10)),
        (1e-6, Fraction(1, 10**6)),
        (-0.0, Fraction(0)),
        ("0.1", Fraction(1, 10)),
        ("1/3", Fraction(1, 3)),
        ("1e-9", Fraction(1, 10**9)),
        (Decimal("0.30"), Fraction(3, 10)),
        (Fraction(2, 7), Fraction(2, 7)),
        (np.int32(5), Fraction(5)),
        (np.uint64(2**64 - 1), Fraction(2**64 - 1)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.float32(0.1), Fraction(1, 10)),
    ],
)
def test_exact_reads_what_people_write(value: object, expected: Fraction) -> None:
    number = exact("x", value)
    assert number == expected
    assert type(number.numerator) is int


@settings(deadline=None)
@given(st.fractions())
def test_fractions_and_their_text_are_themselves(value: Fraction) -> None:
    assert exact("x", value) == exact("x", str(value)) == value


@settings(deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_means_what_python_prints(value: float) -> None:
    number = exact("x", value)
    assert float(number) == value
    assert number == Fraction(repr(value))


@settings(deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_in_the_unit_of_the_data_is_what_it_stores(value: float) -> None:
    assert amount("x", value) == amount("x", np.float64(value)) == Fraction(value)
    with np.errstate(over="ignore"):
        single = np.float32(value)
    if np.isfinite(single):
        assert amount("x", single) == Fraction(float(single))


@settings(deadline=None)
@given(st.fractions())
def test_what_is_no_float_is_the_same_in_every_unit(value: Fraction) -> None:
    assert amount("x", value) == amount("x", str(value)) == value
    assert amount("x", Decimal("0.1")) == amount("x", "0.1") == Fraction(1, 10)


@pytest.mark.parametrize("value", [True, None, "one", float("nan"), float("inf"), np.float64("nan"), 1j, [1]])
def test_what_is_no_finite_amount_is_refused_by_name(value: object) -> None:
    for read in (amount, positive_amount):
        with pytest.raises(InvalidArgumentError, match=r"^step must be a"):
            read("step", value)


@pytest.mark.parametrize(
    "value", [True, np.True_, None, "", "one", "1/0", "nan", float("nan"), float("inf"), Decimal("NaN"), 1j, [1]]
)
def test_what_is_no_finite_number_is_refused_by_name(value: object) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^epsilon must be a") as caught:
        exact("epsilon", value)
    assert caught.value.argument == "epsilon"


@pytest.mark.parametrize(
    ("read", "refused"),
    [
        (positive, [0, -1, "-1/3", -0.0, "1e-301", "1e301"]),
        (positive_amount, [0, -1, "-1/3", -0.0, "1e-301", "1e301"]),
        (probability, [0, 1, -0.5, 1.5, "1"]),
        (whole, [0, -3, 1.5, "1/2"]),
    ],
)
def test_numbers_out_of_range_are_refused_by_name(read: object, refused: list[object]) -> None:
    for value in refused:
        with pytest.raises(InvalidArgumentError, match=r"^share must") as caught:
            read("share", value)
        assert caught.value.argument == "share"


def test_whole_numbers_are_integers_from_their_least() -> None:
    assert whole("n", 2.0) == 2
    assert type(whole("n", Fraction(4))) is int
    assert whole("n", 0, least=0) == 0


@settings(deadline=None)
@given(st.fractions(min_value=Fraction(1, 10**12), max_value=10**12))
def test_least_decimal_is_the_least(threshold: Fraction) -> None:
    found = least_decimal(lambda x: x >= threshold)
    power = Fraction(1, 10**30)
    while power * 10 <= found:
        power *= 10
    unit = power / 10**5
    assert (found / unit).denominator == 1
    assert found >= threshold > found - (unit / 10 if found == power else unit)


@settings(deadline=None)
@given(st.floats(min_value=1e-300, max_value=1e300))
def test_above_and_below_are_on_their_sides(value: float) -> None:
    assert below(value) < Fraction(value) < above(value)
    assert above(value) / below(value) < 1 + Fraction(1, 10**11)


@settings(deadline=None)
@given(st.fractions(min_value=0, max_value=10**30))
def test_root_above_is_at_least_the_root_and_close(square: Fraction) -> None:
    root = root_above(square)
    assert root**2 >= square
    assert root**2 <= square * (1 + Fraction(1, 10**9)) ** 2


@pytest.mark.parametrize("square", [Fraction(1, 10**200), Fraction(10**200), Fraction(2), Fraction(10**9 + 7, 3**40)])
def test_root_above_at_the_extremes(square: Fraction) -> None:
    with mpmath.workdps(150):
        truth = mpmath.sqrt(mpmath.mpf(square.numerator) / square.denominator)
        root = root_above(square)
        found = mpmath.mpf(root.numerator) / root.denominator
        assert 0 <= found / truth - 1 < 1e-9


def test_root_above_is_exact_for_squares() -> None:
    assert root_above(Fraction(0)) == 0
    assert root_above(Fraction(9, 4)) == Fraction(3, 2)
