"""The allow-list: every function that a question may use, with its kinds, its range and where it can be NULL.

What is not here does not exist. Engines spell each of these once, totally; `planner/expressions/evaluate` computes
those that may stand around an aggregate.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import log2, log10

from deniable.core.algebra.expression import Call, Column, Expression, Kind, Literal, Range
from deniable.core.calendar import DAY, SECOND, UNITS, YEARS
from deniable.core.errors import InvalidArgumentError
from deniable.planner.expressions import formats, ranges, spans, texts
from deniable.planner.expressions.texts import MOST_CHARACTERS

Arguments = tuple[Expression, ...]

PICKS = frozenset({"least", "greatest", "coalesce", "nullif", "case"})
"""Functions that give one of their arguments as it is: nothing is computed, so nothing can overflow."""
_AS_TEXT = 40
"""No number, day or truth takes more characters."""
NUMERIC = frozenset({Kind.INTEGER, Kind.NUMBER})
_ANY = frozenset(Kind)
_PLAIN = _ANY - {Kind.TIMESTAMP, Kind.TIME}
"""What is a number, or can be read as one."""


@dataclass(frozen=True, slots=True)
class Function:
    """How one function of the allow-list behaves."""

    takes: tuple[frozenset[Kind], ...]
    """The kinds of its arguments; the last one repeats if `many`."""
    gives: Callable[[Arguments], Kind]
    range: Callable[[Arguments], Range] = lambda _: ranges.EVERYTHING
    nullable: Callable[[Arguments], bool] = lambda arguments: _any_nullable(arguments)
    many: bool = False
    alike: bool = False
    """All arguments must be of one kind (whole and real numbers count as one)."""


def longest(expression: Expression) -> int:
    """The most characters that a text can have; of anything else, as a text."""
    match expression:
        case Column(kind=Kind.TEXT, length=length):
            return MOST_CHARACTERS if length is None else length
        case Literal(value=str(value)):
            return len(value)
        case Call(function="format", arguments=(_, Literal(value=str(pattern)))):
            return formats.longest(pattern)
        case Call(kind=Kind.TEXT, function=function, arguments=parts) if function != "to_text":
            written = texts.longest(function, parts, longest)
            usual = max((longest(part) for part in parts if part.kind is Kind.TEXT), default=0)
            return usual if written is None else written
        case _:
            return _AS_TEXT


def is_null(argument: Expression) -> bool:
    """Whether this is the constant NULL."""
    return isinstance(argument, Literal) and argument.value is None


def _always(kind: Kind) -> Callable[[Arguments], Kind]:
    return lambda _: kind


def _widest(arguments: Arguments) -> Kind:
    """Whole if all numbers are whole, else real; other kinds stay what they are."""
    kinds = {argument.kind for argument in arguments if not is_null(argument)}
    if kinds <= NUMERIC and kinds:
        return Kind.INTEGER if kinds == {Kind.INTEGER} else Kind.NUMBER
    return kinds.pop() if kinds else Kind.NUMBER


def _by(rule: Callable[..., Range]) -> Callable[[Arguments], Range]:
    return lambda arguments: rule(*(argument.range for argument in arguments))


def _within(low: int, high: int) -> Callable[[Arguments], Range]:
    return lambda _: Range(Fraction(low), Fraction(high))


def _characters(each: int) -> Callable[[Arguments], Range]:
    """As many as the text can have, so many for each: columns are cut to their declared length where they are read."""
    return lambda arguments: Range(Fraction(0), Fraction(max(1, each * longest(arguments[0]))))


def branches(arguments: Arguments) -> Arguments:
    """The values of a CASE: condition, value, condition, value, ..., otherwise."""
    return (*arguments[1::2], arguments[-1]) if len(arguments) % 2 else arguments[1::2]


def _can_vanish(_: Arguments) -> bool:
    return True


def _can_be_unreadable(arguments: Arguments) -> bool:
    """A day of a moment and a moment of a day are always there; what a text or a number says may be none."""
    return arguments[0].kind not in (Kind.DATE, Kind.TIMESTAMP, Kind.TIME) or arguments[0].nullable


def _by_zero(arguments: Arguments) -> bool:
    """A divisor that keeps away from zero always divides."""
    divisor = Range() if isinstance(arguments[1], Call) else arguments[1].range  # a call's is only concluded
    low, high = divisor.low, divisor.high
    divides = (low is not None and low > 0) or (high is not None and high < 0)
    return not divides or any(argument.nullable for argument in arguments)


def _never(_: Arguments) -> bool:
    return False


def _any_nullable(arguments: Arguments) -> bool:
    return any(argument.nullable for argument in arguments)


def _all_nullable(arguments: Arguments) -> bool:
    return all(argument.nullable for argument in arguments)


def _there(argument: Expression) -> bool:
    """Whether it has a value whatever the rows hold. That a column has one is the custodian's word, and no more."""
    if argument.nullable or isinstance(argument, Column):
        return False
    if isinstance(argument, Literal):
        return True
    if argument.function == "case":
        return all(_there(branch) for branch in branches(argument.arguments))
    some = any if argument.function in PICKS else all
    return some(_there(part) for part in argument.arguments)


