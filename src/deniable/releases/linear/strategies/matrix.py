"""The strategy that fits the queries best: found by optimisation, data-independent, kept for next time."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod, sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from deniable.core.sensitivity import Neighbours
from deniable.releases.linear.cache import remembered
from deniable.releases.linear.design import LinearDesign, least
from deniable.releases.linear.matrices.factors import Factor, FloatArray
from deniable.releases.linear.matrices.identity_plus import identity_plus
from deniable.releases.linear.matrices.integer_matrix import Whole
from deniable.releases.linear.matrices.optimum import optimum
from deniable.releases.linear.measurement import Block, Noise
from deniable.releases.linear.reader import CellReader, inverse
from deniable.releases.linear.strategies.strategy import WHOLE, Strategy, too_many_cells
from deniable.releases.linear.task import Factors, Task

_MOST = 2048
"""Values of one attribute that are optimised over."""
_MOST_TOGETHER = 1024
"""Cells of several attributes that are optimised over all together."""
_BITS = 12
_WEIGHED_BITS = 14
_ROUNDS = 2
_BELOW = 1 - 1e-6
"""So that a bound that was rounded when it was kept is one still."""


class Matrix(Strategy):
    """Measures the linear combinations that make the queries' total error least.

    Input:      workloads on few cells; or products of queries about attributes of at most 2,048 values each.
    Guarantee:  that of Laplace or Gaussian noise, for the exact norms of the whole-number matrix that is used.
    Error:      exact, from the covariance of least squares. With Gaussian noise, and one attribute, one product, or few
                cells, no strategy has a smaller total than `bound` says; ours is within a thousandth.
    Cost:       seconds for 1,024 cells the first time, milliseconds afterwards.
    Reference:  Li, Miklau, Hay, McGregor, Rastogi 2015; McKenna, Miklau, Hay, Machanavajjhala 2018 (Laplace);
                Yuan, Yang, Zhang, Hao 2016 (Gaussian).
    """

    name: ClassVar[str] = "matrix"

    def refusal(self, task: Task) -> str | None:
        """Either all cells together, or attribute by attribute."""
        if task.domain.cells <= _MOST_TOGETHER:
            return None
        if not task.is_product:
            return f"conditions on more than {_MOST_TOGETHER:,} cells are too many to optimise over"
        if max(task.domain.shape) > _MOST:
            return f"an attribute has more than {_MOST:,} values"
        return too_many_cells(task)

    def design(self, task: Task, noise: Noise) -> LinearDesign:
        """The better of the ways that there are."""
        designs = []
        if task.is_product and max(task.domain.shape) <= _MOST:
            designs.append(_by_axis(task, noise))
        if task.domain.cells <= _MOST_TOGETHER and (len(task.domain.shape) > 1 or not designs):
            designs.append(_together(task, noise))
        best = least(designs)
        bounds = [one.bound for one in designs if one.bound is not None]
        return LinearDesign(self.name, task, best.measurements, best.reader, max(bounds, default=None))


@dataclass(frozen=True, slots=True)
class Found:
    """A real matrix, whose columns have norm 1."""

    matrix: NDArray[np.floating[Any]]
    bound: float
    """No such matrix A has a smaller tr(G (A^T A)^-1); zero: not known."""

    def rounded(self, bits: int) -> Whole:
        """In whole numbers."""
        return Whole(np.rint(self.matrix * (1 << bits)).astype(np.int64))


def found(parts: tuple[tuple[float, object], ...], gram: FloatArray, *, pure: bool) -> Found:
    """A strategy for queries with this Gram matrix, which `parts` describe; values that no query counts stand alone."""
    counted = np.diag(gram) > 0
    if not counted.any():
        return Found(np.eye(len(gram)), 0.0)
    inner = gram[np.ix_(counted, counted)]

    def find() -> dict[str, FloatArray]:
        with threadpool_limits(1):  # the same to the last digit on every machine, and no core waits for another
            if pure:
                return {"matrix": identity_plus(inner)}
            best = optimum(inner)
        return {"matrix": best.matrix, "bound": np.full((1, 1), best.bound / np.trace(inner))}

    arrays = remembered(repr((pure, parts)), find, {"matrix": len(inner)} | ({} if pure else {"bound": 1}))
    matrix, alone = arrays["matrix"], int((~counted).sum())
    if alone:
        matrix = np.zeros((len(arrays["matrix"]) + alone, len(gram)), dtype=np.float32)
        matrix[:-alone, counted] = arrays["matrix"]
        matrix[-alone:, ~counted] = np.eye(alone)
    return Found(matrix, 0.0 if pure else float(arrays["bound"][0, 0]) * float(np.trace(inner)) * _BELOW)


def bits(noise: Noise, axes: int) -> int:
    """How finely matrices are rounded, so that the product of a few of them and of millions of rows fits 61 bits."""
    return min(_BITS, _WEIGHED_BITS // axes) if noise.reach > 1 else _BITS if axes <= 2 else 24 // axes  # noqa: PLR2004


def _by_axis(task: Task, noise: Noise) -> LinearDesign:
    """A product of strategies. Each is the best for its attribute, given the others: a few rounds are enough."""
    shape, pieces = task.domain.shape, task.products
    covariances = [np.eye(size) for size in shape]
    best: list[Found] = [Found(np.eye(size), 0.0) for size in shape]
    maps: list[Whole] = []
    fineness = bits(noise, len(shape))
    for _ in range(_ROUNDS if len(pieces) > 1 and len(shape) > 1 else 1):
        for axis in range(len(shape)):
            weights: dict[Factor, float] = {}
            for piece in pieces:
                weight = piece.weight**2 * _others(piece, covariances, axis)
                weights[piece.factors[axis]] = weights.get(piece.factors[axis], 0) + weight
            largest = max(weights.values())
            parts = tuple((float(f"{weight / largest:.4g}"), factor) for factor, weight in weights.items())
            gram = np.asarray(sum(weight * factor.gram for weight, factor in parts))
            best[axis] = found(parts, gram, pure=noise.pure)
            if len(shape) > 1:
                covariances[axis] = inverse(best[axis].rounded(fineness)) * 4.0**fineness
        maps = [one.rounded(fineness) for one in best]
    measured = noise.measured(Block(tuple(range(len(shape))), tuple(maps)), WHOLE)
    reader = CellReader(shape, tuple(maps), measured.deviation)
    least = pieces[0].weight ** 2 * prod(one.bound for one in best) if len(pieces) == 1 else 0.0
    return LinearDesign("", task, (measured,), reader, _bound(least, task, noise))


def _others(piece: Factors, covariances: list[FloatArray], axis: int) -> float:
    """The error of the other attributes' queries, by which this one's are multiplied."""
    return prod(
        float((factor.gram * covariances[place]).sum()) for place, factor in enumerate(piece.factors) if place != axis
    )


def _together(task: Task, noise: Noise) -> LinearDesign:
    """All cells in one row."""
    best = found(((1.0, (task.domain.shape, task.pieces)),), task.gram, pure=noise.pure)
    one = best.rounded(bits(noise, 1))
    measured = noise.measured(Block(tuple(range(len(task.domain.shape))), (one,)), WHOLE)
    reader = CellReader(task.domain.shape, (one,), measured.deviation)
    return LinearDesign("", task, (measured,), reader, _bound(best.bound, task, noise))


def _bound(least: float, task: Task, noise: Noise) -> float | None:
    """What no strategy goes below: known for units that come or go, with Gaussian noise."""
    if not least or noise.pure or noise.neighbours is not Neighbours.ADD_REMOVE:
        return None
    variance = float(noise.reach * noise.worth) ** 2 / float(2 * noise.spend)
    return sqrt(variance * least / task.weights)
