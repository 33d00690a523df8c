"""Numbers as people write them, read without a rounding error."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from numbers import Rational

import numpy as np

from deniable.core.errors import InvalidArgumentError

Number = int | float | str | Decimal | Fraction
"""What every parameter accepts. Text and decimals are read as they are written.

A float that is a price or a chance (epsilon, delta, a confidence) means the decimal that Python prints for it: 0.1 is
one tenth, and ten of them are one. A float in the unit of the data (a value, a bound, a step, a sensitivity, an error)
is the binary fraction that it stores, because that is what differences of data are made of: 0.25 and 0.15 are a little
more than one tenth apart, by as much as the stored 0.1 is. One reading for all that is compared with data makes every
claim about distances true of the stored numbers; see docs/proofs/laplace.md.
"""


def amount(name: str, value: Number) -> Fraction:
    """A number in the unit of the data: what `exact` says, but of a float the binary fraction that it stores.

    Example:
        >>> amount("upper", 0.5), amount("upper", "0.1"), amount("upper", 0.1) > Fraction(1, 10)
        (Fraction(1, 2), Fraction(1, 10), True)
    """
    number = exact(name, value)
    return Fraction(*value.as_integer_ratio()) if isinstance(value, float | np.floating) else number


def positive_amount(name: str, value: Number) -> Fraction:
    """A number in the unit of the data, if it is above zero."""
    positive(name, value)
    return amount(name, value)


def exact(name: str, value: Number) -> Fraction:
    """The fraction that `value` stands for, if it is no number of data.

    Example:
        >>> exact("epsilon", 0.1), exact("epsilon", "1/3")
        (Fraction(1, 10), Fraction(1, 3))
    """
    if isinstance(value, bool | np.bool_):
        raise InvalidArgumentError(name, f"must be a number, not {value}")
    if isinstance(value, Rational | np.integer):
        return Fraction(int(value)) if isinstance(value, np.integer) else Fraction(value)
    if isinstance(value, np.floating):
        value = str(value)
    if isinstance(value, str) and not _short(value):
        raise InvalidArgumentError(name, "must be a number of reasonable length")
    try:
        return Fraction(repr(value) if isinstance(value, float) else value)
    except (ValueError, OverflowError, TypeError, InvalidOperation, ZeroDivisionError):
        raise InvalidArgumentError(name, f"must be a finite number, not {value!r}") from None


def positive(name: str, value: Number) -> Fraction:
    """The fraction, if it is above zero."""
    number = exact(name, value)
    if number <= 0:
        raise InvalidArgumentError(name, f"must be positive, not {value}")
    if not _LEAST <= number <= 1 / _LEAST:
        raise InvalidArgumentError(name, f"must lie between 1e-300 and 1e300, not {value}")
    return number


def probability(name: str, value: Number) -> Fraction:
    """The fraction, if it lies strictly between 0 and 1."""
    number = exact(name, value)
    if not _LEAST <= number <= 1 - _LEAST:
        raise InvalidArgumentError(name, f"must lie strictly between 0 and 1, not {value}")
    return number


def surety(confidence: Number) -> Fraction:
    """The confidence, if an interval can be that certain: laws are worked out in doubles, whose digits end."""
    level = probability("confidence", confidence)
    if 1 - level < _SUREST:
        raise InvalidArgumentError("confidence", f"must be at most 1 - {float(_SUREST):g}, not {confidence}")
    return level


def whole(name: str, value: int | Fraction, least: int = 1) -> int:
    """The whole number, if it is at least `least`."""
    number = exact(name, value)
    if number.denominator != 1:
        raise InvalidArgumentError(name, f"must be a whole number, not {value}")
    if number < least:
        raise InvalidArgumentError(name, f"must be at least {least}, not {value}")
    return int(number)


def least_decimal(enough: Callable[[Fraction], bool]) -> Fraction:
    """The least number of six significant digits that is enough, where everything above it is enough too.

    Example:
        >>> float(least_decimal(lambda x: x * x >= 2))
        1.41422
    """
    power = Fraction(1)
    while not enough(power):
        power *= 10
    while enough(power / 10):
        power /= 10
    low, high = 10**5, 10**6  # in units of power / 10^6: low is not enough, high is
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(power * middle / 10**6) else (middle, high)
    return power * high / 10**6


def ratio(text: str) -> Fraction:
    """A fraction as `str` writes it, p/q or p, and in no other way: an exponent could stand for any number of digits.

    Example:
        >>> ratio("-3/4"), ratio("7")
        (Fraction(-3, 4), Fraction(7, 1))
    """
    over, _, under = text.partition("/")
    return Fraction(int(over), int(under or 1))


def above(value: float) -> Fraction:
    """A fraction that is at least as large as the real number a float was computed for (12 digits of it are right)."""
    return Fraction(value) * (1 + _SLACK)


def below(value: float) -> Fraction:
    """A fraction that is at most as large as the real number a float was computed for (12 digits of it are right)."""
    return Fraction(value) * (1 - _SLACK)


def root_above(square: Fraction) -> Fraction:
    """The square root, rounded up by at most one part in a billion."""
    if square == 0:
        return Fraction(0)
    shift = max(0, 64 - (square.numerator.bit_length() - square.denominator.bit_length()) // 2)
    scaled = -(-(square.numerator << (2 * shift)) // square.denominator)
    return Fraction(math.isqrt(scaled - 1) + 1, 1 << shift)


def _short(text: str) -> bool:
    """Whether a text can be read at once: 1e999999999 would fill the memory with digits."""
    exponent = text.lower().rpartition("e")[2] if "e" in text.lower() else "0"
    return len(text) <= _LONGEST and len(exponent.strip().lstrip("+-0_")) <= _EXPONENT


_LONGEST, _EXPONENT = 1000, 4
_SLACK = Fraction(1, 10**12)
_LEAST = Fraction(1, 10**300)
_SUREST = Fraction(1, 10**12)
