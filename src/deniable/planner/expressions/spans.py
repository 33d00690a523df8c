"""Where dates and moments lie after they are cut to a unit, or moved by an interval."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

from deniable.core.algebra.expression import Expression, Kind, Range
from deniable.core.calendar import DAY, FIRST_MOMENT, LAST_MOMENT, counted, later, midnight, moment_of, truncated

MOST_MONTHS = 12 * 10_000
MOST_MICROSECONDS = 10_000 * 366 * DAY
"""No interval is longer."""


def moments(value: Expression) -> Range:
    """The range of a date or a timestamp, in microseconds; of a date, those at which days begin."""
    unit = DAY if value.kind is Kind.DATE else 1
    return Range(*(None if end is None else end * unit for end in (value.range.low, value.range.high)))


def truncated_range(value: Expression, unit: str) -> Range:
    """Truncation keeps the order, so the units of the ends are the ends of the units."""
    within = moments(value)
    ends = [None if end is None else truncated(moment_of(floor(end)), unit) for end in (within.low, within.high)]
    unknown = [
        None if end is None else Fraction(FIRST_MOMENT) if start is None else Fraction(counted(start))
        for end, start in zip((within.low, within.high), ends, strict=True)
    ]
    scale = Fraction(1, DAY) if value.kind is Kind.DATE else Fraction(1)
    return Range(*(None if end is None else end * scale for end in unknown))


def years(value: Expression, over: int, *, iso: bool) -> Range:
    """The years of the ends; those of ISO weeks can lie a year to either side."""
    within, aside = moments(value), int(iso)
    low, high = (None if end is None else moment_of(floor(end)).year for end in (within.low, within.high))
    first, last = (None if low is None else low - aside), (None if high is None else high + aside)
    return Range(*(None if year is None else Fraction(year // over) for year in (first, last)))


def later_range(value: Expression, months: int, microseconds: int) -> Range:
    """Days keep their order when months are added, times of day do not: from a day's start to a day's end."""
    within = moments(value)
    return Range(
        None if within.low is None else _moved(floor(within.low), months, microseconds, end=False),
        None if within.high is None else _moved(ceil(within.high), months, microseconds, end=True),
    )


def _moved(number: int, months: int, microseconds: int, *, end: bool) -> Fraction:
    """One end; beyond the calendar, the calendar's."""
    if not months:
        return Fraction(min(max(number + microseconds, FIRST_MOMENT), LAST_MOMENT))
    day = midnight(moment_of(number).date())
    found = later(day, months, microseconds)
    if found is None:
        return Fraction(FIRST_MOMENT if months < 0 else LAST_MOMENT)
    return Fraction(min(LAST_MOMENT, counted(found) + (DAY - 1 if end else 0)))
