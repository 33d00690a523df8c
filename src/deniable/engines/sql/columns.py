"""Reading a column: whatever the table holds becomes a value of the declared kind, within its bounds, or NULL."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

from deniable.core.algebra.expression import Column, Kind, Range
from deniable.engines.engine import UnlikeUnitsError
from deniable.engines.sql.dialect import Dialect, Storage, Stored
from deniable.engines.sql.literals import clamped, double, ends, known, whole

_ALIKE = frozenset(Storage) - {Storage.OTHER, Storage.TIME, Storage.SPAN, Storage.WORD}
"""What can name a unit: values are equal if their bytes are. Of intervals, times with zones, bits, variants and
whatever is nested or of a custodian's making, that is not so, or not known."""


def identified(column: Stored, dialect: Dialect) -> str:
    """A column that tells units apart: equal units have equal bytes, and so equal hashes and equal texts.

    Raises:
        UnlikeUnitsError: its type has another equality.
    """
    storage = dialect.storage(column.type)
    if storage not in _ALIKE:
        raise UnlikeUnitsError("the unit is stored in a type that cannot be compared")
    return dialect.same_double(column.place) if storage is Storage.REAL else column.place


def read(column: Stored, declared: Column, dialect: Dialect) -> str:
    """The column as it is computed with. What is stored as it is declared is not cast."""
    match declared.kind:
        case Kind.INTEGER:
            return _whole(column, declared.range, dialect)
        case Kind.NUMBER:
            return _real(dialect.converted(column, Kind.NUMBER, None), declared.range, dialect)
        case Kind.DATE | Kind.TIMESTAMP | Kind.TIME:
            return _moment(dialect.converted(column, declared.kind, declared.zone), declared, dialect)
        case Kind.TEXT:
            return _text("shortened", column, declared, dialect)
        case _:
            return dialect.converted(column, declared.kind, None)


def read_word(column: Stored, declared: Column, dialect: Dialect) -> str:
    """A text that few rows have to themselves, as keys are: a plain function may be called once for each of them."""
    return _text("first", column, declared, dialect)


def _text(cut: str, column: Stored, declared: Column, dialect: Dialect) -> str:
    """Its first characters."""
    value = dialect.converted(column, Kind.TEXT, None)
    return value if declared.length is None else dialect.primitive(cut, value, str(declared.length))


def _whole(column: Stored, bounds: Range, dialect: Dialect) -> str:
    """Numbers too large for 64 bits are clamped before they are cast, so that they count as large, not as missing."""
    storage = dialect.storage(column.type)
    if storage is Storage.UNSIGNED:
        return _narrow(column, bounds, dialect)
    if storage is Storage.REAL:
        number = _real(dialect.converted(column, Kind.NUMBER, None), bounds, dialect)
        nearest = dialect.cast(number, Kind.NUMBER, Kind.INTEGER)
        return nearest if _exact_as_doubles(bounds) else _limited(nearest, bounds, dialect)
    if storage is Storage.WHOLE:
        value = _limited(column.place, bounds, dialect)
        return (
            value if column.type == dialect.types[Kind.INTEGER] else f"CAST({value} AS {dialect.types[Kind.INTEGER]})"
        )
    if storage is Storage.WIDE:
        return dialect.narrowed(_limited(column.place, bounds, dialect), Kind.INTEGER)
    return _limited(dialect.converted(column, Kind.INTEGER, None), bounds, dialect)


def _narrow(column: Stored, bounds: Range, dialect: Dialect) -> str:
    """What is longer than 64 bits lies above all bounds."""
    value = dialect.narrowed(column.place, Kind.INTEGER)
    within = _limited(value, bounds, dialect)
    if bounds.high is None:
        return within
    above = f"{column.place} IS NOT NULL AND {value} IS NULL"
    return f"CASE WHEN {above} THEN {whole(floor(bounds.high), dialect)} ELSE {within} END"


def _exact_as_doubles(bounds: Range) -> bool:
    return all(end is None or Fraction(float(end)) == end for end in (bounds.low, bounds.high))


def _limited(value: str, bounds: Range, dialect: Dialect) -> str:
    """A whole number within its bounds."""
    if bounds.low is None and bounds.high is None:
        return value
    if bounds.high is None:
        low = whole(ceil(bounds.low or 0), dialect)
        return f"CASE WHEN {value} >= {low} THEN {value} WHEN {value} < {low} THEN {low} END"
    high = whole(floor(bounds.high), dialect)
    if bounds.low is None:
        return f"CASE WHEN {value} <= {high} THEN {value} WHEN {value} > {high} THEN {high} END"
    return clamped(value, whole(ceil(bounds.low), dialect), high)


def _real(value: str, bounds: Range, dialect: Dialect) -> str:
    """A double within its bounds. NaN lies within none: most engines put it above infinity."""
    below, above = dialect.infinities
    if bounds.low is None and bounds.high is None:
        return f"CASE WHEN {dialect.is_number(value)} THEN {value} END"
    low = below if bounds.low is None else double(bounds.low, dialect)
    high = above if bounds.high is None else double(bounds.high, dialect)
    return clamped(value, low, high, dialect.is_number(value))


def _moment(value: str, declared: Column, dialect: Dialect) -> str:
    """Within its bounds; without bounds, within the calendar."""
    bounds, kind = declared.range, declared.kind
    if bounds.low is None and bounds.high is None:
        return known(value, kind, dialect)
    first, last = ends(kind, dialect)
    low = first if bounds.low is None else dialect.moment(ceil(bounds.low), kind)
    high = last if bounds.high is None else dialect.moment(floor(bounds.high), kind)
    return clamped(value, low, high)
