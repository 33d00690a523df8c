"""Numbers put on a public grid: the last step before they are added up, and the one that bounds what a row adds."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import floor

from deniable.core.algebra.expression import Call, Column, Expression, Kind, Literal
from deniable.engines.duckdb.literals import clamped, double, whole


def grid(call: Call, say: Callable[[Expression, Kind | None], str]) -> str:
    """The nearest whole number of steps from the centre, halves upward, at most `reach` of them; NULL stays NULL."""
    value, *constants = call.arguments
    centre, step, reach = (_constant(constant) for constant in constants)
    if value.kind is not Kind.NUMBER and step == 1 and centre.denominator == 1:
        return _whole(value, say(value, Kind.INTEGER), int(centre), int(reach))
    most = max(abs(centre - reach * step), abs(centre + reach * step))
    if value.kind is not Kind.NUMBER and step.denominator == 1 and centre.denominator == 1 and most < _SAFE:
        return _steps(value, say(value, Kind.INTEGER), int(centre), int(step), int(reach))
    return _real(value, say(value, Kind.NUMBER), centre, step, int(reach))


def _constant(expression: Expression) -> Fraction:
    if not isinstance(expression, Literal) or not isinstance(expression.value, Fraction):
        raise TypeError("a grid is given by constants")
    return expression.value


def _whole(value: Expression, spelled: str, centre: int, reach: int) -> str:
    """Steps of one between whole numbers: a subtraction."""
    low, high = centre - reach, centre + reach
    if not _lies_within(value, Fraction(low), Fraction(high)):
        spelled = clamped(spelled, whole(low), whole(high))
    return f"({spelled} - {whole(centre)})" if centre else spelled


_SAFE = 1 << 61
"""Whole numbers below this, and their differences, fit 64 bits."""


def _steps(value: Expression, spelled: str, centre: int, step: int, reach: int) -> str:
    """Longer steps between whole numbers: counted from the lowest, so that nothing is negative where it is divided."""
    low, high = centre - reach * step, centre + reach * step
    if not _lies_within(value, Fraction(low), Fraction(high)):
        spelled = clamped(spelled, whole(low), whole(high))
    return f"(({spelled} - {whole(low - step // 2)}) // {step} - {reach})"


def _real(value: Expression, spelled: str, centre: Fraction, step: Fraction, reach: int) -> str:
    """In doubles. Each operation is monotone, so what holds at both ends holds between them."""
    low, high = centre - reach * step, centre + reach * step
    if not all(abs(_place(float(end), centre, step)) <= reach for end in (low, high)):
        raise ValueError("the grid is too fine for doubles")
    if not _lies_within(value, low, high):
        spelled = clamped(spelled, double(low), double(high))
    distance = f"({spelled} - {double(centre)})" if centre else spelled
    steps = f"{distance} / {double(step)}" if step != 1 else distance
    return f"TRY_CAST(FLOOR({steps} + 0.5e0) AS BIGINT)"


def _place(value: float, centre: Fraction, step: Fraction) -> int:
    return floor((value - float(centre)) / float(step) + 0.5)


def _lies_within(value: Expression, low: Fraction, high: Fraction) -> bool:
    """Only a column is sure to: its bounds are enforced where it is read, and not concluded."""
    if not isinstance(value, Column) or value.range.low is None or value.range.high is None:
        return False
    return low <= value.range.low and value.range.high <= high
