"""Cells joined around a chosen value: each cell is in one of them, and the ends that follow hold the quantile."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable.core.algebra.expression import Kind
from deniable.core.sensitivity import Neighbours
from deniable.mechanisms import Gaussian, Laplace
from deniable.planner.choices.around import around, ends
from deniable.planner.choices.histogram import CellHistogram, EqualCells, Quantile
from deniable.planner.expressions.functions import number

HALF = Fraction(1, 2)


def quantile(cells, share=HALF):
    histogram = CellHistogram("h", number(0), None, row=1024, reach=1024)
    equal = EqualCells.over(Fraction(0), Fraction(cells - 1), Fraction(1), 1, whole=True)
    assert equal.number == cells
    return Quantile("q", "median", histogram, equal, share, (-1, 0, 1), Kind.INTEGER)


@given(st.integers(2, 70_000), st.data())
def test_every_cell_is_in_one_joined_cell_whatever_was_chosen(cells, data):
    found = around(quantile(min(cells, 1 << 16)), (HALF, None), Fraction(19, 20), Neighbours.ADD_REMOVE)
    number = found.quantile.cells.number
    values = np.array([0, number - 1, data.draw(st.integers(0, number - 1))])
    edges = found.joined(values)
    assert edges.shape == (3, found.summed.cells + 1)
    assert (edges[:, 0] == 0).all()
    assert (edges[:, -1] == number).all()
    assert (np.diff(edges, axis=1) >= 0).all()
    assert found.summed.cells <= min(number, 60)


@pytest.mark.parametrize("share", [HALF, Fraction(9, 10), Fraction(1, 100)])
def test_without_noise_the_ends_enclose_the_quantile(share, monkeypatch):
    for mechanism in (Laplace, Gaussian):
        monkeypatch.setattr(mechanism, "release", lambda _, values: values)
    random = np.random.default_rng(1)
    counts = random.integers(0, 3, (50, 5_000)) * 1024
    running = counts.cumsum(axis=1)
    truth = (running < float(share) * running[:, -1:]).sum(axis=1)
    for spend in ((Fraction(1), None), (None, HALF)):
        found = around(quantile(5_000, share), spend, Fraction(19, 20), Neighbours.REPLACE)
        low, high = ends(found, counts, random.integers(0, 5_000, 50))
        assert (low <= truth).all()
        assert (truth <= high).all()


@pytest.mark.parametrize(("relation", "units"), [(Neighbours.ADD_REMOVE, 1), (Neighbours.REPLACE, 2)])
def test_noise_hides_what_one_unit_counts_or_two(relation, units):
    pure = around(quantile(100), (HALF, None), Fraction(19, 20), relation).mechanism
    assert (pure.sensitivity, pure.loss.epsilon) == (units * 1024, HALF)
    found = around(quantile(100), (None, HALF), Fraction(19, 20), relation)
    assert found.mechanism.loss.rho <= HALF
    hidden = found.summed.distance_squared(replaced=units == 2) * 1024**2
    assert hidden <= found.mechanism.sensitivity**2 <= hidden * 1.001


def test_gaussian_noise_on_sums_leaves_half_of_the_margin_that_it_leaves_on_counts():
    found = around(quantile(50_001), (None, HALF), Fraction(19, 20), Neighbours.ADD_REMOVE)
    sigma = 1024 / (2 * float(HALF)) ** 0.5  # of noise on each count; a median weighs all of them alike
    plainly = 1.96 * sigma * found.summed.cells**0.5
    assert (found.margins() - 2 * 1024 < 0.5 * plainly).all()


def test_a_lone_value_far_away_is_still_within_reach():
    """All rows are in the last cell, and the value that was chosen is the first."""
    counts = np.zeros((1, 50_001), dtype=np.int64)
    counts[0, -1] = 1_000_000 * 1024
    found = around(quantile(50_001), (Fraction(1), None), Fraction(999_999, 1_000_000), Neighbours.ADD_REMOVE)
    low, high = ends(found, counts, np.array([0]))
    assert low[0] <= high[0] == 50_000  # wrong once in a million times
