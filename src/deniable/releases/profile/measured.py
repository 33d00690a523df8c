"""Counts of ordered cells, measured so that running counts are known best: by the square root of 'all up to here'.

The matrix M of running counts (ones below and on its diagonal) is the square of a matrix A with the same entry c_k on
each diagonal, c_0 = 1, c_k = c_(k-1) (2k - 1) / (2k). Noise on A x, and then A times that, gives running counts whose
spread grows with the logarithm of the number of cells, not with its root.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from deniable.core.distributions.normal import quantile

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_UNIT = 1 << 10
"""What 1 is in whole numbers."""
_MOST = 1 << 41
"""Of a count: so that all sums fit 64 bits."""


@dataclass(frozen=True)
class RunningSums:
    """Whole-number sums of ordered cells, from which running counts follow.

    Input:      counts per cell; what a person adds to them is not negative and adds up to R at most.
    Guarantee:  adding or removing a person moves the sums by at most R sqrt(norm_squared) in l2; replacing one by at
                most sqrt(2) times that, because no entry of the matrix is negative.
    Reference:  Fichtenberger, Henzinger, Upadhyay 2023; Li, Miklau, Hay, McGregor, Rastogi 2015 (strategies).

    Example:
        >>> RunningSums(3).sums(np.array([2, 0, 1])).tolist(), RunningSums(3).norm_squared
        ([2048, 1024, 1792], 1458176)
    """

    cells: int

    def sums(self, counts: IntArray) -> IntArray:
        """The exact sums."""
        return np.asarray(_matrix(self.cells) @ np.clip(counts, 0, _MOST), dtype=np.int64)

    @property
    def norm_squared(self) -> int:
        """Of the longest column: the first one."""
        return int((_matrix(self.cells)[:, 0] ** 2).sum())


@dataclass(frozen=True)
class MeasuredCells:
    """Noisy sums, with independent Gaussian noise of one sigma on each.

    The least-squares estimate of the cells is unbiased, and any combination of it has the least variance of all linear
    ones (Gauss): sigma^2 w' (A' A)^-1 w for weights w.
    """

    noisy: FloatArray
    sigma: float
    descending: bool = False
    """Whether the cells were measured from the last to the first, so that tails are known best."""

    @cached_property
    def counts(self) -> FloatArray:
        """Of each cell."""
        return self._in_order(np.asarray(_inverse(self.size) @ self.noisy, dtype=np.float64))

    @property
    def size(self) -> int:
        """How many cells there are."""
        return len(self.noisy)

    @cached_property
    def tails(self) -> FloatArray:
        """From each cell on."""
        return np.cumsum(self.counts[::-1])[::-1]

    @cached_property
    def tail_spreads(self) -> FloatArray:
        """The standard deviations of the tails."""
        return self.sigma * _factors(self.size, tails=True, descending=self.descending)

    @cached_property
    def below_spreads(self) -> FloatArray:
        """The standard deviations of what lies below each cell."""
        return self.sigma * _factors(self.size, tails=False, descending=self.descending)

    def spread(self, weights: FloatArray) -> FloatArray:
        """The standard deviation of weighted sums: one for each column of weights."""
        through = _inverse(self.size).T @ self._in_order(weights)
        return np.asarray(self.sigma * np.sqrt((through**2).sum(axis=0)))

    def ends(self, confidence: Fraction) -> tuple[FloatArray, FloatArray]:
        """Between which numbers the count of each cell lies, by itself; none is below zero."""
        off = -quantile(float(1 - confidence) / 2) * self.spread(np.eye(self.size))
        return np.maximum(self.counts - off, 0), np.maximum(self.counts + off, 0)

    def _in_order(self, values: FloatArray) -> FloatArray:
        return values[::-1] if self.descending else values


@lru_cache(maxsize=32)
def _matrix(cells: int) -> IntArray:
    """The square root, in whole numbers; rounded, it is as good a strategy, only a little less than the best."""
    steps = np.arange(1, cells)
    diagonal = np.rint(_UNIT * np.cumprod(np.concatenate([[1.0], (2 * steps - 1) / (2 * steps)]))).astype(np.int64)
    places = np.arange(cells)
    behind = places[:, None] - places[None]
    return np.where(behind >= 0, diagonal[np.maximum(behind, 0)], 0)


@lru_cache(maxsize=32)
def _factors(cells: int, *, tails: bool, descending: bool) -> FloatArray:
    """Of all tails, or of all that lies below: their spread for a sigma of one."""
    ones = np.ones((cells, cells))
    return MeasuredCells(np.zeros(cells), 1.0, descending).spread(np.tril(ones) if tails else np.triu(ones, 1))


@lru_cache(maxsize=32)
def _inverse(cells: int) -> FloatArray:
    return np.asarray(np.linalg.inv(_matrix(cells).astype(np.float64)), dtype=np.float64)
