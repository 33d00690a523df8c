"""Symmetric unary encoding: every bit is turned around with the same chance."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from deniable.local.domain import AnswerDomain
from deniable.local.families.unary import UnaryProtocol
from deniable.local.odds import truth_chance


@dataclass(frozen=True, slots=True, init=False)
class SymmetricUnary(UnaryProtocol):
    """Sends one bit for each value, each kept with probability e^(epsilon/2) / (e^(epsilon/2) + 1).

    Input:         one of k public values.
    Guarantee:     every report is at most e^epsilon times likelier under one value than under another: two bits differ,
                   and each contributes e^(epsilon/2). The probability is rounded down to a multiple of 2^-64.
    Error:         a share's variance is e^(epsilon/2) / ((e^(epsilon/2) - 1)^2 n), whatever the share; intervals
                   are exact.
    Message size:  k bits.
    Cost:          two random digits per bit; the collector adds up columns. For large k others are far cheaper.
    Reference:     Erlingsson, Pihur, Korolova 2014 (basic, one-time RAPPOR); Wang, Blocki, Li, Jha 2017.
    Proof:         docs/proofs/local.md

    Example:
        >>> survey = SymmetricUnary(["red", "green", "blue"], epsilon=2)
        >>> float(survey.truth), survey.perturb("green").bits
        (0.731058578630004..., 8)
    """

    domain: AnswerDomain
    epsilon: Fraction

    @property
    def truth(self) -> Fraction:
        """Half of epsilon for each of the two bits that differ."""
        return truth_chance(self.epsilon / 2, 1, 1)

    @property
    def lie(self) -> Fraction:
        """A zero is turned around as often as a one."""
        return 1 - self.truth
