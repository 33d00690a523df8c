"""Duchi, Jordan and Wainwright's mean: one bit, the best for small epsilon."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.core.bits import BitSource
from deniable.core.number import Number, exact
from deniable.core.sampling import bernoulli
from deniable.local.estimate import Estimate
from deniable.local.families.mean import FloatArray, MeanProtocol, rounded
from deniable.local.families.protocol import Law, below
from deniable.local.intervals import chance_interval, doubt
from deniable.local.odds import truth_chance
from deniable.local.reports import Reports


@dataclass(frozen=True, slots=True, init=False)
class Duchi(MeanProtocol):
    """Rounds the number to one of its bounds at random, and sends which one by randomized response.

    Input:         a number within public bounds.
    Guarantee:     every report is at most e^epsilon times likelier under one number than under another; the probability
                   is rounded down to a multiple of 2^-64.
    Error:         for bounds -1 and 1 the mean's variance is at most ((e^epsilon + 1) / (e^epsilon - 1))^2 / n. The
                   interval is exact: the reports are a binomial count.
    Message size:  1 bit.
    Cost:          sixteen random bytes per respondent; the collector counts.
    Reference:     Duchi, Jordan, Wainwright 2018.
    Proof:         docs/proofs/local.md

    Example:
        >>> survey = Duchi(epsilon=1, bounds=(0, 10))
        >>> estimate = survey.estimate(survey.perturb(np.full(4000, 2.5)))
        >>> bool(abs(estimate.value - 2.5) < 2), survey.messages
        (True, 2)
    """

    low: Fraction
    high: Fraction
    epsilon: Fraction

    @property
    def messages(self) -> int:
        """Low, and high."""
        return 2

    @property
    def keep(self) -> Fraction:
        """The chance of the truth."""
        return truth_chance(self.epsilon, 1, 1)

    @property
    def reach(self) -> float:
        """From the lower end to the score of a one."""
        return float(self.keep / (2 * self.keep - 1))

    def inputs(self) -> Sequence[Fraction]:
        """The bounds, and the middle."""
        return (self.low, (self.low + self.high) / 2, self.high)

    def law(self, value: Number) -> Law:
        """Linear in the number."""
        part = (exact("value", value) - self.low) / (self.high - self.low)
        one = part * self.keep + (1 - part) * (1 - self.keep)
        return {0: 1 - one, 1: one}

    def part_variance(self, part: float) -> float:
        """Of a coin, scaled."""
        keep = float(self.keep)
        one = part * keep + (1 - part) * (1 - keep)
        return one * (1 - one) / (2 * keep - 1) ** 2

    def scores(self, data: NDArray[Any]) -> FloatArray:
        """(report - (1 - keep)) / (2 keep - 1)."""
        keep = float(self.keep)
        return (data - (1 - keep)) / (2 * keep - 1)

    def estimate(self, reports: Reports, confidence: Number = 0.95) -> Estimate:
        """The mean of the numbers, with Clopper and Pearson's interval for the chance of a one."""
        ones, people = int(self._read(reports).sum()), len(reports)
        ends = (end[0] for end in chance_interval([ones], people, doubt(confidence)))
        part, low, high = (float(self.scores(np.asarray(chance))) for chance in (ones / people, *ends))
        return self._scaled(part, low, high, people, confidence)

    def _perturb(self, values: ArrayLike, bits: BitSource) -> NDArray[Any]:
        ends = rounded(self._parts(values), 1, bits)
        return (ends ^ bernoulli(1 - self.keep, ends.size, bits)).astype(np.uint8)

    def _valid(self, data: NDArray[Any]) -> bool:
        return below(data, 2)
