"""t-closeness: in every class the sensitive values are distributed almost as in the whole table.

How far apart two distributions are is the earth mover's distance (EMD) under a ground distance between values:

- equal: all values are 1 apart; EMD is the total variation distance.
- hierarchical: values whose lowest common name stands at level i of H are i / H apart. This is an ultrametric, whose tree
  has edges of length 1 / (2 H), so EMD = (1 / H) sum over h = 0, ..., H - 1 of the total variation at level h.
- ordered: the i-th and the j-th of m values are |i - j| / (m - 1) apart; EMD is the sum of |F_Q - F_P| over the first
  m - 1 values, divided by m - 1.

All three need only the values that a class has: O(pairs) time, whatever the number of values.
Reference: Li, Li, Venkatasubramanian 2007; Rubner, Tomasi, Guibas 2000; edges of a tree: Evans, Matsen 2012.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from deniable.core.errors import InvalidArgumentError
from deniable.core.number import Number, exact
from deniable.releases.syntactic.cells import Sensitive
from deniable.releases.syntactic.classes import Classes, Pairs
from deniable.releases.syntactic.grouping import FloatArray, IntArray
from deniable.releases.syntactic.hierarchy import Hierarchy
from deniable.releases.syntactic.models import SLACK, Bound, Model, Verdict
from deniable.releases.syntactic.values import date_of, number_of, text_of


@dataclass(frozen=True, slots=True, init=False)
class Equal(Model):
    """t-closeness where all values are equally far apart."""

    t: Fraction

    def __init__(self, t: Number) -> None:
        object.__setattr__(self, "t", threshold(t))

    def bound(self, column: int, sensitive: Sensitive) -> Bound:
        """Total variation."""
        return Closeness(column, float(self.t), by_levels([np.arange(len(sensitive.values))], sensitive.counts))

    def __str__(self) -> str:
        """As it is spoken."""
        return f"{float(self.t):g}-closeness (equal distance)"


@dataclass(frozen=True, slots=True, init=False)
class Hierarchical(Model):
    """t-closeness where values are the nearer, the lower the name that they share."""

    t: Fraction
    hierarchy: Hierarchy

    def __init__(self, t: Number, hierarchy: Hierarchy) -> None:
        object.__setattr__(self, "t", threshold(t))
        object.__setattr__(self, "hierarchy", hierarchy)

    def bound(self, column: int, sensitive: Sensitive) -> Bound:
        """Total variation, level by level."""
        return Closeness(column, float(self.t), by_levels(self.levels(sensitive), sensitive.counts))

    def levels(self, sensitive: Sensitive) -> list[IntArray]:
        """For each level below '*': the group of each value."""
        values = sensitive.values.to_pylist()
        named = [[None if value is None else text_of(value) for value in values]]
        known = [value for value in values if value is not None]
        nulls = self.hierarchy.null
        for number, level in enumerate(self.hierarchy.levels(known)):
            labels = iter(level)
            named.append([(nulls[number] if nulls else None) if value is None else next(labels) for value in values])
        return [np.unique([str((name is None, name)) for name in level], return_inverse=True)[1] for level in named]

    def __str__(self) -> str:
        """As it is spoken."""
        return f"{float(self.t):g}-closeness (hierarchical distance)"


@dataclass(frozen=True, slots=True, init=False)
class Ordered(Model):
    """t-closeness where values stand in an order: numbers and days in theirs, others in the order that is given."""

    t: Fraction
    order: tuple[Any, ...] | None

    def __init__(self, t: Number, order: Sequence[Any] | None = None) -> None:
        object.__setattr__(self, "t", threshold(t))
        object.__setattr__(self, "order", None if order is None else tuple(order))

    def bound(self, column: int, sensitive: Sensitive) -> Bound:
        """Differences of the two distribution functions, added up."""
        return Closeness(column, float(self.t), AlongOrder(self.ranks(sensitive), sensitive.counts))

    def ranks(self, sensitive: Sensitive) -> IntArray:
        """The place of each value in the order."""
        values = sensitive.values.to_pylist()
        if None in values:
            raise InvalidArgumentError("t", f"by order has no place for NULL in {sensitive.name!r}; use the equal distance")
        if self.order is not None:
            places = {text_of(value): place for place, value in enumerate(self.order)}
            missing = [value for value in values if text_of(value) not in places]
            if missing:
                raise InvalidArgumentError("order", f"has no place for {text_of(missing[0])!r} of {sensitive.name!r}")
            return _ranked([places[text_of(value)] for value in values])
        for reads in (number_of, date_of):
            try:
                return _ranked([reads(value) for value in values])
            except InvalidArgumentError:
                continue
        raise InvalidArgumentError("t", f"by order needs an order of {sensitive.name!r}: Ordered(t, order=[...])")

    def __str__(self) -> str:
        """As it is spoken."""
        return f"{float(self.t):g}-closeness (ordered distance)"


class Distance(ABC):
    """The earth mover's distance of each class from the whole table."""

    @property
    @abstractmethod
    def largest(self) -> float:
        """Of a class with a single value, which is the largest there is: EMD is convex."""

    @abstractmethod
    def of(self, pairs: Pairs, sizes: IntArray) -> FloatArray:
        """For each class."""

    @abstractmethod
    def least(self, pairs: Pairs, classes: int) -> FloatArray:
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

    def of(self, pairs: Pairs, sizes: IntArray) -> FloatArray:
        """What is too much in one place is missing in another: the positive differences suffice."""
        total = np.zeros(len(sizes))
        for group, share in zip(self.groups, self.shares, strict=True):
            level = self._at(pairs, group, len(sizes), len(share))
            surplus = np.maximum(level.count / sizes[level.of] - share[level.value], 0)
            total += np.bincount(level.of, surplus, len(sizes))
        return total / len(self.groups)

    def least(self, pairs: Pairs, classes: int) -> FloatArray:
        """The mass of what is missing has to come from elsewhere."""
        total = np.zeros(classes)
        for group, share in zip(self.groups, self.shares, strict=True):
            level = self._at(pairs, group, classes, len(share))
            total += 1 - np.bincount(level.of, share[level.value], classes)
        return total / len(self.groups)

    @staticmethod
    def _at(pairs: Pairs, group: IntArray, classes: int, width: int) -> Pairs:
        if width == pairs.width:
            return pairs
        return Pairs.grouped(pairs.of, group[pairs.value], pairs.count, classes, width)


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

    def of(self, pairs: Pairs, sizes: IntArray) -> FloatArray:
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

    def least(self, pairs: Pairs, classes: int) -> FloatArray:
        """Nothing that is worth its time."""
        del pairs
        return np.zeros(classes)

    def _flat(self, height: FloatArray, start: IntArray, end: IntArray) -> FloatArray:
        """The sum of |height - F_P| from start up to but not including end: F_P passes the height once."""
        turn = np.clip(np.searchsorted(self._below, height), start, end)
        under = height * (turn - start) - (self._sums[turn] - self._sums[start])
        return under + (self._sums[end] - self._sums[turn]) - height * (end - turn)


