"""The residual basis: its closed form, and marginals of domains that nobody could list."""

from math import comb, sqrt

import numpy as np
import pytest

from deniable.releases import Workload
from deniable.releases.linear.domain import Attribute, Domain
from deniable.releases.linear.strategies import choose
from deniable.releases.linear.strategies.residual import _contrast
from tests.support.workloads import noise, task


def wide(attributes: int, values: int) -> Domain:
    return Domain(tuple(Attribute(f"x{place}", tuple(range(values)), ordered=True) for place in range(attributes)))


def closed_form(attributes: int, values: int, order: int) -> float:
    """The least root-mean-square error of all marginals, for rho 1/2 (Xiao and others 2023).

    A space of k attributes has squared sensitivity ((d-1)/d)^k, and its noise adds ((d-1)/d)^k / d^(2(order-k)) times
    its variance to each cell of each marginal above it; the best split gives (sum of sqrt(size x price))^2.
    """
    total = 0.0
    for k in range(order + 1):
        above = comb(attributes - k, order - k)
        per_cell = ((values - 1) / values) ** k * values ** (-2 * (order - k))
        size = above * values**order * per_cell
        total += comb(attributes, k) * sqrt(size * ((values - 1) / values) ** k)
    return sqrt(total**2 / (comb(attributes, order) * values**order))


def test_all_pairs_of_ten_attributes_have_the_closed_form():
    domain = wide(10, 10)
    work = task(Workload.marginals([one.name for one in domain.attributes], order=2), domain)
    design = choose("residual", work, noise(rho="0.5"))
    assert closed_form(10, 10, 2) == pytest.approx(5.8461, abs=1e-4)
    assert design.total == pytest.approx(closed_form(10, 10, 2), rel=1e-4)
    assert choose("best", work, noise(rho="0.5")).name == "residual"
    assert choose("best", work, noise(epsilon=1)).name == "marginals"


def test_the_residual_basis_is_the_optimum_for_marginals():
    domain = wide(3, 4)
    work = task(Workload.marginals(["x0", "x1", "x2"], order=2), domain)
    bound = choose("matrix", work, noise(rho="0.5")).bound
    assert bound <= choose("residual", work, noise(rho="0.5")).total <= bound * 1.0005


def test_triples_of_twenty_attributes_are_read_from_marginals_alone():
    domain = wide(20, 3)
    work = task(Workload.marginals([one.name for one in domain.attributes], order=3), domain)
    design = choose("residual", work, noise(rho="0.5"))
    assert domain.cells > 10**9
    assert max(len(axes) for axes in design.needs) == 3
    chance = np.random.default_rng(1)
    rows = chance.integers(0, 3, (500, 20))

    def exact(axes):
        counts = np.zeros([3] * len(axes), dtype=np.int64)
        np.add.at(counts, tuple(rows[:, axis] for axis in axes), 1)
        return counts

    solution = design.solve(design.release(exact))
    piece = work.pieces[7]
    errors = design.answers(solution, piece) - exact(piece.axes).reshape(-1)
    assert np.abs(errors).max() < 8 * design.deviations(solution, piece).max()  # false alarm below 1e-12


def test_rounded_contrasts_add_up_to_nothing():
    chance = np.random.default_rng(2)
    rounded = _contrast(chance.normal(size=(30, 17)), 8)
    assert (rounded.sum(axis=1) == 0).all()
    assert np.linalg.matrix_rank(rounded) == 16
