"""Sums of ordered cells: ranks follow from them exactly, and nobody moves them farther than is said."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable.planner.choices.summed import SummedCells

SHARES = st.sampled_from([Fraction(1, 2), Fraction(1, 4), Fraction(99, 100), Fraction(1, 10_000)])


@given(st.lists(st.integers(0, 1 << 45), min_size=1, max_size=60), st.booleans(), SHARES)
def test_ranks_follow_from_sums(counts, rooted, share):
    summed = SummedCells(len(counts), rooted)
    past = summed.sums(np.array([counts])) @ summed.weights(share)
    below = np.cumsum([0, *counts[:-1]])
    exact = share.denominator * below - share.numerator * sum(counts)
    assert past[0] == pytest.approx(exact.astype(float), abs=1e-9 * share.denominator * (1 + sum(counts)))


@pytest.mark.parametrize("cells", [1, 2, 3, 4])
@pytest.mark.parametrize("rooted", [False, True])
def test_units_move_sums_by_what_is_said_and_some_do(cells, rooted):
    """All that up to three rows of a unit can add in two groups, and all that two such units can be replaced by."""
    summed, reach = SummedCells(cells, rooted), 3
    units = [unit for unit in product(range(reach + 1), repeat=2 * cells) if sum(unit) <= reach]
    sums = summed.sums(np.array(units).reshape(-1, cells)).reshape(len(units), -1)
    lengths = (sums**2).sum(axis=1)
    assert lengths.max() == reach**2 * summed.distance_squared(replaced=False)
    apart = lengths[:, None] + lengths[None] - 2 * sums @ sums.T
    assert apart.max() == reach**2 * summed.distance_squared(replaced=True)


def test_counts_beyond_what_fits_are_cut_and_sums_do_not_overflow():
    summed = SummedCells(60, rooted=True)
    for signs in (np.ones(60), np.arange(60) % 2):
        found = summed.sums((signs * float(1 << 62)).astype(np.int64)[None])
        assert np.abs(found).max() <= 1 << 61


@pytest.mark.parametrize("cells", [3, 20, 57])
def test_the_root_is_the_one_of_the_signs(cells):
    """Its rows are as long as its columns' share of the singular values: no strategy knows all ranks better."""
    summed = SummedCells(cells, rooted=True)
    signs = np.tril(np.ones((cells, cells)), -1) - 0.5
    least = np.linalg.svd(signs, compute_uv=False).mean()
    spread = np.sqrt((summed.weights(Fraction(1, 2)) ** 2).sum(axis=0)) / 2
    assert spread * summed.distance_squared(replaced=False) ** 0.5 == pytest.approx(least, rel=0.005)
