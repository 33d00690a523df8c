"""Days, moments and times of day as whole numbers, and the units that a calendar counts in.

A date is days since 1970-01-01, a moment is microseconds since then, a time of day is microseconds since midnight.
Moments have no time zone of their own: they are what the clocks show in the zone that the policy names.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta

EPOCH = date(1970, 1, 1)
FIRST_DAY, LAST_DAY = (date.min - EPOCH).days, (date.max - EPOCH).days
"""The days that every program knows; others are NULL."""
SECOND = 1_000_000
DAY = 24 * 60 * 60 * SECOND
FIRST_MOMENT, LAST_MOMENT = FIRST_DAY * DAY, (LAST_DAY + 1) * DAY - 1
WIDTHS = {
    "microsecond": 1,
    "millisecond": 1_000,
    "second": SECOND,
    "minute": 60 * SECOND,
    "hour": 60 * 60 * SECOND,
    "day": DAY,
    "week": 7 * DAY,
}
"""The units that are always as long, in microseconds."""
YEARS = {"year": 1, "decade": 10, "century": 100, "millennium": 1000}
UNITS = (*WIDTHS, "month", "quarter", *YEARS)
"""What a moment can be cut to."""
_ORIGIN = datetime(1970, 1, 1)  # noqa: DTZ001 - what clocks show, wherever that is
_MONTHS = 12


def counted(value: date | time) -> int:
    """The whole number that stands for a date, a moment or a time of day.

    Example:
        >>> counted(date(1970, 1, 2)), counted(datetime(1970, 1, 2)), counted(time(0, 0, 1))
        (1, 86400000000, 1000000)
    """
    if isinstance(value, datetime):
        return (value - _ORIGIN) // timedelta(microseconds=1)
    if isinstance(value, date):
        return (value - EPOCH).days
    return ((value.hour * 60 + value.minute) * 60 + value.second) * SECOND + value.microsecond


def day_of(number: int) -> date:
    """The date with this number; those beyond the calendar are its ends."""
    return EPOCH + timedelta(days=min(max(number, FIRST_DAY), LAST_DAY))


def moment_of(number: int) -> datetime:
    """The moment with this number; those beyond the calendar are its ends."""
    return _ORIGIN + timedelta(microseconds=min(max(number, FIRST_MOMENT), LAST_MOMENT))


def time_of(number: int) -> time:
    """The time of day with this number; those beyond the day are its ends."""
    return moment_of(min(max(number, 0), DAY - 1)).time()


def midnight(day: date) -> datetime:
    """The moment at which a day begins."""
    return datetime.combine(day, time())


def truncated(moment: datetime, unit: str) -> datetime | None:
    """The moment at which the unit begins that a moment lies in; None if that is before the calendar.

    Example:
        >>> truncated(datetime(2025, 5, 7, 10, 30), "quarter").isoformat()
        '2025-04-01T00:00:00'
    """
    if unit == "week":
        number = counted(midnight(moment.date())) - moment.weekday() * DAY
        return moment_of(number) if number >= FIRST_MOMENT else None
    if unit in WIDTHS:
        return moment_of(counted(moment) // WIDTHS[unit] * WIDTHS[unit])
    start = midnight(moment.date().replace(day=1))
    if unit in YEARS:
        year = moment.year // YEARS[unit] * YEARS[unit]
        return start.replace(year=year, month=1) if year else None
    return start if unit == "month" else start.replace(month=3 * ((moment.month - 1) // 3) + 1)


def later(moment: datetime, months: int, microseconds: int = 0) -> datetime | None:
    """The moment so much later; a day that its month does not have is the month's last. None beyond the calendar.

    Example:
        >>> later(datetime(2024, 1, 31, 12), 1).isoformat()
        '2024-02-29T12:00:00'
    """
    year, month = divmod(moment.year * _MONTHS + moment.month - 1 + months, _MONTHS)
    if not date.min.year <= year <= date.max.year:
        return None
    day = min(moment.day, monthrange(year, month + 1)[1])
    number = counted(moment.replace(year=year, month=month + 1, day=day)) + microseconds
    return moment_of(number) if FIRST_MOMENT <= number <= LAST_MOMENT else None


def starts(low: datetime, high: datetime, unit: str) -> Iterator[datetime]:
    """The moments at which the units begin that lie between two moments, in part or in full."""
    if unit in WIDTHS:
        begin = truncated(low, unit) or moment_of(FIRST_MOMENT)
        yield from (moment_of(number) for number in range(counted(begin), counted(high) + 1, WIDTHS[unit]))
        return
    months = {"month": 1, "quarter": 3} | {name: _MONTHS * years for name, years in YEARS.items()}
    found = truncated(low, unit)
    if found is None:  # before the calendar: the next one
        found = datetime(YEARS[unit], 1, 1)  # noqa: DTZ001 - as above
    while found is not None and found <= high:
        yield found
        found = later(found, months[unit])
