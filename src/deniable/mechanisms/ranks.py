"""How far a cell of a histogram is from holding a rank: the score by which quantiles are chosen."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from deniable.core.sampling import IntArray
from deniable.core.sensitivity import Neighbours

_FAR = 1 << 61
"""Gaps beyond this are cut to it, which moves no two of them apart."""


def rank_scores(counts: IntArray, quantile: Fraction, offset: int) -> IntArray:
    """For each cell of each row: zero if it holds the rank quantile * n + offset, else minus the distance from it.

    Distances are multiplied by the quantile's denominator, so that they are whole. With L rows below the cell and h in
    it, the distance is max(L - rank, rank - (L + h), 0). The first cell also holds all ranks below zero, and the last
    all ranks above n; so one cell always scores zero. Counts are whole and not negative.

    Example:
        >>> rank_scores(np.array([[3, 0, 5, 2]]), Fraction(1, 2), 0)
        array([[-4, -4,  0, -6]])
    """
    top, bottom = quantile.numerator, quantile.denominator
    most = float(counts.sum(axis=1, dtype=np.float64).max(initial=0.0)) + abs(float(offset))
    numbers = counts if 4 * bottom * most < _FAR else counts.astype(object)  # beyond 64 bits, in Python's integers
    ends = bottom * numbers.cumsum(axis=1)
    target = ends[:, -1:] // bottom * top + bottom * offset
    past, short = ends - bottom * numbers - target, target - ends
    past[:, 0] = short[:, -1] = 0
    return np.asarray(-np.clip(np.maximum(past, short), 0, _FAR), dtype=np.int64)


def rank_sensitivity(quantile: Fraction, reach: int, neighbours: Neighbours, *, grouped: bool) -> int:
    """How far neighbours' scores can lie apart: the farthest in each row of counts, added up over the rows.

    One unit's counts, over all rows and cells, add up to at most `reach`. Adding w to a row moves its distances by at
    most max(q, 1 - q) w. Replacing w by v moves them by at most max(q v + (1 - q) w, (1 - q) v + q w): in one row at
    most `reach`, over several rows at most 2 max(q, 1 - q) reach. Proof: docs/proofs/quantiles.md

    Example:
        >>> rank_sensitivity(Fraction(1, 4), 1, Neighbours.ADD_REMOVE, grouped=True)
        3
    """
    top, bottom = quantile.numerator, quantile.denominator
    one = max(top, bottom - top) * reach
    if neighbours is Neighbours.ADD_REMOVE:
        return one
    return 2 * one if grouped else bottom * reach
