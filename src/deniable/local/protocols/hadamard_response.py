"""Hadamard response: half of all reports are preferred, and one fast transform counts them."""

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
class HadamardResponse(ListedProtocol):
    """Sends a random row of a Hadamard matrix in which the value's column most likely holds a +1.

    Input:         one of k public values; value v stands for the column v + 1 of a matrix of size K, a power of two.
    Guarantee:     every report is at most e^epsilon times likelier under one value than under another; the probability
                   is rounded down to a multiple of 2^-64.
    Error:         a share's variance is ((e^epsilon + 1) / (e^epsilon - 1))^2 / n: close to the best possible
                   for small epsilon, 1.27 times it at epsilon = 1, and it never falls below 1 / n. Intervals are exact.
    Message size:  log2(K) bits, at most log2(k) + 1.
    Cost:          a few random bytes per respondent; K log K additions for the collector: the fastest of all.
    Reference:     Acharya, Sun, Zhang 2019.
    Proof:         docs/proofs/local.md

    Example:
        >>> survey = HadamardResponse(1000, epsilon=1)
        >>> estimate = survey.estimate(survey.perturb(np.full(2000, 7)))
        >>> survey.messages, int(np.argmax(estimate.value))
        (1024, 7)
    """

    domain: AnswerDomain
    epsilon: Fraction

    @property
    def messages(self) -> int:
        """The rows: the least power of two above k, as the column of ones tells nothing and stays free."""
        return 1 << self.domain.size.bit_length()

    @property
    def preferred(self) -> int:
        """Every column but the first holds as many +1 as -1."""
        return self.messages // 2

    @property
    def overlap(self) -> int:
        """Two columns are orthogonal: both hold +1 in a quarter of the rows."""
        return self.messages // 4

    def _draw(self, places: IntArray, honest: BoolArray, bits: BitSource) -> IntArray:
        """A uniform row; where its sign is not the wanted one, a bit of the column is flipped, which turns the sign."""
        columns = places + 1
        rows = uniform(self.messages, places.size, bits)
        wrong = _parity(rows & columns) == honest
        return np.where(wrong, rows ^ (columns & -columns), rows)

    def _gather(self, weights: FloatArray) -> FloatArray:
        """(total + transform) / 2, as a +1 counts and a -1 does not."""
        turned = _transform(weights)
        return np.asarray((turned[0] + turned[1 : self.domain.size + 1]) / 2)

    def _spread(self, weights: FloatArray) -> FloatArray:
        columns = np.zeros(self.messages)
        columns[1 : self.domain.size + 1] = weights
        return np.asarray((weights.sum() + _transform(columns)) / 2)


def _parity(numbers: IntArray) -> IntArray:
    """Whether the number of ones is odd."""
    for shift in (32, 16, 8, 4, 2, 1):
        numbers = numbers ^ (numbers >> shift)
    return numbers & 1


def _transform(numbers: FloatArray) -> FloatArray:
    """Walsh and Hadamard's: sums and differences of halves, again and again."""
    turned, half = numbers, 1
    while half < numbers.size:
        pairs = turned.reshape(-1, 2, half)
        turned = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1)
        half *= 2
    return turned.ravel()
