"""Subset selection: a random set of values that most likely contains the true one."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb, exp
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.core.bits import BitSource
from deniable.core.sampling import BoolArray, IntArray, bernoulli, uniform
from deniable.local.bit_rows import Packed, clean, coins, column_sums, in_blocks, row_sums
from deniable.local.domain import AnswerDomain
from deniable.local.families.histogram import HistogramProtocol
from deniable.local.families.protocol import Law
from deniable.local.odds import truth_chance


@dataclass(frozen=True, slots=True, init=False)
class SubsetSelection(HistogramProtocol):
    """Sends a uniformly random set of w values, among those with the true one or among those without it.

    Input:         one of k public values; w is about k / (e^epsilon + 1).
    Guarantee:     every report is at most e^epsilon times likelier under one value than under another: a set has one
                   probability if it contains the value, another if not. Rounded down to a multiple of 2^-64.
    Error:         a rare share's variance is at most 4 e^epsilon / ((e^epsilon - 1)^2 n), and less for small k: the
                   best possible for every k. Intervals are exact.
    Message size:  k bits.
    Cost:          a few random digits per bit; the collector adds up columns. For large k others are cheaper.
    Reference:     Wang, Huang, Wang, Nie, Xu, Yang, Li, Qiao 2016; Ye, Barg 2018.
    Proof:         docs/proofs/local.md

    Example:
        >>> survey = SubsetSelection(10, epsilon=1)
        >>> survey.chosen, int(np.unpackbits(survey.perturb(3).data).sum())
        (3, 3)
    """

    domain: AnswerDomain
    epsilon: Fraction

    @property
    def chosen(self) -> int:
        """How many values a report names: w."""
        return max(1, round(self.domain.size / (exp(min(float(self.epsilon), 100.0)) + 1)))

    @property
    def truth(self) -> Fraction:
        """Sets with the value are to those without it as w is to k - w."""
        return truth_chance(self.epsilon, self.chosen, self.domain.size - self.chosen)

    @property
    def lie(self) -> Fraction:
        """Of the k - 1 other values a set names w - 1 if it has the true one, else w."""
        return (self.chosen - self.truth) / (self.domain.size - 1)

    def law(self, value: Any) -> Law:  # noqa: ANN401 - a number or a name
        """Two probabilities, by whether the set has the value."""
        size, (place,) = self.domain.size, self.domain.places(value)
        with_it = self.truth / comb(size - 1, self.chosen - 1)
        without = (1 - self.truth) / comb(size - 1, self.chosen)
        return {
            tuple(np.packbits(np.isin(np.arange(size), members)).tolist()): with_it if place in members else without
            for members in combinations(range(size), self.chosen)
        }

    def _perturb(self, values: ArrayLike, bits: BitSource) -> NDArray[Any]:
        size, truth, chosen = self.domain.size, self.truth, self.chosen

        def draw(places: IntArray) -> Packed:
            honest = bernoulli(truth, places.size, bits)
            others = _subsets(np.full(places.size, chosen) - honest, size - 1, bits)
            return np.packbits(_inserted(others, places, honest), axis=1)

        return in_blocks(self.domain.places(values), size, draw)

    def _valid(self, data: NDArray[Any]) -> bool:
        return clean(data, self.domain.size) and bool((row_sums(data) == self.chosen).all())

    def _support(self, data: NDArray[Any]) -> IntArray:
        return column_sums(data, self.domain.size)


def _subsets(sizes: IntArray, columns: int, bits: BitSource) -> BoolArray:
    """For each size, a uniformly random set of so many columns.

    Independent coins give a set that is uniform among those of its size, whatever the coin; then uniformly random
    columns are put in or taken out until the size is right, which keeps it uniform.
    """
    rows = coins(Fraction(2 * int(sizes[0]) + 1, 2 * columns + 2), sizes.size, columns, bits)
    missing = sizes - rows.sum(axis=1)
    unfinished = np.flatnonzero(missing)
    while unfinished.size:
        tried, wanted = uniform(columns, unfinished.size, bits), missing[unfinished] > 0
        useful = np.flatnonzero(rows[unfinished, tried] != wanted)
        changed = unfinished[useful]
        rows[changed, tried[useful]] = wanted[useful]
        missing[changed] += np.where(wanted[useful], -1, 1)
        unfinished = unfinished[missing[unfinished] != 0]
    return rows


def _inserted(others: BoolArray, places: IntArray, honest: BoolArray) -> BoolArray:
    """The rows with one more column, the true value's, at its place: the column that stood there moves to the end."""
    rows = np.concatenate([others, np.zeros((len(others), 1), dtype=np.bool_)], axis=1)
    every = np.arange(len(rows))
    rows[every, -1] = rows[every, places]
    rows[every, places] = honest
    return rows
