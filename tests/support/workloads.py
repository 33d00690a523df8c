"""Small workloads on small domains, and their matrices written out."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from deniable.core.sensitivity import Neighbours
from deniable.releases import Workload
from deniable.releases.linear.domain import Attribute, Domain
from deniable.releases.linear.measurement import Noise
from deniable.releases.linear.task import Factors, ListedQueries, Task, factors, spread

SMALL = Domain(
    (
        Attribute("a", (0, 1, 2, 3, 4, 5, 6, None), ordered=True),
        Attribute("b", ("x", "y", None), ordered=False),
        Attribute("c", (0, 1, 2, 3), ordered=True),
    )
)
MIXED = (
    Workload.ranges("a")
    | 2 * Workload.marginals(["a", "b", "c"], order=2)
    | Workload.product({"a": "prefixes", "b": "values"})
)
MARGINALS = Workload.marginals(["a", "b", "c"], order=2) | 3 * Workload.histogram("b")


def task(work: Workload, domain: Domain = SMALL, *listed: ListedQueries) -> Task:
    return Task(domain, (*(factors(part, domain) for part in work.parts), *listed))


def line(work: Workload, size: int) -> Task:
    """About one attribute, 'a', with so many values."""
    return task(work, Domain((Attribute("a", tuple(range(size)), ordered=True),)))


def noise(*, epsilon: object = None, rho: object = None, contribution: int | None = None, replaced: bool = False):
    """Rows as units, or units that weigh up to `contribution` rows."""
    reach, worth = (1, Fraction(1)) if contribution is None else (contribution << 20, Fraction(1, 1 << 20))
    relation = Neighbours.REPLACE if replaced else Neighbours.ADD_REMOVE
    spend = Fraction(str(rho if epsilon is None else epsilon))
    return Noise(spend, epsilon is not None, reach, worth, relation)


def dense(piece, shape=SMALL.shape) -> np.ndarray:
    """One row per query, one column per cell."""
    if isinstance(piece, ListedQueries):
        return spread(piece, shape).reshape(piece.rows, -1).astype(float)
    assert isinstance(piece, Factors)
    matrix = np.ones((1, 1))
    for factor in piece.factors:
        matrix = np.kron(matrix, factor.apply(np.eye(factor.size), 0))
    return matrix


def measured(block, shape=SMALL.shape) -> np.ndarray:
    """The whole-number matrix of a block, without its scale."""
    cells = int(np.prod(shape))
    others = tuple(axis for axis in range(len(shape)) if axis not in block.axes)
    tensor = np.eye(cells).reshape(*shape, cells).sum(axis=others)
    if len(block.maps) < len(block.axes):
        tensor = tensor.reshape(-1, cells)
    for axis, one in enumerate(block.maps):
        tensor = one.apply(tensor, axis)
    return tensor.reshape(-1, cells)


def marginals_of(cells: np.ndarray, noise: Noise):
    """Exact counts by attributes, as a curator hands them over."""
    units = cells * int(1 / noise.worth)
    return lambda axes: units.sum(axis=tuple(axis for axis in range(cells.ndim) if axis not in axes))
