"""Gaussian noise: never more than the classic formula, error bounds, the grid in l2."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nan, sqrt

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.core.errors import InvalidArgumentError
from deniable.core.grid import Grid
from deniable.core.number import exact
from deniable.mechanisms import Gaussian, Laplace
from deniable.mechanisms.gaussian import _SMOOTHING, classic_sigma
from tests.support.coverage import covers
from tests.support.laws import gaussian, misfits
from tests.support.numbers import sixth_digit


def tail(variance: Fraction, steps: int) -> mpmath.mpf:
    """Pr[|x| > steps], by summing the law."""
    half = mpmath.mpf(variance.denominator) / (2 * variance.numerator)
    reach = int(40 * sqrt(variance)) + 40
    weights = [mpmath.exp(-half * x * x) for x in range(reach)]
    total = 2 * mpmath.fsum(weights) - 1
    return mpmath.mpf(1) if steps < 0 else 2 * mpmath.fsum(weights[steps + 1 :]) / total


# Calibration


@settings(max_examples=150, deadline=None)
@given(epsilon=st.floats(0.01, 1), log_delta=st.floats(-12, -3), sensitivity=st.sampled_from([1, 3, 100]))
def test_never_more_noise_than_the_classic_formula(epsilon: float, log_delta: float, sensitivity: int) -> None:
    delta = 10**log_delta
    mechanism = Gaussian(sensitivity=sensitivity, epsilon=epsilon, delta=delta)
    assert mechanism.sigma <= classic_sigma(sensitivity=sensitivity, epsilon=epsilon, delta=delta)


@settings(max_examples=100, deadline=None)
@given(
    epsilon=st.floats(0.001, 30),
    log_delta=st.floats(-15, -1),
    sensitivity=st.floats(0.01, 1000),
    step=st.sampled_from([1, "0.1", 3]),
)
def test_what_was_asked_for_is_what_is_lost_at_most(
    epsilon: float, log_delta: float, sensitivity: float, step: str
) -> None:
    delta = 10**log_delta
    mechanism = Gaussian(sensitivity=sensitivity, epsilon=epsilon, delta=delta, step=step)
    lost = mechanism.loss.at(delta).epsilon
    assert lost <= exact("epsilon", epsilon)
    assert lost >= exact("epsilon", epsilon) * (1 - Fraction(1, 10**9)), "and hardly less"


@pytest.mark.parametrize("epsilon", ["0.1", "1", "5"])
@pytest.mark.parametrize("delta", ["1e-3", "1e-6", "1e-10"])
def test_the_discrete_law_keeps_the_promise(epsilon: str, delta: str) -> None:
    # delta of a shift by one step, summed over the whole numbers: sum of max(0, P(x) - e^epsilon P(x - 1))
    mechanism = Gaussian(sensitivity=1, epsilon=epsilon, delta=delta)
    with mpmath.workdps(30):
        half = mpmath.mpf(mechanism.variance.denominator) / (2 * mechanism.variance.numerator)
        reach = int(40 * mechanism.sigma) + 40
        total = mpmath.fsum(mpmath.exp(-half * x * x) for x in range(-reach, reach + 1))
        factor = mpmath.exp(mpmath.mpf(epsilon))
        excess = mpmath.fsum(
            max(0, mpmath.exp(-half * x * x) - factor * mpmath.exp(-half * (x - 1) ** 2)) for x in range(-reach, reach)
        )
        assert excess / total <= mpmath.mpf(delta)


def test_rho_says_the_variance() -> None:
    mechanism = Gaussian(sensitivity=2, rho="0.02")
    assert mechanism.variance == 100
    assert mechanism.sigma == 10
    assert mechanism.loss.rho == Fraction(1, 50)
    assert mechanism.loss.epsilon is None
    assert mechanism.loss.mu_squared == Fraction(4) / (100 - _SMOOTHING)


def test_without_room_for_smoothing_there_is_no_gdp() -> None:
    assert Gaussian(sensitivity=1, rho=Fraction(1, 2 * _SMOOTHING)).loss.mu_squared is None
    assert Gaussian(sensitivity=1, rho=Fraction(1, 2 * _SMOOTHING + 1)).loss.mu_squared is not None


def test_the_classic_formula() -> None:
    assert classic_sigma(sensitivity=2, epsilon=1, delta=1e-5) == pytest.approx(2 * sqrt(2 * np.log(1.25e5)))
    with pytest.raises(InvalidArgumentError, match="epsilon"):
        classic_sigma(sensitivity=1, epsilon=1.1, delta=1e-5)


@pytest.mark.parametrize(
    "loss", [{}, {"rho": 1, "epsilon": 1, "delta": 0.1}, {"epsilon": 1}, {"delta": 0.1}, {"rho": 1, "delta": 0.1}]
)
def test_the_loss_is_said_in_just_one_way(loss: dict[str, float]) -> None:
    with pytest.raises(InvalidArgumentError, match="just one"):
        Gaussian(sensitivity=1, **loss)


@pytest.mark.usefixtures("no_randomness")
@pytest.mark.parametrize("bad", [0, -1, nan, inf, "", "abc", True])
@pytest.mark.parametrize("name", ["epsilon", "delta"])
def test_bad_losses_are_named(name: str, bad: object) -> None:
    with pytest.raises(InvalidArgumentError) as error:
        Gaussian(sensitivity=1, **{"epsilon": 1, "delta": 1e-6, name: bad})
    assert error.value.argument == name


# Releases


def test_shapes_and_law() -> None:
    # false alarms: 1e-6
    mechanism = Gaussian(sensitivity=1, rho="0.05")
    assert isinstance(mechanism.release(3), int)
    noisy = mechanism.release(np.full(100_000, -4))
    assert noisy.dtype == np.int64
    assert not misfits(gaussian(mechanism.variance), noisy + 4)
    assert Gaussian(sensitivity=1, rho=1, step="0.5").release(0.3) * 2 % 1 == 0


@given(
    step=st.fractions(Fraction(1, 10), 5, max_denominator=20),
    pairs=st.lists(st.tuples(st.integers(-300, 300), st.integers(-300, 300)), min_size=1, max_size=4),
)
def test_neighbours_land_at_most_the_distance_apart(step: Fraction, pairs: list[tuple[int, int]]) -> None:
    one, other = ([Fraction(pair[side], 37) for pair in pairs] for side in (0, 1))
    squared = sum((a - b) ** 2 for a, b in zip(one, other, strict=True))
    if squared == 0:
        return
    sensitivity = Fraction(sqrt(squared)) * (1 + Fraction(1, 10**12))
    mechanism = Gaussian(sensitivity=sensitivity, rho=1, step=step, coordinates=len(pairs))
    grid = Grid(step)
    moved = ((grid.indices("x", one) - grid.indices("x", other)) ** 2).sum()
    assert int(moved) <= mechanism.distance**2


def test_every_rounded_coordinate_must_be_paid_for() -> None:
    mechanism = Gaussian(sensitivity=1, rho=1)
    with pytest.raises(InvalidArgumentError) as error:
        mechanism.release([0.5, 1.5])
    assert error.value.argument == "coordinates"
    assert mechanism.release([1, 2, 3]).shape == (3,)
    wide = Gaussian(sensitivity=1, rho=1, coordinates=2)
    assert wide.release([0.5, 1.5]).shape == (2,)
    assert wide.distance >= 1 + sqrt(2)


# Error


@settings(max_examples=60, deadline=None)
@given(variance=st.fractions(Fraction(1, 20), 2000, max_denominator=100), beta=st.floats(1e-9, 0.9))
def test_error_holds_and_is_not_loose(variance: Fraction, beta: float) -> None:
    mechanism = Gaussian(sensitivity=1, rho=1 / (2 * variance))
    assert mechanism.variance == variance
    confidence = 1 - exact("beta", beta)
    steps = mechanism.error(confidence)
    with mpmath.workdps(30):
        assert tail(variance, steps) <= mpmath.mpf(beta)
        assert tail(variance, steps - 2) >= mpmath.mpf(beta) * (1 - mpmath.mpf(10) ** -9) or steps <= 2


@pytest.mark.parametrize(("confidence", "answers"), [(0.5, 1), (0.95, 1), (0.95, 20)])
def test_error_covers(confidence: float, answers: int) -> None:
    # 20,000 releases of `answers` values; false alarms: 1e-6
    mechanism = Gaussian(sensitivity=1, rho="0.02")
    noise = mechanism.release(np.zeros(20_000 * answers, dtype=int)).reshape(20_000, answers)
    inside = (np.abs(noise) <= mechanism.error(confidence, answers=answers)).all(axis=1)
    assert covers(int(inside.sum()), inside.size, confidence)


@settings(max_examples=25, deadline=None)
@given(
    error=st.floats(7, 1e5),
    confidence=st.floats(0.01, 0.9999),
    sensitivity=st.floats(0.01, 100),
    answers=st.integers(1, 1000),
    step=st.sampled_from([1, "0.5", "0.01", 7]),
)
def test_for_error_is_the_least_rho_of_six_digits(
    error: float, confidence: float, sensitivity: float, answers: int, step: str
) -> None:
    mechanism = Gaussian.for_error(error, confidence=confidence, sensitivity=sensitivity, answers=answers, step=step)
    assert mechanism.error(confidence, answers=answers) <= error * (1 + 1e-12)
    less = Gaussian(sensitivity=sensitivity, rho=mechanism.rho - sixth_digit(mechanism.rho), step=step)
    assert less.error(confidence, answers=answers) >= error  # on the grid, several rho have the same error


@pytest.mark.parametrize(("error", "step"), [(0, 1), (-1, 1), ("0.99", 1), ("0.009", "0.01"), (nan, 1)])
def test_an_error_below_one_step_cannot_be_had(error: object, step: object) -> None:
    with pytest.raises(InvalidArgumentError) as refusal:
        Gaussian.for_error(error, sensitivity=1, step=step)
    assert refusal.value.argument == "error"


def test_many_answers_at_once_need_less_than_laplace() -> None:
    # why Gaussian noise exists: its error for k answers grows with sqrt(k), Laplace's with k
    k = 1000
    gaussian_error = Gaussian(sensitivity=sqrt(k), epsilon=1, delta=1e-6, coordinates=1).error(0.95, answers=k)
    assert gaussian_error < Laplace(sensitivity=k, epsilon=1).error(0.95, answers=k) / 10
