"""What row expressions mean, slowly and obviously: one Python function for each function of the algebra.

NULL is None. This is the definition, also of what a text says as a number or a date: an engine that gives anything else
is wrong. The one exception is REVERSE of letters with accents, for which `Unmodelled` is raised.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from fractions import Fraction
from typing import Any

import numpy as np

from deniable.core.algebra.expression import Call, Column, Expression, Kind, Literal, Range
from deniable.core.algebra.readings import FALSE, READS, TRUE
from deniable.core.calendar import EPOCH, UNITS, later, truncated
from deniable.planner.expressions.formats import written

Value = Any
Row = Mapping[str, Value]
SMALLEST, LARGEST = -(2**63), 2**63 - 1
FIRST_DAY, LAST_DAY = (date.min - EPOCH).days, (date.max - EPOCH).days
DAY = 86_400_000_000
MONDAY = 10_959 * DAY
"""The first of 2000."""
ENDS = {
    Kind.DATE: (FIRST_DAY, LAST_DAY),
    Kind.TIMESTAMP: (FIRST_DAY * DAY, (LAST_DAY + 1) * DAY - 1),
    Kind.TIME: (0, DAY - 1),
}
"""The first and the last number of each that stands for one."""


class Unmodelled(Exception):
    """An engine decides, and others have a gap."""


def evaluate(expression: Expression, row: Row) -> Value:
    """The expression's value in a row."""
    match expression:
        case Column():
            return read(row[expression.name], expression.kind, expression.range)
        case Literal():
            return as_kind(expression.value, expression.kind)
        case Call(function="case"):
            return as_kind(_case(expression, row), expression.kind)
        case _:
            return _clean(_call(expression, [evaluate(part, row) for part in expression.arguments]), expression.kind)


