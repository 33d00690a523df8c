"""What SQL writes about dates, timestamps, times of day and intervals, and casts between kinds."""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction

from sqlglot import exp

from deniable.core.algebra.expression import Expression, Kind, Literal
from deniable.core.calendar import DAY
from deniable.core.errors import InvalidArgumentError
from deniable.planner.expressions import dates
from deniable.planner.expressions.conversions import alike, computed
from deniable.planner.expressions.dates import MOMENTS
from deniable.planner.expressions.decimals import exactly
from deniable.planner.expressions.functions import call, number
from deniable.planner.expressions.rules import PAIR, THIS, Go, Rule


def _add(node: exp.Expression, go: Go) -> Expression:
    """Numbers; a date and a number of days; a date or timestamp and an interval."""
    for moment, length in ((node.this, node.expression), (node.expression, node.this)):
        span = dates.interval(length)
        if span is not None:
            return _moved(go(moment), span)
    one, other = go(node.this), go(node.expression)
    for moment, days in ((one, other), (other, one)):
        if moment.kind is Kind.DATE and days.kind is Kind.INTEGER:
            return dates.days_later(moment, days)
    return computed("add", *alike(one, other))


def _subtract(node: exp.Expression, go: Go) -> Expression:
    """Numbers; two dates, timestamps or times; a date less a number of days; anything in time less an interval."""
    span = dates.interval(node.expression)
    if span is not None:
        return _moved(go(node.this), span.times(Fraction(-1)))
    one, other = go(node.this), go(node.expression)
    if one.kind is Kind.DATE and other.kind is Kind.INTEGER:
        return dates.days_later(one, call("negate", other))
    if {one.kind, other.kind} & {*MOMENTS, Kind.TIME}:
        return dates.difference(one, other)
    return computed("subtract", *alike(one, other))


def _moved(value: Expression, span: dates.TimeSpan) -> Expression:
    """By an interval; one that is added to an interval, or to seconds, is seconds."""
    if value.kind in MOMENTS:
        return dates.shifted(value, span)
    return call("add", value, span.seconds)


def _extract(node: exp.Expression, go: Go) -> Expression:
    """Of a moment; of an age, which is an interval, only whole years are a number by themselves."""
    unit, value = node.this.name, node.expression
    if isinstance(value, exp.Anonymous) and value.name.lower() == "age" and unit.lower() == "year":
        return dates.whole_years(*(go(part) for part in value.expressions))
    return dates.part(unit, go(value))


def _part(unit: str) -> Rule:
    """A function that is called after what it takes out of a date."""
    return THIS, lambda node, go: dates.part(unit, go(node.this))


def _truncated(node: exp.Expression, go: Go) -> Expression:
    return dates.cut(node.args["unit"].name, go(node.this))


def _boundaries(node: exp.Expression, go: Go) -> Expression:
    return dates.boundaries(node.args["unit"].name, go(node.expression), go(node.this))


def _format(*, letters: bool) -> Rule:
    """What is written of a moment; SQLite, and DuckDB too, may have the format first."""

    def build(node: exp.Expression, go: Go) -> Expression:
        moment, pattern = go(node.this), go(node.args.get("format"))
        if isinstance(moment, Literal) and moment.kind is Kind.TEXT and pattern.kind in (Kind.DATE, Kind.TIMESTAMP):
            moment, pattern = pattern, moment
        return dates.formatted(moment, pattern, letters=letters)

    return frozenset({"this", "format"}), build


def _name_of(pattern: str) -> Rule:
    """The name of a day or a month."""
    return THIS, lambda node, go: call("format", go(node.this), Literal(pattern, Kind.TEXT))


def _last_day(node: exp.Expression, go: Go) -> Expression:
    """The last day of a month is the one before the next month."""
    start = dates.shifted(dates.cut("month", go(node.this)), dates.TimeSpan(1, 0))
    return _to(Kind.DATE, dates.shifted(start, dates.TimeSpan(0, -DAY)))


def _date(node: exp.Expression, go: Go) -> Expression:
    return _to(Kind.DATE, go(node.this))


def _interval(node: exp.Expression, _: object) -> Expression:
    """An interval that stands alone is a number of seconds, as differences of timestamps are."""
    span = dates.interval(node)
    if span is None:
        raise InvalidArgumentError("interval", "must be a constant, as INTERVAL '3 days'")
    return span.seconds


def _bucket(node: exp.Expression, go: Go) -> Expression:
    """Of a constant width."""
    span = dates.interval(node.this)
    if span is None or span.months:
        raise InvalidArgumentError("width", "must be an interval of days or shorter; of months, write DATE_TRUNC")
    return call("bucket", dates.moment(go(node.expression)), number(span.microseconds))


