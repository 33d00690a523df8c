"""Sums of halves, quarters, eighths: a range is then a sum of few numbers instead of many."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from deniable.releases.linear.design import LinearDesign, least
from deniable.releases.linear.domain import Attribute
from deniable.releases.linear.matrices.factors import Factor, FloatArray, Shape
from deniable.releases.linear.matrices.integer_matrix import Solvable
from deniable.releases.linear.measurement import Block, Noise
from deniable.releases.linear.reader import CellReader
from deniable.releases.linear.strategies.strategy import WHOLE, Strategy, too_many_cells
from deniable.releases.linear.task import Factors, Task

_MOST = 4096
"""Values of an attribute that a tree is grown over."""
_BRANCHINGS = (2, 4, 8, 16)


@dataclass(frozen=True, slots=True)
class HierarchicalSums(Strategy):
    """Measures every node of a b-ary tree over each ordered attribute, and makes them agree by least squares.

    Input:      workloads with prefixes or ranges, on few cells.
    Guarantee:  that of Laplace or Gaussian noise: a row is in one node of each level, so the l1 norm is the number of
                levels and the l2 norm its root; for several attributes, their product.
    Error:      exact, from the covariance of least squares.
    Cost:       inverts a matrix as large as an attribute has values.
    Reference:  Hay, Rastogi, Miklau, Suciu 2010; Qardaji, Yang, Li 2013 (the choice of b).
    """

    name: ClassVar[str] = "hierarchical"
    branching: int | None = None
    """None: the best of 2, 4, 8 and 16."""

    def refusal(self, task: Task) -> str | None:
        """There must be an order, and not too many values."""
        ordered = _ordered(task)
        if not ordered:
            return "no attribute is asked for prefixes or ranges"
        if any(task.domain.shape[axis] > _MOST for axis in ordered):
            return f"an attribute has more than {_MOST:,} values"
        return too_many_cells(task)

    def design(self, task: Task, noise: Noise) -> LinearDesign:
        """One block."""
        wanted = _BRANCHINGS if self.branching is None else (self.branching,)
        return least([self._design(task, noise, branching) for branching in wanted])

    def _design(self, task: Task, noise: Noise, branching: int) -> LinearDesign:
        maps: list[Factor | Solvable] = [Factor(Shape.VALUES, one.size, one.present) for one in task.domain.attributes]
        for axis in _ordered(task):
            maps[axis] = _tree(task.domain.attributes[axis], branching, pure=noise.pure)
        measured = noise.measured(Block(tuple(range(len(maps))), tuple(maps)), WHOLE)
        reader = CellReader(task.domain.shape, tuple(maps), measured.deviation)
        return LinearDesign(f"{self.name}, {branching}-ary", task, (measured,), reader)


@dataclass(frozen=True, slots=True)
class SumTree:
    """The nodes of a tree over the values: every level from the values up to the whole, one number for each node.

    The value of rows that have none stands alone, `alone` times: as strongly as the other columns allow costs nothing.

    Example:
        >>> tree = SumTree(4, 3, 2, alone=3)
        >>> tree.apply(np.array([5.0, 6.0, 7.0, 1.0]), 0)
        array([ 5.,  6.,  7., 11.,  7., 18.,  3.])
        >>> tree.taxi, tree.square
        (3, 9)
    """

    size: int
    present: int
    branching: int
    alone: int

    @property
    def starts(self) -> list[NDArray[np.int64]]:
        """The first value of each node, level by level."""
        levels, width = [], 1
        while True:
            levels.append(np.arange(0, self.present, width))
            if width >= self.present:
                return levels
            width *= self.branching

    @property
    def rows(self) -> int:
        """All nodes."""
        return sum(len(level) for level in self.starts) + self._missing

    @property
    def taxi(self) -> int:
        """A value is in one node of each level."""
        return max(len(self.starts), self.alone * self._missing)

    @property
    def square(self) -> int:
        """The same of ones."""
        return max(len(self.starts), self.alone**2 * self._missing)

    @property
    def least(self) -> int:
        """Two values share the whole; the missing one shares nothing."""
        return 0 if self._missing else 1

    @property
    def widest(self) -> int:
        """The whole."""
        return max(self.present, self.alone)

    @property
    def gram(self) -> FloatArray:
        """In how many nodes two values are together."""
        shared = np.zeros((self.present, self.present), dtype=np.uint8)
        for level in self.starts:
            nodes = np.searchsorted(level, np.arange(self.present), side="right")
            shared += nodes[:, None] == nodes
        gram = np.zeros((self.size, self.size))
        gram[: self.present, : self.present] = shared
        gram[self.present :, self.present :] = self.alone**2
        return gram

    def apply(self, tensor: FloatArray, axis: int) -> FloatArray:
        """Sums by node."""
        values = np.moveaxis(tensor, axis, 0)
        there = values[: self.present]
        sums = [np.add.reduceat(there, level, axis=0) for level in self.starts]
        return np.moveaxis(np.concatenate([*sums, self.alone * values[self.present :]]), 0, axis)

    def adjoint(self, tensor: FloatArray, axis: int) -> FloatArray:
        """Every value gets what its nodes have."""
        nodes = np.moveaxis(tensor, axis, 0)
        values = np.zeros((self.size, *nodes.shape[1:]))
        first = 0
        for level in self.starts:
            widths = np.diff(np.append(level, self.present))
            values[: self.present] += np.repeat(nodes[first : first + len(level)], widths, axis=0)
            first += len(level)
        values[self.present :] = self.alone * nodes[first:]
        return np.moveaxis(values, 0, axis)

    @property
    def _missing(self) -> int:
        return self.size - self.present


def _tree(attribute: Attribute, branching: int, *, pure: bool) -> SumTree:
    levels = len(SumTree(attribute.present, attribute.present, branching, 0).starts)
    return SumTree(attribute.size, attribute.present, branching, alone=levels if pure else isqrt(levels))


def _ordered(task: Task) -> list[int]:
    """The attributes that are asked for prefixes or ranges."""
    wanted = (Shape.PREFIXES, Shape.RANGES)
    pieces = [piece for piece in task.pieces if isinstance(piece, Factors)]
    return [
        axis for axis in range(len(task.domain.shape)) if any(piece.factors[axis].shape in wanted for piece in pieces)
    ]
