"""Dominating pairs: two laws that are at least as easy to tell apart as any two neighbouring outputs.

A pair is the finest description of a loss. Accountants that add up whole privacy-loss distributions start here.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class GaussianPair:
    """N(0, 1) and N(mu, 1)."""

    mu_squared: Fraction


@dataclass(frozen=True, slots=True)
class ResponsePair:
    """Randomized response with this epsilon, which with probability delta tells the truth outright.

    It dominates every (epsilon, delta)-private mechanism (Kairouz, Oh, Viswanath 2015).
    """

    epsilon: Fraction
    delta: Fraction = Fraction(0)


Pair = GaussianPair | ResponsePair