def read(value: Value, kind: Kind, bounds: Range) -> Value:
    """A stored value as the declared kind, within its bounds."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if kind in (Kind.TEXT, Kind.BOOLEAN):
        return value
    if kind in ENDS and bounds != Range():  # with one bound, the calendar is the other
        first, last = ENDS[kind]
        bounds = Range(
            Fraction(first) if bounds.low is None else bounds.low,
            Fraction(last) if bounds.high is None else bounds.high,
        )
    kept = Kind.INTEGER if kind in ENDS else kind
    low, high = (None if end is None else as_kind(end, kept) for end in (bounds.low, bounds.high))
    value = value if low is None else max(value, low)
    value = value if high is None else min(value, high)
    return counted_from(value, kind) if kind in ENDS else as_kind(value, kind)


def counted_from(number: int, kind: Kind) -> date | time | None:
    """The date, moment or time of day with this number; None if there is none."""
    first, last = ENDS[kind]
    if not first <= number <= last:
        return None
    if kind is Kind.DATE:
        return day(number)
    moment = datetime(1970, 1, 1) + timedelta(microseconds=number)
    return moment.time() if kind is Kind.TIME else moment


def count(value: date | time) -> int:
    """The number that stands for a date, a moment or a time of day."""
    if isinstance(value, datetime):
        return (value - datetime(1970, 1, 1)) // timedelta(microseconds=1)
    if isinstance(value, date):
        return (value - EPOCH).days
    return (datetime.combine(EPOCH, value) - datetime(1970, 1, 1)) // timedelta(microseconds=1)


def day(number: int) -> date | None:
    """The day with this number; None outside the calendar."""
    return EPOCH + timedelta(days=number) if FIRST_DAY <= number <= LAST_DAY else None


def as_kind(value: Value, kind: Kind) -> Value:
    """A number as a whole or a real one; other things as they are."""
    if value is None or isinstance(value, str):
        return value
    if kind is Kind.NUMBER and isinstance(value, date | time):
        return float(count(value))
    if kind is Kind.INTEGER and isinstance(value, date | time):
        return count(value)
    if kind is Kind.NUMBER:
        return float(value)
    if kind is Kind.INTEGER and not isinstance(value, float):
        return int(value)
    return _nearest(value) if kind is Kind.INTEGER else value


def _nearest(value: float) -> int | None:
    """Halves to even; None if there is none of 64 bits."""
    if not math.isfinite(value):
        return None
    return _fitting(round(value))


def _fitting(value: int | None) -> int | None:
    return value if value is not None and SMALLEST <= value <= LARGEST else None


def _clean(value: Value, kind: Kind) -> Value:
    if isinstance(value, float) and math.isnan(value):
        return None
    if kind is Kind.INTEGER:
        return _fitting(as_kind(value, kind)) if value is not None else None
    return as_kind(value, kind) if kind is Kind.NUMBER else value


def _case(call: Call, row: Row) -> Value:
    arguments = call.arguments
    for condition, value in zip(arguments[::2], arguments[1::2], strict=False):
        if evaluate(condition, row) is True:
            return evaluate(value, row)
    return evaluate(arguments[-1], row) if len(arguments) % 2 else None


def _call(call: Call, values: list[Value]) -> Value:
    if call.function in TOLERANT:
        return TOLERANT[call.function](call, values)
    if any(value is None for value in values):
        return None
    return STRICT[call.function](call, *values)


def _pair(kind: Kind, *values: Value) -> list[Value]:
    """Numbers as they are computed with: doubles, unless the result is whole."""
    return [as_kind(value, kind) for value in values]


def _arithmetic(rule: Callable[..., Any]) -> Callable[..., Value]:
    def apply(call: Call, *values: Value) -> Value:
        with np.errstate(all="ignore"):
            if call.kind is Kind.NUMBER:
                return float(rule(*(np.float64(value) for value in values)))
            return rule(*(int(value) for value in values))

    return apply


def _alike(*values: Value) -> list[Value]:
    """For comparing: whole numbers beside real ones are real."""
    return [float(value) for value in values] if any(isinstance(value, float) for value in values) else list(values)


def _compare(rule: Callable[[Value, Value], bool]) -> Callable[..., bool]:
    return lambda _, one, other: rule(*_alike(one, other))


def _divide(_: Call, one: Value, other: Value) -> Value:
    with np.errstate(all="ignore"):
        return None if other == 0 else float(np.float64(one) / np.float64(other))


def _quotient(_: Call, one: int, other: int) -> Value:
    return None if other == 0 else abs(one) // abs(other) * (1 if (one < 0) == (other < 0) else -1)


def _remainder(_: Call, one: int, other: int) -> Value:
    return None if other == 0 else abs(one) % abs(other) * (1 if one >= 0 else -1)


def _whole(rule: Callable[[float], int]) -> Callable[..., Value]:
    return lambda _, value: rule(value) if math.isfinite(value) else value


def _half_away(value: float) -> float:
    lower = math.floor(abs(value))
    return math.copysign(lower + (abs(value) - lower >= 0.5), value)


def _round(call: Call, value: Value, places: int) -> Value:
    if isinstance(value, int) and call.kind is Kind.INTEGER:
        unit = 10 ** max(0, -places)
        return (abs(value) + unit // 2) // unit * unit * (1 if value >= 0 else -1)
    value = float(value)
    if not math.isfinite(value):
        return value
    scale = 10.0 ** abs(places)
    if places < 0:
        return _half_away(value / scale) * scale
    return _half_away(value * scale) / scale if math.isfinite(value * scale) else value


def _power(_: Call, one: Value, other: Value) -> float:
    one, other = float(one), float(other)
    try:
        return math.pow(one, other)
    except ValueError:  # 0 to a negative power is infinite; a negative number to a broken one is nothing
        return math.copysign(math.inf, one if other % 2 == 1 else 1) if one == 0 else math.nan
    except OverflowError:
        return -math.inf if one < 0 and other % 2 == 1 else math.inf


def _exp(_: Call, value: Value) -> float:
    with np.errstate(all="ignore"):
        return float(np.exp(np.float64(value)))


def _grid(call: Call, value: Value, centre: Value, step: Value, reach: int) -> int:
    del centre, step
    centre, step = (argument.value for argument in call.arguments[1:3])
    if isinstance(value, int) and step == 1 and centre.denominator == 1:
        return max(-reach, min(reach, value - int(centre)))
    if isinstance(value, int) and step.denominator == 1 and centre.denominator == 1:
        return max(-reach, min(reach, math.floor((value - centre) / step + Fraction(1, 2))))
    place = (float(value) - float(centre)) / float(step) + 0.5
    return max(-reach, min(reach, math.floor(place) if math.isfinite(place) else (reach if place > 0 else -reach)))


def _extreme(rule: Callable[..., Value]) -> Callable[..., Value]:
    def apply(call: Call, values: list[Value]) -> Value:
        there = _pair(call.kind, *(value for value in values if value is not None))
        return rule(there) if there else None

    return apply


def _nullif(call: Call, values: list[Value]) -> Value:
    one, other = values
    same = one is not None and other is not None and _compare(lambda a, b: a == b)(call, one, other)
    return None if same else one


def _all(_: Call, values: list[Value]) -> Value:
    return False if False in values else None if None in values else True


def _any(_: Call, values: list[Value]) -> Value:
    return True if True in values else None if None in values else False


def _in(call: Call, values: list[Value]) -> Value:
    return _any(call, [None if None in (values[0], one) else operator_equal(values[0], one) for one in values[1:]])


def operator_equal(one: Value, other: Value) -> bool:
    one, other = _alike(one, other)
    return bool(one == other)


def _like(_: Call, value: str, pattern: str) -> bool:
    parts = {"%": ".*", "_": "."}
    return re.fullmatch("".join(parts.get(one, re.escape(one)) for one in pattern), value, re.DOTALL) is not None


def _letters(rule: Callable[[str], str]) -> Callable[..., str]:
    """Letter by letter, as in Unicode's simple table: the text stays as long as it is."""

    def apply(_: Call, value: str) -> str:
        return "".join(
            _SIMPLE.get((rule.__name__, one)) or (rule(one) if len(rule(one)) == 1 else one) for one in value
        )

    return apply


