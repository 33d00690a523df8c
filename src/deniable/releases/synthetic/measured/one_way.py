"""How often each value of each column occurs: the first measurement, on which bins and everything else rest.

A column of few values is counted value by value. Of one with very many (cents, days of decades) no single count would
rise above the noise; there, counts of ever finer ranges are measured, and a range is divided only as far as it does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from deniable.core.grid import IntArray
from deniable.releases.linear.nonnegative import tidied
from deniable.releases.synthetic.measured.domain import ColumnDomain
from deniable.releases.synthetic.measured.portion import Portion, read, weights_for
from deniable.releases.synthetic.measured.smoothing import smoothed

FloatArray = NDArray[np.float64]

_FEW = 512
"""Up to so many values, each is counted by itself."""
_BRANCHES = 16
"""Into how many parts a range is divided."""
_ALL = 2.0
"""The weight of how many rows there are, beside that of a column with one value: everything is scaled to it."""
_CLEAR = 4.0
"""How many deviations a range must hold to be divided by what was measured, and not evenly."""


@dataclass(frozen=True, slots=True, eq=False)
class ColumnEstimate:
    """The noisy counts of one column."""

    estimate: FloatArray
    """Rows by place, as they most likely are: not negative, and together as many as in every other column."""
    noisy: FloatArray
    """Rows by place, as measured; the noise averages out, so sums of them are as good as they can be."""
    variance: float
    """Of the noise in `noisy`, by place."""


@dataclass(frozen=True)
class OneWay:
    """The counts of all columns, with noise for one portion of the spend.

    A unit's rows add to each level of each column a vector that is not negative and sums up to at most `reach`; so each
    is a vector of counts, as `Portion` has them. Columns of many values are measured more sharply: the deviation goes
    like cells^(-1/3), which makes the sum of all errors least.
    """

    columns: tuple[ColumnDomain, ...]
    portion: Portion

    @cached_property
    def weights(self) -> list[int]:
        """Of every level of every column; and of the number of all rows."""
        levels = [min(len(places), _FEW) / len(found) ** 2 for found in self.levels for places in found]
        return weights_for([*(cells ** (1 / 3) for cells in levels), _ALL])

    @cached_property
    def levels(self) -> list[list[IntArray]]:
        """For every column, from coarse to fine, which places make up each cell: where it starts."""
        return [_levels(column) for column in self.columns]

    def measure(self, exact: Sequence[IntArray]) -> IntArray:
        """Rows by place, for each column, and all rows, with noise. The only step here that meets exact numbers."""
        vectors = [
            np.add.reduceat(counts, starts)
            for counts, found in zip(exact, self.levels, strict=True)
            for starts in found
        ]
        return self.portion.measure([*vectors, exact[0].sum(keepdims=True)], self.weights)

    def vectors(self, noisy: IntArray) -> list[FloatArray]:
        """The noisy counts of every level of every column, and that of all rows, as they were measured."""
        return read(noisy, [*((len(starts),) for found in self.levels for starts in found), (1,)], self.weights)

    def read(self, noisy: IntArray) -> tuple[float, list[ColumnEstimate]]:
        """How many rows there are, and the counts of every column, which agree on that."""
        vectors = self.vectors(noisy)
        deviations = [self.portion.deviation(weight) for weight in self.weights]
        totals = [vectors[place].sum() for place in self._whole]
        rows = max(1.0, float(np.average(totals, weights=self._precision)))
        counts = [
            _counts(column, rows, found, vectors[start:], deviations[start:])
            for column, found, start in zip(self.columns, self.levels, self._whole, strict=False)
        ]
        return rows, counts

    @property
    def deviation_of_rows(self) -> float:
        """Of the noise in how many rows there are."""
        return 1 / sqrt(sum(self._precision))

    @cached_property
    def _whole(self) -> list[int]:
        """Of each column, the coarsest level, whose sum has least noise; and the number of all rows."""
        return [0, *accumulate(len(found) for found in self.levels)]

    @cached_property
    def _precision(self) -> list[float]:
        """Of the sums of these: one over their variance."""
        cells = [*(starts.size for found in self.levels for starts in found), 1]
        return [1 / (cells[place] * self.portion.deviation(self.weights[place]) ** 2) for place in self._whole]


def _levels(column: ColumnDomain) -> list[IntArray]:
    """Where each cell starts. Missing and other values are cells of their own on every level."""
    if not column.ordered or column.present <= _FEW:
        return [np.arange(column.size)]
    found: list[IntArray] = []
    width = 1
    while column.present > width:
        starts = np.concatenate([np.arange(0, column.present, width), np.arange(column.present, column.size)])
        found.insert(0, starts)
        width *= _BRANCHES
    return found


def _counts(
    column: ColumnDomain, rows: float, levels: list[IntArray], vectors: list[FloatArray], deviations: list[float]
) -> ColumnEstimate:
    if len(levels) == 1:
        listed, rest = np.split(vectors[0], [column.present])
        likely = smoothed(listed, deviations[0], rows / column.size, ordered=column.ordered)
        return ColumnEstimate(nearest(np.append(likely, rest), rows), vectors[0], deviations[0] ** 2)
    estimate = nearest(vectors[0], rows)
    for above, starts, vector, deviation in zip(levels, levels[1:], vectors[1:], deviations[1:], strict=False):
        estimate = _divided(estimate, np.searchsorted(above, starts, side="right") - 1, vector, deviation)
    cells = _BRANCHES * len(levels)
    return ColumnEstimate(estimate, estimate, cells * deviations[0] ** 2 / column.size)


def _divided(above: FloatArray, parent: IntArray, vector: FloatArray, deviation: float) -> FloatArray:
    """Every range by what was measured of its parts, if it rises above their noise; otherwise evenly."""
    ends = np.append(np.searchsorted(parent, np.arange(above.size)), parent.size)
    found = np.repeat(above / np.diff(ends), np.diff(ends))
    for place in np.flatnonzero((above > _CLEAR * deviation) & (np.diff(ends) > 1)):
        part = slice(ends[place], ends[place + 1])
        found[part] = nearest(vector[part], above[place])
    return found


def nearest(noisy: FloatArray, total: float) -> FloatArray:
    """The nearest numbers that are not negative and add up to the total."""
    return tidied(noisy + (total - noisy.sum()) / noisy.size, nonnegative=True, whole=False)
