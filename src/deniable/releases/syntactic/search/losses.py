"""What a release gives up, as one number; the search makes it least.

Every loss comes with a bound from below that holds for a node before its classes are known, or for all nodes above one
whose classes are known. A suppressed row loses at least as much as one that is only made coarser, so leaving
suppression out bounds from below, and without suppression every loss here grows from level to level.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from deniable.core.errors import InvalidArgumentError
from deniable.releases.syntactic.search.cells import CellCounts
from deniable.releases.syntactic.search.classes import EquivalenceClasses
from deniable.releases.syntactic.search.grouping import BoolArray, FloatArray

Node = tuple[int, ...]

_NOTHING = 1e-6
"""Bits that are only rounding: one row with another value is worth more than one bit in all."""


class InformationLoss(ABC):
    """A loss of one table."""

    @abstractmethod
    def floor(self) -> FloatArray:
        """For each node of the lattice, no more than its loss."""

    @abstractmethod
    def rising(self, classes: EquivalenceClasses) -> float:
        """No more than the loss of any node at or above the one with these classes."""

    @abstractmethod
    def of(self, node: Node, classes: EquivalenceClasses, kept: BoolArray) -> float:
        """The loss of a node when the classes that are not kept are suppressed."""


class _ByColumns(InformationLoss):
    """A weight for each group of each level of each column; the loss of a row is the sum over its columns."""

    def __init__(
        self,
        cells: CellCounts,
        weights: Sequence[Sequence[FloatArray]],
        stars: Sequence[float],
        base: float,
        scale: float,
    ) -> None:
        self._weights, self._stars, self._base, self._scale = weights, stars, base, scale
        points = np.bincount(cells.point, cells.counts, cells.points)
        self._means = [
            np.array(
                [np.sum(points * weight[group[codes]]) for weight, group in zip(levels, column.groups, strict=True)]
            )
            for levels, column, codes in zip(weights, cells.columns, cells.codes, strict=True)
        ]

    def floor(self) -> FloatArray:
        """Sums over columns: no class is needed."""
        total = np.zeros(())
        for means in self._means:
            total = total[..., None] + means
        return self._scaled(total)

    def rising(self, classes: EquivalenceClasses) -> float:
        """Nothing that the floor does not say."""
        del classes
        return 0.0

    def of(self, node: Node, classes: EquivalenceClasses, kept: BoolArray) -> float:
        """Kept classes by their groups, suppressed ones as '*' in every column."""
        lost = np.zeros(classes.number)
        for weights, level, codes in zip(self._weights, node, classes.codes, strict=True):
            lost += weights[level][codes]
        total = np.array(classes.sizes * np.where(kept, lost, sum(self._stars))).sum()
        return float(self._scaled(np.array([total], float))[0])

    def _scaled(self, total: FloatArray) -> FloatArray:
        return (total - self._base) / self._scale


def ncp(cells: CellCounts) -> InformationLoss:
    """Normalised certainty penalty (Xu et al. 2006): the share of its column that a value covers, averaged.

    0 where every value stands as it is, 1 where all is '*'.
    """
    weights = [
        [column.span(group, size) for group, size in zip(column.groups, column.sizes, strict=True)]
        for column in cells.columns
    ]
    many = len(weights)
    return _ByColumns(cells, weights, [1.0] * many, 0.0, float(cells.total * many))


def entropy(cells: CellCounts) -> InformationLoss:
    """Non-uniform entropy (Gionis, Tassa 2009): the bits that are lost about each value, over all there are.

    A value v that becomes a group g loses log2(rows with g / rows with v). The second logarithm is the same for all
    nodes, so that groups alone have weights.
    """
    points = np.bincount(cells.point, cells.counts, cells.points)
    weights = []
    for column, codes in zip(cells.columns, cells.codes, strict=True):
        weights.append([np.log2(np.bincount(group[codes], points)) for group in column.groups])
    stars = [float(np.log2(cells.total))] * len(weights)
    base = sum(
        float(np.sum(points * levels[0][column.groups[0][codes]]))
        for levels, column, codes in zip(weights, cells.columns, cells.codes, strict=True)
    )
    everything = cells.total * sum(stars) - base
    return _ByColumns(cells, weights, stars, base, everything if everything > _NOTHING else 1.0)


class Discernibility(InformationLoss):
    """Bayardo, Agrawal 2005: every row is charged the rows that it cannot be told from; a suppressed one, all rows."""

    def __init__(self, cells: CellCounts) -> None:
        self._rows = cells.total
        self._shape = tuple(column.height for column in cells.columns)

    def floor(self) -> FloatArray:
        """Every row cannot be told from itself."""
        return np.full(self._shape, float(self._rows))

    def rising(self, classes: EquivalenceClasses) -> float:
        """Squares only grow when classes merge, and no class is larger than the table."""
        return float(np.square(classes.sizes, dtype=float).sum())

    def of(self, node: Node, classes: EquivalenceClasses, kept: BoolArray) -> float:
        """The sum of squares, and all rows for each suppressed one."""
        del node
        suppressed = float(classes.sizes[~kept].sum())
        return float(np.square(classes.sizes[kept], dtype=float).sum()) + suppressed * self._rows


class ClassSize(InformationLoss):
    """LeFevre et al. 2006: rows over classes. Suppressed rows count as one class."""

    def __init__(self, cells: CellCounts) -> None:
        self._rows = cells.total
        self._shape = tuple(column.height for column in cells.columns)

    def floor(self) -> FloatArray:
        """A class has at least one row."""
        return np.ones(self._shape)

    def rising(self, classes: EquivalenceClasses) -> float:
        """Classes only become fewer, and the suppressed rows come from at least one."""
        return self._rows / classes.number

    def of(self, node: Node, classes: EquivalenceClasses, kept: BoolArray) -> float:
        """Rows over classes."""
        del node, classes
        return float(self._rows / (int(kept.sum()) + (not kept.all())))


class Suppressed(InformationLoss):
    """How many rows are suppressed: what the nearest feasible setting is found by."""

    def __init__(self, cells: CellCounts) -> None:
        self._shape = tuple(column.height for column in cells.columns)

    def floor(self) -> FloatArray:
        """Perhaps none."""
        return np.zeros(self._shape)

    def rising(self, classes: EquivalenceClasses) -> float:
        """Perhaps none."""
        del classes
        return 0.0

    def of(self, node: Node, classes: EquivalenceClasses, kept: BoolArray) -> float:
        """The rows of the classes that are not kept."""
        del node
        return float(classes.sizes[~kept].sum())


LOSSES = {"ncp": ncp, "entropy": entropy, "discernibility": Discernibility, "class size": ClassSize}


def loss_of(name: str, cells: CellCounts) -> InformationLoss:
    """The loss by its name."""
    if name not in LOSSES:
        raise InvalidArgumentError("loss", f"must be one of {', '.join(LOSSES)}, not {name!r}")
    return LOSSES[name](cells)
