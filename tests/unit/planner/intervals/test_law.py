"""How far combinations of noises reach, against laws that are summed up in full: no sampling, no false alarms."""

from fractions import Fraction
from math import exp, factorial, tanh

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.mechanisms import Gaussian, Laplace
from deniable.planner.intervals.added import AddedNoise
from deniable.planner.intervals.law import inverted, laplace_radius, radius

DOUBT = Fraction(1, 20)


def noise(scale, *, gaussian=False, worth=1):
    mechanism = (
        Gaussian(sensitivity=1, rho=Fraction(1, 2) / Fraction(scale) ** 2)
        if gaussian
        else Laplace(sensitivity=1, epsilon=1 / Fraction(scale))
    )
    return AddedNoise(mechanism, Fraction(worth))


def law(one):
    """All values of a noise that matter, in the answer's unit, and their probabilities."""
    far = np.arange(-int(45 * one.scale) - 3, int(45 * one.scale) + 4)
    weights = np.exp(-((far / one.scale) ** 2) / 2) if one.gaussian else np.exp(-np.abs(far) / one.scale)
    return far * one.step, weights / weights.sum()


@pytest.mark.parametrize("scale", [0.3, 1, 2.5, 10, 40])
def test_smoothed_laplace_noise_is_more_peaked_than_the_law_that_is_added_up(scale):
    rate, ratio = 2 * tanh(1 / (2 * scale)), exp(-1 / scale)
    for whole in range(int(30 * scale) + 2):
        for part in np.linspace(-0.5, 0.5, 21):
            beyond = 2 * ratio ** (whole + 1) / (1 + ratio)  # of whole numbers
            edge = (1 - ratio) / (1 + ratio) * ratio**whole * (1 if whole == 0 else 2)
            tail = beyond + edge * (0.5 - part) if whole else 1 - edge * 2 * part if part > 0 else 1
            assert tail <= exp(-rate * max(0.0, whole + part)) * (1 + 1e-12)


@pytest.mark.parametrize("gaussian", [False, True], ids=["laplace", "gaussian"])
@pytest.mark.parametrize(
    ("scales", "factors", "worths"),
    [
        ((2, 2), (1, 1), (1, 1)),
        ((2, 5), (1, -0.37), (1, 1)),
        ((1, 12), (3, 1), (1, "0.25")),
        ((10, 10), (1, 1.618), (1, 1)),
        ((20, 11), (0.5, 0.77), (1, 1)),
        ((0.5, 0.6), (1, 2.1), (1, 1)),
    ],
)
def test_combinations_exceed_their_radius_at_most_as_often_as_allowed(scales, factors, worths, gaussian):
    noises = [noise(scale, gaussian=gaussian, worth=worth) for scale, worth in zip(scales, worths, strict=True)]
    found = radius(noises, np.array(factors, dtype=float)[:, None], DOUBT)[0]
    (first, weights), (second, others) = map(law, noises)
    combined = np.abs(factors[0] * first[:, None] + factors[1] * second[None])
    outside = float((weights[:, None] * others[None])[combined > found * (1 + 1e-12)].sum())
    assert outside <= float(DOUBT)
    if min(scales) >= 10:
        assert outside > (0.03 if gaussian else 0.035)


def test_two_laplace_noises_reach_four_scales_and_not_seven():
    wide = noise(100_000)
    assert radius([wide, wide], np.ones((2, 1)), DOUBT)[0] / 100_000 == pytest.approx(4.113, abs=0.02)
    assert 2 * wide.radius(DOUBT / 2) / 100_000 == pytest.approx(7.38, abs=0.01)


def test_noises_on_one_grid_have_their_exact_law():
    few = [noise(3), noise(5)]
    found = radius(few, np.array([[1.0], [-1.0]]), DOUBT)[0]
    (first, weights), (second, others) = map(law, few)
    combined, together = np.abs(first[:, None] - second[None]), weights[:, None] * others[None]
    assert together[combined > found].sum() <= float(DOUBT) < together[combined > found - 1].sum()