def _cast(node: exp.Expression, go: Go) -> Expression:
    """Casts never raise: what cannot be cast is NULL. A constant date or timestamp is read now."""
    if (span := dates.interval(node)) is not None:
        return span.seconds
    if node.args["to"].this is exp.DataType.Type.DECIMAL:
        return _decimal(node.args["to"], go(node.this))
    kind = _TYPES.get(node.args["to"].this)
    if kind is None or node.args["to"].expressions:
        names = "INTEGER, BIGINT, DOUBLE, VARCHAR, DATE, TIMESTAMP, TIME or BOOLEAN"
        raise InvalidArgumentError("cast", f"takes {names}")
    return _to(kind, go(node.this))


def _decimal(to: exp.Expression, value: Expression) -> Expression:
    """A number rounded to so many places; one that has more digits than the type is NULL."""
    digits, places = (int(part.name) for part in to.expressions)
    rounded = exactly("round", _to(Kind.NUMBER, value), number(min(places, 15)))
    fits = call("less", call("absolute", rounded), number(10 ** (digits - places)))
    return call("case", fits, rounded)


def _to(kind: Kind, value: Expression) -> Expression:
    """A value as one of another kind."""
    if value.kind is kind:
        return value
    if isinstance(value, Literal) and value.value is None:
        return Literal(None, kind)
    if isinstance(value, Literal) and value.kind is Kind.TEXT and kind in _READ:
        return dates.read(value, kind)
    if isinstance(value, Literal) and isinstance(value.value, datetime) and kind is Kind.DATE:
        return Literal(value.value.date(), Kind.DATE)
    if kind is Kind.TIMESTAMP and value.kind is Kind.DATE:
        return dates.moment(value)
    return exactly(f"to_{kind.value}", value)


_READ = (*MOMENTS, Kind.TIME)


_TYPES = {
    exp.DataType.Type.INT: Kind.INTEGER,
    exp.DataType.Type.BIGINT: Kind.INTEGER,
    exp.DataType.Type.SMALLINT: Kind.INTEGER,
    exp.DataType.Type.DOUBLE: Kind.NUMBER,
    exp.DataType.Type.FLOAT: Kind.NUMBER,
    exp.DataType.Type.TEXT: Kind.TEXT,
    exp.DataType.Type.VARCHAR: Kind.TEXT,
    exp.DataType.Type.DATE: Kind.DATE,
    exp.DataType.Type.TIMESTAMP: Kind.TIMESTAMP,
    exp.DataType.Type.TIMESTAMPNTZ: Kind.TIMESTAMP,
    exp.DataType.Type.DATETIME: Kind.TIMESTAMP,
    exp.DataType.Type.TIME: Kind.TIME,
    exp.DataType.Type.BOOLEAN: Kind.BOOLEAN,
}

RULES: dict[type[exp.Expression], Rule] = {
    exp.Add: (PAIR, _add),
    exp.Sub: (PAIR, _subtract),
    exp.DateBin: (PAIR, _bucket),
    exp.Extract: (PAIR, _extract),
    exp.Year: _part("year"),
    exp.Quarter: _part("quarter"),
    exp.Month: _part("month"),
    exp.Week: _part("week"),
    exp.WeekOfYear: _part("week"),
    exp.Day: _part("day"),
    exp.DayOfMonth: _part("day"),
    exp.DayOfYear: _part("doy"),
    exp.DayOfWeek: _part("dow"),
    exp.DayOfWeekIso: _part("isodow"),
    exp.Hour: _part("hour"),
    exp.Minute: _part("minute"),
    exp.Second: _part("second"),
    exp.TimeToUnix: _part("epoch"),
    exp.Date: (THIS, _date),
    exp.TsOrDsToDate: (THIS, _date),
    exp.LastDay: (THIS, _last_day),
    exp.Dayname: _name_of("%A"),
    exp.Monthname: _name_of("%B"),
    exp.TimeToStr: _format(letters=False),
    exp.ToChar: _format(letters=True),
    exp.DateAdd: (PAIR, _add),
    exp.DateSub: (PAIR, _subtract),
    exp.DateDiff: (frozenset({"this", "expression", "unit", "date_part_boundary"}), _boundaries),
    exp.Interval: (frozenset({"this", "unit"}), _interval),
    exp.TimestampTrunc: (frozenset({"this", "unit"}), _truncated),
    exp.DateTrunc: (frozenset({"this", "unit"}), _truncated),
    exp.Cast: (frozenset({"this", "to"}), _cast),
    exp.TryCast: (frozenset({"this", "to"}), _cast),
}
