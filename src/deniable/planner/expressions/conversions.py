"""Values of different kinds side by side: what PostgreSQL converts unasked is converted here, and nothing else.

A constant takes the kind of what it stands beside: '8' beside a number is a number, 1 beside a truth is a truth, a text
beside a date is a date. Constants are computed with exactly, as decimals are, before anything is rounded.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor

from deniable.core.algebra.expression import Expression, Kind, Literal
from deniable.core.errors import InvalidArgumentError
from deniable.core.number import exact
from deniable.planner.expressions import dates
from deniable.planner.expressions.decimals import exactly
from deniable.planner.expressions.functions import number

_NUMERIC = (Kind.INTEGER, Kind.NUMBER)
_LONGEST = 10**60
"""Constants that grow longer than this are computed with as everything else is."""


def alike(*values: Expression) -> tuple[Expression, ...]:
    """The values as what they are compared as."""
    kinds = {value.kind for value in values if not isinstance(value, Literal) or value.value is not None}
    if Kind.BOOLEAN in kinds and kinds & {*_NUMERIC, Kind.TEXT}:
        return tuple(_truth(value) for value in values)
    if kinds & {*_NUMERIC} and Kind.TEXT in kinds:
        return tuple(_number(value) for value in values)
    return dates.alike(*values)


def _truth(value: Expression) -> Expression:
    """1 and 'true' beside a truth are truths."""
    if not isinstance(value, Literal) or value.kind is Kind.BOOLEAN or value.value is None:
        return value
    found = {"1": True, "0": False}.get(str(value.value), _TRUTHS.get(str(value.value).strip().lower()))
    if found is None:
        raise InvalidArgumentError("boolean", f"cannot be compared with {str(value.value)[:40]!r}; write TRUE or FALSE")
    return Literal(found, Kind.BOOLEAN)


_TRUTHS = {"true": True, "t": True, "yes": True, "y": True, "on": True}
_TRUTHS |= {"false": False, "f": False, "no": False, "n": False, "off": False}


def _number(value: Expression) -> Expression:
    """'8' beside a number is a number. A column of texts is none: what it holds may be no number."""
    if value.kind is not Kind.TEXT:
        return value
    if not isinstance(value, Literal):
        raise InvalidArgumentError("text", "cannot be compared with a number; put the number in quotes, or write CAST")
    try:
        return number(exact("number", str(value.value).strip()))
    except InvalidArgumentError:
        text = f"{str(value.value)[:40]!r} is not a number"
        raise InvalidArgumentError("number", f"cannot be compared with a text; {text}") from None


def computed(name: str, *values: Expression) -> Expression:
    """A function of numbers; of constants, its exact value."""
    found = _exactly(name, *(value.value for value in values if isinstance(value, Literal)), parts=len(values))
    return exactly(name, *values) if found is None else number(found)


def _exactly(name: str, *constants: object, parts: int) -> Fraction | None:
    """What the constants make together, if all are numbers and it does not grow too long."""
    numbers = [constant for constant in constants if isinstance(constant, Fraction)]
    if len(numbers) < parts:
        return None
    match name, numbers:
        case "add", [one, other]:
            found = one + other
        case "subtract", [one, other]:
            found = one - other
        case "multiply", [one, other]:
            found = one * other
        case "divide", [one, other] if other:
            found = one / other
        case "negate", [one]:
            found = -one
        case "floor", [one]:
            found = Fraction(floor(one))
        case _:
            return None
    return found if max(abs(found.numerator), found.denominator) < _LONGEST else None
