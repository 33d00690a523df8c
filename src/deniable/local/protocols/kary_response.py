"""k-ary randomized response: the true value, or any other one."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from deniable.core.bits import BitSource
from deniable.core.sampling import BoolArray, IntArray, uniform
from deniable.local.domain import AnswerDomain
from deniable.local.families.histogram import FloatArray
from deniable.local.families.listed import ListedProtocol


@dataclass(frozen=True, slots=True, init=False)
class KaryResponse(ListedProtocol):
    """Sends the true value with probability e^epsilon / (e^epsilon + k - 1), and otherwise a random other one.

    Input:         one of k public values.
    Guarantee:     every report is at most e^epsilon times likelier under one value than under another; the probability
                   is rounded down to a multiple of 2^-64.
    Error:         a share's variance is about (k - 2 + e^epsilon) / ((e^epsilon - 1)^2 n): the least of all protocols
                   while k is below about 3 e^epsilon + 2, and hopeless for large k. Intervals are exact.
    Message size:  log2(k) bits.
    Cost:          a few random bytes per respondent; the collector counts.
    Reference:     Warner 1965; Kairouz, Oh, Viswanath 2014; Kairouz, Bonawitz, Ramage 2016.
    Proof:         docs/proofs/local.md

    Example:
        >>> survey = KaryResponse(["bus", "bike", "car"], epsilon=1)
        >>> estimate = survey.estimate(survey.perturb(["bus"] * 500 + ["car"] * 1500))
        >>> estimate.labels, bool(np.abs(estimate.value - [0.25, 0, 0.75]).max() < 0.25)
        (('bus', 'bike', 'car'), True)
    """

    domain: AnswerDomain
    epsilon: Fraction

    @property
    def messages(self) -> int:
        """The values themselves."""
        return self.domain.size

    @property
    def preferred(self) -> int:
        """The value itself."""
        return 1

    @property
    def overlap(self) -> int:
        """None."""
        return 0

    def _draw(self, places: IntArray, honest: BoolArray, bits: BitSource) -> IntArray:
        other = uniform(self.domain.size - 1, places.size, bits)
        other += other >= places
        return np.where(honest, places, other)

    def _gather(self, weights: FloatArray) -> FloatArray:
        return weights

    def _spread(self, weights: FloatArray) -> FloatArray:
        return weights
