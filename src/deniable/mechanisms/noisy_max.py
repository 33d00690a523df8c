"""Report noisy max: noise on every score, and the name of the largest."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from deniable.core.bits import BitSource
from deniable.core.errors import InvalidArgumentError
from deniable.core.loss import Loss
from deniable.core.number import Number
from deniable.core.sampling import LARGEST_SCALE, IntArray, geometric
from deniable.mechanisms.selection import Selection, one_of_each


@dataclass(frozen=True, slots=True, init=False)
class NoisyMax(Selection):
    """Adds one-sided geometric noise of scale 2 sensitivity / epsilon to each score and names the largest.

    Input:      scores of a public list of candidates; each differs by at most `sensitivity` between neighbours.
    Guarantee:  pure differential privacy with `epsilon`. Only the name is released, never the noisy score.
    Rounding:   scores go to the grid, halves upward; the sensitivity is rounded up to whole steps. The draw is exact;
                ties are broken evenly.
    Error:      the score is at least OPT - 2 sensitivity/epsilon (ln R + t) with probability 1 - e^-t.
    Cost:       one geometric draw per candidate, all at once; the time does not depend on the scores.
    Caution:    releasing the winner's noisy score as well is not covered by this theorem.
    Reference:  Dwork, Roth 2014, section 3.3; Ding, Kifer, Sayed, Steinke, Wang, Xiao, Zhang 2021 (one-sided noise).
    Proof:      docs/proofs/noisy_max.md

    Example:
        >>> NoisyMax(sensitivity=1, epsilon=1.0).choose([5, 500, 7])
        1
    """

    sensitivity: Fraction
    epsilon: Fraction
    step: Fraction

    def __init__(self, *, sensitivity: Number, epsilon: Number, step: Number = 1) -> None:
        super(NoisyMax, self).__init__(
            sensitivity=sensitivity, epsilon=epsilon, step=step
        )  # slots=True makes a new class
        if 1 / self._rate > LARGEST_SCALE:
            raise InvalidArgumentError("step", "must be coarser: the noise would not fit 64 bits")

    @property
    def loss(self) -> Loss:
        """A winner keeps winning if its noise grows by 2 sensitivity, which costs a factor e^epsilon."""
        return Loss.pure(self.epsilon)

    def utility(self, candidates: int, optimal: int = 1, t: Number = 3) -> float:
        """How far below the best the chosen score may lie: no noise exceeds this, except with probability e^-t."""
        del optimal  # several best candidates help, but this bound does not say by how much
        return super(NoisyMax, self).utility(candidates, 1, t)  # slots=True makes a new class

    def _each(self, scores: IntArray, bits: BitSource) -> IntArray:
        """Ties go to a random one of the tied, which is a fixed order drawn before looking."""
        noisy = scores + geometric(1 / self._rate, scores.size, bits).reshape(scores.shape)
        return one_of_each(noisy == np.max(noisy, axis=1, keepdims=True), bits)
