"""The interval of a quantile: from noisy counts of a few cells around the value that was chosen.

The value is public once it is chosen. So cells can be joined around it: single ones beside it, wider ones farther away,
each half as wide again as the one before. Some fifty cells reach every value, so fifty noisy counts say which of them
can hold the quantile; both ends follow from the same counts. Laplace noise is added to the counts themselves, Gaussian
noise to sums of them from which running counts follow better.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import floor

import numpy as np
from numpy.typing import NDArray

from deniable.core.number import root_above
from deniable.core.sampling import IntArray
from deniable.core.sensitivity import Neighbours
from deniable.mechanisms import Gaussian, Laplace
from deniable.planner.choices.histogram import Quantile
from deniable.planner.choices.summed import SummedCells
from deniable.planner.intervals.added import AddedNoise
from deniable.planner.intervals.law import FloatArray, radius

_WIDER = Fraction(3, 2)
"""So many times as far from the value each further cell ends."""


@dataclass(frozen=True, slots=True)
class Around:
    """Noise on the counts of joined cells, and how surely the ends that follow from them hold."""

    quantile: Quantile
    mechanism: Laplace | Gaussian
    confidence: Fraction

    @property
    def summed(self) -> SummedCells:
        """What is measured of the joined cells."""
        return _summed(self.quantile, gaussian=isinstance(self.mechanism, Gaussian))

    def joined(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where each joined cell begins, in a row for each chosen value; and where the last one ends."""
        cells = self.quantile.cells.number
        starts = _starts(cells)
        if len(starts) == cells:
            return np.broadcast_to(np.arange(cells + 1), (len(values), cells + 1))
        ends = np.full((len(values), 1), cells)
        return np.concatenate([np.clip(values[:, None] + np.array(starts), 0, cells), ends], axis=1)

    def margins(self) -> FloatArray:
        """How far the noise moves d * below - p * everyone at each joined cell, at most, either way; and one row."""
        row = self.quantile.quantile.denominator * self.quantile.histogram.row
        return _margins(self.summed, self.quantile.quantile, self.mechanism, 1 - self.confidence) + row

    @property
    def ranks(self) -> float:
        """By how many rows an end is aside: the margin, and half of what a joined cell is wider than the one before."""
        wider = 1 if self.summed.cells == self.quantile.cells.number else float(1 + _WIDER) / 2
        row = self.quantile.quantile.denominator * self.quantile.histogram.row
        return float(self.margins().mean()) / row * wider


def around(
    quantile: Quantile, spend: tuple[Fraction | None, Fraction | None], confidence: Fraction, neighbours: Neighbours
) -> Around:
    """For this epsilon or rho, whichever is given: noise that hides all that a unit, or two, add to the sums.

    Proof: docs/proofs/quantiles.md
    """
    epsilon, rho = spend
    reach, replaced = quantile.histogram.reach, neighbours is not Neighbours.ADD_REMOVE
    if rho is not None:
        squared = _summed(quantile, gaussian=True).distance_squared(replaced=replaced)
        distance = -floor(-root_above(Fraction(squared)) * reach)
        return Around(quantile, Gaussian(sensitivity=distance, rho=rho), confidence)
    return Around(quantile, Laplace(sensitivity=(1 + replaced) * reach, epsilon=epsilon or Fraction(0)), confidence)


def ends(counted: Around, counts: IntArray, values: NDArray[np.int64]) -> tuple[IntArray, IntArray]:
    """The first and the last cell that can hold the quantile: noise on the sums, and nothing else is used."""
    places = counted.joined(values)
    running = np.concatenate([np.zeros((len(counts), 1), dtype=np.int64), counts.cumsum(axis=1)], axis=1)
    sums = counted.summed.sums(np.diff(np.take_along_axis(running, places, axis=1), axis=1))
    noisy = np.asarray(counted.mechanism.release(sums.reshape(-1)), dtype=np.int64).reshape(sums.shape)
    past = noisy @ counted.summed.weights(counted.quantile.quantile)
    low, high = possible(past, counted.margins())
    rows, last = np.arange(len(counts)), counted.quantile.cells.number - 1
    return np.clip(places[rows, low], 0, last), np.clip(places[rows, high + 1] - 1, 0, last)


def possible(past: FloatArray, margins: FloatArray) -> tuple[IntArray, IntArray]:
    """The first and the last cell that can hold the rank, by how far each begins past it, as far as the margins go."""
    begins = past <= margins  # this cell may begin before the rank
    reaches = np.roll(past >= -margins, -1, axis=1)  # and this one may end after it
    begins[:, 0] = reaches[:, -1] = True
    return reaches.argmax(axis=1), np.where(begins, np.arange(past.shape[1]), 0).max(axis=1)


@lru_cache(maxsize=256)
def _starts(cells: int) -> tuple[int, ...]:
    """Where joined cells begin, from the chosen one on; all cells by themselves, if there are no more of those."""
    far = [1]
    while far[-1] < cells - 1:
        far.append(max(far[-1] + 1, floor(far[-1] * _WIDER)))
    if 2 * len(far) + 1 >= cells:
        return tuple(range(cells))
    return (*(-distance for distance in reversed(far)), 0, 1, *(distance + 1 for distance in far[:-1]))


def _summed(quantile: Quantile, *, gaussian: bool) -> SummedCells:
    return SummedCells(len(_starts(quantile.cells.number)), rooted=gaussian)


@lru_cache(maxsize=256)
def _margins(summed: SummedCells, quantile: Fraction, mechanism: Laplace | Gaussian, doubt: Fraction) -> FloatArray:
    """Of d * below - p * everyone, by the law of the noise; each end has half of the doubt."""
    noises = [AddedNoise(mechanism, Fraction(1))] * summed.cells
    found = radius(noises, np.abs(summed.weights(quantile)), doubt)
    found.setflags(write=False)
    return found
