"""How far one unit moves a block, against all that a unit can add to a few cells; and the noise is made for that."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from deniable.core.sensitivity import Neighbours
from deniable.releases import Workload
from deniable.releases.linear.matrices.integer_matrix import Whole
from deniable.releases.linear.measurement import Block, Noise
from deniable.releases.linear.strategies import choose
from deniable.releases.linear.strategies.hierarchical import SumTree
from tests.support.workloads import line, noise

REACH = 2
MATRICES = {
    "one cell each": np.eye(3, dtype=np.int64),
    "running": np.tril(np.ones((3, 3), dtype=np.int64)),
    "opposite": np.array([[1, -1, 0], [2, 1, -3]]),
    "far from zero": np.array([[5, 5, 4], [7, 6, 7]]),
}
UNITS = np.array([unit for unit in product(range(REACH + 1), repeat=3) if sum(unit) <= REACH])
"""Everything that one unit can add."""


@pytest.mark.parametrize("scale", [1, 4])
@pytest.mark.parametrize("pure", [True, False])
@pytest.mark.parametrize("relation", Neighbours)
@pytest.mark.parametrize("name", MATRICES)
def test_the_distance_covers_every_pair_of_units(name: str, relation: Neighbours, scale: int, *, pure: bool) -> None:
    block = Block((0,), (Whole(MATRICES[name]),), scale)
    images = scale * UNITS @ MATRICES[name].T
    others = images if relation is Neighbours.REPLACE else np.zeros((1, images.shape[1]), dtype=np.int64)
    apart = (images[:, None, :] - others[None, :, :]).reshape(-1, images.shape[1])
    farthest = int(np.abs(apart).sum(axis=1).max() if pure else (apart**2).sum(axis=1).max())
    claimed = Noise(Fraction(1), pure, REACH, Fraction(1), relation).distance(block)
    assert farthest <= (claimed if pure else claimed**2)


@pytest.mark.parametrize("spend", ["0.01", "1", "1000"])
@pytest.mark.parametrize("pure", [True, False])
@pytest.mark.parametrize("relation", Neighbours)
def test_the_noise_is_made_for_the_block_that_is_measured(relation: Neighbours, spend: str, *, pure: bool) -> None:
    """A finer grid multiplies what is measured, and so what one unit moves."""
    kind = Noise(Fraction(spend), pure, REACH, Fraction(1), relation)
    measured = kind.measured(Block((0,), (Whole(MATRICES["running"]),)), Fraction(1, 2))
    assert measured.mechanism.sensitivity >= kind.distance(measured.block)
    loss = measured.mechanism.loss
    assert (loss.epsilon if pure else loss.rho) <= Fraction(spend) / 2


@pytest.mark.parametrize(("present", "branching"), [(1, 2), (2, 2), (5, 2), (9, 3), (16, 4)])
@pytest.mark.parametrize("missing", [False, True])
def test_a_tree_has_the_norms_of_its_matrix(present: int, branching: int, *, missing: bool) -> None:
    tree = SumTree(present + missing, present, branching, alone=1)
    matrix = tree.apply(np.eye(tree.size), 0)
    assert tree.taxi == np.abs(matrix).sum(axis=0).max()
    assert tree.square == (matrix**2).sum(axis=0).max()
    assert tree.least <= (matrix.T @ matrix).min()


@pytest.mark.parametrize("spend", [{"epsilon": 1}, {"rho": 1}])
@pytest.mark.parametrize("name", ["identity", "hierarchical", "matrix", "mwem"])
def test_all_mechanisms_together_lose_the_spend_and_no_more(name: str, spend: dict[str, int]) -> None:
    loss = choose(name, line(Workload.ranges("a"), 8), noise(**spend)).loss
    lost = loss.epsilon if "epsilon" in spend else loss.rho
    assert Fraction(9, 10) < lost <= 1
