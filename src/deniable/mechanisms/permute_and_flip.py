"""Permute-and-flip: never worse than the exponential mechanism, for the same epsilon."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from deniable.core.bits import BitSource
from deniable.core.loss import Loss
from deniable.core.sampling import IntArray, bernoulli_exponentials
from deniable.mechanisms.selection import Selection, one_of_each


@dataclass(frozen=True, slots=True, init=False)
class PermuteAndFlip(Selection):
    """Visits the candidates in random order and takes each with probability exp(-epsilon (OPT - q) / (2 sensitivity)).

    Input:      scores of a public list of candidates; each differs by at most `sensitivity` between neighbours.
    Guarantee:  pure differential privacy with `epsilon`.
    Rounding:   scores go to the grid, halves upward; the sensitivity is rounded up to whole steps. The draw is exact.
    Error:      the score is stochastically at least the exponential mechanism's, on every input; so its bound holds:
                at least OPT - 2 sensitivity/epsilon (ln(R/R_opt) + t) with probability 1 - e^-t.
    Cost:       one coin per candidate, all at once; the time does not depend on the scores.
    Caution:    its proven zCDP is epsilon^2 / 2, not the exponential mechanism's epsilon^2 / 8: for long compositions
                the latter may be the better buy.
    Reference:  McKenna, Sheldon 2020.
    Proof:      docs/proofs/permute_and_flip.md

    Example:
        >>> PermuteAndFlip(sensitivity=1, epsilon=1.0).choose([5, 500, 7])
        1
    """

    sensitivity: Fraction
    epsilon: Fraction
    step: Fraction

    @property
    def loss(self) -> Loss:
        """McKenna, Sheldon 2020, theorem 1."""
        return Loss.pure(self.epsilon)

    def _each(self, scores: IntArray, bits: BitSource) -> IntArray:
        """The first success in random order is a uniformly random one of all successes; the best always succeeds."""
        gaps = scores.max(axis=1, keepdims=True) - scores
        coins = bernoulli_exponentials(gaps.reshape(-1), self._rate, bits)
        return one_of_each(coins.reshape(gaps.shape), bits)
