"""What is certain about an expression's values, on whatever engine: which guards a spelling needs follows from it.

Bounds of a column are enforced where it is read, and those of a constant are its own. Bounds of a call are concluded:
in whole numbers that is as good, in doubles it is up to their rounding.
"""

from __future__ import annotations

from deniable.core.algebra.expression import Call, Expression, Kind, Literal, Range

PASSES_NAN = frozenset(
    {"add", "subtract", "multiply", "divide", "negate", "absolute", "floor", "ceiling", "round", "sqrt", "ln", "exp"}
    | {"log_2", "log_10", "cube_root", "truncate"}
)
"""Functions that answer NaN with NaN, and may be handed one."""
_MAKES_NAN = frozenset({"add", "subtract", "multiply", "divide", "remainder", "to_number"})
"""Functions that can answer NaN to infinities (inf - inf, 0 * inf) and to texts ('nan')."""
_TAME = 1 << 1000
"""Doubles below this are finite, and so is what one step of arithmetic makes of them, or it is an honest infinity."""
CALENDAR_PARTS = (
    *("year", "quarter", "month", "day", "weekday", "weekday_from_sunday", "day_of_year", "week", "iso_year"),
    *("decade", "century", "hour", "minute", "second", "millisecond", "microsecond"),
)
"""What a calendar and a clock show."""
_ALWAYS_WITHIN = frozenset({"grid", "sign", "length", *CALENDAR_PARTS} - {"year", "iso_year", "decade", "century"})
_COUNTED = frozenset(Kind) - {Kind.TEXT, Kind.BOOLEAN}


def may_be_nan(expression: Expression) -> bool:
    """Whether the raw spelling of a number can be NaN."""
    if not isinstance(expression, Call) or expression.kind is not Kind.NUMBER:
        return False
    if expression.function == "power":
        return True
    if expression.function in _MAKES_NAN and not all(within(part.range, _TAME) for part in expression.arguments):
        return True
    return expression.function in PASSES_NAN and any(may_be_nan(part) for part in expression.arguments)


def within(bounds: Range, most: int) -> bool:
    """Whether a range is known, and ends before plus and minus a number."""
    return bounds.low is not None and bounds.high is not None and -most < bounds.low and bounds.high < most


def keeps_off_zero(bounds: Range) -> bool:
    """Whether a range surely leaves out zero."""
    return (bounds.low is not None and bounds.low > 0) or (bounds.high is not None and bounds.high < 0)


def firm(expression: Expression) -> bool:
    """Whether a whole number surely lies in its range: nothing about it is concluded from what doubles should do."""
    if not isinstance(expression, Call) or expression.function in _ALWAYS_WITHIN:
        return True
    parts = (part for part in expression.arguments if part.kind in _COUNTED)
    return expression.kind is not Kind.NUMBER and all(firm(part) for part in parts)


def enforced(expression: Expression) -> Range:
    """Bounds that hold in doubles too: a column's are enforced where it is read, a call's are only concluded."""
    return Range() if isinstance(expression, Call) else expression.range


_SAFE_BITS = 1000
_SAFE_EXPONENT = 9
"""The exponential of what is below 2^9 is neither infinite nor zero."""


def settled(function: str, arguments: tuple[Expression, ...]) -> bool:
    """Whether a step in doubles surely neither overflows nor vanishes (becomes zero because it is too small).

    By bounds that are enforced, and by what arithmetic makes of them; nothing is taken from a call's concluded range.
    A product vanishes only if both factors are below one, a quotient only if the dividend is.
    """
    sizes = [_bits(argument) for argument in arguments]
    if any(size is None for size in sizes):
        return function in ("negate", "absolute")
    most = sum(size or 0 for size in sizes)
    match function:
        case "multiply":
            return most < _SAFE_BITS and any(_at_least_one(part) for part in arguments)
        case "divide":
            return most < _SAFE_BITS and all(_at_least_one(part) for part in arguments)
        case "exp":
            return most <= _SAFE_EXPONENT
        case _:
            return most < _SAFE_BITS


def _bits(expression: Expression) -> int | None:
    """A number n, such that the value surely lies within plus and minus 2^n; None if nobody knows."""
    if expression.kind is not Kind.NUMBER:
        return 64
    if not isinstance(expression, Call):
        low, high = expression.range.low, expression.range.high
        return None if low is None or high is None else int(max(abs(low), abs(high))).bit_length() + 1
    parts = [_bits(part) for part in expression.arguments]
    known = [part for part in parts if part is not None]
    if expression.function not in _STEPS or len(known) < len(parts):
        return None
    return sum(known) + 1


_STEPS = frozenset({"add", "subtract", "multiply", "negate", "absolute", "floor", "ceiling", "truncate"})


def _at_least_one(expression: Expression) -> bool:
    """Whether a value is zero, or at least one in size: whole numbers are."""
    if expression.kind is not Kind.NUMBER:
        return True
    bounds = enforced(expression)
    return (bounds.low is not None and bounds.low >= 1) or (bounds.high is not None and bounds.high <= -1)


def common(*arguments: Expression) -> Kind:
    """The kind that these are compared as; a NULL constant takes any."""
    kinds = {argument.kind for argument in arguments if not (isinstance(argument, Literal) and argument.value is None)}
    if kinds == {Kind.INTEGER, Kind.NUMBER}:
        return Kind.NUMBER
    if len(kinds) > 1:
        raise ValueError("these kinds cannot be compared")
    return kinds.pop() if kinds else Kind.NUMBER
