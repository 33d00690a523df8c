"""Real probabilities, known to as many binary digits as a draw asks for.

A probability such as exp(-1/3) has no finite name. What a sampler needs of it is the whole number
floor(c * 2^places), for more and more places, until a random word differs from it. Here these floors are
computed in integers, from brackets that provably hold the number, so that no floating point enters a law.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

Digits = Callable[[int], int]
"""places -> floor(c * 2^places), for a real c in [0, 1]."""

Bracket = tuple[int, int]
"""(low, high) with low <= c * 2^places < high."""


def rational(value: Fraction) -> Digits:
    """The digits of p / q."""
    return lambda places: (value.numerator << places) // value.denominator


def exponential(exponent: Fraction) -> Digits:
    """The digits of exp(-exponent), for exponent >= 0."""
    if exponent == 0:
        return rational(Fraction(1))
    return lambda places: settle(lambda working: exponential_bracket(exponent, working), places)


def logistic(exponent: Fraction) -> Digits:
    """The digits of 1 / (1 + exp(exponent)), for exponent > 0."""

    def bracket(working: int) -> Bracket:
        low, high = exponential_bracket(exponent, working)
        one = 1 << working
        return (low << working) // (one + low), (high << working) // (one + high) + 1

    return lambda places: settle(bracket, places)


def settle(bracket: Callable[[int], Bracket], places: int) -> int:
    """The floor at `places`, from brackets at ever higher precision. Ends because the number is irrational."""
    guard = 32
    while True:
        low, high = bracket(places + guard)
        if low >> guard == (high - 1) >> guard:
            return low >> guard
        guard *= 2


def exponential_bracket(exponent: Fraction, places: int) -> Bracket:
    """Integers around exp(-exponent) * 2^places, at most a few units apart.

    exp(-x) = exp(-x / 2^k)^(2^k) with x / 2^k <= 1/2, where the alternating Taylor series brackets its limit
    between two partial sums; every rounding goes outward.
    """
    if exponent > places:  # exp(-places) < 2^-places
        return 0, 1
    halvings = max(0, exponent.numerator.bit_length() - exponent.denominator.bit_length() + 2)
    working = places + halvings + 16
    numerator, denominator = exponent.numerator, exponent.denominator << halvings
    small, large = (numerator << working) // denominator, -((-numerator << working) // denominator)
    low, high = _taylor(small, large, working)
    for _ in range(halvings):
        low, high = (low * low) >> working, ((high * high) >> working) + 1
    return low >> (working - places), (high >> (working - places)) + 1


def _taylor(small: int, large: int, working: int) -> Bracket:
    """Around exp(-x) for every x between small and large (both over 2^working, at most 1/2)."""
    low = high = least = most = 1 << working
    order = 0
    while most > 1:
        order += 1
        least = (least * small >> working) // order
        most = -(-most * large >> working) // order + 1
        if order % 2:
            low, high = low - most, high - least
        else:
            low, high = low + least, high + most
    # the rest of an alternating series is smaller than its last term
    return low - most, high + most + 1