_SIMPLE = {("lower", "İ"): "i", ("upper", "ß"): "ẞ"}


def _reversed(_: Call, value: str) -> str:
    if not value.isascii():
        raise Unmodelled
    return value[::-1]


def _trim(_: Call, value: str) -> str:
    spaces = "".join(one for one in value if unicodedata.category(one) == "Zs")
    return value.strip(spaces or " ")


def _substring(_: Call, value: str, start: int, length: int) -> str:
    """Places count from 1, or from the end if they are negative; a negative length goes backward."""
    start, length = (max(-(2**31), min(2**31, place)) for place in (start, length))
    begin = start - 1 if start >= 0 else len(value) + start
    low, high = sorted((begin, begin + length))
    return value[max(0, low) : max(0, high)]


def _blanks(value: str) -> str:
    return "".join(one for one in value if unicodedata.category(one) == "Zs") or " "


def _filling(value: str, length: int, filling: str) -> str:
    return (filling * length)[: max(0, length - len(value))]


def _split_part(_: Call, value: str, separator: str, place: int) -> str:
    parts = value.split(separator)
    index = place - 1 if place > 0 else len(parts) + place
    return parts[index] if 0 <= index < len(parts) else ""


def _truncate(unit: str) -> Callable[..., date | None]:
    def apply(_: Call, value: date) -> date | None:
        start = truncated(_moment(value), unit)
        return start if start is None or isinstance(value, datetime) else start.date()

    return apply


def _moment(value: date) -> datetime:
    return value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)


def _seconds(value: date | time) -> int:
    """Of a minute, in microseconds."""
    return count(value) % 60_000_000


def _format(_: Call, value: date, pattern: str) -> str:
    return written(_moment(value), pattern)


def _said(value: str, kind: Kind) -> str | None:
    """A text without the blanks around it, if it says a value of the kind."""
    return value.strip(" \t\n\r\f") if re.search(READS[kind], value, re.ASCII) and not value.endswith("\n\n") else None


