"""Interval arithmetic: between which two numbers does the result lie?"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import product
from math import ceil, exp, floor, isqrt, log, trunc

from deniable.core.algebra.expression import Range
from deniable.core.number import above, below

EVERYTHING = Range()
_NEAR = Fraction(1, 2**46)
"""As a part of a range's size: nearer than this, the rounding of doubles is all that lies between."""


def doubles(one: Range) -> Range:
    """Where the nearest doubles of these numbers lie. Rounding keeps the order, so those of the ends bound them all.

    Example:
        >>> doubles(Range(Fraction(0), 3 * Fraction(0.1))).high == Fraction(0.1 + 0.1 + 0.1)
        True
    """
    return Range(*(None if end is None else Fraction(float(end)) for end in (one.low, one.high)))


def nominal(one: Range) -> Range:
    """The ends without what doubles add to them: 10 for 10.000000000000002. What lies beyond must be clamped."""
    size = _size(one) or Fraction(0)
    return Range(*(None if end is None else _short(end, size * _NEAR) for end in (one.low, one.high)))


def _short(end: Fraction, most: Fraction) -> Fraction:
    short = Fraction(f"{float(end):.12g}")
    return short if abs(short - end) <= most else end


def add(one: Range, other: Range) -> Range:
    """The ends add up."""
    return Range(_sum(one.low, other.low), _sum(one.high, other.high))


def scaled(one: Range, factor: Fraction) -> Range:
    """Times a positive constant, exactly."""
    return Range(*(None if end is None else end * factor for end in (one.low, one.high)))


def negate(one: Range) -> Range:
    """The ends change places."""
    return Range(None if one.high is None else -one.high, None if one.low is None else -one.low)


def subtract(one: Range, other: Range) -> Range:
    """Adding the opposite."""
    return add(one, negate(other))


def multiply(one: Range, other: Range) -> Range:
    """Between the smallest and the largest product of ends; without all ends, at least the sign can be known."""
    if not (one.finite and other.finite):
        lows = [end for end in (one.low, other.low) if end is not None and end >= 0]
        return Range(lows[0] * lows[1]) if len(lows) == len(("one", "other")) else EVERYTHING
    return _hull(a * b for a, b in product(_ends(one), _ends(other)))


def divide(one: Range, other: Range) -> Range:
    """Known if the divisor keeps away from zero."""
    if not (one.finite and other.finite) or _holds_zero(other):
        return EVERYTHING
    return _hull(a / b for a, b in product(_ends(one), _ends(other)))


def quotient(one: Range, other: Range) -> Range:
    """Whole division never leaves the dividend's size, as the divisor is at least 1 in size (or the result NULL)."""
    if one.finite and other.finite and not _holds_zero(other):  # towards zero, which keeps the order of quotients
        return _hull(Fraction(trunc(a / b)) for a, b in product(_ends(one), _ends(other)))
    size = _size(one)
    if size is None:
        return EVERYTHING
    positive = one.low is not None and one.low >= 0 and other.low is not None and other.low >= 0
    return Range(Fraction(0) if positive else -size, size)


def remainder(one: Range, other: Range) -> Range:
    """Smaller than the divisor, no larger than the dividend, with the dividend's sign."""
    bounds = [size for size in (_size(one), None if _size(other) is None else _size(other)) if size is not None]
    if not bounds:
        return EVERYTHING
    most = min(bounds)
    low = Fraction(0) if one.low is not None and one.low >= 0 else -most
    return Range(low, Fraction(0) if one.high is not None and one.high <= 0 else most)


def absolute(one: Range) -> Range:
    """From zero, or the nearer end, to the farther end."""
    if not one.finite:
        return Range(Fraction(0), None)
    sizes = [abs(end) for end in _ends(one)]
    return Range(Fraction(0) if _holds_zero(one) else min(sizes), max(sizes))


def least(*parts: Range) -> Range:
    """The result is one of the arguments and not above any that is there."""
    lows, highs = [part.low for part in parts], [part.high for part in parts if part.high is not None]
    return Range(None if None in lows else min(low for low in lows if low is not None), min(highs, default=None))


def greatest(*parts: Range) -> Range:
    """The ends of GREATEST: the mirror of least."""
    return negate(least(*(negate(part) for part in parts)))


def union(*parts: Range) -> Range:
    """One of the arguments, nobody knows which."""
    lows, highs = [part.low for part in parts], [part.high for part in parts]
    return Range(
        None if None in lows else min(low for low in lows if low is not None),
        None if None in highs else max(high for high in highs if high is not None),
    )


def monotone(rule: Callable[[Fraction], Fraction | None]) -> Callable[[Range], Range]:
    """For a function that never decreases: its values at the ends (None: no bound)."""
    return lambda one: Range(None if one.low is None else rule(one.low), None if one.high is None else rule(one.high))


floors = monotone(lambda end: Fraction(floor(end)))
ceilings = monotone(lambda end: Fraction(ceil(end)))


def nearest(one: Range) -> Range:
    """Rounding to whole numbers, whichever way halves go."""
    return Range(floors(one).low, ceilings(one).high)


def square_root(one: Range) -> Range:
    """Of what is not negative; rounded outward."""
    high = None if one.high is None else Fraction(isqrt(max(0, ceil(one.high * 10**12))) + 1, 10**6)
    return Range(Fraction(0), high)


def cube_root(one: Range) -> Range:
    """Of any sign; rounded outward by a millionth."""
    roots = monotone(lambda end: Fraction(abs(float(end)) ** (1 / 3) * (1 if end >= 0 else -1)))(one)
    size = max((abs(end) for end in (roots.low, roots.high) if end is not None), default=Fraction(0))
    aside = (size + 1) / 10**6
    return add(roots, Range(-aside, aside))


def logarithm(one: Range, rule: Callable[[Fraction], float] = log) -> Range:
    """Of what is positive, to any base; rounded outward."""
    low = None if one.low is None or one.low <= 0 else _outward(rule(one.low), up=False)
    return Range(low, None if one.high is None or one.high <= 0 else _outward(rule(one.high), up=True))


def exponential(one: Range) -> Range:
    """Rounded outward; no bound where a double would overflow."""
    low = Fraction(0) if one.low is None or abs(one.low) > _MOST else _outward(exp(one.low), up=False)
    return Range(low, None if one.high is None or one.high > _MOST else _outward(exp(one.high), up=True))


_MOST = 700


def _outward(value: float, *, up: bool) -> Fraction:
    """A little farther out than the float."""
    return above(value) if up == (value >= 0) else below(value)


def _sum(one: Fraction | None, other: Fraction | None) -> Fraction | None:
    return None if one is None or other is None else one + other


def _ends(one: Range) -> tuple[Fraction, Fraction]:
    return one.low or Fraction(0), one.high or Fraction(0)


def _size(one: Range) -> Fraction | None:
    return max(abs(end) for end in _ends(one)) if one.finite else None


def _holds_zero(one: Range) -> bool:
    low, high = _ends(one)
    return low <= 0 <= high


def _hull(values: Iterable[Fraction]) -> Range:
    numbers = list(values)
    return Range(min(numbers), max(numbers))
