"""Running counts from a tree of sums: exact without noise, as sensitive as claimed, and as noisy."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from deniable.mechanisms import Gaussian, Laplace
from deniable.mechanisms.running_counts import CountTree

ALPHA = 1e-8


@given(st.integers(1, 300), st.integers(1, 2), st.integers(0, 1 << 30))
def test_without_noise_running_counts_are_exact(cells, power, seed):
    tree = CountTree.over(cells, power)
    assert tree.branches**tree.levels >= cells
    counts = np.random.default_rng(seed).integers(0, 1 << 40, (3, cells))
    below, everyone = tree.running(tree.sums(counts))
    assert (below == counts.cumsum(axis=1) - counts).all()
    assert (everyone == counts.sum(axis=1)).all()


@given(st.integers(1, 40), st.lists(st.tuples(st.integers(0, 2), st.integers(0, 39)), max_size=5), st.integers(1, 2))
def test_a_unit_is_in_one_sum_of_each_level_for_each_row(cells, rows, power):
    tree = CountTree.over(cells, power)
    unit = np.zeros((3, cells), dtype=np.int64)
    for group, cell in rows:
        unit[group, cell % cells] += 1
    moved = tree.sums(unit)
    assert moved.sum() == tree.levels * len(rows)
    assert (moved**2).sum() <= tree.levels * len(rows) ** 2


def test_counts_beyond_64_bits_are_cut():
    sums = CountTree(cells=4, branches=2, levels=2).sums(np.full((1, 4), 1 << 61))
    assert sums.max() == 1 << 61


@pytest.mark.parametrize("mechanism", [Laplace(sensitivity=3, epsilon=1), Gaussian(sensitivity=2, rho="0.1")])
@pytest.mark.parametrize("quantile", [Fraction(1, 2), Fraction(9, 10), Fraction(1, 100)])
def test_margins_hold_the_noise_and_are_not_far_too_wide(mechanism, quantile):
    """Each cell's margin fails with probability 0.05 at most; 4,000 draws at six cells: a false alarm once in 10^7."""
    tree, draws, beta = CountTree.over(200, power=2), 4_000, 0.05
    gaussian = isinstance(mechanism, Gaussian)
    scale = mechanism.sigma if gaussian else float(mechanism.scale)
    margins = tree.margins(quantile, scale, beta, gaussian=gaussian)
    width = tree.sums(np.zeros((1, 200), dtype=np.int64)).shape[1]
    noise = np.asarray(mechanism.release(np.zeros(draws * width, dtype=np.int64))).reshape(draws, width)
    below, everyone = tree.running(noise)
    moved = quantile.denominator * below - quantile.numerator * everyone[:, None]
    for cell in (0, 1, 17, 100, 150, 199):
        for failed in (int((moved[:, cell] > margins[cell]).sum()), int((moved[:, cell] < -margins[cell]).sum())):
            assert failed <= binom.ppf(1 - ALPHA, draws, beta)
        assert margins[cell] < 3 * np.quantile(moved[:, cell], 1 - beta)
