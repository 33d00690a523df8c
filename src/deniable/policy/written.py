"""Values as people write them in a policy, read exactly or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, time
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import cast

from deniable.core.errors import InvalidArgumentError
from deniable.core.number import Number, exact

_DIGITS = 100
"""A number with more digits, before or after the point, is a slip of the pen."""


def fraction(value: object) -> Fraction | None:
    """The number, if it is finite and of ordinary length; a float means the decimal that is printed for it.

    Example:
        >>> fraction(Decimal("0.1")), fraction(float("nan")), fraction(True), fraction("1")
        (Fraction(1, 10), None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, Real | Decimal):
        return None
    if isinstance(value, Decimal):
        _, digits, exponent = value.as_tuple()
        if isinstance(exponent, str) or len(digits) > _DIGITS or abs(exponent) > _DIGITS:
            return None  # before the fraction is built: that of 1e999999999 would fill the memory
    try:
        number = exact("value", cast("Number", value))
    except InvalidArgumentError:
        return None
    return number if max(abs(number.numerator), number.denominator) <= 10 ** (2 * _DIGITS) else None


def day(value: object) -> date | None:
    """The day, written as 2025-12-31, as a TOML date or as a text; a day with a time of day is none.

    Example:
        >>> day("2025-12-31"), day("31.12.2025"), day(datetime(2025, 12, 31))
        (datetime.date(2025, 12, 31), None, None)
    """
    if isinstance(value, date):
        return None if isinstance(value, datetime) else value
    try:
        read = date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return read if read is not None and read.isoformat() == value else None  # not 2025-W01-1


def moment(value: object) -> datetime | None:
    """The day and the time of day, written as 2025-12-31 23:59:59; a day alone is its beginning. Never with a zone.

    Example:
        >>> moment("2025-12-31 10:30").isoformat(), moment(date(2025, 12, 31)).isoformat(), moment("10:30")
        ('2025-12-31T10:30:00', '2025-12-31T00:00:00', None)
    """
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value) if value[:1].isdigit() and "W" not in value else None
        except ValueError:
            return None
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime.combine(value, time())
    return value if isinstance(value, datetime) and value.tzinfo is None else None


def time_of_day(value: object) -> time | None:
    """The time of day, written as 08:30 or 08:30:00.

    Example:
        >>> time_of_day("08:30"), time_of_day("25:00")
        (datetime.time(8, 30), None)
    """
    try:
        read = time.fromisoformat(value) if isinstance(value, str) and ":" in value else value
    except ValueError:
        return None
    return read if isinstance(read, time) and read.tzinfo is None else None


def shown(value: object) -> str:
    """The value as a message quotes it: short, on one line, and never an error of its own.

    Example:
        >>> shown("three"), shown(Decimal("0.50")), shown(True), shown([1, [2]]), shown("x" * 100)
        ("'three'", '0.50', 'true', '[1, a list]', "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...")
    """
    if isinstance(value, list | tuple):
        items = ("a list" if isinstance(item, list | tuple) else shown(item) for item in value)
        return _short(f"[{', '.join(items)}]")
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, bool):
        return str(value).lower()
    try:
        return _short(str(value) if isinstance(value, Decimal | Fraction | date | time) else repr(value))
    except ValueError:  # a whole number of more than 4300 digits
        return "a very long number"


def _short(text: str) -> str:
    """Enough to recognise it."""
    most = 42
    return text if len(text) <= most else f"{text[: most - 3]}..."
