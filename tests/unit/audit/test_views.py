"""Cells: every outcome is in one, the words say which, and the lowest set bit is found."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable.audit.views import LineView, View, lowest_bit, views


@given(st.floats(allow_nan=False, allow_infinity=False).filter(bool))
def test_the_lowest_bit_is_the_largest_power_of_two_that_divides(number: float) -> None:
    power = Fraction(2) ** int(lowest_bit(np.array([number]))[0])
    assert (Fraction(number) / power).denominator == 1
    assert (Fraction(number) / power).numerator % 2 == 1


@given(st.integers(-(2**63), 2**63 - 1).filter(bool))
def test_the_lowest_bit_of_whole_numbers(number: int) -> None:
    assert lowest_bit(np.array([number], dtype=np.int64))[0] == (number & -number).bit_length() - 1


def test_zero_and_infinity_stand_apart_from_every_other_number() -> None:
    assert len(set(lowest_bit(np.array([0.0, np.inf, -np.inf])).tolist())) == 1
    assert lowest_bit(np.array([0.0]))[0] > lowest_bit(np.array([2.0**1023]))[0]


def test_few_values_have_a_cell_each_and_nothing_is_finer() -> None:
    outcomes = np.array([[3, 5, 5, 9], [3, 3, 9, 20]])
    (view,) = views(outcomes)
    assert np.unique(view.cells(outcomes)).size == 4
    assert view.counts(outcomes).sum(axis=1).tolist() == [4, 4]


@pytest.mark.parametrize("law", ["normal", "integers", "mixed"])
def test_many_values_are_cut_into_intervals_and_frequent_ones_stay_alone(law: str) -> None:
    rng = np.random.default_rng(7)
    outcomes = {
        "normal": rng.normal(size=(2, 5000)),
        "integers": rng.integers(-(10**6), 10**6, size=(2, 5000)),
        "mixed": np.where(rng.random((2, 5000)) < 0.1, 0.25, rng.normal(size=(2, 5000))),
    }[law]
    by_value, by_bit, by_both = views(outcomes)
    fresh = np.append(outcomes.ravel(), [outcomes.min() * 2, outcomes.max() * 2])
    for view in (by_value, by_bit, by_both):
        cells = view.cells(fresh)
        assert cells.min() >= 0
        assert cells.max() < np.prod(view.shape)
    if law == "mixed":
        (cell,) = by_value.cells(np.array([0.25]))
        assert (outcomes[by_value.cells(outcomes) == cell] == 0.25).all()


def test_words_for_whole_numbers() -> None:
    line = LineView("outcome {}", lambda outcomes: outcomes, np.array([3, 4, 9]))
    assert [line.words(*cells) for cells in [(0, 0), (1, 1), (1, 2), (2, 2), (3, 3), (0, 3)]] == [
        "outcome at most 2",
        "outcome 3",
        "outcome 3 to 8",
        "outcome 4 to 8",
        "outcome at least 9",
        "outcome anything",
    ]


def test_words_for_large_and_real_numbers() -> None:
    whole = LineView("outcome {}", lambda outcomes: outcomes, np.array([-(2**63), 1234567]))
    assert [whole.words(0, 0), whole.words(2, 2)] == [f"outcome at most {-(2**63) - 1}", "outcome at least 1234567"]
    real = LineView("outcome {}", lambda outcomes: outcomes, np.array([0.25, np.nextafter(0.25, 1), 1 / 3, np.inf]))
    assert [real.words(cell, cell) for cell in range(5)] == [
        "outcome at most 0.25",
        "outcome 0.25",
        "outcome 0.25 to 0.333333",
        "outcome 0.333333 to 1.79769e+308",
        "outcome at least inf",
    ]


def test_words_for_sets() -> None:
    value = LineView("outcome {}", lambda outcomes: outcomes, np.arange(10))
    bit = LineView("lowest set bit 2^({})", lowest_bit, np.array([-53, -52]))
    assert View((value,)).words(np.array([4, 2, 3])) == "outcome 1 to 3"
    assert View((value,)).words(np.array([1, 3, 5, 7, 9])) == "outcome 0 or outcome 2 or outcome 4 (and 2 more)"
    crossed = View((value, bit))
    assert crossed.words(np.array([3 * 3 + 1])) == "outcome 2 with lowest set bit 2^(-53)"
    # the last cell of one row and the first of the next touch by number only
    assert crossed.words(np.array([3 * 3 + 2, 4 * 3])) == (
        "outcome 2 with lowest set bit 2^(at least -52) or outcome 3 with lowest set bit 2^(at most -54)"
    )
