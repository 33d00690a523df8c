"""Pairs of columns: a score for every pair, then cross tables of those that are worth their noise.

Where two columns hang together strongly they are told apart finely, elsewhere coarsely: on coarse bins the noise of a
cell is spread over fewer cells, and little is lost, as there is little to lose.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import sqrt

import numpy as np

from deniable.core.algebra.query import WEIGHT
from deniable.core.grid import IntArray
from deniable.releases.synthetic.bins import Bins, sums
from deniable.releases.synthetic.one_way import FloatArray
from deniable.releases.synthetic.portion import FINE, Portion, read, weights_for

Pair = tuple[int, int]
"""The places of two columns, the smaller one first."""

_STRONG = 0.25
"""Pairs are told apart finely if so large a part of all rows lies elsewhere than it would without dependence."""
_WEAK = 0.05
"""Pairs whose dependence is less are never told apart finely."""
_HIDDEN = 0.6
"""How much of a fine table's noise, cell by cell, a dependence must exceed."""
_LOUD = 1.2
"""How many deviations of a whole table's noise, taken cell by cell, a dependence must exceed to be worth measuring."""
_MEAN = sqrt(2 / np.pi)
"""The mean of a normal variable's size, in deviations."""


@dataclass(frozen=True, slots=True)
class PairTable:
    """A cross table that was measured: rows by cell, with noise of this deviation in each."""

    pair: Pair
    fine: bool
    noisy: FloatArray
    deviation: float


@dataclass(frozen=True)
class ColumnPairs:
    """What is measured of pairs, given noisy counts of the columns alone."""

    rows: float
    margins: tuple[FloatArray, ...]
    """The noisy number of rows in each fine bin of each column."""
    bins: tuple[Bins, ...]
    for_scores: Portion
    for_tables: Portion
    given: int = 0
    """How many columns, the first ones, are known already: pairs of these are of no use."""

    @cached_property
    def all(self) -> list[Pair]:
        """Every pair of columns, one of which is not known."""
        return wanted(len(self.bins), self.given)

    def measure(self, exact: Mapping[Pair, IntArray]) -> IntArray:
        """Scores of all pairs, and tables of those that these choose; exact tables are on fine bins.

        A score is the l1 distance of a pair's exact counts from whole numbers that follow from noisy ones: a vector of
        `Vectors.DISTANCES`. A table on coarse bins is a sum of cells, so it is a vector of `Vectors.COUNTS` as well.
        """
        distances = [
            np.abs(self._summed(exact[pair], pair) - np.rint(WEIGHT * self._expected(pair)).astype(np.int64)).sum()
            for pair in self.all
        ]
        scores = self.for_scores.measure([np.array([one]) for one in distances], self._score_weights)
        chosen, weights = self._chosen(scores)
        if not chosen:
            return scores
        vectors = [exact[pair] if fine else self._summed(exact[pair], pair) for pair, fine in chosen.items()]
        return np.concatenate([scores, self.for_tables.measure(vectors, weights)])

    def read(self, noisy: IntArray) -> list[PairTable]:
        """The tables that were measured."""
        count = len(self.all)
        chosen, weights = self._chosen(noisy[:count])
        if not chosen:
            return []
        tables = read(noisy[count:], [self.shape(pair, fine=fine) for pair, fine in chosen.items()], weights)
        return [
            PairTable(pair, fine, table, self.for_tables.deviation(weight))
            for (pair, fine), table, weight in zip(chosen.items(), tables, weights, strict=True)
        ]

    def dependence(self, noisy: IntArray) -> FloatArray:
        """How many rows of each pair lie elsewhere than they would without dependence, less what chance would show."""
        scores = [float(one[0]) for one in read(noisy, [(1,)] * len(self.all), self._score_weights)]
        chance = [_MEAN * np.sqrt(self._expected(pair)).sum() for pair in self.all]
        return np.asarray(np.array(scores) - np.array(chance), dtype=np.float64)

    def shape(self, pair: Pair, *, fine: bool) -> tuple[int, int]:
        """Of a pair's table."""
        one, other = (self.bins[place].sizes[0 if fine else 1] for place in pair)
        return one, other

    @cached_property
    def _score_weights(self) -> list[int]:
        return weights_for([1.0] * len(self.all))

    def _chosen(self, scores: IntArray) -> tuple[dict[Pair, bool], list[int]]:
        """Which pairs are measured, whether finely, and how sharply: the deviation goes like cells^(-1/3).

        Those stay whose dependence is larger than what the noise of their table would hide. Fewer pairs leave more for
        each, so this is done until none goes.
        """
        gains = dict(zip(self.all, self.dependence(scores).tolist(), strict=True))
        fine = {pair: gain > self._strong(pair) for pair, gain in gains.items()}
        cells = {pair: float(np.prod(self.shape(pair, fine=fine[pair]))) for pair in self.all}
        unsure = 2 * self.for_scores.deviation(self._score_weights[0]) if self.all else 0.0
        chosen, weights = (
            list(self.all),
            [] if not self.all else weights_for([cells[pair] ** (1 / 3) for pair in self.all]),
        )
        while chosen:
            noise = {
                pair: _LOUD * self.for_tables.deviation(weight) * sqrt(cells[pair])
                for pair, weight in zip(chosen, weights, strict=True)
            }
            kept = [pair for pair in chosen if gains[pair] > max(unsure, noise[pair])]
            if len(kept) == len(chosen):
                break
            chosen = kept
            weights = weights_for([cells[pair] ** (1 / 3) for pair in chosen]) if chosen else []
        return {pair: fine[pair] for pair in chosen}, weights

    def _strong(self, pair: Pair) -> float:
        """The dependence from which on a pair is told apart finely: a quarter of all rows, or less if noise is low."""
        cells = float(np.prod(self.shape(pair, fine=True)))
        noise = self.for_tables.deviation(self._score_weights[0]) * cells
        return min(_STRONG * self.rows, max(_WEAK * self.rows, _HIDDEN * noise))

    def _expected(self, pair: Pair) -> FloatArray:
        """Rows by coarse cell, if the columns had nothing to do with each other."""
        one, other = (sums(self.bins[place].coarse, self.margins[place]) for place in pair)
        return np.outer(one, other) / self.rows

    def _summed(self, table: IntArray, pair: Pair) -> IntArray:
        """A table on coarse bins."""
        one, other = (self.bins[place] for place in pair)
        return summed(table, one.coarse, other.coarse)


