"""Permute-and-flip: its law, its privacy, and that it is never worse than the exponential mechanism."""

from __future__ import annotations

from fractions import Fraction
from math import exp, nan

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.core.errors import InvalidArgumentError
from deniable.mechanisms import PermuteAndFlip
from tests.support import choices
from tests.support.coverage import covers

TABLES = [[0], [3, 3, 3], [5, 0], [0, 1, 2, 3], [7, -2, 7, 6, 0], [10**6, 10**6 - 3, 0], [-(2**60), 2**60]]
small = st.lists(st.integers(-15, 15), min_size=1, max_size=5)
rates = st.fractions(Fraction(1, 100), 3, max_denominator=1000)
SLACK = mpmath.mpf(10) ** -12


@pytest.mark.parametrize("scores", TABLES, ids=str)
@pytest.mark.parametrize("epsilon", ["0.3", "2"])
def test_law(scores: list[int], epsilon: str) -> None:
    # false alarms: 1e-6 each
    mechanism = PermuteAndFlip(sensitivity=1, epsilon=epsilon)
    law = choices.permute_and_flip(scores, Fraction(epsilon) / 2)
    assert not choices.misfits(mechanism.sample(scores, 50_000), law)


def test_scores_on_a_grid() -> None:
    # false alarms: 1e-6
    mechanism = PermuteAndFlip(sensitivity="0.6", epsilon=1, step="1/4")
    law = choices.permute_and_flip([0, 1, 2, 5], Fraction(1, 6))
    assert not choices.misfits(mechanism.sample([0.1, 0.125, 0.5, 1.3], 50_000), law)


@settings(max_examples=60, deadline=None)
@given(scores=small, rate=rates)
def test_never_worse_than_the_exponential_mechanism(scores: list[int], rate: Fraction) -> None:
    # McKenna, Sheldon 2020, theorem 2: in expectation, and for every threshold
    flip, exponential = choices.permute_and_flip(scores, rate), choices.exponential(scores, rate)
    assert choices.expected(scores, flip) >= choices.expected(scores, exponential) - SLACK
    for threshold in set(scores):
        good = [score >= threshold for score in scores]
        assert choices.expected(good, flip) >= choices.expected(good, exponential) - SLACK


@settings(max_examples=40, deadline=None)
@given(data=st.data(), scores=small, epsilon=rates)
def test_no_neighbour_moves_any_chance_by_more_than_epsilon(
    data: st.DataObject, scores: list[int], epsilon: Fraction
) -> None:
    moves = data.draw(st.lists(st.integers(-1, 1), min_size=len(scores), max_size=len(scores)))
    rate = PermuteAndFlip(sensitivity=1, epsilon=epsilon)._rate
    one = choices.permute_and_flip(scores, rate)
    other = choices.permute_and_flip([score + move for score, move in zip(scores, moves, strict=True)], rate)
    for a, b in zip(one, other, strict=True):
        assert mpmath.log(a / b) <= mpmath.mpf(epsilon.numerator) / epsilon.denominator + SLACK


def test_the_utility_bound_holds_for_the_draw() -> None:
    # false alarms: 1e-6
    mechanism = PermuteAndFlip(sensitivity=1, epsilon="0.2")
    scores = np.arange(0, 200, 2)
    chosen = scores[mechanism.sample(scores, 20_000)]
    for t in (0.5, 1, 3):
        good = int((chosen >= scores.max() - mechanism.utility(scores.size, 1, t)).sum())
        assert covers(good, 20_000, 1 - exp(-t))


def test_choosing() -> None:
    mechanism = PermuteAndFlip(sensitivity=1, epsilon=1)
    assert mechanism.choose([0, 500, 0]) == 1
    assert mechanism.choose(["a", "b"], score=lambda name: 500 * (name == "b")) == "b"
    scores = np.zeros(1_000_000, dtype=int)
    scores[123_456] = 1000
    assert mechanism.choose(scores) == 123_456
    assert mechanism.loss.rho == Fraction(1, 2), "epsilon^2 / 2, not an eighth"


@pytest.mark.usefixtures("no_randomness")
@pytest.mark.parametrize(("argument", "scores"), [("candidates", []), ("scores", [nan]), ("scores", [2**62])])
def test_bad_scores(argument: str, scores: list[float]) -> None:
    with pytest.raises(InvalidArgumentError) as error:
        PermuteAndFlip(sensitivity=1, epsilon=1).choose(scores)
    assert error.value.argument == argument
