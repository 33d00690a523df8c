"""Whole numbers that no double holds, beside constants that are none of 64 bits: compared without becoming doubles.

A whole number n is less than 2.5 if it is at most 2, whatever n is; and it is never 2.5. So such a constant becomes the
whole number next to it, or the comparison is decided.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor
from operator import eq, ge, gt, le, lt, ne

from deniable.core.algebra.expression import Expression, Kind, Literal, Range
from deniable.planner.expressions.allow_list import Arguments
from deniable.planner.expressions.functions import LONG, call, number

_MOST_PLACES = 15
HELD = Fraction(2**53)
"""Doubles hold every whole number up to this, and another one becomes this one."""


def held(bounds: Range) -> bool:
    """Whether doubles hold every whole number in a range."""
    return bounds.low is not None and bounds.high is not None and bounds.low > -HELD and bounds.high < HELD


def compared(name: str, arguments: Arguments) -> Expression | None:
    """A comparison of a long whole number with constants, in whole numbers; None if it is another one.

    Example:
        >>> from deniable.core.algebra.expression import Column
        >>> n = Column("n", Kind.INTEGER)
        >>> found = compared("less", (n, Literal(Fraction(5, 2), Kind.NUMBER)))
        >>> found.function, found.arguments[1].value
        ('at_most', Fraction(2, 1))
    """
    value, *constants = arguments
    if isinstance(value, Literal) and len(constants) == 1 and not isinstance(constants[0], Literal) and name in _TURNED:
        return compared(_TURNED[name], (constants[0], value))
    known = [one.value for one in constants if isinstance(one, Literal)]
    if len(known) < len(constants) or not all(isinstance(one, Fraction | None) for one in known):
        return None
    numbers = [one for one in known if isinstance(one, Fraction)]
    if isinstance(value, Literal):
        return _decided(name, value, numbers) if len(numbers) == len(known) else None
    if value.kind is not Kind.INTEGER or not any(_is_odd(one, value) for one in numbers):
        return None
    if name == "in":
        return _in(value, numbers, constants)
    return _RULES[name](value, *numbers) if len(constants) == 1 and name in _RULES else None


def _decided(name: str, value: Literal, others: list[Fraction]) -> Expression | None:
    """A comparison of constants that are one and the same double, and not one number."""
    one = value.value
    if not isinstance(one, Fraction) or not any(float(one) == float(other) and one != other for other in others):
        return None
    if name == "nullif":
        return value
    holds = one in others if name == "in" else _ORDER[name](one, others[0])
    return Literal(holds, Kind.BOOLEAN)


def _is_odd(constant: Fraction, value: Expression) -> bool:
    """Whether a constant is none of 64 bits, where that makes a difference to what doubles say."""
    whole = constant.denominator == 1
    if held(value.range):
        return not whole and float(constant).is_integer()
    return not whole or abs(constant) >= LONG


def rounded(name: str, arguments: Arguments) -> Expression | None:
    """A long whole number rounded, in whole numbers; None of any other."""
    value, *rest = arguments
    if value.kind is not Kind.INTEGER or isinstance(value, Literal) or held(value.range):
        return None
    match name, rest:
        case "truncate", _:
            return value
        case "round", [Literal(value=Fraction(denominator=1) as places)] if places >= -_MOST_PLACES:
            return value if places >= 0 else _to_tens(value, int(-places))
        case _:
            return None


def _to_tens(value: Expression, places: int) -> Expression:
    """The nearest multiple of a power of ten; halves away from zero."""
    half = call("multiply", call("sign", value), number(10**places // 2))
    return call("multiply", call("quotient", call("add", value, half), number(10**places)), number(10**places))


def _in(value: Expression, numbers: list[Fraction], constants: list[Expression]) -> Expression:
    """Of several constants, those that a whole number can be."""
    whole = [number(one) for one in numbers if one.denominator == 1 and abs(one) < LONG]
    others = [one for one in constants if isinstance(one, Literal) and one.value is None]
    found: Expression = call("in", value, *whole, *others) if whole or others else _never(value)
    return call("or", found, _lowest(value)) if -LONG in numbers else found


def _never(value: Expression) -> Expression:
    """False; of NULL, NULL."""
    return call("unequal", value, value)


def _always(value: Expression) -> Expression:
    """True; of NULL, NULL."""
    return call("equal", value, value)


def _lowest(value: Expression) -> Expression:
    """The lowest number of 64 bits, which is no constant of its own."""
    return call("less", value, number(1 - LONG))


def _up_to(value: Expression, most: int) -> Expression:
    """Whether it is at most so much."""
    if most >= LONG - 1:
        return _always(value)
    if most <= -LONG:
        return _lowest(value) if most == -LONG else _never(value)
    return call("at_most", value, number(most))


def _from(value: Expression, least: int) -> Expression:
    """Whether it is at least so much."""
    if least <= -LONG:
        return _always(value)
    return call("at_least", value, number(least)) if least < LONG else _never(value)


def _equal(value: Expression, constant: Fraction) -> Expression:
    return _lowest(value) if constant == -LONG else _never(value)


def _unequal(value: Expression, constant: Fraction) -> Expression:
    return call("not", _lowest(value)) if constant == -LONG else _always(value)


def _same(value: Expression, constant: Fraction) -> Expression:
    return call("coalesce", _equal(value, constant), Literal(value=False, kind=Kind.BOOLEAN))


def _unless(value: Expression, constant: Fraction) -> Expression:
    return call("case", _unequal(value, constant), value)


_ORDER: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "equal": eq,
    "same": eq,
    "unequal": ne,
    "less": lt,
    "at_most": le,
    "more": gt,
    "at_least": ge,
}
_TURNED = {
    "equal": "equal",
    "same": "same",
    "unequal": "unequal",
    "less": "more",
    "at_most": "at_least",
    "more": "less",
    "at_least": "at_most",
}
"""What they are called with the sides exchanged."""
_RULES: dict[str, Callable[[Expression, Fraction], Expression]] = {
    "equal": _equal,
    "unequal": _unequal,
    "same": _same,
    "nullif": _unless,
    "less": lambda value, constant: _up_to(value, ceil(constant) - 1),
    "at_most": lambda value, constant: _up_to(value, floor(constant)),
    "more": lambda value, constant: _from(value, floor(constant) + 1),
    "at_least": lambda value, constant: _from(value, ceil(constant)),
}
