"""The chance of telling the truth that a wanted epsilon allows, as an exact fraction.

Most protocols have the same shape: of a finite set of reports, each value prefers a part; with some chance the report
is a uniformly random one of the preferred part, otherwise a uniformly random one of the rest. A report's two
probabilities then differ by one factor, and that factor is what must not exceed e^epsilon.
"""

from __future__ import annotations

from fractions import Fraction

from deniable.core.errors import InvalidArgumentError
from deniable.core.number import Number, positive
from deniable.core.sampling.digits import exponential_bracket

PLACES = 64
"""Chances are multiples of 2^-64: one random word decides, in Python and in a browser alike."""
_WORKING = 256
_LEAST = Fraction(1, 10**9)


def asked(epsilon: Number) -> Fraction:
    """An epsilon that multiples of 2^-64 can tell from zero."""
    number = positive("epsilon", epsilon)
    if number < _LEAST:
        raise InvalidArgumentError("epsilon", f"must be at least 1e-9, or reports would say nothing, not {epsilon}")
    return number


def truth_chance(epsilon: Fraction, preferred: int, others: int) -> Fraction:
    """The largest multiple p of 2^-64 with (p / preferred) / ((1 - p) / others) <= e^epsilon.

    Solved for p: p <= s / (s + o e^-epsilon), which falls as e^-epsilon grows; an upper bound of e^-epsilon in whole
    numbers, and rounding down, leave the factor at most e^epsilon. The loss in epsilon is of the order of 2^-60.

    Example:
        >>> chance = truth_chance(Fraction(1), 1, 1)
        >>> float(chance), chance.denominator <= 2**64
        (0.731058578630004..., True)
    """
    _, most = exponential_bracket(epsilon, _WORKING)
    one = 1 << _WORKING
    whole = (preferred << (PLACES + _WORKING)) // (preferred * one + others * most)
    return Fraction(whole, 1 << PLACES)