@pytest.mark.parametrize("scales", [[1], [1, 1], [1, 1, 1], [3, 2, 1, 0.01], [1] * 6, [1] * 9, [1, 0, 0]])
def test_sums_of_continuous_laplace_noise_stay_within_their_quantile(scales):
    """By the characteristic function, integrated: another way to the same law."""
    found = laplace_radius(np.array(scales, dtype=float)[:, None], 0.05)[0]
    if len([scale for scale in scales if scale]) == 1:
        tail = exp(-found)
    else:
        waves = (np.arange(2_000_000) + 0.5) * 1e-3
        product = np.prod([1 / (1 + (scale * waves) ** 2) for scale in scales], axis=0)
        tail = 1 - float((2 / np.pi * np.sin(waves * found) / waves * product).sum() * 1e-3)
    assert tail <= 0.05 + 1e-6
    assert tail > (0.039 if len(scales) <= 6 else 0)


@settings(max_examples=50)
@given(
    st.lists(st.tuples(st.floats(0.1, 1e4), st.floats(0, 10)), min_size=2, max_size=4),
    st.integers(0, 3),
    st.floats(0, 5),
    st.booleans(),
)
def test_the_radius_never_falls_when_a_coefficient_grows(parts, place, more, gaussian):
    noises = [noise(Fraction(scale).limit_denominator(1000), gaussian=gaussian) for scale, _ in parts]
    factors = np.array([[factor, factor, 0.123] for _, factor in parts])  # the third: never one column alone
    factors[place % len(parts), 1] += more
    found = radius(noises, factors, DOUBT)
    assert found[1] >= found[0] * (1 - 1e-9)


@pytest.mark.parametrize("many", [7, 25, 55])
@pytest.mark.parametrize("doubt", [0.3, 0.05, 1e-6])
def test_many_equal_noises_reach_what_their_law_says_and_hardly_less_far_than_claimed(many, doubt):
    found = float(laplace_radius(np.ones((many, 1)), doubt)[0])
    assert _beyond(found, many) <= doubt
    assert _beyond(found * 0.99, many) > doubt


@pytest.mark.parametrize("doubt", [0.3, 0.05, 1e-3])
def test_the_inverted_law_of_equal_noises_is_theirs_up_to_its_steps(doubt):
    found = float(inverted(np.ones((9, 1)), doubt)[0])
    assert _beyond(found, 9) <= doubt
    assert _beyond(found * 0.99, 9) > doubt


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0.01, 100), min_size=2, max_size=3), st.sampled_from([0.3, 0.05, 0.002]))
def test_the_inverted_law_of_few_noises_is_what_partial_fractions_say(scales, doubt):
    """Partial fractions draw equal scales apart by 0.4%, upward, for each; the circle has steps of a twenty-fifth."""
    column = np.array(scales)[:, None]
    found, exact = float(inverted(column, doubt)[0]), float(laplace_radius(column, doubt)[0])
    assert exact * (1 - 0.013) <= found <= exact * (1 + 1e-3) + 0.08 * max(scales)


def test_a_doubt_too_small_for_the_circle_is_left_to_other_bounds():
    assert inverted(np.array([[1.0], *[[1e-6]] * 8]), 1e-9)[0] == np.inf
    assert np.isfinite(laplace_radius(np.array([[1.0], *[[1e-6]] * 8]), 1e-9)).all()


def _beyond(far, many):
    """The difference of two Erlang draws: the density of |sum| in full, by its polynomial, and its integral."""
    # f(t) = e^-t / ((k-1)! 2^(2k-1)) sum over j of (2k-2-j)! / (j! (k-1-j)!) (2t)^j * 2, for t > 0
    whole = Fraction(0)
    for power in range(many):
        weight = Fraction(factorial(2 * many - 2 - power), factorial(power) * factorial(many - 1 - power))
        tail = sum(Fraction(far) ** k / factorial(k) for k in range(power + 1)) * factorial(power)
        whole += weight * 2**power * tail
    return float(whole / factorial(many - 1) / 2 ** (2 * many - 2)) * exp(-far)


@pytest.mark.parametrize("gaussian", [False, True], ids=["laplace", "gaussian"])
@pytest.mark.parametrize("scale", [0.5, 2, 30])
@pytest.mark.parametrize("many", [2, 8])
def test_however_small_the_doubt_several_noises_reach_farther_than_one(many, scale, gaussian):
    """Symmetric laws with one peak: a sum of them is less peaked than any one (Anderson 1955)."""
    one, before = noise(scale, gaussian=gaussian), 0.0
    for digits in (1, 3, 6, 8, 9, 10, 11, 12, 13, 16, 20, 30, 100, 250):
        doubt = Fraction(1, 10**digits)
        alone, together = (radius([one] * times, np.ones((times, 1)), doubt)[0] for times in (1, many))
        assert together >= max(alone, before)
        before = together
