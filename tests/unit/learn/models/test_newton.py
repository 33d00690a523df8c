"""Steps are longer where noise is small, and never longer than what still descends."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from deniable.core.vectors.design import GRID, Classes, NumberFeature, VectorDesign
from deniable.core.vectors.gram import Gram
from deniable.learn.learner import NoisySum
from deniable.learn.models.newton import STRETCHED, Curvature


def curvature() -> Curvature:
    """Of 1,000 rows of length 1/2 in each of two directions, measured almost without noise."""
    x = NumberFeature("x", Fraction(0), Fraction(1), Fraction(1, 3))
    design = VectorDesign((x,), Classes("y", (False, True)), GRID // 2, GRID**2 // 2)
    products = np.array([250.0, 0.0, 250.0])
    return Curvature.of(Gram(design), NoisySum(products, np.full(3, 1e-3)))


def test_the_spread_is_how_far_noise_moves_a_margin() -> None:
    """X'X = 250 I: a step is (X'X)^-1, and a row of length sqrt(1/2) sees noise of one in each of two numbers."""
    assert abs(curvature().spread - np.sqrt(1 / 2) / 250) < 1e-4


def test_steps_are_longer_where_noise_is_small() -> None:
    found = curvature()
    lengths = [found.length(noise / found.spread, STRETCHED) for noise in (0.0, 0.1, 0.2, 0.25, 5.0)]
    assert np.allclose(lengths, [2, 2, 1.25, 1, 1])
    assert found.length(0.0, 1.0) == 1
