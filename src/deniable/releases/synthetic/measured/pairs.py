"""Pairs of columns: a score for every pair, then cross tables of those that are worth their noise.

Where two columns hang together strongly they are told apart finely, elsewhere coarsely: on coarse bins the noise of a
cell is spread over fewer cells, and little is lost, as there is little to lose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import sqrt

import numpy as np

from deniable.core.algebra.query import WEIGHT
from deniable.core.grid import IntArray
from deniable.releases.synthetic.measured.bins import Bins, Resolutions, sums
from deniable.releases.synthetic.measured.one_way import FloatArray
from deniable.releases.synthetic.measured.portion import FINE, Portion, read, weights_for

Pair = tuple[int, int]
"""The places of two columns, the smaller one first."""

_STRONG = 0.25
"""Pairs are told apart finely if so large a part of all rows lies elsewhere than it would without dependence."""
_WEAK = 0.05
"""Pairs whose dependence is less are never told apart finely."""
_HIDDEN = 0.6
"""How much of a fine table's noise, cell by cell, a dependence must exceed."""
_DETERMINED = 0.75
"""Columns are told apart sharply if the dependence of a pair is so large a part of the largest that there could be."""
_LOST = 0.15
"""They are as well if coarse bins show so much less of a dependence than the finest ones, as a part of all rows."""
_LEVELS = (True, False)
"""Scores are taken on coarse bins, and on the finest ones."""
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


@dataclass(frozen=True, slots=True)
class PairChoice:
    """What follows from the scores."""

    bins: tuple[Bins, ...]
    """Of every column, as sharply as its strongest dependence asks for."""
    tables: tuple[tuple[Pair, bool], ...]
    """Which pairs are measured, and whether finely."""
    weights: tuple[int, ...]

    def shape(self, pair: Pair, *, fine: bool) -> tuple[int, int]:
        """Of a pair's table."""
        one, other = (self.bins[place].sizes[0 if fine else 1] for place in pair)
        return one, other


