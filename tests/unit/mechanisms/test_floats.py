"""Floats at the edges between two steps: mechanisms lose no more than they say, shown by the auditor."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from deniable.audit import audit
from deniable.core import sensitivity
from deniable.core.grid import Grid
from deniable.mechanisms import AboveThreshold, Exponential, Gaussian, Laplace, NoisyMax, PermuteAndFlip, TopK
from deniable.mechanisms.selection import scores_of

EDGES = [(0.049999999999999996, 0.15), (0.15, 0.25), (0.35, 0.44999999999999996), (-0.15, -0.05)]
"""At most 0.1 apart, as floats are stored, with the edges of tenths between them."""


@pytest.mark.parametrize("pair", EDGES, ids=str)
def test_the_pairs_are_neighbours(pair: tuple[float, float]) -> None:
    assert Fraction(pair[1]) - Fraction(pair[0]) <= Fraction(0.1)


@pytest.mark.parametrize("pair", EDGES, ids=str)
def test_the_audit_of_floats_between_two_steps_passes(pair: tuple[float, float]) -> None:
    # false alarms: one in a million, by the auditor's own theorem; with decimals it proved 1.97
    mechanism = Laplace(sensitivity=0.1, epsilon=1, step=0.1)
    assert mechanism.distance == 1
    verdict = audit(mechanism, inputs=pair, samples=60_000)
    assert verdict.passed, verdict


@pytest.mark.parametrize(
    "mechanism",
    [
        Gaussian(sensitivity=0.1, epsilon=1, delta=1e-6, step=0.1),
        AboveThreshold(sensitivity=0.1, epsilon=1, step=0.1),
        *(kind(sensitivity=0.1, epsilon=1, step=0.1) for kind in (Exponential, PermuteAndFlip, NoisyMax)),
        TopK(k=2, sensitivity=0.1, epsilon=1, step=0.1),
    ],
    ids=lambda mechanism: type(mechanism).__name__,
)
def test_no_mechanism_puts_neighbours_farther_apart_than_its_noise_hides(mechanism: object) -> None:
    grid = Grid(mechanism.step)
    for low, high in EDGES:
        one, other = (scores_of([value], score=lambda value: value) for value in (low, high))
        assert abs(grid.indices("x", other)[0] - grid.indices("x", one)[0]) <= grid.distance(mechanism.sensitivity) == 1


def test_a_step_that_is_written_out_is_no_float() -> None:
    """The stored 0.1 is above one tenth: as a sensitivity it takes two steps of one tenth, and hides what it says."""
    assert Laplace(sensitivity="0.1", epsilon=1, step="0.1").distance == 1
    assert Laplace(sensitivity=0.1, epsilon=1, step="0.1").distance == 2
    verdict = audit(Laplace(sensitivity=0.1, epsilon=1, step="0.1"), inputs=(0.15, 0.25), samples=60_000)
    assert verdict.passed, verdict


def test_bounds_that_are_floats_bound_floats() -> None:
    clamped = np.clip([5.0], 0, 0.1)
    assert Fraction(clamped[0].item()) <= sensitivity.total(0, 0.1)


@pytest.mark.parametrize("coordinates", [1, 4, 100])
def test_vectors_that_cross_edges_everywhere_land_within_the_distance(coordinates: int) -> None:
    """Each number moves by a fiftieth of a step, and each lands one step farther."""
    one, other = np.full(coordinates, 0.49), np.full(coordinates, 0.51)
    moved = (Grid(1).indices("other", other) - Grid(1).indices("one", one)).astype(float)
    apart = other - one
    laplace = Laplace(sensitivity=2 * apart.sum(), epsilon=1, coordinates=coordinates)
    gaussian = Gaussian(sensitivity=2 * float(np.sqrt((apart**2).sum())), rho=1, coordinates=coordinates)
    assert moved.sum() <= laplace.distance
    assert (moved**2).sum() <= gaussian.distance**2


@pytest.mark.parametrize("pair", EDGES, ids=str)
def test_floats_are_read_as_they_are_stored(pair: tuple[float, float]) -> None:
    """As their decimals, 0.049999999999999996 and 0.15 would land two steps apart, and differ by less than one."""
    one, other = pair
    tenths = Grid("0.1")
    apart = tenths.indices("other", other)[0] - tenths.indices("one", one)[0]
    assert apart <= tenths.distance(Fraction(other) - Fraction(one))
