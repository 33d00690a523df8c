"""Sums of many discrete noises: how far they reach, against laws that are added up exactly."""

from fractions import Fraction

import numpy as np
import pytest

from deniable.mechanisms import Gaussian, Laplace
from deniable.planner.intervals.added import AddedNoise
from deniable.planner.intervals.combined import CombinedNoise, combined_radius, exact_radius
from deniable.planner.intervals.law import radius

NOISES = [Laplace(sensitivity=1, epsilon=1), Laplace(sensitivity=1, epsilon="0.2")]
NOISES += [Gaussian(sensitivity=1, rho="0.5"), Gaussian(sensitivity=1, rho="0.02")]
SUMS = [((3, 1), (1, 4)), ((1, 30),), ((8, 1), (-2, 3), (1, 9)), ((5, 2), (4, 1)), ((0, 3), (7, 1))]
"""Factors in eighths, and how many noises have each."""


def law(noise: AddedNoise, factors) -> np.ndarray:
    """The probabilities of the sum, in eighths of a step, by convolution."""
    far = np.arange(int(45 * noise.scale if not noise.gaussian else 11 * noise.scale) + 2)
    side = np.exp(-((far / noise.scale) ** 2) / 2) if noise.gaussian else np.exp(-far / noise.scale)
    one = np.concatenate([side[:0:-1], side])
    one /= one.sum()
    found = np.ones(1)
    for factor, times in factors:
        spread = np.zeros((one.size - 1) * max(1, abs(factor)) + 1)
        if factor:
            spread[:: abs(factor)] = one
        else:
            spread[spread.size // 2] = 1
        for _ in range(times):
            found = np.convolve(found, spread)
    return found


def outside(found: np.ndarray, reach: float) -> float:
    middle = found.size // 2
    return float(found[np.abs(np.arange(found.size) - middle) / 8 > reach + 1e-9].sum())


@pytest.mark.parametrize("mechanism", NOISES, ids=str)
@pytest.mark.parametrize("factors", SUMS, ids=str)
@pytest.mark.parametrize("doubt", [Fraction(1, 20), Fraction(1, 1000)])
def test_it_is_exceeded_no_more_often_than_claimed_and_hardly_less(mechanism, factors, doubt):
    noise = AddedNoise(mechanism, Fraction(1))
    combined = CombinedNoise.of(Fraction(1), [(noise, factor / 8, times) for factor, times in factors])
    reach, exact = combined.radius(doubt), law(noise, factors)
    assert outside(exact, reach) <= doubt
    assert outside(exact, 0.97 * reach - 1 / 8) > float(doubt)  # the next place on the grid would be too near


@pytest.mark.parametrize("mechanism", NOISES, ids=str)
def test_beside_another_noise_it_counts_with_all_its_parts(mechanism):
    noise = AddedNoise(mechanism, Fraction(1))
    combined = CombinedNoise.of(Fraction(1), [(noise, 0.125, 20)])
    exact = law(noise, [(2, 20), (8, 1)])
    for found in (exact_radius([combined, noise], [2.0, -1.0], Fraction(1, 20)),):
        assert outside(exact, found) <= 0.05
        assert outside(exact, 0.95 * found) > 0.05


@pytest.mark.parametrize("mechanism", NOISES, ids=str)
def test_where_factors_are_only_bounded_all_smaller_ones_are_held(mechanism):
    """Laws on a grid are not unimodal, so this needs continuous ones; and it is not much more than the exact radius."""
    noise = AddedNoise(mechanism, Fraction(1))
    combined = CombinedNoise.of(Fraction(1), [(noise, 1.0, 1), (noise, 0.25, 6)])
    (held,) = radius([combined, noise], np.array([[1.0], [0.5]]), Fraction(1, 20))
    for first in range(9):
        for second in range(3):
            smaller = law(noise, [(first, 1), (second, 6), (4, 1)])
            assert outside(smaller, held) <= 0.05
    exact = exact_radius([combined, noise], [1.0, 0.5], Fraction(1, 20))
    assert exact <= held <= 1.06 * exact + 2 * noise.step * (3 if noise.gaussian else 1)


def test_many_kinds_of_noises_become_fewer_and_wider():
    noise = AddedNoise(Laplace(sensitivity=1, epsilon="0.01"), Fraction(1))
    parts = [(noise, 1 / (1 + place), 1 + place % 3) for place in range(60)]
    combined = CombinedNoise.of(Fraction(1), parts)
    (held,) = combined_radius([combined], np.ones((1, 1)), Fraction(1, 20))
    assert combined.radius(Fraction(1, 20)) <= held <= 1.2 * combined.radius(Fraction(1, 20))


def test_nothing_reaches_nowhere():
    noise = AddedNoise(Laplace(sensitivity=1, epsilon=1), Fraction(1))
    combined = CombinedNoise.of(Fraction(1), [(noise, 0.5, 3)])
    assert exact_radius([combined], [0.0], Fraction(1, 20)) == 0
    assert combined_radius([combined, noise], np.array([[0.0, 1.0], [0.0, 0.0]]), Fraction(1, 20))[0] == 0


@pytest.mark.parametrize("mechanism", [*NOISES, Gaussian(sensitivity=1, rho=5)], ids=str)
def test_hardly_any_doubt_and_hardly_any_noise_have_chernoffs_bound(mechanism):
    noise = AddedNoise(mechanism, Fraction(1))
    combined = CombinedNoise.of(Fraction(1), [(noise, 0.25, 4), (noise, 0.5, 1)])
    exact = law(noise, [(2, 4), (4, 1)])
    for doubt in (Fraction(1, 10**9), Fraction(1, 20)):
        assert outside(exact, combined.radius(doubt)) <= doubt
