"""The convex optimum and its certificate; the descent for Laplace noise."""

import numpy as np
import pytest

from deniable.releases import Workload
from deniable.releases.linear.matrices.factors import Factor, Shape
from deniable.releases.linear.matrices.identity_plus import _error, _start, identity_plus
from deniable.releases.linear.matrices.optimum import optimum
from deniable.releases.linear.strategies import choose
from deniable.releases.linear.strategies.hierarchical import HierarchicalSums
from tests.support.workloads import MIXED, line, noise, task


def error(gram, matrix):
    return float(np.trace(gram @ np.linalg.inv(matrix.T @ matrix)))


@pytest.mark.parametrize("shape", [Shape.VALUES, Shape.PREFIXES, Shape.RANGES])
@pytest.mark.parametrize("size", [2, 5, 16, 33])
def test_the_optimum_reaches_its_bound_and_no_strategy_goes_below(shape, size):
    gram = Factor(shape, size, size).gram
    best = optimum(gram)
    assert np.allclose((best.matrix**2).sum(axis=0), 1)
    assert best.bound <= error(gram, best.matrix) <= best.bound * (1 + 1e-5)
    chance = np.random.default_rng(size)
    for _ in range(50):
        other = best.matrix + 0.1 * chance.normal(size=best.matrix.shape)
        assert error(gram, other / np.sqrt((other**2).sum(axis=0))) >= best.bound


def test_the_bound_is_right_where_the_optimum_is_known():
    assert optimum(np.eye(9)).bound == pytest.approx(9)
    assert optimum(np.ones((9, 9))).bound == pytest.approx(1)  # a single query: the total


@pytest.mark.parametrize("work", [Workload.ranges("a"), MIXED])
def test_the_rounded_strategy_is_within_a_thousandth_of_the_bound(work):
    one = line(work, 48) if work is not MIXED else task(work)
    design = choose("matrix", one, noise(rho="0.5"))
    assert design.bound <= design.total <= design.bound * 1.001


def test_the_gradient_of_the_descent_is_right():
    gram = Factor(Shape.RANGES, 32, 32).gram
    start = _start(32)
    way = np.random.default_rng(1).normal(size=start.shape)
    _, slope = _error(start, gram)
    ahead, behind = (_error(start + step * way, gram)[0] for step in (1e-5, -1e-5))
    assert (ahead - behind) / 2e-5 == pytest.approx(float((slope * way).sum()), rel=1e-5)
    matrix = identity_plus(gram)
    assert np.allclose(np.abs(matrix).sum(axis=0), 1)
    assert error(gram, matrix) < 0.95 * np.trace(gram)


def test_textbook_trees_err_as_published():
    """Ranges over 1,024 cells, epsilon 1 and rho 1/2: the published 21.8 and 4.65 of binary trees, 26.2 of cells."""
    work = line(Workload.ranges("a"), 1024)
    assert choose("identity", work, noise(epsilon=1)).total == pytest.approx(26.15, abs=0.01)
    assert HierarchicalSums(2).design(work, noise(epsilon=1)).total == pytest.approx(21.83, abs=0.01)
    assert HierarchicalSums(2).design(work, noise(rho="0.5")).total == pytest.approx(4.654, abs=0.001)


@pytest.mark.deep
def test_a_thousand_cells():
    work = line(Workload.ranges("a"), 1024)
    assert choose("matrix", work, noise(epsilon=1)).total <= 11.5
    design = choose("matrix", work, noise(rho="0.5"))
    assert design.bound == pytest.approx(3.515, abs=1e-3)
    assert design.total <= 3.52