def _least(arguments: Arguments) -> Range:
    """NULLs are passed over, so only an argument that is always there bounds the result from above."""
    sure = [argument.range for argument in arguments if _there(argument)]
    return ranges.least(ranges.union(*(argument.range for argument in arguments)), *sure)


def _greatest(arguments: Arguments) -> Range:
    """The mirror of least."""
    sure = [argument.range for argument in arguments if _there(argument)]
    return ranges.greatest(ranges.union(*(argument.range for argument in arguments)), *sure)


def _rounded(arguments: Arguments) -> Range:
    """Rounding to places moves a number by at most half a unit of the last place, and by what doubles round."""
    half = Fraction(1, 2) / Fraction(10) ** _places(arguments)
    value = arguments[0].range
    size = max((abs(end) for end in (value.low, value.high) if end is not None), default=Fraction(0))
    most = half + ((half + size) / 2**50 if arguments[0].kind is Kind.NUMBER else 0)
    return ranges.add(value, Range(-most, most))


def _places(arguments: Arguments) -> int:
    """A constant whole number."""
    match arguments[1]:
        case Literal(value=Fraction(denominator=1) as places) if abs(places) <= 15:  # noqa: PLR2004 - as the message says
            return int(places)
        case _:
            raise InvalidArgumentError("round", "takes a constant, whole number of places, at most 15")


def _as_number(rule: Callable[[Range], Range]) -> Callable[[Arguments], Range]:
    """Of a number by its range; false and true are 0 and 1; of anything else nothing is known."""

    def bounds(arguments: Arguments) -> Range:
        (value,) = arguments
        if value.kind is Kind.BOOLEAN:
            return Range(Fraction(0), Fraction(1))
        return rule(value.range) if value.kind in NUMERIC else ranges.EVERYTHING

    return bounds


def _moved(arguments: Arguments) -> Range:
    """How far a constant number of months and microseconds moves a moment."""
    value, months, microseconds = arguments
    match months, microseconds:
        case Literal(value=Fraction(denominator=1) as many), Literal(value=Fraction(denominator=1) as rest):
            if abs(many) <= spans.MOST_MONTHS and abs(rest) <= spans.MOST_MICROSECONDS:
                return spans.later_range(value, int(many), int(rest))
    raise InvalidArgumentError("interval", "must be a constant of at most ten thousand years")


def _seconds(arguments: Arguments) -> Range:
    """Microseconds as seconds."""
    return ranges.divide(arguments[0].range, Range(Fraction(SECOND), Fraction(SECOND)))


def _as_day(arguments: Arguments) -> Range:
    """The days of a timestamp or a number; of anything else nothing is known."""
    (value,) = arguments
    if value.kind is Kind.TIMESTAMP:
        return ranges.floors(ranges.scaled(value.range, Fraction(1, DAY)))
    return ranges.nearest(value.range) if value.kind in NUMERIC | {Kind.DATE} else ranges.EVERYTHING


def _as_moment(arguments: Arguments) -> Range:
    """The microseconds of a day."""
    (value,) = arguments
    return ranges.scaled(value.range, Fraction(DAY)) if value.kind is Kind.DATE else value.range


_NUMBERS = (frozenset(NUMERIC), frozenset(NUMERIC))
_NUMBER = (frozenset(NUMERIC),)
_TEXT = (frozenset({Kind.TEXT}),)
_TRUTHS = (frozenset({Kind.BOOLEAN}), frozenset({Kind.BOOLEAN}))
_DATE = (frozenset({Kind.DATE}),)
_CALENDAR = (frozenset({Kind.DATE, Kind.TIMESTAMP}),)
_CLOCK = (frozenset({Kind.TIMESTAMP, Kind.TIME}),)
_READABLE = frozenset({Kind.TEXT, Kind.DATE, Kind.TIMESTAMP, Kind.TIME})
_INTEGER = frozenset({Kind.INTEGER})
_WHOLE = _always(Kind.INTEGER)
_REAL = _always(Kind.NUMBER)
_WORDS = _always(Kind.TEXT)
_TRUTH = _always(Kind.BOOLEAN)
_DAY = _always(Kind.DATE)
_MOMENT = _always(Kind.TIMESTAMP)


def _comparison() -> Function:
    return Function((_ANY, _ANY), _TRUTH, alike=True)


