"""Quotients of noisy statistics: the set of all values that the noise does not rule out (Fieller 1954).

A quotient r of exact numbers T / B satisfies T - r B = 0. So the noisy T' - r B' is nothing but noise, of a law that is
known for every r: the values with |T' - r B'| <= q(r) hold the true one as surely as q is a quantile. The noise that
both share is counted once, with the coefficient that it has in T - r B.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from deniable.planner.intervals.combined import CombinedNoise, Noise
from deniable.planner.intervals.forms import Affine, Ratio, finite
from deniable.planner.intervals.law import FloatArray, radius

Factors = tuple[float, ...]
"""Of each noise in a combination."""
_CELLS = 4096
_FARTHEST = 14.0
"""Quotients are looked at as sinh of numbers up to this, on a scale of their own: up to 600,000 such units."""


@dataclass(frozen=True, slots=True)
class QuotientLaw:
    """How far T - r B may be off, at values r from low to high, so that a straight line between two is never less."""

    values: FloatArray
    reaches: FloatArray

    @classmethod
    def of(cls, ratio: Ratio, noises: Mapping[str, Noise], doubt: Fraction) -> QuotientLaw:
        """Within a cell no coefficient is larger than at one of its ends, and q rises with their sizes."""
        names = sorted({*ratio.top.multiples, *ratio.bottom.multiples})
        top, bottom = (
            tuple(finite(one.multiples.get(name, Fraction(0))) for name in names) for one in (ratio.top, ratio.bottom)
        )
        return _law(top, bottom, tuple(noises[name] for name in names), doubt)

    def hull(
        self, top: FloatArray, bottom: FloatArray, slack: tuple[FloatArray, FloatArray]
    ) -> tuple[FloatArray, FloatArray]:
        """From the least to the largest r with |top - r bottom| <= q(r) + slack, row by row.

        Infinite both ways where the divisor may be zero: where it is not larger than the steepest rise of q.
        """
        sign = np.where(bottom < 0, -1.0, 1.0)
        top, bottom = top * sign, bottom * sign
        steepest = float(np.max(np.abs(np.diff(self.reaches) / np.diff(self.values))))
        known = bottom > steepest + slack[1]
        low, high = np.full(top.shape, -np.inf), np.full(top.shape, np.inf)
        rows = tuple(part[known] for part in (bottom, *slack))
        mirrored = QuotientLaw(-self.values[::-1], self.reaches[::-1])  # of -r
        low[known] = self.least(top[known], *rows)
        high[known] = -mirrored.least(-top[known], *rows)
        return low, high

    def least(self, top: FloatArray, bottom: FloatArray, once: FloatArray, per_value: FloatArray) -> FloatArray:
        """The least r with r bottom + q(r) + slack >= top; the left side rises with r. Beyond all values: infinite."""

        def reached(place: NDArray[np.int64]) -> FloatArray:
            value = self.values[place]
            left: FloatArray = value * bottom + self.reaches[place] + once + np.abs(value) * per_value
            return left

        low, high = np.zeros(top.shape, dtype=np.int64), np.full(top.shape, self.values.size - 1)
        while np.any(high - low > 1):
            middle = (low + high) // 2
            enough = reached(middle) >= top
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        before, after = reached(low), reached(high)
        share = np.clip((top - before) / (after - before), 0, 1)
        found = self.values[low] + share * (self.values[high] - self.values[low])
        return np.where(before >= top, -np.inf, found)


@lru_cache(maxsize=64)
def _law(above: tuple[float, ...], below: tuple[float, ...], noises: tuple[Noise, ...], doubt: Fraction) -> QuotientLaw:
    top, bottom = np.array(above), np.array(below)
    values = _places(top, bottom, noises)
    if any(isinstance(noise, CombinedNoise) for noise in noises):
        values = values[::4]  # few enough cells to invert the characteristic function in each
    sizes = np.abs(top[:, None] - bottom[:, None] * values)
    cells = radius(noises, np.maximum(sizes[:, :-1], sizes[:, 1:]), doubt)
    ends = np.concatenate([[0.0], cells, [0.0]])
    return QuotientLaw(values, np.maximum(ends[:-1], ends[1:]))


def slacks(ratio: Ratio, counts: Mapping[str, FloatArray], rows: int) -> tuple[FloatArray, FloatArray]:
    """What is known of the dividend and of the divisor only up to so much, given the largest that counts may be."""
    return slack_of(ratio.top, counts, rows), slack_of(ratio.bottom, counts, rows)


def slack_of(one: Affine, counts: Mapping[str, FloatArray], rows: int) -> FloatArray:
    """How far it may be off without noise, row by row."""
    total = np.full(rows, finite(one.once))
    for name in one.counts:
        total = total + finite(one.slack[name]) * np.maximum(counts[name], 0)
    return total


def _places(top: FloatArray, bottom: FloatArray, noises: Sequence[Noise]) -> FloatArray:
    """Closest where the noise of T - r B is least, and on the scale on which it doubles."""
    wide = np.array([noise.scale * noise.step for noise in noises])
    widths = (wide / wide.max()) ** 2
    centre = (widths * top * bottom).sum() / (widths * bottom**2).sum()
    unit = np.sqrt((widths * (top - centre * bottom) ** 2).sum() / (widths * bottom**2).sum())
    unit = max(unit, 1e-9 * max(1.0, abs(centre)))
    return np.unique(centre + unit * np.sinh(np.linspace(-_FARTHEST, _FARTHEST, _CELLS + 1)))
