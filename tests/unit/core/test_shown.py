"""Numbers as people read them: rounded to their error, and never so that they say something else."""

import re
from datetime import date
from decimal import Decimal
from fractions import Fraction
from math import inf, nan

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from deniable.core.shown import at_least, at_most, error, label, measured, percent, plain, printable

values = st.floats(-1e15, 1e15)
halves = st.floats(1e-15, 1e15)


@pytest.mark.parametrize(
    ("value", "half", "shown"),
    [
        (6.06, 0.8313, "6.1 ± 0.8"),
        (48.1234, 1.234, "48.1 ± 1.2"),
        (0.2, 0.0967, "0.20 ± 0.10"),
        (123456.78, 1234.5, "123,500 ± 1,200"),
        (71234.0, 37123.0, "71,000 ± 37,000"),
        (0.3, 12.4, "0 ± 12"),
        (-0.004, 0.03, "-0.004 ± 0.030"),
        (3.2e-9, 4e-10, "3.2e-9 ± 0.4e-9"),
        (5.1234e16, 1.3e15, "5.12e16 ± 0.13e16"),
    ],
)
def test_a_number_is_rounded_to_its_error(value, half, shown):
    assert " ".join(measured(value, value - half, value + half)) == shown


@pytest.mark.parametrize(
    ("numbers", "shown"),
    [
        ((4434, 4404, 4464), ("4,434", "± 30")),
        ((4434, 4404.5, 4463.5), ("4,434", "± 30")),
        ((-3, -inf, inf), ("-3", "± ∞")),
        ((5, 0, inf), ("5", "(0 to ∞)")),
        ((9_007_199_254_740_993, 9_007_199_254_740_990, 9_007_199_254_740_996), ("9,007,199,254,740,993", "± 3")),
        ((None, None, None), ("NULL", "")),
    ],
)
def test_whole_numbers_stay_whole(numbers, shown):
    assert measured(*numbers, whole=True) == shown


def test_what_is_missing_or_endless_is_said():
    assert measured(nan, nan, nan) == ("NULL", "")
    assert measured(2.5) == ("2.5", "")
    assert measured(2.5, nan, nan) == ("2.5", "")
    assert measured(2.5, -inf, inf) == ("2.5", "± ∞")
    assert measured(2.5, -inf, 3.0) == ("2.5", "(-∞ to 3)")
    assert measured(2.5, 2.5, 2.5) == ("2.5", "")


def test_a_lopsided_interval_shows_both_ends():
    assert measured(20.0, 0.0, 20.0) == ("20", "(0 to 20)")
    assert measured(-0.02, 0.0, 0.013) == ("-0.020", "(0.000 to 0.013)")
    assert measured(-0.0446, 0.0, 0.0) == ("-0.04", "(0.00 to 0.00)")


@given(value=values, half=halves)
def test_rounding_moves_a_number_by_less_than_its_error(value, half):
    low, high = value - half, value + half
    assume(low < value < high)
    shown, behind = measured(value, low, high)
    assume(behind.startswith("±"))
    read = [float(text.replace(",", "")) for text in (shown, behind[2:])]
    assert abs(read[0] - value) <= 0.15 * half + 1e-12 * abs(value)
    assert read[1] == pytest.approx(max(value - low, high - value), rel=0.15)
    digits = behind[2:].partition("e")[0].replace(",", "").replace(".", "").strip("0")
    assert len(digits) <= 2
    decimals = [len(text.partition("e")[0].partition(".")[2]) for text in (shown, behind[2:])]
    assert decimals[0] == decimals[1]


@given(number=st.fractions(Fraction(1, 10**12), 10**15))
def test_what_is_spent_is_rounded_up_and_what_is_left_down(number):
    least, most = (Fraction(Decimal(text.replace(",", ""))) for text in (at_least(number), at_most(number)))
    assert least <= number <= most
    assert most - least <= number / 999


@given(text=st.text())
def test_no_label_is_obeyed(text):
    assert label(text).isprintable()
    assert printable(text).isprintable()
    assert label(text) != "NULL"


def test_keys_are_shown_as_they_are():
    keys = (2025, -0.1, 1e300, True, date(2025, 1, 2), "Zürich", nan)
    assert [label(value) for value in keys] == ["2025", "-0.1", "1e+300", "true", "2025-01-02", "Zürich", "NULL"]


def test_words_for_sizes():
    assert [error(size) for size in (0.0, 1.0, 999.0, 1000.0, 31.4, inf)] == [
        *("± 0", "± 1", "± 999", "± 1,000", "± 31", "± ∞")
    ]
    assert [plain(size) for size in (0, -inf, nan, 1e20, Fraction(1, 3))] == ["0", "-∞", "NULL", "1e20", "0.3333"]
    assert percent(Fraction(999, 1000)) == "99.9%"
    assert re.fullmatch(r"[\d.,]+", plain(12345.678))
