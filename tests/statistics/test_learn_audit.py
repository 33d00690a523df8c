"""Noisy sums of neighbouring tables, asked again and again: no more can be told apart than was paid for.

Each audit is wrong with probability 1e-6 at most.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from deniable.audit import audit
from deniable.core.algebra.query import WEIGHT
from deniable.core.vectors.batch import batch_of
from deniable.core.vectors.every import ColumnSums, Gram, Residuals
from deniable.core.vectors.kernel import Kernel
from deniable.core.vectors.residuals import rounded
from deniable.mechanisms import Gaussian
from tests.support.vectors import DESIGN, UNEVEN, extreme, for_units

RHO = Fraction(1, 2)
DELTA = Fraction(1, 10**5)
KERNELS = [
    Gram(DESIGN),
    ColumnSums(DESIGN),
    Residuals(DESIGN, rounded(np.zeros(DESIGN.size)), DESIGN.radius // 2, UNEVEN),
]


def neighbours(kernel: Kernel) -> tuple[np.ndarray, np.ndarray]:
    """The exact sums without one person, and with: three rows, as far out as rows can be."""
    others = batch_of(kernel.design, extreme(kernel, np.random.default_rng(1), 40), np.full(40, float(WEIGHT)))
    ends = [np.full(3, 2731.0), np.full(3, 2731.0), np.zeros(3), np.zeros(3), np.ones(3)]
    person = batch_of(kernel.design, ends, np.full(3, float(WEIGHT)))
    return kernel.total([others]), kernel.total([others, person])


def box(kernel: Kernel, noise: Gaussian, pair: tuple[np.ndarray, np.ndarray]):
    """How far a noisy sum lies in the direction in which the person moves it: all that tells the two apart."""
    direction = (pair[1] - pair[0]) / np.linalg.norm((pair[1] - pair[0]).astype(np.float64))

    def sample(place: int, count: int) -> np.ndarray:
        noisy = noise.release(np.tile(pair[place], count)).reshape(count, kernel.size)
        return np.asarray(noisy @ direction)

    return sample


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: type(kernel).__name__)
def test_a_person_is_hidden_as_well_as_was_paid_for(kernel: Kernel) -> None:
    own = for_units(kernel, 3)
    noise = Gaussian(sensitivity=own.sensitivity, rho=RHO)
    claim = noise.loss.at(DELTA).epsilon
    found = audit(box(own, noise, neighbours(own)), inputs=(0, 1), epsilon=claim, delta=DELTA, samples=4000)
    assert found.passed
    assert found.lower_bound > 0


def test_a_sensitivity_without_the_contribution_is_caught() -> None:
    own, wrong = for_units(KERNELS[1], 3), for_units(KERNELS[1], 1)
    noise = Gaussian(sensitivity=wrong.sensitivity, rho=RHO / 4)
    claim = noise.loss.at(DELTA).epsilon
    assert not audit(box(own, noise, neighbours(own)), inputs=(0, 1), epsilon=claim, delta=DELTA, samples=20_000).passed
