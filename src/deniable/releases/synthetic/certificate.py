"""How far the finished table is from the private one: the true distance of every pair, with noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from deniable.core.algebra.query import WEIGHT
from deniable.core.grid import IntArray
from deniable.releases.synthetic.likeness import counts_of
from deniable.releases.synthetic.one_way import FloatArray
from deniable.releases.synthetic.pairs import Pair
from deniable.releases.synthetic.portion import Portion, read, weights_for


@dataclass(frozen=True)
class Certificate:
    """The l1 distance of every pair's exact counts from those of the table, which is counted as `rows` rows.

    The table was made from noisy numbers, so its counts are fixed ones, and each distance is a vector of
    `Vectors.DISTANCES`: one unit more moves it by at most what the unit weighs. Nothing is subtracted for chance: what
    is certified is the distance from the rows that there are, and not from the population that they come from.
    """

    rows: float
    """How many rows the private table has, by noisy counts; the synthetic one is scaled to that."""
    pairs: tuple[Pair, ...]
    portion: Portion

    def measure(self, exact: Mapping[Pair, IntArray], table: Sequence[IntArray]) -> IntArray:
        """The distances with their noise."""
        vectors = [
            np.array([np.abs(exact[pair] - self._counted(pair, exact[pair].shape, table)).sum()]) for pair in self.pairs
        ]
        return self.portion.measure(vectors, self._weights)

    def read(self, noisy: IntArray) -> FloatArray:
        """The noisy share of rows that would have to change for each pair to be as in the data."""
        found = [float(one[0]) for one in read(noisy, [(1,)] * len(self.pairs), self._weights)]
        return np.asarray(np.array(found) / self._all, dtype=np.float64)

    @property
    def deviation(self) -> float:
        """Of the noise in each share."""
        return self.portion.deviation(self._weights[0]) / self._all

    @property
    def _all(self) -> float:
        """A row that is elsewhere counts twice: where it is and where it should be."""
        return 2 * self.rows

    @cached_property
    def _weights(self) -> list[int]:
        return weights_for([1.0] * len(self.pairs))

    def _counted(self, pair: Pair, shape: tuple[int, ...], table: Sequence[IntArray]) -> IntArray:
        one, other = (table[place] for place in pair)
        counts = counts_of(one, other, shape)
        return np.asarray(np.rint(counts * (WEIGHT * self.rows / one.size)), dtype=np.int64)
