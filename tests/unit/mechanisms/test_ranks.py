"""Rank scores: their definition, and how far one unit can move them."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable.core.sensitivity import Neighbours
from deniable.mechanisms.ranks import rank_scores, rank_sensitivity

QUANTILES = [Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(9, 10), Fraction(1)]
WEIGHT = 2
"""What a unit weighs in these tests: two rows, or one of double weight."""


def _slow(row, quantile, offset):
    """The definition, cell by cell."""
    rank, below, scores = quantile * sum(row) + offset, 0, []
    for place, inside in enumerate(row):
        past = below - rank if place > 0 else 0
        short = rank - below - inside if place < len(row) - 1 else 0
        scores.append(-max(past, short, 0) * quantile.denominator)
        below += inside
    return scores


@given(
    st.lists(st.integers(0, 50), min_size=1, max_size=9),
    st.fractions(0, 1, max_denominator=100),
    st.integers(-300, 300),
    st.sampled_from([1, 1 << 20, 1 << 55]),
)
def test_scores_are_as_defined(row, quantile, offset, weight):
    counts = np.array([[weight * count for count in row]], dtype=np.int64)
    found = rank_scores(counts, quantile, weight * offset)[0].tolist()
    wanted = _slow(counts[0].tolist(), quantile, weight * offset)
    assert found == [max(score, -(1 << 61)) for score in wanted]
    assert max(found) == 0


def _shares(cells):
    """Every way in which a unit can weigh in a few cells."""
    return [share for share in product(range(WEIGHT + 1), repeat=cells) if sum(share) <= WEIGHT]


def _farthest(one, other, quantile, offset):
    """The farthest that a score of each group moves, added up over the groups."""
    moved = rank_scores(one, quantile, offset) - rank_scores(other, quantile, offset)
    return int(np.abs(moved).max(axis=1).sum())


@pytest.mark.parametrize("quantile", QUANTILES)
@pytest.mark.parametrize(("groups", "cells"), [(1, 3), (2, 2)])
def test_no_unit_moves_the_scores_farther_than_claimed_and_some_as_far(quantile, groups, cells):
    shares = [np.array(share).reshape(groups, cells) for share in _shares(groups * cells)]
    added = replaced = 0
    for base in product(range(3), repeat=groups * cells):
        table = np.array(base).reshape(groups, cells)
        for offset in (-1, 0, 2):
            plain = [table + share for share in shares]
            added = max(added, *(_farthest(table, with_unit, quantile, offset) for with_unit in plain))
            if sum(base) <= 2:
                pairs = [_farthest(one, other, quantile, offset) for one, other in product(plain, repeat=2)]
                replaced = max(replaced, *pairs)
    grouped = groups > 1
    assert added == rank_sensitivity(quantile, WEIGHT, Neighbours.ADD_REMOVE, grouped=grouped)
    claimed = rank_sensitivity(quantile, WEIGHT, Neighbours.REPLACE, grouped=grouped)
    assert claimed * 3 // 4 <= replaced <= claimed
