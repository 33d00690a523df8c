"""Laplace noise: the textbook's tail and k-query bounds, the grid, vectors."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import ceil, exp, inf, log, nan

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.core import sensitivity
from deniable.core.errors import InvalidArgumentError
from deniable.core.grid import Grid
from deniable.core.sensitivity import Neighbours
from deniable.mechanisms import Laplace
from tests.support.coverage import covers
from tests.support.laws import laplace, misfits
from tests.support.numbers import sixth_digit

scales = st.fractions(Fraction(1, 50), 10**6)


def tail(scale: Fraction, steps: int) -> mpmath.mpf:
    """Pr[|x| > steps], exactly."""
    q = mpmath.exp(-mpmath.mpf(scale.denominator) / scale.numerator)
    return mpmath.mpf(1) if steps < 0 else 2 * q ** (steps + 1) / (1 + q)


# Shapes


def test_a_number_in_a_number_out() -> None:
    mechanism = Laplace(sensitivity=1, epsilon=1)
    assert isinstance(mechanism.release(42), int)
    assert isinstance(mechanism.release(np.int32(42)), int)
    noisy = mechanism.release([1, 2, 3])
    assert noisy.shape == (3,)
    assert noisy.dtype == np.int64
    assert mechanism.release(np.arange(5)).shape == (5,)
    assert mechanism.release([]).shape == (0,)


def test_real_numbers_stay_on_the_grid() -> None:
    mechanism = Laplace(sensitivity=100, epsilon=0.5, step="0.01")
    noisy = mechanism.release(3121.57)
    assert isinstance(noisy, float)
    assert noisy == round(noisy, 2)
    assert mechanism.scale == 20_000
    coarse = Laplace(sensitivity=100, epsilon=0.5, step=25)
    assert coarse.release(3121.57) % 25 == 0
    assert isinstance(coarse.release(3121.57), int)


def test_fractions_and_decimal_text() -> None:
    mechanism = Laplace(sensitivity="1/3", epsilon="0.1", step="1/3")
    assert mechanism.scale == 10
    assert (mechanism.release(Fraction(1, 3)) * 3) % 1 == pytest.approx(0, abs=1e-9)


def test_noise_has_the_law_that_was_promised() -> None:
    # false alarms: 1e-6 each
    mechanism = Laplace(sensitivity=3, epsilon="0.7")
    assert mechanism.scale == Fraction(30, 7)
    assert not misfits(laplace(mechanism.scale), mechanism.release(np.full(100_000, 17)) - 17)
    assert not misfits(laplace(mechanism.scale), mechanism.sample(17, 100_000) - 17)


def test_values_far_out_are_clamped_to_the_public_range() -> None:
    mechanism = Laplace(sensitivity=2**40, epsilon=1)
    noisy = mechanism.release(np.full(1000, 2**61))
    assert noisy.max() == 2**61
    assert (np.abs(noisy) <= 2**61).all()


# Sensitivity on the grid


@given(
    step=st.fractions(Fraction(1, 10), 5, max_denominator=20),
    pairs=st.lists(st.tuples(st.integers(-300, 300), st.integers(-300, 300)), min_size=1, max_size=4),
)
def test_neighbours_land_at_most_the_distance_apart(step: Fraction, pairs: list[tuple[int, int]]) -> None:
    one, other = ([Fraction(pair[side], 37) for pair in pairs] for side in (0, 1))
    sensitivity = sum(abs(a - b) for a, b in zip(one, other, strict=True))
    if sensitivity == 0:
        return
    mechanism = Laplace(sensitivity=sensitivity, epsilon=1, step=step, coordinates=len(pairs))
    grid = Grid(step)
    moved = np.abs(grid.indices("x", one) - grid.indices("x", other)).sum()
    assert moved <= mechanism.distance
    assert mechanism.loss.epsilon == mechanism.distance / mechanism.scale


def test_every_rounded_coordinate_must_be_paid_for() -> None:
    mechanism = Laplace(sensitivity=1, epsilon=1)
    with pytest.raises(InvalidArgumentError) as error:
        mechanism.release([0.5, 1.5])
    assert error.value.argument == "coordinates"
    assert mechanism.release([1, 2, 3]).shape == (3,), "whole numbers on a whole grid are not rounded"
    with pytest.raises(InvalidArgumentError):
        Laplace(sensitivity=1, epsilon=1, step=2).release([1, 2])
    with pytest.raises(InvalidArgumentError):
        mechanism.release([1.0, 2.0])  # by type, not by value: the values are private
    wide = Laplace(sensitivity=1, epsilon=1, coordinates=2)
    assert wide.release([0.5, 1.5]).shape == (2,)
    assert wide.scale == 2 * mechanism.scale


@pytest.mark.parametrize(("sensitivity", "step"), [(1, 1), (1, "0.01"), ("0.05", "0.01"), (3, 2), ("1/3", "1/7")])
def test_its_neighbours_are_neighbours(sensitivity: object, step: str) -> None:
    mechanism = Laplace(sensitivity=sensitivity, epsilon=1, step=step)
    one, other = (Grid(step).indices("x", value)[0] for value in mechanism.neighbours())
    assert abs(one - other) == mechanism.distance


# Error


@given(scale=scales, beta=st.fractions(Fraction(1, 10**9), Fraction(99, 100)))
def test_error_is_the_least_that_holds(scale: Fraction, beta: Fraction) -> None:
    mechanism = Laplace(sensitivity=1, epsilon=1 / scale)
    steps = mechanism.error(1 - beta)
    with mpmath.workdps(40):
        doubt = mpmath.mpf(beta.numerator) / beta.denominator
        assert tail(scale, steps) <= doubt * (1 + mpmath.mpf(10) ** -9)
        assert tail(scale, steps - 1) >= doubt * (1 - mpmath.mpf(10) ** -9)


@given(
    sensitivity=st.integers(1, 100),
    epsilon=st.floats(1e-3, 20),
    answers=st.integers(1, 10**6),
    beta=st.floats(1e-9, 0.9),
)
def test_k_answers_at_once_within_the_textbook_bound(
    sensitivity: int, epsilon: float, answers: int, beta: float
) -> None:
    # all k answers within ln(k / beta) * S / epsilon, with probability 1 - beta
    error = Laplace(sensitivity=sensitivity, epsilon=epsilon).error(1 - beta, answers=answers)
    assert error <= ceil(log(answers / beta) * sensitivity / epsilon * (1 + 1e-9))


def test_tail_of_the_textbook() -> None:
    # Pr[|z| > t b] = e^-t in the continuous law; never more here, for whole t b
    for b in (1, 2, 10):
        for t in range(1, 20):
            assert tail(Fraction(b), t * b) <= mpmath.exp(-t)


@pytest.mark.parametrize(("confidence", "answers"), [(0.5, 1), (0.95, 1), (0.95, 20), (0.999, 3)])
def test_error_covers(confidence: float, answers: int) -> None:
    # 20,000 releases of `answers` values; false alarms: 1e-6
    mechanism = Laplace(sensitivity=1, epsilon="0.3")
    noise = mechanism.release(np.zeros(20_000 * answers, dtype=int)).reshape(20_000, answers)
    inside = (np.abs(noise) <= mechanism.error(confidence, answers=answers)).all(axis=1)
    assert covers(int(inside.sum()), inside.size, confidence)


def test_error_is_in_the_values_unit() -> None:
    assert Laplace(sensitivity=1, epsilon=0.5).error() == 6
    assert isinstance(Laplace(sensitivity=1, epsilon=0.5).error(), int)
    assert Laplace(sensitivity="0.01", epsilon=0.5, step="0.01").error() == pytest.approx(0.06)
    assert Laplace(sensitivity=1, epsilon=0.5).interval(10, 0.95) == (4, 16)
    wide = Laplace(sensitivity=1, epsilon=0.5).interval(10, 0.95, answers=100)
    assert (wide.low, wide.high) == (-5, 25)


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
@pytest.mark.parametrize("alpha", [0.01, 0.1])
def test_mean_of_bits(epsilon: float, alpha: float) -> None:
    # n >= 2 / (epsilon alpha) people suffice for error alpha with probability 3/4, as e^-2 <= 1/4
    people = ceil(2 / (epsilon * alpha))
    mechanism = Laplace(sensitivity=Fraction(1, people), epsilon=epsilon, step=Fraction(1, 1000 * people))
    assert exp(-2) <= 1 / 4
    assert mechanism.error(3 / 4) <= mechanism.error(1 - exp(-2)) <= alpha


@settings(max_examples=25, deadline=None)
@given(
    error=st.floats(0, 1e5),
    confidence=st.floats(0.01, 0.9999),
    sensitivity=st.floats(0.01, 100),
    answers=st.integers(1, 1000),
    step=st.sampled_from([1, "0.5", "0.01", 7]),
)
def test_for_error_is_the_least_epsilon_of_six_digits(
    error: float, confidence: float, sensitivity: float, answers: int, step: str
) -> None:
    mechanism = Laplace.for_error(error, confidence=confidence, sensitivity=sensitivity, answers=answers, step=step)
    assert mechanism.error(confidence, answers=answers) <= error * (1 + 1e-12)
    less = Laplace(sensitivity=sensitivity, epsilon=mechanism.epsilon - sixth_digit(mechanism.epsilon), step=step)
    assert less.error(confidence, answers=answers) > error


def test_for_error_takes_decimals_at_their_word() -> None:
    # 0.01 as a float is above one hundredth: that must not cost a step
    fine, whole = Laplace.for_error(0.01, sensitivity=1, step=0.01), Laplace.for_error(1, sensitivity=100)
    assert fine.epsilon == whole.epsilon


@pytest.mark.usefixtures("no_randomness")
@pytest.mark.parametrize("value", [nan, inf, "abc", None, 2**61 + 1, -(2**62), 1e300, [[1]], [1, nan]])
def test_bad_values(value: object) -> None:
    with pytest.raises(InvalidArgumentError) as error:
        Laplace(sensitivity=1, epsilon=1, coordinates=2).release(value)
    assert error.value.argument == "values"


@pytest.mark.parametrize(
    ("argument", "call"),
    [
        ("error", lambda: Laplace.for_error(-1, sensitivity=1)),
        ("error", lambda: Laplace.for_error(nan, sensitivity=1)),
        ("confidence", lambda: Laplace.for_error(1, confidence=1, sensitivity=1)),
        ("sensitivity", lambda: Laplace.for_error(1, sensitivity=0)),
        ("answers", lambda: Laplace.for_error(1, sensitivity=1, answers=0)),
        ("confidence", lambda: Laplace(sensitivity=1, epsilon=1).error(0)),
        ("answers", lambda: Laplace(sensitivity=1, epsilon=1).error(0.9, answers=-1)),
        ("step", lambda: Laplace(sensitivity=1, epsilon="1e-9", step="1e-9")),
    ],
)
def test_bad_arguments(argument: str, call: object) -> None:
    with pytest.raises(InvalidArgumentError) as error:
        call()
    assert error.value.argument == argument


# What is hidden


@given(halves=st.integers(-50, 50), apart=st.integers(1, 9), step=st.fractions(Fraction(1, 9), 9))
def test_fractions_land_no_farther_apart_than_the_noise_hides(halves: int, apart: int, step: Fraction) -> None:
    one = Fraction(halves, 2) * step
    mechanism = Laplace(sensitivity=apart * step, epsilon=1, step=step)
    low, high = (int(mechanism._indices(value)[0]) for value in (one, one + apart * step))
    assert high - low <= mechanism.distance == apart


@pytest.mark.parametrize("neighbours", Neighbours)
@pytest.mark.parametrize(("low", "high"), [(-3, 1), (-1, 3), (-4, -2), (0, 2)])
def test_the_textbook_s_sensitivities_hide_every_neighbour(low: int, high: int, neighbours: Neighbours) -> None:
    values = range(low, high + 1)
    if neighbours is Neighbours.REPLACE:
        pairs = [((one,), (other,)) for one, other in product(values, values)]
    else:
        pairs = [((), (one,)) for one in values]
    sums = [abs(sum(one) - sum(other)) for one, other in pairs]
    cells = [sum(abs(one.count(cell) - other.count(cell)) for cell in values) for one, other in pairs]
    total = Laplace(sensitivity=sensitivity.total(low, high, neighbours), epsilon=1)
    histogram = Laplace(sensitivity=sensitivity.histogram(neighbours), epsilon=1)
    assert (total.distance, histogram.distance) == (max(sums), max(cells))
