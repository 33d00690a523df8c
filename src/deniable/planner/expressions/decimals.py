"""Decimals: what SQL computes exactly from whole numbers and constants with a point, computed exactly here, too.

`a * 0.1` is not 0.3 for a = 3 if it is computed in doubles. But it is a whole number of tenths: P / 10^k, with P made
of whole numbers alone. So wherever the last digit decides (a comparison, a rounding), P is compared or rounded instead.
"""

from __future__ import annotations

from fractions import Fraction

from deniable.core.algebra.expression import Call, Column, Expression, Kind, Literal
from deniable.core.errors import InvalidArgumentError
from deniable.planner.expressions import long_numbers
from deniable.planner.expressions.allow_list import PICKS, Arguments, branches, is_null
from deniable.planner.expressions.functions import LONG, call, number
from deniable.planner.expressions.long_numbers import held

_MOST_PLACES = 15
_CLOSED = frozenset({"add", "subtract", "multiply", "negate", "absolute"})
"""Functions that make decimals of decimals."""
_COMPARISONS = frozenset({"equal", "unequal", "less", "at_most", "more", "at_least", "in"})
_ROUNDINGS = frozenset({"sign", "to_integer", "truncate", "floor", "ceiling", "round"})
_FALSE = Literal(value=False, kind=Kind.BOOLEAN)

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
    found: Expression | None
    if name in ("same", "nullif"):
        found = long_numbers.compared(name, arguments) or _paired(name, arguments)
    elif name in _COMPARISONS:
        found = long_numbers.compared(name, arguments) or _compared(name, arguments)
    else:
        found = long_numbers.rounded(name, arguments) or _rounded(name, arguments)
    return call(name, *arguments) if found is None else found


def _compared(name: str, arguments: Arguments) -> Expression | None:
    """All sides as whole numbers of the finest power of ten among them."""
    if not any(_is_computed(argument) for argument in arguments):
        return None
    scaled = [_scaled(argument) for argument in arguments]
    known = [one for one in scaled if one is not None]
    if len(known) < len(scaled):
        _check_long(name, arguments)
        return None
    sides = _alike(known)
    if sides is None:
        return None
    found, (value, *others) = call(name, *sides), arguments
    if all(map(_fits, sides)) or not all(isinstance(one, Literal) for one in others):
        return found
    longer = call("equal" if name == "in" else name, value, number(0))  # than any constant, on one side of zero
    return call("coalesce", found, longer)


def _paired(name: str, arguments: Arguments) -> Expression | None:
    """IS NOT DISTINCT FROM and NULLIF rest on whether two are equal."""
    equal = _compared("equal", arguments) if len(arguments) == len(("one", "other")) else None
    if equal is None:
        return None
    if name == "same":
        return call("coalesce", equal, call("and", *(call("is_null", argument) for argument in arguments)))
    return call("case", call("not", call("coalesce", equal, _FALSE)), arguments[0])


def _check_long(name: str, arguments: Arguments) -> None:
    """Refuse to compare what may be a long whole number that became a double, with anything that may be as long."""
    lengthened = [one for one in arguments if _is_lengthened(one)]
    others = [one for one in arguments if not _is_lengthened(one)]
    apart = len(lengthened) == 1 and all(isinstance(one, Literal) and held(one.range) for one in others)
    if lengthened and not apart:
        wrong = "cannot tell long whole numbers apart beside numbers with a point"
        raise InvalidArgumentError(name, f"{wrong}; CAST all of them AS BIGINT, or AS DOUBLE")


def _is_lengthened(value: Expression) -> bool:
    """Whether it is one of several decimals, among them whole numbers that no double holds."""
    if not isinstance(value, Call) or value.kind is not Kind.NUMBER or value.function not in PICKS:
        return False
    picked = _picked(value)
    long = any(one.kind is Kind.INTEGER and not held(one.range) for one in picked)
    return long and all(_scaled(one) is not None for one in picked)


def _picked(value: Call) -> Arguments:
    """What a function that gives one of its arguments can give."""
    return branches(value.arguments) if value.function == "case" else value.arguments


def _rounded(name: str, arguments: Arguments) -> Expression | None:
    """A decimal to so many places; to a whole number by a division that cuts off."""
    computed = name in _ROUNDINGS and _is_computed(arguments[0])
    scaled = _scaled(arguments[0]) if computed else None
    if scaled is None:
        return None
    value, places = scaled
    match name, arguments[1:]:
        case "sign", _:
            return call("sign", value)
        case "to_integer", _:
            return _nearest(value, places)
        case "truncate" | "floor" | "ceiling", _:
            return _cut(name, value, places)
        case "round", (Literal(value=Fraction() as wanted),) if 0 <= wanted <= _MOST_PLACES:
            kept = min(int(wanted), places)
            nearest = _nearest(value, places - kept)
            return nearest if nearest is None or not kept else call("divide", nearest, number(10**kept))
        case _:
            return None


