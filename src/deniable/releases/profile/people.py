"""Rows per person, privately: for every contribution, how many rows and people it cuts."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from deniable.core.distributions.normal import quantile
from deniable.releases.profile.measured import FloatArray, MeasuredCells

_SHARES = np.linspace(0, 1, 2001)
"""The shares of rows that are tried."""


@dataclass(frozen=True)
class Between:
    """A number that is only known to lie between two others, so surely; and the likeliest one."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class RowsPerPerson:
    """How many people have how many rows, from sums with Gaussian noise.

    Input:      one count per person: adding or removing a person moves one of them by one.
    Error:      every number here has an interval that holds with `confidence`. No private interval can cover a person
                who holds most rows of a table: so rows are those of people with at most `known` rows, and how many
                people may have more is said beside.
    """

    edges: tuple[int, ...]
    """Where cells begin; the last is where nothing is said of rows any more."""
    measured: MeasuredCells
    """People in each cell, and last those beyond."""
    confidence: Fraction

    @property
    def people(self) -> Between:
        """How many have rows at all."""
        return self._tail(0)

    @cached_property
    def known(self) -> int:
        """The number of rows up to which people are told from noise: beyond, there may be nobody."""
        return self.edges[self._cells] - 1

    @property
    def beyond(self) -> int:
        """So many people may have more rows than `known`, at most."""
        return int(max(0.0, np.floor(self._tail(self._cells).high)))

    @property
    def telling(self) -> bool:
        """Whether those of whose rows nothing is known are surely the fewer. Else they may have most of the rows."""
        return 2 * self.beyond <= self.people.low

    def more_than(self, rows: int) -> Between:
        """How many people have more rows than so many."""
        cell = int(np.searchsorted(self.edges, rows, side="right"))  # the first that begins above
        inside = self._tail(min(cell, len(self.edges) - 1))
        if cell == 0 or (cell < len(self.edges) and self.edges[cell] == rows + 1):
            return inside
        straddling = self._tail(cell - 1)
        return Between((inside.value + straddling.value) / 2, inside.low, straddling.high)

    def quantile(self, part: float) -> tuple[int, int | None]:
        """Between which numbers of rows the person lies below whom so large a share of the people is.

        None: beyond what is known. All tails are within their reach at once, so it does not matter which are picked.
        """
        low, high = 1, None
        for edge in self.edges[1 : self._cells + 1]:
            more = self.more_than(edge - 1)
            if more.low > (1 - part) * self.people.high:
                low = edge
            elif more.high < (1 - part) * self.people.low:
                high = edge - 1
                break
        return low, high

    def cut(self, contribution: int) -> Between:
        """Which share of the rows (of people with at most `known`) a contribution leaves out.

        Fieller's set: the share s satisfies sum of count (max(0, n - C) - s n) = 0, n being the rows of a person in
        a cell, which lie between the cell's ends. Those who have more lose more: they only make the share larger.
        """
        low, high = self._sizes
        counts = self._counts
        left = np.stack([np.maximum(0, end - contribution)[:, None] - _SHARES * end[:, None] for end in (low, high)])
        products = left * counts[None, :, None]
        middle = (low + high) / 2
        weights = np.zeros((self.measured.size, _SHARES.size))
        weights[: self._cells] = left.mean(axis=0)
        off = self._reach * self.measured.spread(weights)
        allowed = (products.max(axis=0).sum(axis=0) >= -off) & (products.min(axis=0).sum(axis=0) <= off)
        rows = float((counts * middle).sum())
        value = float((counts * np.maximum(0, middle - contribution)).sum()) / rows if rows > 0 else 0.0
        found = _SHARES[allowed]
        if not found.size:
            return Between(value, 0.0, 1.0)
        step = float(_SHARES[1])
        ends = max(0.0, float(found.min()) - step), min(1.0, float(found.max()) + step)
        return Between(min(max(value, ends[0]), ends[1]), *ends)

    def expected_cut(self, contribution: int) -> float:
        """About how many rows a contribution leaves out."""
        low, high = self._sizes
        return float((np.maximum(self._counts, 0) * np.maximum(0, (low + high) / 2 - contribution)).sum())

    @property
    def heights(self) -> FloatArray:
        """About how many people are in each cell of at most `known` rows, never below zero."""
        return np.maximum(self._counts, 0)

    @property
    def ends(self) -> tuple[FloatArray, FloatArray]:
        """Between which numbers each of them lies, by itself."""
        low, high = self.measured.ends(self.confidence)
        return low[: self._cells], high[: self._cells]

    @property
    def _counts(self) -> FloatArray:
        return self.measured.counts[: self._cells]

    @cached_property
    def _cells(self) -> int:
        """How many cells there are up to the first beyond which nobody can be told from noise.

        All tails hold within their reach at once, so it does not matter that this is chosen by looking at them.
        """
        lost = np.flatnonzero(self.measured.tails <= 2 * self.measured.tail_spreads)
        return int(min(len(self.edges) - 1, max(1, lost[0]))) if lost.size else len(self.edges) - 1

    @property
    def _sizes(self) -> tuple[FloatArray, FloatArray]:
        """The fewest and the most rows of a person, in each of those cells."""
        edges = np.array(self.edges[: self._cells + 1], dtype=np.float64)
        return edges[:-1], edges[1:] - 1

    @property
    def _reach(self) -> float:
        """In standard deviations: for whichever number of cells is looked at, all of them at once."""
        return -quantile(float(1 - self.confidence) / 2 / len(self.edges))

    def _tail(self, cell: int) -> Between:
        """People in a cell and all beyond."""
        value, off = float(self.measured.tails[cell]), self._reach * float(self.measured.tail_spreads[cell])
        return Between(max(0.0, value), max(0.0, value - off), max(0.0, value + off))

    def rows(self) -> Between:
        """All rows of people with at most `known` of them."""
        low, high = self._sizes
        counts, weights = self._counts, np.zeros((self.measured.size, 1))
        weights[: self._cells, 0] = (low + high) / 2
        off = self._reach * float(self.measured.spread(weights)[0])
        ends = np.sort(np.stack([counts * low, counts * high]), axis=0)
        value = float((counts * (low + high) / 2).sum())
        return Between(max(0.0, value), max(0.0, float(ends[0].sum()) - off), max(0.0, float(ends[1].sum()) + off))
