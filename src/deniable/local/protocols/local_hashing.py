"""Optimal local hashing: a random hash function, and a noisy hash."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from deniable.core.bits import BitSource
from deniable.core.sampling import BoolArray, IntArray, uniform
from deniable.local.domain import AnswerDomain
from deniable.local.families.histogram import FloatArray
from deniable.local.families.listed import ListedProtocol
from deniable.local.geometry import Space, best_space


@dataclass(frozen=True, slots=True, init=False)
class LocalHashing(ListedProtocol):
    """Sends a random linear hash function, and the value's hash under it after randomized response.

    Input:         one of k public values; value v stands for the digits of v in a prime base g near e^epsilon + 1.
    Guarantee:     every report is at most e^epsilon times likelier under one value than under another; the probability
                   is rounded down to a multiple of 2^-64.
    Error:         a share's variance is within a few percent of 4 e^epsilon / ((e^epsilon - 1)^2 n). The hash functions
                   are all linear ones, so that two values collide with probability exactly 1/g and nothing is
                   biased. Intervals are exact.
    Message size:  log2(k) + log2(g) bits, rounded up to whole digits.
    Cost:          log(k) / epsilon random digits per respondent; a Fourier transform for the collector, where general
                   hash functions need n k steps.
    Reference:     Wang, Blocki, Li, Jha 2017.
    Proof:         docs/proofs/local.md

    Example:
        >>> survey = LocalHashing(1000, epsilon=1)
        >>> estimate = survey.estimate(survey.perturb(np.full(2000, 7)))
        >>> survey.space, int(np.argmax(estimate.value))
        (Space(base=3, dimension=7), 7)
    """

    domain: AnswerDomain
    epsilon: Fraction

    @property
    def space(self) -> Space:
        """Of the hash functions, each a vector of factors."""
        return best_space(self.epsilon, self.domain.size, pow, 1)

    @property
    def messages(self) -> int:
        """A function and a hash."""
        return self.space.size * self.space.base

    @property
    def preferred(self) -> int:
        """One hash for each function."""
        return self.space.size

    @property
    def overlap(self) -> int:
        """The functions that vanish on the difference of two values: one in g."""
        return self.space.size // self.space.base

    def _draw(self, places: IntArray, honest: BoolArray, bits: BitSource) -> IntArray:
        space = self.space
        values = space.digits(places)
        functions = uniform(space.base, values.size, bits).reshape(values.shape)
        shift = np.where(honest, 0, 1 + uniform(space.base - 1, places.size, bits))
        hashes = (np.einsum("ij,ij->i", functions, values) + shift) % space.base
        return np.asarray(space.codes(functions) * space.base + hashes)

    def _gather(self, weights: FloatArray) -> FloatArray:
        """A report (a, y) supports v if a . v = y: if (a, y) is orthogonal to (v, -1), in one dimension more."""
        return self._pairs.orthogonal_sums(weights, self._columns)

    def _spread(self, weights: FloatArray) -> FloatArray:
        pairs = self._pairs
        vectors = np.zeros(pairs.size)
        vectors[self._columns] = weights
        return pairs.orthogonal_sums(vectors, np.arange(pairs.size))

    @property
    def _pairs(self) -> Space:
        return Space(self.space.base, self.space.dimension + 1)

    @property
    def _columns(self) -> IntArray:
        """(v, -1) for each value."""
        return np.arange(self.domain.size) * self.space.base + self.space.base - 1
