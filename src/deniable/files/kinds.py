"""Stored types and declared kinds: what a column of a file or a frame may be called in a policy.

One table for the names of DuckDB's types, of PostgreSQL's and of Arrow's, so that everyone who reads a column calls it
the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from deniable.core.algebra.expression import Kind

_NO_ZONE = (
    'and what the clocks show then depends on where one stands; write type = "timestamp" and zone = "Europe/Berlin"'
)
_TIMED = 'and its time of day would be cut off; write type = "timestamp", and ask for CAST(column AS DATE)'
_NO_KIND = (
    "which no policy can declare; leave it out, or store a boolean, integer, number, text, date, timestamp or time"
)


@dataclass(frozen=True, slots=True)
class _Row:
    """Types by a pattern of their names, in small letters."""

    names: str
    kind: Kind | None
    exact: bool = True
    """Whether different values stay different when they are read as their kind."""


_TABLE = (
    _Row(r"bool(ean)?", Kind.BOOLEAN),
    _Row(r"u?int(8|16|32)|int64|u?(tinyint|smallint|integer)|bigint", Kind.INTEGER),
    _Row(r"uint64|ubigint|u?hugeint", Kind.INTEGER, exact=False),  # of more than 64 bits: cut, or NULL
    _Row(r"halffloat|float|double( precision)?|real|numeric|decimal\d*\(\d+, ?-?\d+\)", Kind.NUMBER, exact=False),
    _Row(r"varchar|text|character( varying)?|citext|name|(large_)?string(_view)?|string_view", Kind.TEXT),
    _Row(r'enum(\(.*\))?|uuid|jsonb?|extension<arrow\.(uuid|json)>|"?null"?', Kind.TEXT),
    _Row(r"time(_ns)?|time(32|64)\[\w+\]", Kind.TIME),
    _Row(r"date|date32\[day\]|date64\[ms\]", Kind.DATE),
    _Row(r"timestamp(_s|_ms)?|timestamp\[(s|ms|us)\]", Kind.TIMESTAMP),
    _Row(r"timestamp_ns|timestamp\[ns\]", Kind.TIMESTAMP, exact=False),  # to the microsecond
    _Row(r"interval", Kind.NUMBER, exact=False),  # in seconds
)
_ZONED = re.compile(r"timestamp with time zone|timestamptz(_ns)?|timestamp\[\w+, tz=.*\]")
_DICTIONARY = re.compile(r"dictionary<values=(.*), indices=.*>")
_READABLE = {Kind.NUMBER: {Kind.INTEGER, Kind.NUMBER}, Kind.TIMESTAMP: {Kind.DATE, Kind.TIMESTAMP}}
"""What may also be declared as another kind than its own: whole numbers as numbers, days as moments. All, as text."""


def kind_of(stored: object) -> Kind | None:
    """What a policy calls a column of this type, the name of DuckDB's or an Arrow type; None: it cannot be declared.

    A timestamp with a time zone is an instant: nobody but the custodian can say in which zone it is read.

    Example:
        >>> [kind_of(name).value for name in ("BIGINT", "DECIMAL(10,2)", "TIMESTAMP", "timestamp[us]", "large_string")]
        ['integer', 'number', 'timestamp', 'timestamp', 'text']
        >>> kind_of("TIMESTAMP WITH TIME ZONE"), kind_of("STRUCT(x BIGINT)")
        (None, None)
    """
    row = _row(stored)
    return None if row is None else row.kind


def is_instant(stored: object) -> bool:
    """Whether it is a timestamp with a time zone, which says when something was, and not what clocks showed.

    Example:
        >>> is_instant("TIMESTAMP WITH TIME ZONE"), is_instant("timestamp[us]")
        (True, False)
    """
    return _ZONED.fullmatch(_plain(stored)) is not None


def unit_kind_of(stored: object) -> Kind | None:
    """What a policy calls the column that names the unit: what reading would cut is text, so that nobody is confused.

    Example:
        >>> unit_kind_of("BIGINT").value, unit_kind_of("UBIGINT").value, unit_kind_of("TIMESTAMP").value
        ('integer', 'text', 'timestamp')
    """
    row = _row(stored)
    if row is None:
        return None
    return row.kind if row.exact or row.kind is Kind.NUMBER else Kind.TEXT


def misfit(stored: object, declared: Kind, zone: str | None = None) -> str:
    """Why a column of this type cannot be declared so; nothing if it can.

    Example:
        >>> misfit("INTEGER", Kind.NUMBER), misfit("VARCHAR", Kind.DATE)
        ('', 'is stored as VARCHAR, which is no date')
        >>> misfit("TIMESTAMP WITH TIME ZONE", Kind.TIMESTAMP, "UTC")
        ''
    """
    kind = kind_of(stored)
    if is_instant(stored):
        return "" if declared is Kind.TIMESTAMP and zone is not None else f"is stored as {stored}, {_NO_ZONE}"
    if kind is None:
        return f"is stored as {stored}, {_NO_KIND}"
    if declared is Kind.DATE and kind is Kind.TIMESTAMP:
        return f"is stored as {stored}, {_TIMED}"
    fits = declared is Kind.TEXT or kind in _READABLE.get(declared, {declared})
    return "" if fits else f"is stored as {stored}, which is no {declared.value}"


def unit_misfit(stored: object, declared: Kind, zone: str | None = None) -> str:
    """Why a column of this type cannot name the unit as it is declared; nothing if it can."""
    row = _row(stored)
    if row is None or row.exact or declared is Kind.TEXT:
        return misfit(stored, declared, zone)
    return (
        misfit(stored, declared, zone)
        or f"is stored as {stored}: as {declared.value}, different units would become one"
    )


def _row(stored: object) -> _Row | None:
    name = _plain(stored)
    return next((row for row in _TABLE if re.fullmatch(row.names, name)), None)


def _plain(stored: object) -> str:
    """The type's name in small letters; values that are stored once and referred to have the type of the values."""
    name = str(stored).lower()
    found = _DICTIONARY.fullmatch(name)
    return found.group(1) if found else name
