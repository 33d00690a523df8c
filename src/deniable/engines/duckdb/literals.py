"""The smallest parts of DuckDB's SQL: names, constants, types and the casts between them."""

from __future__ import annotations

from fractions import Fraction

from deniable.core.algebra.expression import Kind
from deniable.core.calendar import day_of, moment_of, time_of
from deniable.files.scan import quoted as quoted  # noqa: PLC0414 - names and texts are spelled as the files' are
from deniable.files.scan import text as text  # noqa: PLC0414 - same

TYPES = {
    Kind.INTEGER: "BIGINT",
    Kind.NUMBER: "DOUBLE",
    Kind.TEXT: "VARCHAR",
    Kind.BOOLEAN: "BOOLEAN",
    Kind.DATE: "DATE",
    Kind.TIMESTAMP: "TIMESTAMP",
    Kind.TIME: "TIME",
}
"""How each kind is computed with."""

ENDS = {
    Kind.DATE: ("DATE '0001-01-01'", "DATE '9999-12-31'"),
    Kind.TIMESTAMP: ("TIMESTAMP '0001-01-01 00:00:00'", "TIMESTAMP '9999-12-31 23:59:59.999999'"),
    Kind.TIME: ("TIME '00:00:00'", "TIME '23:59:59.999999'"),
}
"""The first and the last that every program knows; others are NULL."""

_CASTS = {
    (Kind.INTEGER, Kind.NUMBER): "CAST({} AS DOUBLE)",
    (Kind.NUMBER, Kind.INTEGER): "TRY_CAST({} AS BIGINT)",
    (Kind.BOOLEAN, Kind.INTEGER): "CAST({} AS BIGINT)",
    (Kind.BOOLEAN, Kind.NUMBER): "CAST({} AS DOUBLE)",
    (Kind.DATE, Kind.INTEGER): "({} - DATE '1970-01-01')",
    (Kind.DATE, Kind.NUMBER): "CAST({} - DATE '1970-01-01' AS DOUBLE)",
    (Kind.TIMESTAMP, Kind.INTEGER): "EPOCH_US({})",
    (Kind.TIMESTAMP, Kind.NUMBER): "CAST(EPOCH_US({}) AS DOUBLE)",
    (Kind.TIME, Kind.INTEGER): "EPOCH_US({})",
    (Kind.TIME, Kind.NUMBER): "CAST(EPOCH_US({}) AS DOUBLE)",
    (Kind.DATE, Kind.TIMESTAMP): "CAST({} AS TIMESTAMP)",
}
_WIDEST = 1 << 126


def cast(spelled: str, kind: Kind, wanted: Kind) -> str:
    """A value of one kind where another is wanted. Texts are never read as numbers unasked."""
    return spelled if kind is wanted else _CASTS[kind, wanted].format(spelled)


def whole(value: int) -> str:
    """An integer, exactly; one that no engine can hold, as the nearest double, which compares alike."""
    if abs(value) >= _WIDEST:
        return double(Fraction(value))
    return f"({value})" if value < 0 else str(value)


def double(value: Fraction) -> str:
    """The nearest double, which `1e0` and not `1.0` means in this dialect.

    Example:
        >>> double(Fraction(1, 100)), double(Fraction(-5))
        ('0.01e0', '(-5.0e0)')
    """
    digits = repr(float(value))
    digits = digits if "e" in digits else f"{digits}e0"
    return f"({digits})" if value < 0 else digits


def moment(number: int, kind: Kind) -> str:
    """A date, a timestamp or a time of day by its number; those beyond the calendar are its ends.

    Example:
        >>> moment(1, Kind.DATE), moment(1, Kind.TIMESTAMP)
        ("DATE '1970-01-02'", "TIMESTAMP '1970-01-01 00:00:00.000001'")
    """
    match kind:
        case Kind.DATE:
            return f"DATE '{day_of(number).isoformat()}'"
        case Kind.TIMESTAMP:
            return f"TIMESTAMP '{moment_of(number).isoformat(sep=' ')}'"
        case _:
            return f"TIME '{time_of(number).isoformat()}'"


def known(spelled: str, kind: Kind) -> str:
    """What lies beyond the calendar is NULL."""
    low, high = ENDS[kind]
    return f"CASE WHEN {spelled} BETWEEN {low} AND {high} THEN {spelled} END"


def clamped(spelled: str, low: str, high: str, beyond: str = "") -> str:
    """The nearest value between two constants; NULL stays NULL, which LEAST and GREATEST would overlook.

    `beyond` says when a value that is neither inside nor below is above.
    """
    inside = f"WHEN {spelled} BETWEEN {low} AND {high} THEN {spelled}"
    return f"CASE {inside} WHEN {spelled} < {low} THEN {low} WHEN {beyond or f'{spelled} > {high}'} THEN {high} END"
