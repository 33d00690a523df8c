"""The smallest parts that all dialects put together alike: constants, and values within their bounds."""

from __future__ import annotations

from fractions import Fraction

from deniable.core.algebra.expression import Kind
from deniable.core.calendar import DAY, FIRST_DAY, FIRST_MOMENT, LAST_DAY, LAST_MOMENT
from deniable.engines.sql.dialect import Dialect

ENDS = {
    Kind.DATE: (FIRST_DAY, LAST_DAY),
    Kind.TIMESTAMP: (FIRST_MOMENT, LAST_MOMENT),
    Kind.TIME: (0, DAY - 1),
}
"""The first and the last that every program knows, by their numbers; others are NULL."""
_BEYOND = 1 << 64
"""Further from zero than every whole number of 64 bits, as a double too."""


def whole(value: int, dialect: Dialect) -> str:
    """An integer, exactly; one that the engine cannot hold, as a double that compares alike with those that it can."""
    if abs(value) >= dialect.widest:
        return double(Fraction(max(value, _BEYOND) if value > 0 else min(value, -_BEYOND)), dialect)
    return f"({value})" if value < 0 else str(value)


def double(value: Fraction, dialect: Dialect) -> str:
    """The nearest double."""
    digits = dialect.double(repr(float(value)))
    return f"({digits})" if value < 0 else digits


def ends(kind: Kind, dialect: Dialect) -> tuple[str, str]:
    """The first and the last date, timestamp or time of day."""
    first, last = ENDS[kind]
    return dialect.moment(first, kind), dialect.moment(last, kind)


def known(spelled: str, kind: Kind, dialect: Dialect) -> str:
    """What lies beyond the calendar is NULL."""
    low, high = ends(kind, dialect)
    return f"CASE WHEN {spelled} BETWEEN {low} AND {high} THEN {spelled} END"


def clamped(spelled: str, low: str, high: str, beyond: str = "") -> str:
    """The nearest value between two constants; NULL stays NULL, which LEAST and GREATEST would overlook.

    `beyond` says when a value that is neither inside nor below is above.
    """
    inside = f"WHEN {spelled} BETWEEN {low} AND {high} THEN {spelled}"
    return f"CASE {inside} WHEN {spelled} < {low} THEN {low} WHEN {beyond or f'{spelled} > {high}'} THEN {high} END"
