"""Numbers put on a public grid: the last step before they are added up, and the one that bounds what a row adds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from deniable.core.algebra.expression import Call, Column, Expression, Kind, Literal
from deniable.engines.sql.dialect import Dialect
from deniable.engines.sql.literals import clamped, double, whole


@dataclass(frozen=True, slots=True)
class _Grid:
    """So many steps to either side of a centre."""

    centre: Fraction
    step: Fraction
    reach: int

    @property
    def low(self) -> Fraction:
        return self.centre - self.reach * self.step

    @property
    def high(self) -> Fraction:
        return self.centre + self.reach * self.step

    @property
    def whole(self) -> bool:
        """Whether all of its points are whole numbers."""
        return self.step.denominator == 1 and self.centre.denominator == 1

    def holds(self, value: Expression) -> bool:
        """Only a column is sure to lie in it: its bounds are enforced where it is read, and not concluded."""
        if not isinstance(value, Column) or value.range.low is None or value.range.high is None:
            return False
        return self.low <= value.range.low and value.range.high <= self.high


def grid(call: Call, say: Callable[[Expression, Kind | None], str], dialect: Dialect) -> str:
    """The nearest whole number of steps from the centre, halves upward, at most `reach` of them; NULL stays NULL."""
    value, *constants = call.arguments
    centre, step, reach = (_constant(constant) for constant in constants)
    on = _Grid(centre, step, int(reach))
    if value.kind is not Kind.NUMBER and on.whole and step == 1:
        return _whole(value, say(value, Kind.INTEGER), on, dialect)
    if value.kind is not Kind.NUMBER and on.whole and max(abs(on.low), abs(on.high)) < _SAFE:
        return _steps(value, say(value, Kind.INTEGER), on, dialect)
    return _real(value, say(value, Kind.NUMBER), on, dialect)


def _constant(expression: Expression) -> Fraction:
    if not isinstance(expression, Literal) or not isinstance(expression.value, Fraction):
        raise TypeError("a grid is given by constants")
    return expression.value


def _whole(value: Expression, spelled: str, on: _Grid, dialect: Dialect) -> str:
    """Steps of one between whole numbers: a subtraction."""
    if not on.holds(value):
        spelled = _clamped_whole(spelled, on, dialect)
    return f"({spelled} - {whole(int(on.centre), dialect)})" if on.centre else spelled


_SAFE = 1 << 61
"""Whole numbers below this, and their differences, fit 64 bits."""


def _steps(value: Expression, spelled: str, on: _Grid, dialect: Dialect) -> str:
    """Longer steps between whole numbers: counted from the lowest, so that nothing is negative where it is divided."""
    if not on.holds(value):
        spelled = _clamped_whole(spelled, on, dialect)
    step = int(on.step)
    above = f"({spelled} - {whole(int(on.low) - step // 2, dialect)})"
    return f"({dialect.quotient(above, str(step))} - {on.reach})"


def _clamped_whole(spelled: str, on: _Grid, dialect: Dialect) -> str:
    return clamped(spelled, whole(int(on.low), dialect), whole(int(on.high), dialect))


def _real(value: Expression, spelled: str, on: _Grid, dialect: Dialect) -> str:
    """In doubles. Each operation is monotone, so what holds at both ends holds between them."""
    if not all(abs(_place(float(end), on)) <= on.reach for end in (on.low, on.high)):
        raise ValueError("the grid is too fine for doubles")
    if not on.holds(value):
        spelled = clamped(spelled, double(on.low, dialect), double(on.high, dialect))
    distance = f"({spelled} - {double(on.centre, dialect)})" if on.centre else spelled
    steps = f"{distance} / {double(on.step, dialect)}" if on.step != 1 else distance
    if on.step > 1 and dialect.underflows:  # what is far less than half a step is none
        few = double(on.step / 4, dialect)
        zero = double(Fraction(0), dialect)
        steps = f"CASE WHEN abs({distance}) >= {few} THEN {steps} WHEN abs({distance}) < {few} THEN {zero} END"
    return dialect.floored(f"{steps} + {double(Fraction(1, 2), dialect)}")


def _place(value: float, on: _Grid) -> int:
    return floor((value - float(on.centre)) / float(on.step) + 0.5)
