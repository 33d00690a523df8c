"""Sums of losses that are exact and cannot be made to grow without end."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil

from deniable.core.loss import Loss

LONGEST = 1 << 12
"""Binary digits, above and below the line, that a number of one charge may have: 1,233 decimal ones."""

_FINEST = 1 << 13
"""Binary digits below the line that a total may have."""


def plus(total: Loss, loss: Loss) -> Loss:
    """Both together.

    Rounding:   none, as long as the common denominator has at most 8,192 binary digits; past that, up to the next
                multiple of 2^-8192. An analyst who spends 1/p for one prime p after the other would otherwise make
                totals longer with each question, and the ledger as long as the square of their number.

    Example:
        >>> tiny = Loss.pure("1e-300")
        >>> plus(tiny.times(999_999), tiny) == tiny.times(1_000_000)
        True
    """
    both = total + loss
    return replace(
        both,
        epsilon=None if both.epsilon is None else _coarse(both.epsilon),
        rho=None if both.rho is None else _coarse(both.rho),
        mu_squared=None if both.mu_squared is None else _coarse(both.mu_squared),
        delta=_coarse(both.delta),
    )


def too_long(number: Fraction) -> bool:
    """Whether the number is written with more digits than a charge may bring."""
    return max(number.numerator.bit_length(), number.denominator.bit_length()) > LONGEST


def _coarse(number: Fraction) -> Fraction:
    """The number itself, or, past the finest denominator, the next one above it that is written shortly."""
    if number.denominator.bit_length() <= _FINEST:
        return number
    return Fraction(ceil(number * (1 << _FINEST)), 1 << _FINEST)
