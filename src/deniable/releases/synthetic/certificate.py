"""How far the finished table is from the private one: the true distance of every pair, with noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from deniable.core.algebra.query import WEIGHT
from deniable.core.grid import IntArray
from deniable.releases.synthetic.drawn.likeness import counts_of
from deniable.releases.synthetic.measured.one_way import FloatArray
from deniable.releases.synthetic.measured.pairs import Pair
from deniable.releases.synthetic.measured.portion import Portion, read, weights_for


class Intervals(NamedTuple):
    """For each pair, the noisy share of rows that would have to change, and from where to where it may lie."""

    values: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True)
class Certificate:
    """The l1 distance of every pair's exact counts from those of the table, which is counted as `rows` rows.

    The table was made from noisy numbers, so its counts are fixed ones, and each distance is a vector of
    `Vectors.DISTANCES`: one unit more moves it by at most what the unit weighs. Nothing is subtracted for chance: what
    is certified is the distance from the rows that there are, and not from the population that they come from.

    How many rows there are is known up to noise only. If it is `rows` less d, then the distance of the shares lies
    within |d| / (2 rows) of the measured one, by the triangle inequality; so intervals have room for both noises.
    """

    rows: float
    """How many rows the private table has, by noisy counts; the synthetic one is scaled to that."""
    doubt: float
    """The deviation of the noise in `rows`."""
    pairs: tuple[Pair, ...]
    portion: Portion

    def measure(self, exact: Mapping[Pair, IntArray], table: Sequence[IntArray]) -> IntArray:
        """The distances with their noise."""
        vectors = [
            np.array([np.abs(exact[pair] - self._counted(pair, exact[pair].shape, table)).sum()]) for pair in self.pairs
        ]
        return self.portion.measure(vectors, self._weights)

    def read(self, noisy: IntArray, radius: float) -> Intervals:
        """The noisy distances of shares, with room for so many deviations; shares are neither below 0 nor above 1."""
        found = np.array([float(one[0]) for one in read(noisy, [(1,)] * len(self.pairs), self._weights)]) / self._all
        ends = (np.clip(found + side * radius * self.deviation, 0, 1) for side in (0, -1, 1))
        return Intervals(*ends)

    @property
    def deviation(self) -> float:
        """Of the noise in each share, with that in the number of rows as it is at worst."""
        return float(np.hypot(self.portion.deviation(self._weights[0]), self.doubt)) / self._all

    @property
    def _all(self) -> float:
        """A row that is elsewhere counts twice: where it is and where it should be."""
        return 2 * self.rows

    @cached_property
    def _weights(self) -> list[int]:
        return weights_for([1.0] * len(self.pairs))

    def _counted(self, pair: Pair, shape: tuple[int, ...], table: Sequence[IntArray]) -> IntArray:
        """In a table without rows there is nothing."""
        one, other = (table[place] for place in pair)
        counts = counts_of(one, other, shape)
        return np.asarray(np.rint(counts * (WEIGHT * self.rows / max(one.size, 1))), dtype=np.int64)
