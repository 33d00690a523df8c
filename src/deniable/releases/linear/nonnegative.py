"""Cells that could be real: not negative, and whole. Post-processing."""

from __future__ import annotations

import numpy as np

from deniable.releases.linear.matrices.factors import FloatArray


def tidied(cells: FloatArray, *, nonnegative: bool, whole: bool) -> FloatArray:
    """The nearest cells with the same total that are not negative; then whole ones, that add up to the rounded total.

    Example:
        >>> tidied(np.array([3.4, -1.2, 0.9, 2.5]), nonnegative=True, whole=True)
        array([3., 0., 1., 2.])
    """
    flat = cells.reshape(-1)
    if nonnegative:
        flat = _lowered(flat)
    if whole:
        flat = _rounded(flat)
    return flat.reshape(cells.shape)


def _lowered(flat: FloatArray) -> FloatArray:
    """The projection onto cells that are not negative and keep the total: all sink by one level, as far as zero.

    (Held, Wolfe, Crowder 1974; the level is found from the sorted cells.)
    """
    total = max(float(flat.sum()), 0.0)
    ordered = np.sort(flat)[::-1]
    levels = (np.cumsum(ordered) - total) / np.arange(1, flat.size + 1)
    above = np.flatnonzero(ordered > levels)
    return np.maximum(flat - levels[above[-1]], 0) if above.size else np.zeros_like(flat)


def _rounded(flat: FloatArray) -> FloatArray:
    """Down, and then up by one where the most is missing, until the total is right."""
    floors = np.floor(flat)
    missing = int(np.rint(flat.sum()) - floors.sum())
    order = np.argsort(floors - flat, kind="stable")
    floors[order[:missing]] += 1
    return floors
