"""The earth mover's distance (EMD) between the sensitive values of a class and those of the whole table.

It depends on how far apart two values are:

- equal: all values are 1 apart; EMD is the total variation distance.
- hierarchical: values whose lowest common name stands at level i of H are i / H apart. This is an ultrametric, whose
  tree has edges of length 1 / (2 H), so EMD = (1 / H) sum over h = 0, ..., H - 1 of the total variation at level h.
- ordered: the i-th and the j-th of m values are |i - j| / (m - 1) apart; EMD is the sum of |F_Q - F_P| over the first
  m - 1 values, divided by m - 1.

All three need only the values that a class has: O(pairs) time, whatever the number of values.
Reference: Li, Li, Venkatasubramanian 2007; Rubner, Tomasi, Guibas 2000; edges of a tree: Evans, Matsen 2012.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deniable.releases.syntactic.search.classes import ClassValues
from deniable.releases.syntactic.search.grouping import FloatArray, IntArray


class Distance(ABC):
    """The earth mover's distance of each class from the whole table."""

    @property
    @abstractmethod
    def largest(self) -> float:
        """Of a class with a single value, which is the largest there is: EMD is convex."""

    @abstractmethod
    def of(self, pairs: ClassValues, sizes: IntArray) -> FloatArray:
        """For each class."""

    @abstractmethod
    def least(self, pairs: ClassValues, classes: int) -> FloatArray:
        """For each class, no more than the EMD of any part of it: what follows from the values that it lacks."""


@dataclass(frozen=True, slots=True)
class _ByLevels(Distance):
    groups: tuple[IntArray, ...]
    shares: tuple[FloatArray, ...]

    @property
    def largest(self) -> float:
        """Everything else has to move."""
        apart = sum(1 - share[group] for group, share in zip(self.groups, self.shares, strict=True))
        return float(np.max(apart)) / len(self.groups)

    def of(self, pairs: ClassValues, sizes: IntArray) -> FloatArray:
        """What is too much in one place is missing in another: the positive differences suffice."""
        total = np.zeros(len(sizes))
        for group, share in zip(self.groups, self.shares, strict=True):
            level = self._at(pairs, group, len(sizes), len(share))
            surplus = np.maximum(level.count / sizes[level.of] - share[level.value], 0)
            total += np.bincount(level.of, surplus, len(sizes))
        return total / len(self.groups)

    def least(self, pairs: ClassValues, classes: int) -> FloatArray:
        """The mass of what is missing has to come from elsewhere."""
        total = np.zeros(classes)
        for group, share in zip(self.groups, self.shares, strict=True):
            level = self._at(pairs, group, classes, len(share))
            total += 1 - np.bincount(level.of, share[level.value], classes)
        return total / len(self.groups)

    @staticmethod
    def _at(pairs: ClassValues, group: IntArray, classes: int, width: int) -> ClassValues:
        if width == pairs.width:
            return pairs
        return ClassValues.grouped(pairs.of, group[pairs.value], pairs.count, classes, width)


def by_levels(groups: Sequence[IntArray], counts: IntArray) -> Distance:
    """From the group of each value at each level. A level that parts all values numbers them as the pairs do."""
    apart = np.arange(len(counts))
    levels = [apart if len(np.unique(group)) == len(counts) else group for group in groups]
    return _ByLevels(tuple(levels), tuple(np.bincount(level, counts) / counts.sum() for level in levels))


class AlongOrder(Distance):
    """Distances along an order. Between two values of a class its distribution function is flat: one step for each."""

    def __init__(self, ranks: IntArray, counts: IntArray) -> None:
        self._ranks = ranks
        self._steps = len(counts) - 1
        shares = np.zeros(len(counts))
        shares[ranks] = counts / counts.sum()
        self._below = np.cumsum(shares)[:-1]  # the table's distribution function, at all but the last value
        self._sums = np.r_[0.0, np.cumsum(self._below)]

    @property
    def largest(self) -> float:
        """Of all rows at one of the two ends."""
        if not self._steps:
            return 0.0
        ends = self._flat(np.zeros(2), np.zeros(2, np.int64), np.full(2, self._steps))
        return float(max(self._steps - ends[0], ends[0])) / self._steps

    def of(self, pairs: ClassValues, sizes: IntArray) -> FloatArray:
        """The sum of |F_Q - F_P|, stretch by stretch, on each of which F_Q is constant and F_P grows."""
        if not self._steps:
            return np.zeros(len(sizes))
        order = np.lexsort((self._ranks[pairs.value], pairs.of))
        of, rank, count = pairs.of[order], self._ranks[pairs.value][order], pairs.count[order]
        starts = pairs.starts(len(sizes))
        running = np.cumsum(count)
        height = (running - (running - count)[starts][of]) / sizes[of]
        last = np.r_[of[1:] != of[:-1], True]
        until = np.where(last, self._steps, np.r_[rank[1:], 0])
        total = np.bincount(of, self._flat(height, np.minimum(rank, self._steps), until), len(sizes))
        before = self._flat(np.zeros(len(sizes)), np.zeros(len(sizes), np.int64), rank[starts])
        return (total + before) / self._steps

    def least(self, pairs: ClassValues, classes: int) -> FloatArray:
        """Nothing that is worth its time."""
        del pairs
        return np.zeros(classes)

    def _flat(self, height: FloatArray, start: IntArray, end: IntArray) -> FloatArray:
        """The sum of |height - F_P| from start up to but not including end: F_P passes the height once."""
        turn = np.clip(np.searchsorted(self._below, height), start, end)
        below: FloatArray = height * (turn - start) - (self._sums[turn] - self._sums[start])
        above: FloatArray = (self._sums[end] - self._sums[turn]) - height * (end - turn)
        return below + above