def _said_moment(value: str) -> datetime | None:
    said = _said(value, Kind.TIMESTAMP)
    try:
        return None if said is None else datetime.fromisoformat(said)
    except ValueError:  # the 30th of February, the year 0
        return None


def _to_moment(_: Call, value: Value) -> Value:
    return _said_moment(value) if isinstance(value, str) else _moment(value)


def _to_time(_: Call, value: Value) -> Value:
    if isinstance(value, str):
        said = _said(value, Kind.TIME)
        return None if said is None else time.fromisoformat(said)
    return value if isinstance(value, time) else value.time()


def _to_integer(_: Call, value: Value) -> Value:
    if not isinstance(value, str):
        return as_kind(value, Kind.INTEGER)
    said = _said(value, Kind.INTEGER)
    if said is None:
        return None
    exact = Fraction(_complete(said))
    return _fitting(math.floor(abs(exact) + Fraction(1, 2)) * (1 if exact >= 0 else -1))


def _complete(said: str) -> str:
    """With digits on both sides of the point, which Python asks for."""
    return re.sub(r"[.](?![0-9])", ".0", re.sub(r"(?<![0-9])[.]", "0.", said))


def _to_number(_: Call, value: Value) -> Value:
    if not isinstance(value, str):
        return as_kind(value, Kind.NUMBER)
    said = _said(value, Kind.NUMBER)
    return None if said is None else float(said)


def _to_text(_: Call, value: Value) -> str:
    if isinstance(value, datetime | time) and value.microsecond:
        return str(value).rstrip("0")
    return str(value).lower() if isinstance(value, bool) else str(value)


def _to_date(_: Call, value: Value) -> Value:
    if isinstance(value, str):
        moment = _said_moment(value)
        return None if moment is None else moment.date()
    if isinstance(value, datetime):
        return value.date()
    days = as_kind(value, Kind.INTEGER) if not isinstance(value, date) else (value - EPOCH).days
    return None if days is None else day(days)


def _to_boolean(_: Call, value: Value) -> bool | None:
    if isinstance(value, str):
        return True if value.lower() in TRUE else False if value.lower() in FALSE else None
    return as_kind(value, Kind.NUMBER) != 0


