"""Optimized unary encoding: the true bit is a fair coin, so that the many false ones can be quiet."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from deniable.local.domain import AnswerDomain
from deniable.local.families.unary import UnaryProtocol
from deniable.local.odds import truth_chance


@dataclass(frozen=True, slots=True, init=False)
class OptimizedUnary(UnaryProtocol):
    """Sends one bit for each value: the true one is 1 half of the time, each other one with chance 1/(e^epsilon + 1).

    Input:         one of k public values.
    Guarantee:     every report is at most e^epsilon times likelier under one value than under another: the true bit
                   contributes a factor of at most 1 or (1 - q)/(1/2) or q/(1/2), the product for two bits is
                   (1 - q)/q = e^epsilon at most. q is rounded up to a multiple of 2^-64.
    Error:         a rare share's variance is 4 e^epsilon / ((e^epsilon - 1)^2 n), the limit of all known protocols.
                   Intervals are exact.
    Message size:  k bits.
    Cost:          two random digits per bit; the collector adds up columns. For large k others are far cheaper.
    Reference:     Wang, Blocki, Li, Jha 2017.
    Proof:         docs/proofs/local.md

    Example:
        >>> survey = OptimizedUnary(100, epsilon=1)
        >>> survey.truth, round(float(survey.lie), 6), survey.perturb(3).bits
        (Fraction(1, 2), 0.268941, 104)
    """

    domain: AnswerDomain
    epsilon: Fraction

    @property
    def truth(self) -> Fraction:
        """A fair coin."""
        return Fraction(1, 2)

    @property
    def lie(self) -> Fraction:
        """1 / (e^epsilon + 1), rounded up."""
        return 1 - truth_chance(self.epsilon, 1, 1)
