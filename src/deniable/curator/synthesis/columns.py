"""Declared columns as group keys: by what each is told apart, and which values there are.

A timestamp is told apart by its week, its day of the week and its quarter of an hour: what it has to do with other
columns mostly hangs on one of these, and no table could be measured of every moment.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, time, timedelta
from fractions import Fraction
from math import floor

from deniable.core.algebra.expression import Kind
from deniable.core.calendar import counted
from deniable.core.errors import Refused
from deniable.planner.expressions.keys import Value
from deniable.policy import DeclaredColumn
from deniable.policy.column import Declared
from deniable.releases.synthetic.measured.domain import ColumnDomain, Part

_CELLS = 1000
"""Into how many a number without a step is divided."""
_MOST_VALUES = 1 << 17
"""Of whole numbers, days and steps; where there are more, as many equal parts are told apart."""
_DAY_ONE = date(1970, 1, 1)
_LONGEST = 200
"""Characters of a value that a synthetic column can hold."""
_MOST_DECIMALS = 9


def keys_of(alias: str, column: DeclaredColumn) -> list[tuple[str, Part | None]]:
    """What a column is told apart by, in SQL: mostly itself; of a number, which step or which of many equal parts.

    Only the first part of a timestamp can be missing: of a missing one, the others are those of some moment.
    """
    own = f"{alias}.{quoted(column.name)}"
    if column.kind is Kind.TIMESTAMP:
        quarter = f"EXTRACT(hour FROM {own}) * 4 + FLOOR(EXTRACT(minute FROM {own}) / 15)"
        return [
            (f"CAST(DATE_TRUNC('week', {own}) AS DATE)", Part.WEEK),
            (f"COALESCE(EXTRACT(isodow FROM {own}), 1)", Part.WEEKDAY),
            (f"COALESCE({quarter}, 0)", Part.QUARTER),
        ]
    if column.kind is Kind.TIME:
        return [(f"FLOOR(epoch({own}) / 60)", None)]
    if (wide := _wide(column)) is not None:
        first, _, together = wide
        return [(f"FLOOR(({_units(own, column)} - {first}) / {together})", None)]
    if (span := _span(column)) is None:
        return [(own, None)]
    if column.step is not None:
        return [(_steps(own, column.step), None)]
    low, high = span
    return [(f"FLOOR(({own} - {_literal(low)}) / {_literal((high - low) / _CELLS)})", None)]


def domain_of(column: DeclaredColumn, part: Part | None, values: Sequence[Value]) -> ColumnDomain:
    """A column as it is declared; rows with values that are not listed are counted where that can be."""
    if any(isinstance(value, str) and len(value) > _LONGEST for value in values):
        reason = f"A value of {column.name!r} has more than {_LONGEST} characters."
        raise Refused("too-long", reason, "Leave the column out.")
    if part is not None:
        name = f"{column.name} ({part.value})"
        return ColumnDomain(
            name, column.kind, tuple(values), ordered=True, of=column.name, part=part, ends=_ends(column)
        )
    if (wide := _wide(column)) is not None:
        first, last, together = wide
        unit = column.step if column.kind is Kind.NUMBER and column.step is not None else Fraction(1)
        starts = [
            _of_units(min(first + place * together, last), column) if isinstance(place, int) else None
            for place in values
        ]
        return ColumnDomain(
            column.name,
            column.kind,
            tuple(starts),
            ordered=True,
            width=unit * together,
            unit=unit,
            decimals=_decimals(column),
            ends=(first, last),
        )
    shown: list[Value | Fraction] = list(values)
    width, span = None, _span(column)
    if span is not None:
        low, high = span
        width = None if column.step is not None else (high - low) / _CELLS
        start, step = (Fraction(0), column.step) if column.step is not None else (low, width or Fraction(1))
        shown = [start + value * step if isinstance(value, int) else value for value in values]
    listed = column.kind is Kind.TEXT or column.values is not None
    ordered = not listed and column.kind is not Kind.BOOLEAN
    return ColumnDomain(
        column.name, column.kind, tuple(shown), ordered, listed, width, decimals=_decimals(column), ends=_ends(column)
    )


def check_known(column: DeclaredColumn) -> None:
    """Only texts can have values that the policy does not know."""
    if column.kind is not Kind.TEXT:
        reason = f"It is not known which values {column.name!r} has."
        raise Refused("needs-bounds", reason, "Declare its bounds in the policy, or leave the column out.")


def quoted(name: str) -> str:
    """A name in SQL."""
    return '"' + name.replace('"', '""') + '"'


def _span(column: DeclaredColumn) -> tuple[Fraction, Fraction] | None:
    """The ends of a number whose values are not listed."""
    if column.kind is not Kind.NUMBER or column.values is not None:
        return None
    if not isinstance(column.low, Fraction) or not isinstance(column.high, Fraction):
        return None
    return column.low, column.high


def _wide(column: DeclaredColumn) -> tuple[int, int, int] | None:
    """Of whole numbers, days or steps of which there are too many: the first, the last, and how many go together."""
    stepped = column.kind is Kind.NUMBER and column.step is not None
    if not (stepped or column.kind in (Kind.INTEGER, Kind.DATE)) or column.values is not None or column.low is None:
        return None
    first, last = (_in_units(bound, column) for bound in (column.low, column.high))
    together = -(-(last - first + 1) // _MOST_VALUES)
    return None if together == 1 else (first, last, together)


def _units(own: str, column: DeclaredColumn) -> str:
    """Which whole number, day or step a value is, in SQL; days are counted from the first of all."""
    if column.kind is Kind.DATE:
        return f"({own} - DATE '{_DAY_ONE.isoformat()}')"
    return own if column.step is None or column.kind is Kind.INTEGER else _steps(own, column.step)


def _in_units(bound: object, column: DeclaredColumn) -> int:
    """The same of a bound."""
    if isinstance(bound, date):
        return (bound - _DAY_ONE).days
    value = Fraction(bound)  # type: ignore[call-overload]  # a number
    return floor(value / column.step + Fraction(1, 2)) if column.step and column.kind is Kind.NUMBER else int(value)


def _of_units(count: int, column: DeclaredColumn) -> Value | Fraction:
    """The value that it is."""
    if column.kind is Kind.DATE:
        return _DAY_ONE + timedelta(days=count)
    return count * column.step if column.step and column.kind is Kind.NUMBER else count


def _steps(own: str, step: Fraction) -> str:
    return f"FLOOR({own} / {_literal(step)} + 0.5)"


def _ends(column: DeclaredColumn) -> tuple[int, int]:
    """The bounds of a timestamp, or of a time of day."""
    if isinstance(column.low, date | time) and isinstance(column.high, date | time):
        return counted(column.low), counted(column.high)
    return 0, 0


def _decimals(column: DeclaredColumn) -> int | None:
    """How many digits a decimal has behind the point; None: it is no decimal, or its step has no end."""
    if column.declared is not Declared.DECIMAL or column.step is None:
        return None
    step = column.step
    return next((digits for digits in range(_MOST_DECIMALS + 1) if (step * 10**digits).denominator == 1), None)


def _literal(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else f"({value.numerator}.0 / {value.denominator}.0)"
