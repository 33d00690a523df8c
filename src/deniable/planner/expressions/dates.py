"""Dates, timestamps, times of day and intervals, as SQL writes them.

A constant is read and computed with at once, exactly. A date beside a timestamp is the moment at which it begins. The
difference of two timestamps is a number of seconds, as an interval of days and shorter is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time
from fractions import Fraction
from typing import TypeGuard

from sqlglot import exp

from deniable.core.algebra.expression import Expression, Kind, Literal, columns
from deniable.core.calendar import DAY, SECOND, UNITS, WIDTHS, YEARS, later, midnight, truncated
from deniable.core.errors import InvalidArgumentError
from deniable.planner.expressions import formats
from deniable.planner.expressions.functions import call, number

Go = Callable[[exp.Expression | None], Expression]
MOMENTS = (Kind.DATE, Kind.TIMESTAMP)
_WRITTEN = {
    Kind.DATE: "as YYYY-MM-DD; write DATE '2025-01-31'",
    Kind.TIMESTAMP: "as YYYY-MM-DD HH:MM:SS, without a time zone; write TIMESTAMP '2025-01-31 08:30:00'",
    Kind.TIME: "as HH:MM:SS; write TIME '08:30:00'",
}
_PARTS = {
    "year": "year",
    "isoyear": "iso_year",
    "quarter": "quarter",
    "month": "month",
    "week": "week",
    "weekofyear": "week",
    "day": "day",
    "dayofmonth": "day",
    "doy": "day_of_year",
    "dayofyear": "day_of_year",
    "dow": "weekday_from_sunday",
    "weekday": "weekday_from_sunday",
    "dayofweek": "weekday_from_sunday",
    "isodow": "weekday",
    "decade": "decade",
    "century": "century",
    "hour": "hour",
    "minute": "minute",
    "second": "second",
    "millisecond": "millisecond",
    "microsecond": "microsecond",
    "epoch": "epoch",
}
_CLOCK = ("hour", "minute", "second", "millisecond", "microsecond", "epoch")
_SHORT = {"s": "second", "sec": "second", "min": "minute", "h": "hour", "d": "day", "w": "week", "mon": "month"}
_SHORT |= {"y": "year", "ms": "millisecond", "us": "microsecond", "m": "minute", "hr": "hour", "mins": "minute"}
_SHORT |= {"yr": "year", "secs": "second", "hrs": "hour", "qtr": "quarter", "millennia": "millennium"}
_SHORT |= {"centuries": "century"}
_LENGTH = re.compile(r"\s*([+-]?\d+(?:\.\d+)?)\s*([A-Za-z]+)\s*,?")
_SHORT_DAY = re.compile(r"^(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)")
_UTC = re.compile(r"(:\d\d(?:\.\d+)?)\s?(?:Z|[+-]00(?::?00)?)$")
_CLOCKED = re.compile(r"\s*([+-]?)(\d+):(\d\d)(?::(\d\d(?:\.\d{1,6})?))?\s*$")


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """An interval: so many months, and so many microseconds."""

    months: int
    microseconds: int

    def times(self, factor: Fraction) -> TimeSpan:
        """So many of it, if that is a whole number of months."""
        months, rest = self.months * factor, self.microseconds * factor
        if months.denominator != 1 or rest.denominator != 1:
            raise InvalidArgumentError("interval", "must be a whole number of units")
        return TimeSpan(int(months), int(rest))

    @property
    def seconds(self) -> Literal:
        """As a number; months are not all as long."""
        if self.months:
            raise InvalidArgumentError("interval", "of months is not a number of seconds; write it in days")
        return number(Fraction(self.microseconds, SECOND))


def read(value: Literal, kind: Kind, *, zoned: bool = False) -> Literal:
    """A constant text as a date, a timestamp or a time of day.

    A Z behind it says UTC, and is left out, as both dialects do; not where a column's moments are read in a zone.
    """
    text = str(value.value).strip()
    padded = _SHORT_DAY.sub(lambda found: f"{found[1]}-{found[2]:0>2}-{found[3]:0>2}", text)
    plain = padded if zoned else _UTC.sub(r"\1", padded)
    found: date | time | None = None
    try:
        if kind is Kind.DATE:
            found = _day(plain)
        elif kind is Kind.TIMESTAMP:
            found = datetime.fromisoformat(plain)
        else:
            found = time.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or getattr(found, "tzinfo", None) is not None:
        raise InvalidArgumentError(kind.value, f"{text[:40]!r} must be written {_WRITTEN[kind]}")
    return Literal(found, kind)


def _day(text: str) -> date | None:
    """A day, with no time of day but midnight."""
    found = datetime.fromisoformat(text)
    return found.date() if found.time() == time() and found.tzinfo is None else None


def alike(*values: Expression) -> tuple[Expression, ...]:
    """Beside a date or a timestamp, a constant text is one, and a date is the moment at which it begins."""
    kinds = {value.kind for value in values if not _null(value)}
    if Kind.TIME in kinds and kinds <= {Kind.TIME, Kind.TEXT}:
        return tuple(read(value, Kind.TIME) if _text(value) else value for value in values)
    if not kinds & {*MOMENTS}:
        return values
    read_as = Kind.TIMESTAMP if Kind.TIMESTAMP in kinds else Kind.DATE
    zoned = any(column.zone is not None for value in values for column in columns(value))
    texts = tuple(read(value, read_as, zoned=zoned) if _text(value) else value for value in values)
    if any(value.kind not in MOMENTS and not _null(value) for value in texts):
        return values
    days = tuple(_as_day(value) for value in texts)
    if all(value.kind is Kind.DATE or _null(value) for value in days):
        return days
    return tuple(moment(value) if value.kind is Kind.DATE else value for value in texts)


def moment(value: Expression) -> Expression:
    """A date as the moment at which it begins; a timestamp as it is."""
    if isinstance(value, Literal) and isinstance(value.value, date) and not isinstance(value.value, datetime):
        return Literal(midnight(value.value), Kind.TIMESTAMP)
    return call("to_timestamp", value) if value.kind is Kind.DATE else value


def _as_day(value: Expression) -> Expression:
    """A constant that is the beginning of a day, as that day."""
    if isinstance(value, Literal) and isinstance(value.value, datetime) and value.value.time() == time():
        return Literal(value.value.date(), Kind.DATE)
    return value


def interval(node: exp.Expression | None) -> TimeSpan | None:  # noqa: PLR0911 - one line per case
    """The interval that a node writes, with a factor before or behind it; None: it writes none."""
    match node:
        case exp.Paren(this=inner):
            return interval(inner)
        case exp.Neg(this=inner):
            found = interval(inner)
            return None if found is None else found.times(Fraction(-1))
        case exp.Mul(this=one, expression=other):
            for span, factor in ((interval(one), other), (interval(other), one)):
                if span is not None and isinstance(factor, exp.Literal) and not factor.is_string:
                    return span.times(Fraction(str(factor.this)))
            return None
        case exp.Interval():
            return _interval(node)
        case exp.Cast(this=exp.Literal() as text) if node.to.this in _INTERVALS:
            return _spans(str(text.this))
        case _:
            return None


_INTERVALS = (exp.DataType.Type.INTERVAL,)


def _interval(node: exp.Interval) -> TimeSpan:
    length, unit = node.this, node.args.get("unit")
    sign = 1
    while isinstance(length, exp.Paren | exp.Neg):
        sign = -sign if isinstance(length, exp.Neg) else sign
        length = length.this
    if not isinstance(length, exp.Literal) or isinstance(unit, exp.IntervalSpan):
        raise InvalidArgumentError("interval", "must be a constant, as INTERVAL '3 days'")
    text = str(length.this)
    found = _spans(text if unit is None else f"{text} {unit.name}")
    return found.times(Fraction(sign))


def _spans(text: str) -> TimeSpan:
    """1 year 2 months, 90 days, 36:30:00."""
    months, rest, place = Fraction(0), Fraction(0), 0
    if (clock := _CLOCKED.match(text)) is not None:
        sign, hours, minutes, seconds = clock.groups()
        found = (int(hours) * 60 + int(minutes)) * 60 + Fraction(seconds or 0)
        return TimeSpan(0, int(found * SECOND) * (-1 if sign == "-" else 1))
    while (part := _LENGTH.match(text, place)) is not None:
        many, unit = Fraction(part.group(1)), _unit(part.group(2))
        if unit in WIDTHS:
            rest += many * WIDTHS[unit]
        else:
            months += many * ({"month": 1, "quarter": 3} | {name: 12 * years for name, years in YEARS.items()})[unit]
        place = part.end()
    if not place or text[place:].strip() or months.denominator != 1 or rest.denominator != 1:
        raise InvalidArgumentError("interval", f"{text[:40]!r} must be written as '1 year 2 months' or '90 minutes'")
    return TimeSpan(int(months), int(rest))


def _unit(word: str) -> str:
    plain = word.lower()
    for name in (plain, plain.removesuffix("s"), _SHORT.get(plain, "")):
        if name in UNITS:
            return name
    raise InvalidArgumentError("interval", f"does not know the unit {word[:20]!r}; use {', '.join(UNITS)}")


def shifted(value: Expression, span: TimeSpan) -> Expression:
    """A date or a timestamp so much later: a timestamp. A constant is moved at once."""
    value = moment(value)
    if isinstance(value, Literal) and isinstance(value.value, datetime):
        found = later(value.value, span.months, span.microseconds)
        if found is None:
            raise InvalidArgumentError("interval", "leads beyond the calendar, years 1 to 9999")
        return Literal(found, Kind.TIMESTAMP)
    return call("later", value, number(span.months), number(span.microseconds))


def days_later(value: Expression, days: Expression) -> Expression:
    """A date so many days later is a date."""
    return call("date_of_days", call("add", call("days", value), days))


def difference(one: Expression, other: Expression) -> Expression:
    """How far two dates are apart in days, or two timestamps or times of day in seconds."""
    one, other = alike(one, other)
    if one.kind is Kind.DATE and other.kind is Kind.DATE:
        return call("subtract", call("days", one), call("days", other))
    if _null(one) or _null(other):
        return Literal(None, Kind.NUMBER)
    whole = call("subtract", call("microseconds", one), call("microseconds", other))
    return call("divide", whole, number(SECOND))


def part(unit: str, value: Expression) -> Expression:
    """What a calendar or a clock shows. A clock shows midnight on a date; an interval is its seconds already."""
    plain = unit.lower()
    name = _PARTS.get(plain) or _PARTS.get(plain.removesuffix("s"))
    if name is None:
        raise InvalidArgumentError("extract", f"does not know {unit[:20]!r}; use {', '.join(_PARTS)}")
    if name == "epoch" and value.kind in (Kind.INTEGER, Kind.NUMBER):
        return value
    return call(name, moment(value) if name in _CLOCK else value)


def whole_years(end: Expression, start: Expression) -> Expression:
    """How many birthdays a day is after another; negative, where it comes first."""
    end, start = alike(end, start)
    if end.kind is not Kind.DATE or start.kind is not Kind.DATE:
        raise InvalidArgumentError("age", "takes dates; write AGE(CAST(a AS DATE), CAST(b AS DATE))")

    def after(one: Expression, other: Expression) -> Expression:
        months = [call("multiply", call("month", day), number(100)) for day in (one, other)]
        days = [call("add", month, call("day", day)) for month, day in zip(months, (one, other), strict=True)]
        years = call("subtract", call("year", one), call("year", other))
        return call("subtract", years, call("case", call("less", *days), number(1), number(0)))

    return call("case", call("at_least", end, start), after(end, start), call("negate", after(start, end)))


def cut(unit: str, value: Expression) -> Expression:
    """The moment at which a unit begins; of a date, for units of days and longer, a date."""
    plain = unit.lower().removesuffix("s")
    name = {"centurie": "century", "millennia": "millennium"}.get(plain, plain)
    if name not in UNITS:
        raise InvalidArgumentError("date_trunc", f"does not know {unit[:20]!r}; use {', '.join(UNITS)}")
    shorter = name in WIDTHS and WIDTHS[name] < DAY
    value = moment(value) if shorter else value
    if isinstance(value, Literal) and isinstance(value.value, date):
        whole = value.value if isinstance(value.value, datetime) else midnight(value.value)
        start = truncated(whole, name)
        if start is None:
            return Literal(None, value.kind)
        return Literal(start.date() if value.kind is Kind.DATE else start, value.kind)
    return value if name == "day" and value.kind is Kind.DATE else call(f"truncate_{name}", value)


def boundaries(unit: str, start: Expression, end: Expression) -> Expression:
    """How many beginnings of a unit lie between two moments."""
    name = _unit(unit)
    if name == "week":
        raise InvalidArgumentError("date_diff", "of weeks is counted in several ways; write (end - start) // 7")
    start, end = alike(start, end)
    if name in WIDTHS and WIDTHS[name] <= DAY:
        ends = [call("microseconds", cut(name, moment(value))) for value in (end, start)]
        return call("quotient", call("subtract", *ends), number(WIDTHS[name]))
    months = {"month": 12, "quarter": 4}.get(name)
    if months is None:
        over = YEARS[name]
        years = [call("quotient", call("year", value), number(over)) for value in (end, start)]
        return call("subtract", *years)
    counts = [
        call("add", call("multiply", call("year", value), number(months)), call(name, value)) for value in (end, start)
    ]
    return call("subtract", *counts)


def formatted(value: Expression, pattern: Expression, *, letters: bool) -> Expression:
    """A text in a constant format."""
    if letters and isinstance(pattern, Literal) and isinstance(pattern.value, str):
        pattern = Literal(formats.from_letters(pattern.value), Kind.TEXT)
    return call("format", value, pattern)


def _text(value: Expression) -> TypeGuard[Literal]:
    return isinstance(value, Literal) and isinstance(value.value, str)


def _null(value: Expression) -> bool:
    return isinstance(value, Literal) and value.value is None
