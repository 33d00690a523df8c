"""Values of a table as texts, numbers and days."""

from __future__ import annotations

from datetime import date, datetime
from fractions import Fraction

from deniable.core.errors import InvalidArgumentError

STAR = "*"
"""What a value becomes of which nothing is said."""


def text_of(value: object) -> str:
    """How a value is written; a whole number alike, whether it was stored as 39 or as 39.0.

    Example:
        >>> text_of(39.0), text_of(True), text_of(2.5)
        ('39', 'true', '2.5')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    return value.isoformat() if isinstance(value, date) else str(value)


def number_of(value: object) -> Fraction:
    """The number that is stored, or that a text writes."""
    try:
        return Fraction(value) if isinstance(value, int) else Fraction(str(value))
    except (TypeError, ValueError, ZeroDivisionError):
        raise InvalidArgumentError("hierarchy", f"of numbers has no place for {text_of(value)!r}") from None


def date_of(value: object) -> date:
    """The day that is stored, or that a text writes as 2024-03-05."""
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    text = str(value)[:10]
    try:
        return date.fromisoformat(text if text[4:5] == "-" else "")
    except ValueError:
        raise InvalidArgumentError("hierarchy", f"of days has no place for {text_of(value)!r}") from None