STRICT: dict[str, Callable[..., Value]] = {
    "add": _arithmetic(lambda a, b: a + b),
    "subtract": _arithmetic(lambda a, b: a - b),
    "multiply": _arithmetic(lambda a, b: a * b),
    "negate": _arithmetic(lambda a: -a),
    "absolute": _arithmetic(lambda a: abs(a)),
    "divide": _divide,
    "quotient": _quotient,
    "remainder": _remainder,
    "sign": lambda _, value: (value > 0) - (value < 0),
    "floor": _whole(math.floor),
    "ceiling": _whole(math.ceil),
    "round": _round,
    "sqrt": lambda _, value: math.sqrt(value) if value >= 0 else None,
    "ln": lambda _, value: math.log(value) if value > 0 else None,
    "log_2": lambda _, value: math.log2(value) if value > 0 else None,
    "log_10": lambda _, value: math.log10(value) if value > 0 else None,
    "cube_root": lambda _, value: math.cbrt(value),
    "truncate": _whole(math.trunc),
    "bucket": lambda _, value, width: counted_from((count(value) - MONDAY) // width * width + MONDAY, Kind.TIMESTAMP),
    "exp": _exp,
    "power": _power,
    "grid": _grid,
    "to_integer": _to_integer,
    "to_number": _to_number,
    "to_text": _to_text,
    "to_date": _to_date,
    "to_boolean": _to_boolean,
    "equal": _compare(lambda a, b: a == b),
    "unequal": _compare(lambda a, b: a != b),
    "less": _compare(lambda a, b: a < b),
    "at_most": _compare(lambda a, b: a <= b),
    "more": _compare(lambda a, b: a > b),
    "at_least": _compare(lambda a, b: a >= b),
    "not": lambda _, value: not value,
    "like": _like,
    "starts_with": lambda _, value, start: value.startswith(start),
    "contains": lambda _, value, part: part in value,
    "lower": _letters(str.lower),
    "upper": _letters(str.upper),
    "trim": _trim,
    "length": lambda _, value: len(value),
    "substring": _substring,
    "concat": lambda _, *parts: "".join(parts),
    "like_any_case": lambda call, value, pattern: _like(
        call, *(STRICT["lower"](call, one) for one in (value, pattern))
    ),
    "matches": lambda _, value, pattern: re.search(pattern, value, re.ASCII) is not None,
    "matches_fully": lambda _, value, pattern: re.fullmatch(pattern, value, re.ASCII) is not None,
    "ends_with": lambda _, value, end: value.endswith(end),
    "trim_start": lambda _, value: value.lstrip(_blanks(value)),
    "trim_end": lambda _, value: value.rstrip(_blanks(value)),
    "trim_characters": lambda _, value, characters: value.strip(characters) if characters else value,
    "trim_start_characters": lambda _, value, characters: value.lstrip(characters) if characters else value,
    "trim_end_characters": lambda _, value, characters: value.rstrip(characters) if characters else value,
    "replace": lambda _, value, one, other: value.replace(one, other) if one else value,
    "fill_left": lambda _, value, length, filling: _filling(value, length, filling) + value[:length],
    "fill_right": lambda _, value, length, filling: value[:length] + _filling(value, length, filling),
    "split_part": _split_part,
    "last": lambda _, value, length: value[max(0, len(value) - length) :],
    "reverse": _reversed,
    "position": lambda _, value, part: value.find(part) + 1,
    "byte_length": lambda _, value: len(value.encode()),
    "year": lambda _, value: value.year,
    "quarter": lambda _, value: (value.month + 2) // 3,
    "month": lambda _, value: value.month,
    "day": lambda _, value: value.day,
    "weekday": lambda _, value: value.isoweekday(),
    "weekday_from_sunday": lambda _, value: value.isoweekday() % 7,
    "day_of_year": lambda _, value: value.timetuple().tm_yday,
    "week": lambda _, value: value.isocalendar().week,
    "iso_year": lambda _, value: value.isocalendar().year,
    "decade": lambda _, value: value.year // 10,
    "century": lambda _, value: (value.year + 99) // 100,
    "hour": lambda _, value: value.hour,
    "minute": lambda _, value: value.minute,
    "second": lambda _, value: value.second,
    "millisecond": lambda _, value: _seconds(value) // 1000,
    "microsecond": lambda _, value: _seconds(value),
    "epoch": lambda _, value: float(count(value)) / 1e6,
    **{f"truncate_{unit}": _truncate(unit) for unit in UNITS},
    "later": lambda _, value, months, rest: later(_moment(value), months, rest),
    "format": _format,
    "microseconds": lambda _, value: count(value),
    "moment_of_microseconds": lambda _, number: counted_from(number, Kind.TIMESTAMP),
    "to_timestamp": _to_moment,
    "to_time": _to_time,
    "days": lambda _, value: (value - EPOCH).days,
    "date_of_days": lambda _, number: day(number),
}
"""NULL if any argument is."""


def _with(between: str, *parts: str | None) -> str:
    return between.join(part for part in parts if part is not None)


TOLERANT: dict[str, Callable[[Call, list[Value]], Value]] = {
    "least": _extreme(min),
    "greatest": _extreme(max),
    "coalesce": _extreme(lambda there: there[0]),
    "nullif": _nullif,
    "and": _all,
    "or": _any,
    "in": _in,
    "is_null": lambda _, values: values[0] is None,
    "same": lambda _, values: values[0] is values[1] if None in values else operator_equal(*values),
    "concat_with": lambda _, values: None if values[0] is None else _with(*values),
}
"""These look at NULLs themselves."""


def number(value: float | Fraction | str) -> Literal:
    """A constant."""
    exact = Fraction(value)
    return Literal(exact, Kind.INTEGER if exact.denominator == 1 else Kind.NUMBER)
