"""Bins: values that are told apart in pairs, from noisy counts alone, so that they cost nothing.

Heavy values stand alone, ordered ones are put together in stretches of about equal mass, rare categories in one bin;
missing values and those that are not listed have a bin of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from deniable.core.grid import IntArray
from deniable.releases.synthetic.domain import ColumnDomain
from deniable.releases.synthetic.one_way import FloatArray


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


def binned(column: ColumnDomain, counts: FloatArray, most: tuple[int, int], least: tuple[float, float]) -> Bins:
    """At most so many fine and coarse bins, each of at least so many rows, as far as that is possible."""
    present = column.present
    fine = _alone_last(_grouped(counts[:present], most[0], least[0], ordered=column.ordered), column.size - present)
    inner = fine[:present].max(initial=-1) + 1
    mass = np.bincount(fine[:present], counts[:present], inner)
    coarse = _alone_last(_grouped(mass, most[1], least[1], ordered=column.ordered), column.size - present)
    return Bins(fine, coarse)


def _alone_last(bins: IntArray, more: int) -> IntArray:
    first = int(bins.max(initial=-1)) + 1
    return np.concatenate([bins, first + np.arange(more)])


def _grouped(counts: FloatArray, most: int, least: float, *, ordered: bool) -> IntArray:
    if counts.size <= most and (counts < least).sum() <= 1:
        return np.arange(counts.size)
    return _stretches(counts, most, least) if ordered else _heaviest(counts, most, least)


def _heaviest(counts: FloatArray, most: int, least: float) -> IntArray:
    """The most common ones in their own order, and one bin for the rest."""
    order = np.argsort(-counts, kind="stable")[: most - 1]
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
