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
from math import inf

import numpy as np
from numpy.typing import NDArray

from deniable.planner.intervals.combined import CombinedNoise, Noise
from deniable.planner.intervals.forms import Affine, Ratio, finite
from deniable.planner.intervals.law import FloatArray, radius

Ends = tuple[FloatArray, FloatArray]
Within = tuple[float, float]
ANYWHERE: Within = (-inf, inf)
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

    def hull(self, top: FloatArray, bottom: FloatArray, slack: Ends, within: Within = ANYWHERE) -> Ends:
        """From the least to the largest r with |top - r bottom| <= q(r) + slack, row by row.

        The true r surely lies `within` two public ends, so what is beyond is left out: also where the divisor may
        be zero, as it is not larger than the steepest rise of q, and the set may have no end of its own, or a gap.
        """
        sign = np.where(bottom < 0, -1.0, 1.0)
        top, bottom = top * sign, bottom * sign
        steepest = float(np.max(np.abs(np.diff(self.reaches) / np.diff(self.values))))
        known = bottom > steepest + slack[1]
        low, high = np.full(top.shape, within[0]), np.full(top.shape, within[1])
        rows = tuple(part[known] for part in (top, bottom, *slack))
        low[known], high[known] = _met((self.least(*rows), -self.mirrored().least(*_turned(*rows))), within)
        if within != ANYWHERE:
            rows = tuple(part[~known] for part in (top, bottom, *slack))
            low[~known], high[~known] = self._left(within, *rows)
        return low, high

    def least(self, top: FloatArray, bottom: FloatArray, once: FloatArray, per_value: FloatArray) -> FloatArray:
        """The least r with r bottom + q(r) + slack >= top: all above satisfy it, too. Where all do, infinite.

        The left side rises; or it is convex, and less than the right side at the first value.
        """

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
        rise = after - before
        share = np.clip(np.divide(top - before, rise, out=np.zeros_like(rise), where=rise != 0), 0, 1)
        found = self.values[low] + share * (self.values[high] - self.values[low])
        return np.where(before >= top, -np.inf, found)

    def _left(self, within: Within, *rows: FloatArray) -> Ends:
        """What is left of the set between two ends; all between them, where that is nothing."""
        law, turned = self.convex(), (-within[1], -within[0])
        low, high = _first(law, within, *rows), -_first(law.mirrored(), turned, *_turned(*rows))
        nothing = np.isnan(low) | np.isnan(high)
        return np.where(nothing, within[0], low), np.where(nothing, within[1], high)

    def convex(self) -> QuotientLaw:
        """The largest convex polygon that is nowhere more, times what it takes to be nowhere less: that is not much."""
        kept: list[int] = []
        at, far = self.values.tolist(), self.reaches.tolist()
        for place in range(len(at)):
            while len(kept) > 1:  # the last one goes if it lies on the line between its neighbours, or above
                one, two = kept[-2:]
                if (far[two] - far[one]) * (at[place] - at[two]) < (far[place] - far[two]) * (at[two] - at[one]):
                    break
                kept.pop()
            kept.append(place)
        below = np.interp(self.values, self.values[kept], self.reaches[kept])
        times = np.divide(self.reaches, below, out=np.ones_like(below), where=below > 0).max()
        return QuotientLaw(self.values, below * times + np.max(np.where(below > 0, 0, self.reaches)))

    def mirrored(self) -> QuotientLaw:
        """Of -r."""
        return QuotientLaw(-self.values[::-1], self.reaches[::-1])


def _first(law: QuotientLaw, within: Within, *rows: FloatArray) -> FloatArray:
    """The least r of the set that is not below the first end; not a number where there is none up to the second.

    Where the end is not in the set, top - r bottom is too large there, or too small. It stays so up to the first r
    where it is not: there it is as large as it may be, so that r is in the set.
    """
    (low, high), (top, bottom, once, per_value) = within, rows
    if low < law.values[0] or low >= min(high, law.values[-1]):
        return np.full(top.shape, low)
    inner = law.values[(law.values > low) & (law.values < high)]
    values = np.concatenate([[low], inner, [high] if high <= law.values[-1] else []])
    part = QuotientLaw(values, np.interp(values, law.values, law.reaches))
    side = np.where(top < low * bottom, -1.0, 1.0)

    def left_out(place: int) -> NDArray[np.bool_]:
        value = values[place]
        beyond: NDArray[np.bool_] = side * (top - value * bottom) > part.reaches[place] + once + abs(value) * per_value
        return beyond

    found = np.where(left_out(0), part.least(side * top, side * bottom, once, per_value), low)
    never = left_out(0) & left_out(-1) & (high <= law.values[-1])
    return np.where(never, np.nan, found)


def _turned(top: FloatArray, *others: FloatArray) -> tuple[FloatArray, ...]:
    return (-top, *others)


def _met(found: Ends, within: Within) -> Ends:
    """What is left between two ends; as it was, where that is nothing."""
    low, high = np.maximum(found[0], within[0]), np.minimum(found[1], within[1])
    return np.where(low <= high, low, found[0]), np.where(low <= high, high, found[1])


@lru_cache(maxsize=64)
def _law(above: tuple[float, ...], below: tuple[float, ...], noises: tuple[Noise, ...], doubt: Fraction) -> QuotientLaw:
    top, bottom = np.array(above), np.array(below)
    values = _places(top, bottom, noises)
    if any(isinstance(noise, CombinedNoise) for noise in noises):
        values = values[::4]  # few enough cells to invert the characteristic function in each
    sizes = np.abs(top[:, None] - bottom[:, None] * values)
    cells = radius(noises, np.maximum(sizes[:, :-1], sizes[:, 1:]), doubt)
    return QuotientLaw(values[1:-1], np.maximum(cells[:-1], cells[1:]))


def slacks(ratio: Ratio, counts: Mapping[str, FloatArray], rows: int) -> Ends:
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
