"""Sums of losses that are exact and cannot be made to grow without end."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil

from deniable.core.loss import Loss

LONGEST = 1 << 12
"""Binary digits, above and below the line, that a number of one charge may have: 1,233 decimal ones."""

_STEP = 80
"""Binary digits below the line of a form that was rounded: a million of them are off by less than 1e-18."""

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


def short(loss: Loss) -> Loss:
    """The loss, with its rho and mu squared rounded up to multiples of 2^-80 unless they are decimals.

    So the denominator of a sum of such numbers divides 2^80 times the power of ten of the longest decimal, however many
    there are.

    Example:
        >>> loss = short(Loss(Fraction(1, 3), Fraction(1, 3), Fraction(1, 8)))
        >>> loss.epsilon, 0 < loss.rho - Fraction(1, 3) < Fraction(1, 2**80), loss.mu_squared
        (Fraction(1, 3), True, Fraction(1, 8))
    """
    return replace(loss, rho=_short(loss.rho), mu_squared=_short(loss.mu_squared))


def too_long(number: Fraction) -> bool:
    """Whether the number is written with more digits than a charge may bring."""
    return max(number.numerator.bit_length(), number.denominator.bit_length()) > LONGEST


def _coarse(number: Fraction) -> Fraction:
    """The number itself, or, past the finest denominator, the next one above it that is written shortly."""
    if number.denominator.bit_length() <= _FINEST:
        return number
    return Fraction(ceil(number * (1 << _FINEST)), 1 << _FINEST)


def _short(number: Fraction | None) -> Fraction | None:
    """Decimals have one common denominator, a power of ten; so have multiples of 2^-80."""
    if number is None or 10 ** number.denominator.bit_length() % number.denominator == 0:
        return number
    return Fraction(ceil(number * (1 << _STEP)), 1 << _STEP)