def _truncation(unit: str) -> Function:
    """The beginning of a unit; if it lies before the calendar, NULL."""
    vanish = _can_vanish if unit in YEARS and unit != "year" else _any_nullable
    return Function(_CALENDAR, lambda a: a[0].kind, lambda a: spans.truncated_range(a[0], unit), vanish)


def _bucket(arguments: Arguments) -> Range:
    """At most one width before the moment."""
    width = texts.places("width", arguments[1], least=1, most=10_000 * 366 * DAY)
    return ranges.add(arguments[0].range, Range(Fraction(-width), Fraction(0)))


def _clock(most: int) -> Function:
    return Function(_CLOCK, _WHOLE, _within(0, most))


def _years(*, over: int = 1, iso: bool = False) -> Function:
    """A year, or what counts so many of them."""
    return Function(_CALENDAR, _WHOLE, lambda a: spans.years(a[0], over, iso=iso))


FUNCTIONS: dict[str, Function] = {
    "add": Function(_NUMBERS, _widest, _by(ranges.add)),
    "subtract": Function(_NUMBERS, _widest, _by(ranges.subtract)),
    "multiply": Function(_NUMBERS, _widest, _by(ranges.multiply)),
    "divide": Function(_NUMBERS, _REAL, _by(ranges.divide), _by_zero),
    "quotient": Function((_INTEGER, _INTEGER), _WHOLE, _by(ranges.quotient), _by_zero),
    "remainder": Function((_INTEGER, _INTEGER), _WHOLE, _by(ranges.remainder), _by_zero),
    "negate": Function(_NUMBER, _widest, _by(ranges.negate)),
    "absolute": Function(_NUMBER, _widest, _by(ranges.absolute)),
    "sign": Function(_NUMBER, _WHOLE, _within(-1, 1)),
    "floor": Function(_NUMBER, _WHOLE, _by(ranges.floors)),
    "ceiling": Function(_NUMBER, _WHOLE, _by(ranges.ceilings)),
    "round": Function(_NUMBERS, lambda a: Kind.INTEGER if _places(a) <= 0 else Kind.NUMBER, _rounded),
    "sqrt": Function(_NUMBER, _REAL, _by(ranges.square_root), _can_vanish),
    "ln": Function(_NUMBER, _REAL, _by(ranges.logarithm), _can_vanish),
    "exp": Function(_NUMBER, _REAL, _by(ranges.exponential)),
    "log_2": Function(_NUMBER, _REAL, _by(lambda one: ranges.logarithm(one, log2)), _can_vanish),
    "log_10": Function(_NUMBER, _REAL, _by(lambda one: ranges.logarithm(one, log10)), _can_vanish),
    "cube_root": Function(_NUMBER, _REAL, _by(ranges.cube_root)),
    "truncate": Function(_NUMBER, _WHOLE, _by(lambda one: Range(ranges.floors(one).low, ranges.ceilings(one).high))),
    "bucket": Function((frozenset({Kind.TIMESTAMP}), _INTEGER), _MOMENT, _bucket, _can_vanish),
    "power": Function(_NUMBERS, _REAL, nullable=_can_vanish),
    "least": Function((_ANY,), _widest, _least, _all_nullable, many=True, alike=True),
    "greatest": Function((_ANY,), _widest, _greatest, _all_nullable, many=True, alike=True),
    "coalesce": Function((_ANY,), _widest, _by(ranges.union), _all_nullable, many=True, alike=True),
    "nullif": Function((_ANY, _ANY), lambda a: a[0].kind, lambda a: a[0].range, _can_vanish, alike=True),
    "equal": _comparison(),
    "same": Function((_ANY, _ANY), _TRUTH, nullable=_never, alike=True),
    "unequal": _comparison(),
    "less": _comparison(),
    "at_most": _comparison(),
    "more": _comparison(),
    "at_least": _comparison(),
    "in": Function((_ANY, _ANY), _TRUTH, many=True, alike=True),
    "is_null": Function((_ANY,), _TRUTH, nullable=_never),
    "and": Function(_TRUTHS, _TRUTH, many=True),
    "or": Function(_TRUTHS, _TRUTH, many=True),
    "not": Function((frozenset({Kind.BOOLEAN}),), _TRUTH),
    "case": Function(
        (_ANY, _ANY),
        lambda a: _widest(branches(a)),
        lambda a: ranges.union(*[branch.range for branch in branches(a) if not is_null(branch)] or [Range()]),
        lambda a: len(a) % 2 == 0 or any(branch.nullable for branch in branches(a)),
        many=True,
    ),
    "like": Function((_TEXT[0], _TEXT[0]), _TRUTH),
    "starts_with": Function((_TEXT[0], _TEXT[0]), _TRUTH),
    "contains": Function((_TEXT[0], _TEXT[0]), _TRUTH),
    "lower": Function(_TEXT, _WORDS),
    "upper": Function(_TEXT, _WORDS),
    "trim": Function(_TEXT, _WORDS),
    "length": Function(_TEXT, _WHOLE, _characters(1)),
    "substring": Function((_TEXT[0], _INTEGER, _INTEGER), _WORDS),
    "concat": Function((_TEXT[0],), _WORDS, many=True),
    "concat_with": Function((_TEXT[0], _TEXT[0]), _WORDS, nullable=lambda a: a[0].nullable, many=True),
    "like_any_case": Function((_TEXT[0], _TEXT[0]), _TRUTH),
    "matches": Function((_TEXT[0], _TEXT[0]), _TRUTH, texts.pattern),
    "matches_fully": Function((_TEXT[0], _TEXT[0]), _TRUTH, texts.pattern),
    "ends_with": Function((_TEXT[0], _TEXT[0]), _TRUTH),
    "trim_start": Function(_TEXT, _WORDS),
    "trim_end": Function(_TEXT, _WORDS),
    "trim_characters": Function((_TEXT[0], _TEXT[0]), _WORDS),
    "trim_start_characters": Function((_TEXT[0], _TEXT[0]), _WORDS),
    "trim_end_characters": Function((_TEXT[0], _TEXT[0]), _WORDS),
    "replace": Function((_TEXT[0],) * 3, _WORDS),
    "fill_left": Function((_TEXT[0], _INTEGER, _TEXT[0]), _WORDS, texts.filled),
    "fill_right": Function((_TEXT[0], _INTEGER, _TEXT[0]), _WORDS, texts.filled),
    "split_part": Function((_TEXT[0], _TEXT[0], _INTEGER), _WORDS, texts.split),
    "last": Function((_TEXT[0], _INTEGER), _WORDS, texts.last),
    "reverse": Function(_TEXT, _WORDS),
    "position": Function((_TEXT[0], _TEXT[0]), _WHOLE, _characters(1)),
    "byte_length": Function(_TEXT, _WHOLE, _characters(4)),
    "year": _years(),
    "iso_year": _years(iso=True),
    "decade": _years(over=10),
    "century": Function(_CALENDAR, _WHOLE, _within(1, 100)),
    "quarter": Function(_CALENDAR, _WHOLE, _within(1, 4)),
    "month": Function(_CALENDAR, _WHOLE, _within(1, 12)),
    "week": Function(_CALENDAR, _WHOLE, _within(1, 53)),
    "day": Function(_CALENDAR, _WHOLE, _within(1, 31)),
    "day_of_year": Function(_CALENDAR, _WHOLE, _within(1, 366)),
    "weekday": Function(_CALENDAR, _WHOLE, _within(1, 7)),
    "weekday_from_sunday": Function(_CALENDAR, _WHOLE, _within(0, 6)),
    "hour": _clock(23),
    "minute": _clock(59),
    "second": _clock(59),
    "millisecond": _clock(59_999),
    "microsecond": _clock(59_999_999),
    "epoch": Function(_CLOCK, _REAL, _seconds),
    **{f"truncate_{unit}": _truncation(unit) for unit in UNITS},
    "later": Function((_CALENDAR[0], _INTEGER, _INTEGER), _MOMENT, _moved, _can_vanish),
    "format": Function((_CALENDAR[0], _TEXT[0]), _WORDS, formats.checked),
    "microseconds": Function(_CLOCK, _WHOLE, lambda a: a[0].range),
    "moment_of_microseconds": Function((_INTEGER,), _MOMENT, lambda a: a[0].range, _can_vanish),
    "days": Function(_DATE, _WHOLE, lambda a: a[0].range),
    "date_of_days": Function((_INTEGER,), _DAY, lambda a: a[0].range, _can_vanish),
    "to_integer": Function((_PLAIN,), _WHOLE, _as_number(ranges.nearest), _can_vanish),
    "to_number": Function((_PLAIN,), _REAL, _as_number(lambda one: one), _can_vanish),
    "to_text": Function((_ANY,), _WORDS),
    "to_date": Function((_PLAIN | {Kind.TIMESTAMP},), _DAY, _as_day, _can_be_unreadable),
    "to_timestamp": Function((_READABLE - {Kind.TIME},), _MOMENT, _as_moment, _can_be_unreadable),
    "to_time": Function((_READABLE - {Kind.DATE},), _always(Kind.TIME), _within(0, DAY - 1), _can_be_unreadable),
    "to_boolean": Function((_PLAIN,), _TRUTH, nullable=_can_vanish),
    "grid": Function(
        (_NUMBER[0], _NUMBER[0], _NUMBER[0], _INTEGER),
        _WHOLE,
        lambda a: Range(ranges.negate(a[3].range).low, a[3].range.high),
        lambda a: a[0].nullable,
    ),
}
"""Names are our own, never an engine's."""
