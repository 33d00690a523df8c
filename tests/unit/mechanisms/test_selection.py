"""One choice per row: each row has its own law, and all rows together lose what was said."""

from fractions import Fraction
from itertools import product
from math import exp

import numpy as np
import pytest
from scipy.stats import chisquare

from deniable.core.errors import InvalidArgumentError
from deniable.mechanisms import Exponential, NoisyMax, PermuteAndFlip
from tests.support import choices

LAWS = {Exponential: choices.exponential, PermuteAndFlip: choices.permute_and_flip, NoisyMax: choices.noisy_max}
ROWS = np.array([[0, -3, -1, -9], [-5, 0, 0, -1], [7, 7, 7, 7]])
DRAWS = 20_000


@pytest.mark.parametrize("kind", LAWS)
def test_each_row_has_its_own_law(kind):
    """Chi-squared over the cells of 20,000 draws; the false alarm rate is 1e-8 for each of nine rows."""
    mechanism = kind(sensitivity=1, epsilon=1)
    chosen = mechanism.choose_each(np.tile(ROWS, (DRAWS, 1))).reshape(DRAWS, len(ROWS))
    for place, scores in enumerate(ROWS.tolist()):
        law = np.array([float(chance) for chance in LAWS[kind](scores, Fraction(1, 2))])
        seen = np.bincount(chosen[:, place], minlength=len(scores))
        assert chisquare(seen, DRAWS * law / law.sum()).pvalue > 1e-8


@pytest.mark.parametrize("kind", [Exponential, PermuteAndFlip])
def test_rows_together_lose_epsilon_if_their_moves_add_up_to_the_sensitivity(kind):
    """Exact laws of two groups: a unit that moves one by s and the other by 3 - s, in every direction."""
    sensitivity, epsilon = 3, Fraction(2)
    rate = epsilon / (2 * sensitivity)
    base = ([0, -2, -4], [-1, 0, -3])
    worst = 0.0
    for first in range(sensitivity + 1):
        for signs in product((-1, 1), repeat=6):
            moved = [
                [score + sign * size for score, sign in zip(row, signs[3 * place : 3 * place + 3], strict=True)]
                for place, (row, size) in enumerate(zip(base, (first, sensitivity - first), strict=True))
            ]
            ratio = 1.0
            for row, other in zip(base, moved, strict=True):
                laws = LAWS[kind](row, rate), LAWS[kind](other, rate)
                ratio *= max(float(one / two) for one, two in zip(*laws, strict=True))
            worst = max(worst, ratio)
    assert exp(epsilon) * 0.4 < worst <= exp(epsilon) * (1 + 1e-12)


def test_there_must_be_candidates():
    with pytest.raises(InvalidArgumentError):
        PermuteAndFlip(sensitivity=1, epsilon=1).choose_each(np.zeros((3, 0), dtype=np.int64))
    with pytest.raises(InvalidArgumentError):
        PermuteAndFlip(sensitivity=1, epsilon=1).choose_each(np.zeros(3, dtype=np.int64))


def test_no_rows_no_choices():
    assert PermuteAndFlip(sensitivity=1, epsilon=1).choose_each(np.zeros((0, 3), dtype=np.int64)).size == 0
