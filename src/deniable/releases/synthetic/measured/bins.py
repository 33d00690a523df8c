"""Bins: values that are told apart in pairs, from noisy counts alone, so that they cost nothing.

Heavy values stand alone, ordered ones are put together in stretches of about equal mass, rare categories in one bin;
missing values and those that are not listed have a bin of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from deniable.core.grid import IntArray
from deniable.releases.synthetic.measured.domain import ColumnDomain
from deniable.releases.synthetic.measured.one_way import FloatArray


@dataclass(frozen=True)
class Bins:
    """Two resolutions of one column: places to fine bins, and these to coarse ones."""

    fine: IntArray
    """The bin of every place."""
    coarse: IntArray
    """The coarse bin of every fine one."""

    @cached_property
    def sizes(self) -> tuple[int, int]:
        """How many fine and how many coarse ones there are."""
        return int(self.fine.max()) + 1, int(self.coarse.max()) + 1


@dataclass(frozen=True)
class Resolutions:
    """Three resolutions of one column, each made of the one before it."""

    finest: IntArray
    """The finest bin of every place."""
    fine: IntArray
    """The fine bin of every finest one."""
    coarse: IntArray
    """The coarse bin of every fine one."""

    def bins(self, *, sharp: bool) -> Bins:
        """Two of them: the coarse ones, and the finest if the column is to be told apart sharply."""
        return Bins(self.finest, self.coarse[self.fine]) if sharp else Bins(self.fine[self.finest], self.coarse)

    @cached_property
    def size(self) -> int:
        """How many finest ones there are."""
        return int(self.finest.max()) + 1


def binned(
    column: ColumnDomain, counts: FloatArray, most: tuple[int, int, int], least: tuple[float, float, float]
) -> Resolutions:
    """At most so many finest, fine and coarse bins, each of at least so many rows, as far as that is possible.

    Bins of an ordered column are stretches. Of any other column, values that are not listed share a bin with the rare
    ones, if there is one: so whatever is asked of the engine lists the common values, and no others.
    """
    place = column.present if column.present < len(column.values) else None
    found, mass = [], counts
    for many, few in zip(most, least, strict=True):
        grouped = np.ones(mass.size, dtype=np.bool_)
        if place is not None:
            grouped[place] = False
        level = _level(mass, grouped, many, few, column)
        found.append(level)
        mass, place = sums(level, mass), None if place is None else int(level[place])
    return Resolutions(*found)


def sums(bins: IntArray, counts: FloatArray, size: int | None = None) -> FloatArray:
    """What the bins hold together; so many of them, or as many as there are."""
    return np.asarray(np.bincount(bins, counts, size or 0), dtype=np.float64)


def by_bin(bins: IntArray, size: int) -> list[IntArray]:
    """The rows in each bin, in their order.

    Example:
        >>> [rows.tolist() for rows in by_bin(np.array([1, 0, 1]), 3)]
        [[1], [0, 2], []]
    """
    order = np.argsort(bins, kind="stable")  # of few bytes, by counting
    return np.split(order, np.cumsum(np.bincount(bins, minlength=size))[:-1])


def narrow(numbers: IntArray, size: int) -> IntArray:
    """Numbers below `size`, in as few bytes as they need: a million rows have many of them.

    Example:
        >>> narrow(np.array([0, 7]), 8).dtype, narrow(np.array([0, 7]), 1000).dtype
        (dtype('uint8'), dtype('uint16'))
    """
    return np.asarray(numbers, dtype=np.min_scalar_type(size))


def _level(counts: FloatArray, grouped: NDArray[np.bool_], most: int, least: float, column: ColumnDomain) -> IntArray:
    """Bins of those that may be grouped; a missing value has its own, the last."""
    inside = counts[grouped]
    few = inside.size <= most and (inside < least).sum() <= 1
    if few:
        bins = np.arange(inside.size)
    elif column.ordered:
        bins = _stretches(inside, most, least)
    else:
        bins = _heaviest(inside, most, least, column.other)
    found = np.full(counts.size, int(bins.max(initial=-1)) + 1)
    found[grouped] = bins
    return found


def _heaviest(counts: FloatArray, most: int, least: float, other: bool) -> IntArray:  # noqa: FBT001 - a fact, not a choice
    """The most common ones in their own order, and one bin for the rest, which the last belongs to if it is `other`."""
    listed = counts.size - other
    order = np.argsort(-counts[:listed], kind="stable")[: most - 1]
    kept = np.sort(order[counts[order] >= least])
    bins = np.full(counts.size, kept.size)
    bins[kept] = np.arange(kept.size)
    return bins


def _stretches(counts: FloatArray, most: int, least: float) -> IntArray:
    """Neighbours together until they are enough; a value that is enough by itself stays alone."""
    heavy = counts > counts.sum() / most
    light = float(counts[~heavy].sum())
    enough = max(light / max(most - int(heavy.sum()), 2), least) * 0.999  # a sum of floats may miss by a little
    bins, bin_, mass = np.empty(counts.size, dtype=np.int64), 0, 0.0
    for place, count in enumerate(counts):
        if heavy[place] and mass > 0:
            bin_ += 1
        bins[place] = bin_
        mass = 0.0 if heavy[place] else mass + count
        if heavy[place] or mass >= enough:
            bin_, mass = bin_ + 1, 0.0
    return np.unique(bins, return_inverse=True)[1].reshape(-1)
