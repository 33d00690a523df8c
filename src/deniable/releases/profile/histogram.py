"""The values of one column, privately: quantiles, what is missing, and what lies outside of bounds."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from deniable.core.algebra.expression import Kind
from deniable.core.distributions.normal import quantile as normal_quantile
from deniable.releases.profile.measured import FloatArray, MeasuredCells
from deniable.releases.profile.people import Between


@dataclass(frozen=True)
class ValueHistogram:
    """Running counts of a column's cells, and last of missing values; each person weighs one row in all.

    Input:      counts per cell, in which all rows of a person together weigh at most one.
    Error:      every number here has an interval that holds with `confidence`.
    """

    name: str
    kind: Kind
    edges: tuple[Fraction, ...]
    """Cell i holds the values from edge i - 1 up to edge i; the last cell holds what is missing."""
    measured: MeasuredCells
    """In persons."""
    confidence: Fraction

    @property
    def present(self) -> Between:
        """The weight of values that are there, in persons."""
        return self._between(float(self._running[-1]), float(self._spreads[-1]))

    @property
    def missing(self) -> Between:
        """Which share of the values is missing."""
        value, off = self._everyone - float(self._running[-1]), float(self._spreads[-1]) + self._whole_spread
        everyone = self._between(self._everyone, self._whole_spread)
        return share(value, (value - off, value + off), everyone)

    @property
    def heights(self) -> FloatArray:
        """About how much lies in each cell, never below zero; without what is missing."""
        return np.diff(np.maximum.accumulate(self._settled))

    @property
    def ends(self) -> tuple[FloatArray, FloatArray]:
        """Between which numbers each cell's weight lies, by itself."""
        low, high = self.measured.ends(self.confidence)
        return low[:-1], high[:-1]

    def quantile(self, part: float) -> tuple[float, float, float]:
        """The value below which so large a share lies; and values below and above it, between which it surely is.

        All running counts are within their reach at once; so if one is surely below the rank, the quantile is above.
        """
        wanted = part * max(float(self._running[-1]), 0.0)
        reach = self._spreads * self._at_once + part * float(self._spreads[-1])
        rising = np.maximum.accumulate(self._settled)
        cell = int(np.searchsorted(rising, wanted, side="right")) - 1
        surely_below = np.flatnonzero(self._running + reach < wanted)
        surely_above = np.flatnonzero(self._running - reach > wanted)
        first = int(surely_below[-1]) if surely_below.size else 0
        last = int(surely_above[0]) if surely_above.size else len(self._running) - 1
        low, high = self._edge(min(first, cell) - 1), self._edge(max(last - 1, cell))
        return min(max(self._middle(cell), low), high), low, high

    def outside(self, low: Fraction | None, high: Fraction | None) -> Between:
        """Which share of the values that are there lies outside of bounds.

        Of a cell that a bound cuts, nobody knows which part does: none or all of it.
        """
        everyone, sure, possible, off = float(self._running[-1]), 0.0, 0.0, 0.0
        if low is not None:
            ends = bisect_right(self.edges, low), bisect_left(self.edges, low) + 1
            sure += self._running[min(ends[0], self._last)]
            possible += self._running[min(ends[1], self._last)]
            off += max(self._spreads[min(end, self._last)] for end in ends)
        if high is not None:
            ends = bisect_right(self.edges, high) + 1, bisect_right(self.edges, high)
            sure += everyone - self._running[min(ends[0], self._last)]
            possible += everyone - self._running[min(ends[1], self._last)]
            off += max(self._spreads[min(end, self._last)] for end in ends) + self._spreads[-1]
        return share((sure + possible) / 2, (float(sure - off), float(possible + off)), self.present)

    def mean(self, low: Fraction, high: Fraction) -> float | None:
        """About the mean of the values that are there, each moved to the nearer of these bounds; None: there are none.

        Values count as the middles of their cells, and each person as one row.
        """
        middles = np.array([self._middle(cell) for cell in range(len(self.heights))])
        there = float(self.heights.sum())
        return float(self.heights @ np.clip(middles, float(low), float(high))) / there if there > 0 else None

    def bounds(self, aside: float) -> tuple[Fraction, Fraction] | None:
        """Friendly numbers with about so small a share beyond each, if noise can tell; None: there are no values."""
        everyone = float(self._running[-1])
        if everyone <= self._spreads[-1]:
            return None
        allowed = np.maximum(aside * everyone, self._spreads[1:])
        few_below = np.flatnonzero(self._running[1:-1] <= allowed[:-1])
        few_above = np.flatnonzero(everyone - self._running[1:-1] <= allowed[:-1])
        first = self.edges[few_below[-1]] if few_below.size else self.edges[0]
        last = self.edges[few_above[0]] if few_above.size else self.edges[-1]
        return (first, last) if first < last else None

    @property
    def _last(self) -> int:
        """The cell of what is missing."""
        return len(self.edges) + 1

    @cached_property
    def _running(self) -> FloatArray:
        """Below each cell: entry i + 1 is what lies below edge i, and the last is all that is there."""
        return np.concatenate([[0.0], np.cumsum(self.measured.counts)[:-1]])

    @cached_property
    def _settled(self) -> FloatArray:
        """The same, with what cannot be told from nothing, or from everything, taken for it."""
        everyone, noise = max(float(self._running[-1]), 0.0), self._spreads / 2
        settled = np.clip(self._running, 0, everyone)
        nothing, everything = np.flatnonzero(settled <= noise), np.flatnonzero(everyone - settled <= noise)
        settled[: nothing[-1] + 1] = 0
        settled[everything[0] :] = everyone
        return settled

    @property
    def _everyone(self) -> float:
        return float(self.measured.tails[0])

    @cached_property
    def _spreads(self) -> FloatArray:
        """How far each running count may be off: so surely that any four of them hold together."""
        return self._z * self.measured.below_spreads

    @property
    def _z(self) -> float:
        return -normal_quantile(float(1 - self.confidence) / 8)

    @property
    def _at_once(self) -> float:
        """By how much farther they may be off all at once."""
        return -normal_quantile(float(1 - self.confidence) / 8 / len(self._spreads)) / self._z

    @property
    def _whole_spread(self) -> float:
        return self._z * float(self.measured.tail_spreads[0])

    @staticmethod
    def _between(value: float, off: float) -> Between:
        return Between(max(0.0, value), max(0.0, value - off), max(0.0, value + off))

    def _edge(self, place: int) -> float:
        return float(self.edges[min(max(place, 0), len(self.edges) - 1)])

    def _middle(self, cell: int) -> float:
        """Between a cell's ends; of an open one, its end."""
        if cell <= 0 or cell >= len(self.edges):
            return self._edge(cell - 1)
        return float((self.edges[cell - 1] + self.edges[cell]) / 2)


def share(value: float, ends: tuple[float, float], everyone: Between) -> Between:
    """A count as a share of everyone, who are known roughly."""
    low, high = max(0.0, ends[0]) / max(everyone.high, 1.0), max(0.0, ends[1]) / max(everyone.low, 1.0)
    return Between(min(1.0, max(0.0, value) / max(everyone.value, 1.0)), min(1.0, low), min(1.0, high))
