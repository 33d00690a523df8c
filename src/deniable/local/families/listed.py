"""Histogram protocols whose reports are numbers from a list, of which each value prefers a part of the same size."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.core.bits import BitSource
from deniable.core.sampling import BoolArray, IntArray, bernoulli
from deniable.core.sampling.batches import in_pieces
from deniable.local.distribution import most_likely
from deniable.local.families.histogram import FloatArray, HistogramProtocol
from deniable.local.families.protocol import Law, below
from deniable.local.odds import truth_chance
from deniable.local.reports import Reports, smallest


class ListedProtocol(HistogramProtocol):
    """With chance `truth` a uniformly random report of the preferred part, otherwise one of the rest.

    Every report has one of two probabilities, truth / preferred and (1 - truth) / others, and their quotient is at most
    e^epsilon by the choice of `truth`. Any two values prefer `overlap` reports in common, which gives the chance `lie`.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def messages(self) -> int:
        """How many reports there are."""

    @property
    @abstractmethod
    def preferred(self) -> int:
        """How many of them a value prefers."""

    @property
    @abstractmethod
    def overlap(self) -> int:
        """How many of them two values both prefer."""

    @abstractmethod
    def _draw(self, places: IntArray, honest: BoolArray, bits: BitSource) -> IntArray:
        """A uniformly random report of each value's preferred part where it is honest, else of the rest."""

    @abstractmethod
    def _gather(self, weights: FloatArray) -> FloatArray:
        """For each value, the sum of the weights of the reports that it prefers."""

    @abstractmethod
    def _spread(self, weights: FloatArray) -> FloatArray:
        """For each report, the sum of the weights of the values that prefer it."""

    @property
    def truth(self) -> Fraction:
        """What epsilon allows for parts of these sizes."""
        return truth_chance(self.epsilon, self.preferred, self.messages - self.preferred)

    @property
    def lie(self) -> Fraction:
        """A report that another value prefers: from the preferred part, or from the rest."""
        others = self.messages - self.preferred
        within = self.truth * Fraction(self.overlap, self.preferred)
        return within + (1 - self.truth) * Fraction(self.preferred - self.overlap, others)

    def law(self, value: Any) -> Law:  # noqa: ANN401 - a number or a name
        """Two probabilities, by whether the value prefers the report."""
        likely, unlikely = self.truth / self.preferred, (1 - self.truth) / (self.messages - self.preferred)
        return dict.fromkeys(range(self.messages), unlikely) | dict.fromkeys(self.part(value).tolist(), likely)

    def part(self, value: Any) -> IntArray:  # noqa: ANN401 - a number or a name
        """The reports that a value prefers."""
        chosen = np.zeros(self.domain.size)
        chosen[self.domain.places(value)] = 1.0
        return np.flatnonzero(np.rint(self._spread(chosen)))

    def distribution(self, reports: Reports) -> FloatArray:
        """The shares under which these reports are likeliest: non-negative, with sum 1, and biased like all such."""
        counts = np.bincount(self._read(reports), minlength=self.messages).astype(np.float64)
        likely = float(self.truth / self.preferred)
        unlikely = float((1 - self.truth) / (self.messages - self.preferred))

        def spread(shares: FloatArray) -> FloatArray:
            return unlikely + (likely - unlikely) * self._spread(shares)

        def gather(weights: FloatArray) -> FloatArray:
            return np.asarray(unlikely * weights.sum() + (likely - unlikely) * self._gather(weights))

        return most_likely(counts, spread, gather, self.domain.size)

    def _perturb(self, values: ArrayLike, bits: BitSource) -> NDArray[Any]:
        places = self.domain.places(values)
        truth, done = self.truth, 0

        def draw(count: int) -> IntArray:
            nonlocal done
            piece = places[done : done + count]
            done += count
            return self._draw(piece, bernoulli(truth, count, bits), bits)

        return smallest(in_pieces(places.size, draw), self.messages)

    def _valid(self, data: NDArray[Any]) -> bool:
        return below(data, self.messages)

    def _support(self, data: NDArray[Any]) -> IntArray:
        counts = np.bincount(data, minlength=self.messages).astype(np.float64)
        return np.rint(self._gather(counts)).astype(np.int64)
