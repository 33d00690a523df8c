"""What is measured of a few ordered cells, so that ranks are known best: their counts, or sums by a root of signs.

How far cell c begins past the median is half the count of everything below it, less half of everything else: a matrix
whose entries are 1/2 below the diagonal and -1/2 elsewhere. It is the product of a rotation and of the square of a
symmetric matrix R. Noise on R x, and then the rotation and R, is spread evenly over all ranks. With Gaussian noise and
fifty cells, they are known twice as well as by noise on each count. Other quantiles follow from the same sums.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from deniable.core.sampling import IntArray

FloatArray = NDArray[np.float64]

_UNIT = 1 << 6
"""What 1 is in R, whose entries are rounded to whole numbers: as good a strategy, within a thousandth."""
_MOST = 1 << 52
"""Of a count, so that all sums fit 64 bits: the entries in a row of R add up to less than 2^9."""


@dataclass(frozen=True, slots=True)
class SummedCells:
    """Whole-number sums of ordered cells, from which follows how far each begins past a quantile.

    Input:      counts per cell, in rows of groups; what a unit adds to them is not negative and adds up to R at most,
                over all groups and cells.
    Guarantee:  the sums move by at most R sqrt(distance_squared) in l2; counts themselves by R, or 2 R, in l1.
    Reference:  Li, Miklau, Hay, McGregor, Rastogi 2015 (strategies); Mathias 1993 (the matrix of signs).
    Proof:      docs/proofs/quantiles.md

    Example:
        >>> summed = SummedCells(3, rooted=True)
        >>> summed.sums(np.array([[2, 0, 1]])).tolist()
        [[110, 18, 46]]
        >>> past = summed.sums(np.array([[2, 0, 1]])) @ summed.weights(Fraction(1, 2))
        >>> past.round(9).tolist()  # twice the rows below each cell, less three
        [[-3.0, 1.0, 1.0]]
    """

    cells: int
    rooted: bool
    """Or the counts themselves."""

    def sums(self, counts: IntArray) -> IntArray:
        """The exact sums, in a row for each group."""
        return np.asarray(np.clip(counts, 0, _MOST) @ _matrix(self), dtype=np.int64)

    def distance_squared(self, *, replaced: bool) -> int:
        """How far a row that comes or goes moves the sums, in l2 and squared; or one that becomes another.

        What a unit adds is a mean of rows in one cell each, so nothing moves them farther.
        """
        products = _matrix(self) @ _matrix(self)  # of its columns: it is symmetric
        lengths = products.diagonal()
        if not replaced:
            return int(lengths.max())
        apart = lengths[:, None] + lengths[None] - 2 * products  # within a group; of two groups, both lengths
        return int(max(apart.max(), 2 * lengths.max()))

    def weights(self, quantile: Fraction) -> FloatArray:
        """What each sum adds to d * below - p * everyone, of p/d: a column for each cell."""
        return _weights(self, quantile)


@lru_cache(maxsize=64)
def _matrix(summed: SummedCells) -> IntArray:
    """Entries depend on how far two cells are apart: the signs' singular values are 1 / (2 sin w), w = odd pi / 2m."""
    places = np.arange(summed.cells)
    apart = np.abs(places[:, None] - places[None])
    if not summed.rooted:
        return np.asarray(apart == 0, dtype=np.int64)
    angles = (2 * places + 1) * np.pi / (2 * summed.cells)
    waves = np.cos(2 * np.outer(places, angles)) / np.sqrt(2 * np.sin(angles))
    return np.asarray(np.rint(_UNIT * waves.mean(axis=1))[apart], dtype=np.int64)


@lru_cache(maxsize=256)
def _weights(summed: SummedCells, quantile: Fraction) -> FloatArray:
    places = np.arange(summed.cells)
    below = places[:, None] < places[None]
    past = np.where(below, quantile.denominator - quantile.numerator, -quantile.numerator).astype(np.float64)
    found = np.asarray(np.linalg.solve(_matrix(summed), past) if summed.rooted else past, dtype=np.float64)
    found.setflags(write=False)
    return found
