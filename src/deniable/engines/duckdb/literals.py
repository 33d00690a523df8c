"""The smallest parts of DuckDB's SQL: names, constants, types and the casts between them."""

from __future__ import annotations

from fractions import Fraction

from deniable.core.algebra.expression import Kind
from deniable.files.scan import quoted as quoted  # noqa: PLC0414 - names and texts are spelled as the files' are
from deniable.files.scan import text as text  # noqa: PLC0414 - same

TYPES = {
    Kind.INTEGER: "BIGINT",
    Kind.NUMBER: "DOUBLE",
    Kind.TEXT: "VARCHAR",
    Kind.BOOLEAN: "BOOLEAN",
    Kind.DATE: "DATE",
}
"""How each kind is computed with."""

FIRST_DAY, LAST_DAY = "DATE '0001-01-01'", "DATE '9999-12-31'"
"""The days that every program knows; others are NULL."""

_CASTS = {
    (Kind.INTEGER, Kind.NUMBER): "CAST({} AS DOUBLE)",
    (Kind.NUMBER, Kind.INTEGER): "TRY_CAST({} AS BIGINT)",
    (Kind.BOOLEAN, Kind.INTEGER): "CAST({} AS BIGINT)",
    (Kind.BOOLEAN, Kind.NUMBER): "CAST({} AS DOUBLE)",
    (Kind.DATE, Kind.INTEGER): "({} - DATE '1970-01-01')",
    (Kind.DATE, Kind.NUMBER): "CAST({} - DATE '1970-01-01' AS DOUBLE)",
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


def clamped(spelled: str, low: str, high: str, beyond: str = "") -> str:
    """The nearest value between two constants; NULL stays NULL, which LEAST and GREATEST would overlook.

    `beyond` says when a value that is neither inside nor below is above.
    """
    inside = f"WHEN {spelled} BETWEEN {low} AND {high} THEN {spelled}"
    return f"CASE {inside} WHEN {spelled} < {low} THEN {low} WHEN {beyond or f'{spelled} > {high}'} THEN {high} END"
