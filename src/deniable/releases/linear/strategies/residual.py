"""Marginals, through what each adds to the smaller ones: the residual basis.

The cells' space is a sum of orthogonal spaces, one for each set S of attributes: what the marginal on S has beyond
those of its subsets. Each is measured once, and every marginal is put together from the spaces of its subsets; so all
answers agree, and nothing is measured twice.
"""

from __future__ import annotations

from itertools import chain, combinations
from math import prod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from deniable.core.grid import IntArray
from deniable.releases.linear.design import LinearDesign
from deniable.releases.linear.matrices.components import Centred, Component, ComponentReader, Contrast, share_of
from deniable.releases.linear.matrices.factors import Factor, Shape
from deniable.releases.linear.measurement import Block, Noise, shares
from deniable.releases.linear.strategies.matrix import bits, found
from deniable.releases.linear.strategies.strategy import MOST_CELLS, WHOLE, Strategy
from deniable.releases.linear.task import Factors, Task

_MOST_SPACES = 20_000
_MOST = 2048


class Residual(Strategy):
    """Measures, for every set of attributes that a query tells apart, what it has beyond its subsets.

    Input:      products of values, prefixes and ranges about any number of attributes, of which each query tells a few
                apart; the whole domain may be astronomically large.
    Guarantee:  that of Laplace or Gaussian noise, for the exact norms of whole-number matrices.
    Error:      exact. For marginals with Gaussian noise it is the least that any linear strategy has.
    Cost:       linear in the size of the marginals.
    Reference:  Xiao, He, Zhang, Kifer 2023 (ResidualPlanner), for values; here also for prefixes and ranges.
    """

    name: ClassVar[str] = "residual"

    def refusal(self, task: Task) -> str | None:
        """Products only, and each marginal must be small enough to be listed."""
        if not task.is_product:
            return "conditions are not products"
        shape = task.domain.shape
        widest = max(prod(shape[axis] for axis in axes) for axes in task.coordinates)
        if widest > MOST_CELLS:
            return f"a marginal would have {widest:,} cells, and {MOST_CELLS:,} are the most"
        if any(
            piece.factors[axis].shape is not Shape.VALUES and shape[axis] > _MOST
            for piece in task.products
            for axis in piece.axes
        ):
            return f"an attribute with an order has more than {_MOST:,} values"
        if len(_above(task)) > _MOST_SPACES:
            return f"there would be more than {_MOST_SPACES:,} sets of attributes"
        return None

    def design(self, task: Task, noise: Noise) -> LinearDesign:
        """A block for each space, and the spend divided so that the total error is least."""
        above = _above(task)
        maps = {space: _maps(space, pieces, noise) for space, pieces in above.items()}
        blocks = [Block(space, maps[space]) for space in above]
        sizes = [
            noise.measured(block, WHOLE).deviation ** 2
            * sum(piece.weight**2 * share_of(piece, space, maps[space]) for piece in pieces)
            for block, (space, pieces) in zip(blocks, above.items(), strict=True)
        ]
        parts = shares(sizes, pure=noise.pure)
        measured = tuple(noise.measured(block, part) for block, part in zip(blocks, parts, strict=True))
        components = tuple(Component(one.block.axes, maps[one.block.axes], one.deviation) for one in measured)
        return LinearDesign(self.name, task, measured, ComponentReader(task.domain.shape, components))


Maps = tuple[Centred | Contrast, ...]
_Space = tuple[int, ...]


def _above(task: Task) -> dict[_Space, list[Factors]]:
    """The spaces: every subset of what a query tells apart, with the pieces that need it.

    Attributes with one value add nothing to the total.
    """
    spaces: dict[_Space, list[Factors]] = {}
    for piece in task.products:
        wide = [axis for axis in piece.axes if task.domain.shape[axis] > 1]
        for space in chain.from_iterable(combinations(wide, order) for order in range(len(wide) + 1)):
            spaces.setdefault(space, []).append(piece)
    return spaces


def _even(factor: Factor) -> float:
    """The squared part of a factor's queries that the total answers."""
    return float(((factor.sums / factor.size) ** 2).sum())


def _maps(space: _Space, pieces: list[Factors], noise: Noise) -> Maps:
    """For each attribute of a space, what suits the queries that need it."""
    ordered = sum(any(piece.factors[axis].shape is not Shape.VALUES for piece in pieces) for axis in space)
    return tuple(_map(axis, space, pieces, noise, max(1, ordered)) for axis in space)


def _map(axis: int, space: _Space, pieces: list[Factors], noise: Noise, ordered: int) -> Centred | Contrast:
    """For values, each beyond the mean; where there are ranges, what is best for them beyond the total."""
    weights: dict[Factor, float] = {}
    for piece in pieces:
        others = prod(
            piece.factors[other].size - 1.0 if other in space else _even(piece.factors[other])
            for other in piece.axes
            if other != axis
        )
        weights[piece.factors[axis]] = weights.get(piece.factors[axis], 0) + piece.weight**2 * others
    size = pieces[0].factors[axis].size
    if all(factor.shape is Shape.VALUES for factor in weights):
        return Centred(size)
    largest = max(weights.values())
    parts = tuple((float(f"{weight / largest:.4g}"), factor) for factor, weight in weights.items())
    gram = np.asarray(sum(weight * factor.gram for weight, factor in parts))
    matrix = found(parts, gram, pure=noise.pure).matrix
    return Contrast(_contrast(matrix, bits(noise, ordered)))


def _contrast(matrix: NDArray[np.floating[Any]], fineness: int) -> IntArray:
    """The matrix without its rows' means, in whole numbers that add up to zero in each row.

    What rounding leaves over is taken from the entries that were rounded farthest the same way.
    """
    real = (matrix - matrix.mean(axis=1, keepdims=True)) * (1 << fineness)
    rounded = np.rint(real)
    over = rounded.sum(axis=1, keepdims=True)
    ranks = np.argsort(np.argsort(-np.sign(over) * (rounded - real), axis=1), axis=1)
    return np.asarray(rounded - np.sign(over) * (ranks < np.abs(over)), dtype=np.int64)