@dataclass(frozen=True)
class ColumnPairs:
    """What is measured of pairs, given noisy counts of the columns alone."""

    rows: float
    margins: tuple[FloatArray, ...]
    """The noisy number of rows in each of the finest bins of each column."""
    variances: tuple[FloatArray, ...]
    """Of the noise in these."""
    resolutions: tuple[Resolutions, ...]
    for_scores: Portion
    for_tables: Portion
    given: int = 0
    """How many columns, the first ones, are known already: pairs of these are of no use."""

    @cached_property
    def all(self) -> list[Pair]:
        """Every pair of columns, one of which is not known."""
        return wanted(len(self.resolutions), self.given)

    def measure(self, exact: Mapping[Pair, IntArray]) -> IntArray:
        """Scores of all pairs, and tables of those that these choose; exact tables are on the finest bins.

        A score is the l1 distance of a pair's exact counts from whole numbers that follow from noisy ones: a vector of
        `Vectors.DISTANCES`. A table on coarser bins is a sum of cells, so it is a vector of `Vectors.COUNTS` as well.
        """
        distances = [
            np.abs(
                summed(exact[pair], *(self._level(place, coarse=coarse) for place in pair))
                - np.rint(WEIGHT * self._expected(pair, coarse=coarse)).astype(np.int64)
            ).sum()
            for coarse in _LEVELS
            for pair in self.all
        ]
        scores = self.for_scores.measure([np.array([one]) for one in distances], self.score_weights)
        choice = self.choice(scores)
        if not choice.tables:
            return scores
        vectors = [self._on(choice, exact[pair], pair, fine=fine) for pair, fine in choice.tables]
        return np.concatenate([scores, self.for_tables.measure(vectors, choice.weights)])

    def read(self, noisy: IntArray) -> tuple[PairChoice, list[PairTable]]:
        """What was chosen, and the tables that were measured."""
        count = len(self.score_weights)
        choice = self.choice(noisy[:count])
        if not choice.tables:
            return choice, []
        shapes = [choice.shape(pair, fine=fine) for pair, fine in choice.tables]
        tables = read(noisy[count:], shapes, choice.weights)
        return choice, [
            PairTable(pair, fine, table, self.for_tables.deviation(weight))
            for (pair, fine), table, weight in zip(choice.tables, tables, choice.weights, strict=True)
        ]

    def dependence(self, noisy: IntArray) -> tuple[dict[Pair, float], dict[Pair, float]]:
        """How many rows of each pair lie elsewhere than they would without dependence, less what chance would show.

        On coarse bins, which show weak dependence best, and on the finest ones, which show all of it where it is
        strong.
        """
        scores = [float(one[0]) for one in read(noisy, [(1,)] * len(self.score_weights), self.score_weights)]
        chance = [self._by_chance(pair, coarse=coarse) for coarse in _LEVELS for pair in self.all]
        found = [score - usual for score, usual in zip(scores, chance, strict=True)]
        count = len(self.all)
        return dict(zip(self.all, found[:count], strict=True)), dict(zip(self.all, found[count:], strict=True))

    @cached_property
    def score_weights(self) -> list[int]:
        """Of every score."""
        return weights_for([1.0] * (len(_LEVELS) * len(self.all)))

    def choice(self, scores: IntArray) -> PairChoice:
        """Which pairs are measured, how finely, and with how much noise: the deviation goes like cells^(-1/3).

        Those stay whose dependence is larger than what the noise of their table would hide. Fewer pairs leave more for
        each, so this is done until none goes.
        """
        coarse, finest = self.dependence(scores)
        gains = {pair: max(coarse[pair], finest[pair]) for pair in self.all}
        bins = self._sharpened(coarse, finest)
        shaped = PairChoice(bins, (), ())
        fine = {pair: gain > self._strong(shaped.shape(pair, fine=True)) for pair, gain in gains.items()}
        cells = {pair: float(np.prod(shaped.shape(pair, fine=fine[pair]))) for pair in self.all}
        unsure = 2 * self.for_scores.deviation(self.score_weights[0]) if self.all else 0.0
        chosen, weights = list(self.all), self._weights(cells, self.all)
        while chosen:
            noise = {
                pair: _LOUD * self.for_tables.deviation(weight) * sqrt(cells[pair])
                for pair, weight in zip(chosen, weights, strict=True)
            }
            kept = [pair for pair in chosen if gains[pair] > max(unsure, noise[pair])]
            if len(kept) == len(chosen):
                break
            chosen, weights = kept, self._weights(cells, kept)
        return PairChoice(bins, tuple((pair, fine[pair]) for pair in chosen), tuple(weights))

    def _sharpened(self, coarse: Mapping[Pair, float], finest: Mapping[Pair, float]) -> tuple[Bins, ...]:
        """Bins of all columns: the finest where a pair is nearly determined, or where coarse ones show much less.

        The strongest pairs come first; each of their columns is sharpened if the noise of their table allows it.
        """
        found = [own.bins(sharp=False) for own in self.resolutions]
        for pair in sorted(self.all, key=lambda one: -finest[one]):
            lost = finest[pair] - max(coarse[pair], 0.0)
            if finest[pair] < _DETERMINED * self._most(pair) and lost < _LOST * self.rows:
                continue
            for place in sorted(pair, key=lambda one: -self.resolutions[one].size):
                other = sum(pair) - place
                cells = self.resolutions[place].size * found[other].sizes[0]
                if cells * self._usual_deviation < _SQUARE * self.rows:
                    found[place] = self.resolutions[place].bins(sharp=True)
        return tuple(found)

    @staticmethod
    def _weights(cells: Mapping[Pair, float], pairs: Sequence[Pair]) -> list[int]:
        return weights_for([cells[pair] ** (1 / 3) for pair in pairs]) if pairs else []

    def _most(self, pair: Pair) -> float:
        """The largest dependence that two columns with these counts could have, on the finest bins, in rows.

        If one determines the other, a row lies where it would without dependence with the chance of its own bin.
        """
        alike = [float(((self.margins[place] / self.rows) ** 2).sum()) for place in pair]
        return 2 * self.rows * (1 - max(alike))

    def _strong(self, shape: tuple[int, int]) -> float:
        """The dependence from which on a pair is told apart finely: a quarter of all rows, or less if noise is low."""
        noise = self._usual_deviation * float(np.prod(shape))
        return min(_STRONG * self.rows, max(_WEAK * self.rows, _HIDDEN * noise))

    @cached_property
    def _usual_deviation(self) -> float:
        """Of the noise, if all pairs are measured alike."""
        return usual_deviation(self.for_tables, len(self.all))

    def _level(self, place: int, *, coarse: bool) -> IntArray:
        """The coarse bin of every finest one, or itself."""
        own = self.resolutions[place]
        return own.coarse[own.fine] if coarse else np.arange(own.size)

    def _expected(self, pair: Pair, *, coarse: bool) -> FloatArray:
        """Rows by cell, if the columns had nothing to do with each other."""
        one, other = (sums(self._level(place, coarse=coarse), self.margins[place]) for place in pair)
        return np.outer(one, other) / self.rows

    def _by_chance(self, pair: Pair, *, coarse: bool) -> float:
        """The score of a pair without dependence: chance in each cell, and the noise in the counts of its columns."""
        expected = self._expected(pair, coarse=coarse)
        one, other = (sums(self._level(place, coarse=coarse), self.variances[place]) for place in pair)
        shares = expected.sum(axis=1) / self.rows, expected.sum(axis=0) / self.rows
        spread = expected + np.outer(one, shares[1] ** 2) + np.outer(shares[0] ** 2, other)
        return _MEAN * float(np.sqrt(spread).sum())

    def _on(self, choice: PairChoice, table: IntArray, pair: Pair, *, fine: bool) -> IntArray:
        """A table of the finest bins, on those that were chosen."""
        one, other = (self._chosen(choice.bins[place], place, fine=fine) for place in pair)
        return summed(table, one, other)

    def _chosen(self, bins: Bins, place: int, *, fine: bool) -> IntArray:
        """The chosen bin of every finest one."""
        own = self.resolutions[place]
        same = np.arange(own.size) if bins.fine is own.finest else own.fine
        return same if fine else bins.coarse[same]


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
        >>> from deniable.releases.synthetic.measured.portion import Vectors
        >>> portion = Portion(Fraction(1, 100), WEIGHT, Vectors.COUNTS, Neighbours.ADD_REMOVE)
        >>> [coarse_bins(rows, portion, 45) for rows in (1_000, 50_000, 2_000_000)]
        [4, 12, 32]
    """
    return int(np.clip(round(12 * (rows / usual_deviation(portion, pairs) / _USUAL) ** (1 / 3)), 4, 32))


def finest_bins(pairs: int) -> int:
    """How many of the finest bins a column has, at most.

    Example:
        >>> finest_bins(45), finest_bins(435)
        (256, 117)
    """
    return int(min(sqrt(_CELLS / max(1, pairs)), _FINEST))


def usual_deviation(portion: Portion, pairs: int) -> float:
    """The deviation of the noise in tables of pairs, in rows, if all are measured alike."""
    return portion.deviation(max(1, int(FINE / sqrt(max(1, pairs)))))


_USUAL = 1100.0
"""Rows for one deviation of the noise, at which twelve bins were found to be best."""
_SQUARE = 2.0
"""What the noise of a table on the finest bins may be, all cells together, in parts of all rows."""
_FINEST = 256
"""How many of the finest bins there are, at most."""
_CELLS = 6_000_000
"""How many cells all pairs have together, at most, on the finest bins: exact tables take memory."""