def wanted(columns: int, given: int) -> list[Pair]:
    """The pairs of so many columns, without those of the first ones, that are known already.

    Example:
        >>> wanted(4, 2)
        [(0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    """
    return [(one, other) for one, other in combinations(range(columns), 2) if other >= given]


def summed(table: np.ndarray, rows: IntArray, columns: IntArray) -> np.ndarray:
    """The table with rows, and columns, added up that have the same number."""
    found = np.zeros((int(rows.max()) + 1, int(columns.max()) + 1), dtype=table.dtype)
    np.add.at(found, (rows[:, None], columns[None, :]), table)
    return found


def coarse_bins(rows: float, portion: Portion, pairs: int) -> int:
    """How many coarse bins a column has: the more, the more rows there are for each deviation of the noise.

    Example:
        >>> from fractions import Fraction
        >>> from deniable.core.sensitivity import Neighbours
        >>> from deniable.releases.synthetic.portion import Vectors
        >>> portion = Portion(Fraction(1, 100), WEIGHT, Vectors.COUNTS, Neighbours.ADD_REMOVE)
        >>> [coarse_bins(rows, portion, 45) for rows in (1_000, 50_000, 2_000_000)]
        [4, 12, 32]
    """
    deviation = portion.deviation(max(1, int(FINE / sqrt(max(1, pairs)))))
    return int(np.clip(round(12 * (rows / deviation / _USUAL) ** (1 / 3)), 4, 32))


_USUAL = 1100.0
"""Rows for one deviation of the noise, at which twelve bins were found to be best."""
