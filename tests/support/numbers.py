"""Small facts about numbers."""

from __future__ import annotations

from fractions import Fraction


def sixth_digit(number: Fraction) -> Fraction:
    """What one unit of the sixth significant digit of a positive number weighs."""
    power = Fraction(1)
    while number >= 10 * power:
        power *= 10
    while number < power:
        power /= 10
    return power / 10**5