def _cut(name: str, value: Expression, places: int) -> Expression | None:
    """P / 10^places, cut off towards zero; what lies on the other side of it is moved there by almost one before."""
    aside = number(10**places - 1)
    if name == "floor":
        value = call("case", call("less", value, number(0)), call("subtract", value, aside), value)
    if name == "ceiling":
        value = call("case", call("more", value, number(0)), call("add", value, aside), value)
    return _whole(call("quotient", value, number(10**places))) if value.kind is Kind.INTEGER else None


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
    if is_null(expression):
        return Literal(None, Kind.INTEGER), 0
    if isinstance(expression, Literal) and isinstance(expression.value, Fraction):
        value = expression.value
        places = next((k for k in range(_MOST_PLACES + 1) if 10**k % value.denominator == 0), None)
        return None if places is None else _whole_at(number(value * 10**places), places)
    if not isinstance(expression, Call):
        return None
    kinds = ((PICKS, _one_of), (_CLOSED, _combined))
    rule = next((rule for functions, rule in kinds if expression.function in functions), _already_rounded)
    return rule(expression)


def _already_rounded(expression: Call) -> Scaled | None:
    """A whole number rounded to places is itself; a decimal, what `_nearest` has made of it."""
    match expression:
        case Call(function="round", arguments=(value, Literal(value=Fraction() as places))) if places >= 0:
            return (value, 0) if value.kind is Kind.INTEGER else None
        case Call(function="divide", arguments=(nearest, Literal(value=Fraction() as power))) if _is_nearest(nearest):
            kept = next((k for k in range(_MOST_PLACES + 1) if 10**k == power), None)
            return None if kept is None else (nearest, kept)
        case _:
            return None


def _is_nearest(expression: Expression) -> bool:
    """Whether `_nearest` has made it."""
    match expression:
        case Call(function="quotient", arguments=(Call(function="add", arguments=(_, Call() as halves)), _)):
            signed = halves.arguments[0]
            return halves.function == "multiply" and isinstance(signed, Call) and signed.function == "sign"
        case _:
            return False


def _one_of(expression: Call) -> Scaled | None:
    """What gives one of several decimals gives one of as many whole numbers, if none of them can be too long."""
    parts = [_scaled(value) for value in _picked(expression)]
    known = [part for part in parts if part is not None]
    sides = _alike(known) if len(known) == len(parts) else None
    if sides is None or not all(map(_fits, sides)):
        return None
    if expression.function == "case":
        conditions = expression.arguments[: len(expression.arguments) // 2 * 2 : 2]
        pairs = [part for pair in zip(conditions, sides, strict=False) for part in pair]
        sides = [*pairs, *sides[len(conditions) :]]
    finest = max(places for _, places in known)
    return _whole_at(call(expression.function, *sides), finest)


def _alike(parts: list[Scaled]) -> list[Expression] | None:
    """As whole numbers of the finest power of ten among them; None if the bounds say that one may not fit."""
    finest = max(places for _, places in parts)
    sides = [_at(part, finest) for part in parts]
    return sides if all(side.kind is Kind.INTEGER for side in sides) else None


def _fits(side: Expression) -> bool:
    """Whether it surely has no more than 64 bits, as what is stored in them has."""
    match side:
        case Column() | Literal():
            return True
        case Call(function="multiply", arguments=(Column(), Literal(value=Fraction(numerator=1, denominator=1)))):
            return True
        case _:
            low, high = side.range.low, side.range.high
            return low is not None and high is not None and low > -LONG and high < LONG


def _combined(expression: Call) -> Scaled | None:
    """Products multiply their powers of ten; terms of a sum have one in common."""
    function = expression.function
    parts = [part for argument in expression.arguments if (part := _scaled(argument)) is not None]
    if len(parts) < len(expression.arguments):
        return None
    if function == "multiply":
        places = sum(own for _, own in parts)
        return _whole_at(call(function, *(value for value, _ in parts)), places) if places <= _MOST_PLACES else None
    finest = max(own for _, own in parts)
    return _whole_at(call(function, *(_at(part, finest) for part in parts)), finest)


def _at(scaled: Scaled, places: int) -> Expression:
    """The same decimal as a whole number of a finer power of ten."""
    value, own = scaled
    factor = 10 ** (places - own)
    if is_null(value):
        return value
    if isinstance(value, Literal) and isinstance(value.value, Fraction):
        return number(value.value * factor)
    return value if factor == 1 else call("multiply", value, number(factor))


def _whole_at(value: Expression, places: int) -> Scaled | None:
    return (value, places) if value.kind is Kind.INTEGER else None


def _whole(value: Expression) -> Expression | None:
    return value if value.kind is Kind.INTEGER else None
