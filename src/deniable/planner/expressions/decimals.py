"""Decimals: what SQL computes exactly from whole numbers and constants with a point, computed exactly here, too.

`a * 0.1` is not 0.3 for a = 3 if it is computed in doubles. But it is a whole number of tenths: P / 10^k, with P made
of whole numbers alone. So wherever the last digit decides (a comparison, a rounding), P is compared or rounded instead.
"""

from __future__ import annotations

from fractions import Fraction

from deniable.core.algebra.expression import Call, Expression, Kind, Literal
from deniable.planner.expressions.allow_list import Arguments
from deniable.planner.expressions.functions import call, number

_MOST_PLACES = 15
_CLOSED = frozenset({"add", "subtract", "multiply", "negate", "absolute"})
"""Functions that make decimals of decimals."""
_COMPARISONS = frozenset({"equal", "unequal", "less", "at_most", "more", "at_least", "in"})

Scaled = tuple[Expression, int]
"""P and k: the value is P / 10^k."""


def exactly(name: str, *arguments: Expression) -> Expression:
    """The function applied; to decimals without passing through doubles, as far as whole numbers of 64 bits reach.

    Rounding:   none. Halves are rounded away from zero, as SQL rounds decimals.

    Example:
        >>> from deniable.core.algebra.expression import Column, Range
        >>> a = Column("a", Kind.INTEGER, Range(Fraction(0), Fraction(9)), nullable=False)
        >>> compared = exactly("equal", call("multiply", a, number(Fraction(1, 10))), number(Fraction(3, 10)))
        >>> compared.arguments[1].value, compared.arguments[0].kind
        (Fraction(3, 1), <Kind.INTEGER: 'integer'>)
    """
    found = _compared(name, arguments) if name in _COMPARISONS else _rounded(name, arguments)
    return call(name, *arguments) if found is None else found


def _compared(name: str, arguments: Arguments) -> Expression | None:
    """All sides as whole numbers of the finest power of ten among them."""
    if not any(_is_computed(argument) for argument in arguments):
        return None
    scaled = [_scaled(argument) for argument in arguments]
    known = [one for one in scaled if one is not None]
    if len(known) < len(scaled):
        return None
    finest = max(places for _, places in known)
    sides = [_at(one, finest) for one in known]
    return call(name, *sides) if all(side.kind is Kind.INTEGER for side in sides) else None


def _rounded(name: str, arguments: Arguments) -> Expression | None:
    """A decimal to so many places; to a whole number by a division that cuts off."""
    scaled = _scaled(arguments[0]) if arguments and _is_computed(arguments[0]) else None
    if scaled is None:
        return None
    value, places = scaled
    one = number(10**places)
    match name, arguments[1:]:
        case "to_integer", _:
            return _nearest(value, places)
        case "floor", _:
            below = call("case", call("less", value, number(0)), call("subtract", value, number(10**places - 1)), value)
            return _whole(call("quotient", below, one)) if below.kind is Kind.INTEGER else None
        case "ceiling", _:
            above = call("case", call("more", value, number(0)), call("add", value, number(10**places - 1)), value)
            return _whole(call("quotient", above, one)) if above.kind is Kind.INTEGER else None
        case "round", (Literal(value=Fraction() as wanted),) if 0 <= wanted <= _MOST_PLACES:
            kept = min(int(wanted), places)
            nearest = _nearest(value, places - kept)
            return nearest if nearest is None or not kept else call("divide", nearest, number(10**kept))
    return None


def _nearest(value: Expression, places: int) -> Expression | None:
    """The nearest whole number to P / 10^places; halves away from zero."""
    if not places:
        return value
    halves = call("multiply", call("sign", value), number(10**places))
    twice = call("add", call("multiply", value, number(2)), halves)
    return _whole(call("quotient", twice, number(2 * 10**places))) if twice.kind is Kind.INTEGER else None


def _is_computed(expression: Expression) -> bool:
    """Whether it is made of others, and not read or written as it is: then doubles lose nothing."""
    return isinstance(expression, Call) and expression.kind is Kind.NUMBER


def _scaled(expression: Expression) -> Scaled | None:
    """P and k, if the value is a decimal and P a whole number of 64 bits; None for what is a double in SQL, too."""
    if expression.kind is Kind.INTEGER:
        return expression, 0
    if isinstance(expression, Literal) and isinstance(expression.value, Fraction):
        value = expression.value
        places = next((k for k in range(_MOST_PLACES + 1) if 10**k % value.denominator == 0), None)
        return None if places is None else _whole_at(number(value * 10**places), places)
    if not isinstance(expression, Call) or expression.function not in _CLOSED:
        return None
    parts = [part for argument in expression.arguments if (part := _scaled(argument)) is not None]
    return _combined(expression.function, parts) if len(parts) == len(expression.arguments) else None


def _combined(function: str, parts: list[Scaled]) -> Scaled | None:
    """Products multiply their powers of ten; terms of a sum have one in common."""
    if function == "multiply":
        places = sum(own for _, own in parts)
        return _whole_at(call(function, *(value for value, _ in parts)), places) if places <= _MOST_PLACES else None
    finest = max(own for _, own in parts)
    return _whole_at(call(function, *(_at(part, finest) for part in parts)), finest)


def _at(scaled: Scaled, places: int) -> Expression:
    """The same decimal as a whole number of a finer power of ten."""
    value, own = scaled
    factor = 10 ** (places - own)
    if isinstance(value, Literal) and isinstance(value.value, Fraction):
        return number(value.value * factor)
    return value if factor == 1 else call("multiply", value, number(factor))


def _whole_at(value: Expression, places: int) -> Scaled | None:
    return (value, places) if value.kind is Kind.INTEGER else None


def _whole(value: Expression) -> Expression | None:
    return value if value.kind is Kind.INTEGER else None
