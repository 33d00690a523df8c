"""A function of the allow-list applied: the kind, the range and the nullability that follow from its arguments."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from deniable.core.algebra.expression import Call, Expression, Kind, Literal, Range
from deniable.core.errors import InvalidArgumentError
from deniable.planner.expressions import ranges
from deniable.planner.expressions.allow_list import FUNCTIONS, NUMERIC, PICKS, Arguments, is_null

LONG = Fraction(2**63)
"""Whole numbers within this are computed with as whole numbers; what does not fit is NULL, so nothing overflows."""

_EXACT = frozenset({"add", "subtract", "multiply", "negate", "absolute", "quotient", "remainder", "floor", "ceiling"})
"""Functions that make whole numbers of whole numbers."""
_HUGE = Fraction(10) ** 300


def call(name: str, *arguments: Expression) -> Call:
    """The function applied, with what follows from its arguments. Raises if they do not fit."""
    function = FUNCTIONS[name]
    fits = len(arguments) >= len(function.takes) if function.many else len(arguments) == len(function.takes)
    if not fits:
        raise InvalidArgumentError(name, f"takes {len(function.takes)} arguments, not {len(arguments)}")
    for position, argument in enumerate(arguments):
        kinds = function.takes[min(position, len(function.takes) - 1)]
        if argument.kind not in kinds and not is_null(argument):
            wanted = " or ".join(sorted(kind.value for kind in kinds))
            raise InvalidArgumentError(name, f"takes {wanted}, not {argument.kind.value}")
    if function.alike and len({_family(argument.kind) for argument in arguments if not is_null(argument)}) > 1:
        raise InvalidArgumentError(name, "takes arguments of one kind")
    kind = function.gives(arguments)
    bounds = _tame(function.range(_as_computed(arguments, kind)))
    if kind is Kind.INTEGER and not _stays_whole(name, arguments, bounds):
        kind = Kind.NUMBER
    if kind is Kind.NUMBER:
        bounds = ranges.doubles(_tame(function.range(_as_computed(arguments, kind))))
    longer = kind is Kind.INTEGER and name in _EXACT and not _fits(bounds)
    return Call(name, arguments, kind, bounds, longer or function.nullable(arguments))


def _stays_whole(name: str, arguments: Arguments, bounds: Range) -> bool:
    """Whether a whole number is computed as one: if it surely fits, or nobody knows; a double it is if it is too large.

    What comes from a real number of unknown size is none, unless it is cast.
    """
    if name in PICKS or name in ("to_integer", "days", "microseconds") or _fits(bounds):
        return True
    whole = name in _EXACT and all(argument.kind is Kind.INTEGER for argument in arguments)
    return whole and not bounds.finite


def _as_computed(arguments: Arguments, kind: Kind) -> Arguments:
    """The arguments within the bounds that they have where they are computed with: real numbers are doubles there."""
    return tuple(
        _as_double(argument) if Kind.NUMBER in (argument.kind, kind) and argument.kind in NUMERIC else argument
        for argument in arguments
    )


def _as_double(argument: Expression) -> Expression:
    bounds = ranges.doubles(_tame(argument.range))
    if not isinstance(argument, Literal):
        return replace(argument, range=bounds)
    return argument if bounds.low is None else replace(argument, value=bounds.low)


def number(value: int | Fraction) -> Literal:
    """A constant; whole numbers of more than 64 bits are real numbers."""
    exact = Fraction(value)
    whole = exact.denominator == 1 and abs(exact) < LONG
    return Literal(exact, Kind.INTEGER if whole else Kind.NUMBER)


def _tame(bounds: Range) -> Range:
    """Ends that no double can hold are no bounds."""
    return Range(*(None if end is None or abs(end) > _HUGE else end for end in (bounds.low, bounds.high)))


def _family(kind: Kind) -> Kind:
    return Kind.NUMBER if kind in NUMERIC else kind


def _fits(bounds: Range) -> bool:
    return bounds.low is not None and bounds.high is not None and max(-bounds.low, bounds.high) < LONG
