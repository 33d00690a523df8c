"""No two neighbours are farther apart than the noise is made for: every corner, and points in between."""

import numpy as np
import pytest

from deniable.core.sensitivity import Neighbours
from deniable.releases.linear.strategies import choose
from tests.support.workloads import MARGINALS, MIXED, SMALL, measured, noise, task

DESIGNS = {
    (name, work): (name, task(part))
    for name, work, part in [
        ("alone", "mixed", MIXED),
        ("identity", "mixed", MIXED),
        ("hierarchical", "mixed", MIXED),
        ("matrix", "mixed", MIXED),
        ("residual", "mixed", MIXED),
        ("residual", "marginals", MARGINALS),
        ("marginals", "marginals", MARGINALS),
    ]
}


def units(reach, chance):
    """What one unit can add to the cells: nothing, all in one cell, or a little here and there."""
    cells = int(np.prod(SMALL.shape))
    yield np.zeros(cells, dtype=np.int64)
    for cell in range(cells):
        yield np.eye(cells, dtype=np.int64)[cell] * reach
    for _ in range(20):
        yield chance.multinomial(int(chance.integers(reach + 1)), chance.dirichlet(np.full(cells, 0.05)))


@pytest.mark.parametrize("replaced", [False, True], ids=["add-remove", "replace"])
@pytest.mark.parametrize("spend", [{"epsilon": 1}, {"rho": 1}], ids=["laplace", "gaussian"])
@pytest.mark.parametrize("contribution", [None, 2])
@pytest.mark.parametrize("case", DESIGNS, ids=" ".join)
def test_no_unit_moves_the_measurements_farther_than_claimed(case, contribution, spend, replaced):
    name, work = DESIGNS[case]
    kind = noise(**spend, contribution=contribution, replaced=replaced)
    vectors = np.array(list(units(kind.reach, np.random.default_rng(1))))
    for one in choose(name, work, kind).measurements:
        images = (vectors.astype(object) @ measured(one.block).T.astype(np.int64).astype(object)) * one.block.scale
        rows = images if kind.neighbours is Neighbours.ADD_REMOVE else _differences(images)
        distance = one.mechanism.distance
        if kind.pure:
            farthest = max(abs(rows).sum(axis=1))
        else:
            farthest = max((rows * rows).sum(axis=1))
            distance = distance**2
        assert farthest <= distance
        assert farthest >= distance / (4 if replaced else 1.1)  # and the claim is not wild


def _differences(images):
    chosen = images[:: max(1, len(images) // 40)]
    return np.concatenate([chosen - row for row in chosen])


def test_a_matrix_that_lies_about_its_norm_is_measured_again():
    """Planted: twice the matrix, the same claim. The claim is not what is used."""
    kind = noise(rho=1)
    design = choose("matrix", task(MIXED), kind)
    (one,) = design.measurements
    (map_,) = one.block.maps
    doubled = type(one.block)(one.block.axes, (type(map_)(2 * map_.matrix),), one.block.scale)
    assert kind.distance(doubled) == pytest.approx(2 * kind.distance(one.block), rel=1e-4)