@dataclass(frozen=True, slots=True)
class Closeness(Bound):
    """t-closeness of one column by a distance."""

    column: int
    t: float
    distance: Distance

    def judge(self, classes: Classes) -> Verdict:
        """Part (b) of the theorem; all of a class that lacks too many values to be close in any part of it."""
        pairs = classes.pairs[self.column]
        excess = self.distance.of(pairs, classes.sizes) - self.t
        hopeless = self.distance.least(pairs, classes.number) > self.t + SLACK
        room = max(self.distance.largest - self.t, SLACK)
        least = classes.sizes * np.maximum(excess - 2 * SLACK, 0) / room  # below the bound, whatever was rounded
        return Verdict(excess > SLACK, np.where(hopeless, classes.sizes, least))


def threshold(t: Number) -> Fraction:
    """A distance between 0 and 1."""
    number = exact("t", t)
    if not 0 <= number <= 1:
        raise InvalidArgumentError("t", f"must lie between 0 and 1, not {t}")
    return number


def _ranked(places: Sequence[Any]) -> IntArray:
    """Equal places cannot be: values are distinct. Ties of their numbers (1 and 1.0 as texts) are broken by position."""
    order = sorted(range(len(places)), key=lambda place: places[place])
    ranks = np.empty(len(places), np.int64)
    ranks[order] = np.arange(len(places))
    return ranks
