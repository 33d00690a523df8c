"""Noisy max: its law with ties, its privacy, its utility."""

from __future__ import annotations

from fractions import Fraction
from math import exp, nan

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.core.errors import InvalidArgumentError
from deniable.mechanisms import NoisyMax
from tests.support import choices
from tests.support.coverage import covers

TABLES = [[0], [3, 3, 3], [5, 0], [0, 1, 2, 3], [7, -2, 7, 6, 0], [10**6, 10**6 - 3, 0]]


@pytest.mark.parametrize("scores", TABLES, ids=str)
@pytest.mark.parametrize("epsilon", ["0.6", "3"])
def test_law(scores: list[int], epsilon: str) -> None:
    # false alarms: 1e-6 each
    mechanism = NoisyMax(sensitivity=1, epsilon=epsilon)
    law = choices.noisy_max(scores, Fraction(epsilon) / 2)
    assert float(sum(law)) == pytest.approx(1, abs=1e-12)
    assert not choices.misfits(mechanism.sample(scores, 50_000), law)


def test_scores_on_a_grid() -> None:
    # false alarms: 1e-6
    mechanism = NoisyMax(sensitivity="0.6", epsilon=3, step="1/4")
    law = choices.noisy_max([0, 1, 2, 5], Fraction(1, 2))
    assert not choices.misfits(mechanism.sample([0.1, 0.125, 0.5, 1.3], 50_000), law)


@settings(max_examples=20, deadline=None)
@given(
    data=st.data(),
    scores=st.lists(st.integers(-6, 6), min_size=1, max_size=4),
    epsilon=st.fractions(2, 6, max_denominator=50),
)
def test_no_neighbour_moves_any_chance_by_more_than_epsilon(
    data: st.DataObject, scores: list[int], epsilon: Fraction
) -> None:
    moves = data.draw(st.lists(st.integers(-1, 1), min_size=len(scores), max_size=len(scores)))
    rate = NoisyMax(sensitivity=1, epsilon=epsilon)._rate
    one = choices.noisy_max(scores, rate)
    other = choices.noisy_max([score + move for score, move in zip(scores, moves, strict=True)], rate)
    for a, b in zip(one, other, strict=True):
        # some pairs attain the factor exactly; sums are cut off at exp(-60), which may be much of a tiny chance
        assert a - mpmath.exp(mpmath.mpf(epsilon.numerator) / epsilon.denominator) * b <= mpmath.mpf(10) ** -13


def test_the_utility_bound_holds_for_the_draw() -> None:
    # false alarms: 1e-6
    mechanism = NoisyMax(sensitivity=1, epsilon="0.2")
    scores = np.arange(0, 200, 2)
    chosen = scores[mechanism.sample(scores, 20_000)]
    for t in (0.5, 1, 3):
        bound = mechanism.utility(scores.size, t=t)
        assert bound == mechanism.utility(scores.size, optimal=7, t=t), "several best ones are not counted"
        good = int((chosen >= scores.max() - bound).sum())
        assert covers(good, 20_000, 1 - exp(-t))


def test_choosing() -> None:
    mechanism = NoisyMax(sensitivity=1, epsilon=1)
    assert mechanism.choose([0, 500, 0]) == 1
    assert mechanism.choose(["a", "b"], score=lambda name: 500 * (name == "b")) == "b"
    scores = np.zeros(1_000_000, dtype=int)
    scores[123_456] = 1000
    assert mechanism.choose(scores) == 123_456


def test_the_farthest_scores_and_the_widest_noise_fit() -> None:
    mechanism = NoisyMax(sensitivity=2**40, epsilon=1)
    assert mechanism.choose([-(2**61), 2**61]) == 1


@pytest.mark.usefixtures("no_randomness")
@pytest.mark.parametrize(("argument", "scores"), [("candidates", []), ("scores", [nan]), ("scores", [2**62])])
def test_bad_scores(argument: str, scores: list[float]) -> None:
    with pytest.raises(InvalidArgumentError) as error:
        NoisyMax(sensitivity=1, epsilon=1).choose(scores)
    assert error.value.argument == argument


def test_noise_beyond_64_bits_is_refused() -> None:
    with pytest.raises(InvalidArgumentError) as error:
        NoisyMax(sensitivity=1, epsilon="1e-9", step="1e-9")
    assert error.value.argument == "step"
