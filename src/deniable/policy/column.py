"""A declared column: its kind, and what the custodian knows about its values without looking at them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, time
from enum import Enum
from fractions import Fraction
from unicodedata import normalize
from zoneinfo import available_timezones

from deniable.core.algebra import expression
from deniable.core.algebra.expression import Kind, Range
from deniable.core.calendar import SECOND, counted
from deniable.policy.problems import closest
from deniable.policy.section import Section
from deniable.policy.written import day, fraction, moment, shown, time_of_day

Bound = Fraction | date | time


class Declared(Enum):
    """The types that a policy can declare: each kind by its own name, and numbers by two more."""

    INTEGER = "integer"
    NUMBER = "number"
    DECIMAL = "decimal"
    """A number that is a whole multiple of its step, as money is."""
    DURATION = "duration"
    """A length of time, as a number of seconds."""
    TEXT = "text"
    BOOLEAN = "boolean"
    DATE = "date"
    TIMESTAMP = "timestamp"
    TIME = "time"

    @property
    def kind(self) -> Kind:
        """How it is computed with."""
        return Kind.NUMBER if self in (Declared.DECIMAL, Declared.DURATION) else Kind(self.value)


class Clock(Enum):
    """To which unit CURRENT_TIMESTAMP can be cut."""

    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"


_TOO_LONG = 'write type = "number", of which 15 digits count; or type = "text", if they are names and no amounts'
_RANGES = {
    Kind.INTEGER: "write bounds = [0, 110]",
    Kind.NUMBER: "write bounds = [0, 99.5]",
    Kind.DATE: 'write bounds = ["2025-01-01", "2025-12-31"]',
    Kind.TIMESTAMP: 'write bounds = ["2025-01-01 00:00:00", "2025-12-31 23:59:59"]',
    Kind.TIME: 'write bounds = ["08:00", "18:00"]',
}
"""The kinds that have an order, and how their bounds are written."""

_LISTS = {
    Kind.INTEGER: "write values = [1, 2, 3]",
    Kind.TEXT: 'write values = ["north", "east", "south", "west"]',
}
"""The kinds whose values can be listed, and how."""

_USUAL, _LONGEST = 1_000, 100_000
"""How many characters of a text are read, unless the custodian says otherwise; and the most that can be said."""


@dataclass(frozen=True, slots=True)
class DeclaredColumn:
    """A column that analysts may use. All of it is public knowledge; none of it is read from the data.

    Example:
        >>> DeclaredColumn("day", Kind.DATE, date(1970, 1, 2), date(1970, 1, 31)).expression.range
        Range(low=Fraction(1, 1), high=Fraction(30, 1))
    """

    name: str
    kind: Kind
    low: Bound | None = None
    high: Bound | None = None
    """A value outside of the bounds is read as the nearest bound."""
    step: Fraction | None = None
    """How fine a number is: cents, tenths of a degree; of a timestamp or a time of day, in microseconds."""
    values: tuple[str, ...] | tuple[int, ...] | None = None
    """The values that a GROUP BY answers for, in this order."""
    nulls: bool = True
    """False: the custodian asserts that no value is missing."""
    length: int | None = None
    """Of a text: how many of its characters are read; None: as many as usual."""
    zone: str | None = None
    """Of a timestamp: the time zone in which instants are read; None: what is stored must have none."""
    declared: Declared | None = None
    """What the policy calls it, if that is not the name of its kind."""

    @property
    def type(self) -> str:
        """What the policy calls it."""
        return self.kind.value if self.declared is None else self.declared.value

    @property
    def longest(self) -> int | None:
        """How many characters of a text are read; a declared value is read as a whole."""
        if self.kind is not Kind.TEXT:
            return None
        return max(self.length or _USUAL, _longest(self.values))

    @property
    def expression(self) -> expression.Column:
        """The column as the algebra of questions sees it; dates and times are whole numbers."""
        within = Range(_number(self.low), _number(self.high))
        return expression.Column(self.name, self.kind, within, self.nulls, self.longest, self.zone)

    @property
    def facts(self) -> Mapping[str, object]:
        """What an answer depends on, as plain words and lists."""
        return {
            "type": self.type,
            "bounds": [None if bound is None else str(bound) for bound in (self.low, self.high)],
            "step": None if self.step is None else str(self.step),
            "values": None if self.values is None else list(self.values),
            "nulls": self.nulls,
            "length": self.longest,
            **({} if self.zone is None else {"zone": self.zone}),
        }


def read_column(name: str, section: Section, zone: str | None = None) -> DeclaredColumn | None:
    """The column that a section declares; `zone` is where the population lives, unless the column says otherwise."""
    section.require(
        "type", f'type = "integer", or {", ".join(each.value for each in Declared if each.value != "integer")}'
    )
    declared = section.choice("type", Declared)
    kind = None if declared is None else declared.kind
    low, high = _bounds(section, kind)
    step = _step(section, declared, low, high)
    values = _values(section, kind, low, high)
    nulls = section.flag("nulls", default=True)
    length = _length(section, kind, values)
    own = read_zone(section)
    if own is not None and kind not in (None, Kind.TIMESTAMP):
        section.problem("zone", f"a column of type {section.value('type')} has no time zone", "leave zone out")
    section.finish()
    if kind is None or declared is None:
        return None
    where = (own or zone) if kind is Kind.TIMESTAMP else None
    other = declared if declared.value != kind.value else None
    return DeclaredColumn(name, kind, low, high, step, values, nulls, length, where, other)


def read_zone(section: Section) -> str | None:
    """A time zone by its name in the IANA database."""
    written = section.text("zone", 'zone = "Europe/Berlin"')
    if written is not None and written not in available_timezones():
        guess = closest(written, available_timezones())
        section.problem("zone", f"'{written}' is no time zone", f'{guess}write zone = "Europe/Berlin" or "UTC"')
        return None
    return written


def _bounds(section: Section, kind: Kind | None) -> tuple[Bound | None, Bound | None]:
    """Two values of the column's kind, the lower one first."""
    written = section.value("bounds")
    if written is None or kind is None:
        return None, None
    if kind not in _RANGES:
        section.problem("bounds", f"a column of type {kind.value} has no bounds", "leave bounds out")
        return None, None
    if not isinstance(written, list | tuple) or len(written) != len(("low", "high")):
        section.problem("bounds", f"must be a lower and an upper bound, not {shown(written)}", _RANGES[kind])
        return None, None
    low, high = (_bound(section, kind, value) for value in written)
    first, second = _number(low), _number(high)
    if first is not None and second is not None and first >= second:
        relation = "is" if first == second else "is above"
        what = f"the lower bound {shown(written[0])} {relation} the upper bound {shown(written[1])}"
        section.problem("bounds", what, f"{_RANGES[kind]}, the lower one first")
    return low, high


def _bound(section: Section, kind: Kind, value: object) -> Bound | None:
    """One end, if it is of the column's kind."""
    if kind in _READERS:
        reader, what = _READERS[kind]
        if (found := reader(value)) is None:
            section.problem("bounds", f"{shown(value)} is not {what}", _RANGES[kind])
        return found
    number = fraction(value)
    if number is None:
        section.problem("bounds", f"{shown(value)} is not a finite number", _RANGES[kind])
    elif kind is Kind.INTEGER and not _fits(number):
        whole = isinstance(value, int) and not isinstance(value, bool)
        section.problem(
            "bounds", f"{shown(value)} is not a whole number of 64 bits", _TOO_LONG if whole else _RANGES[kind]
        )
    return number


_READERS: dict[Kind, tuple[Callable[[object], date | time | None], str]] = {
    Kind.DATE: (day, "a day"),
    Kind.TIMESTAMP: (moment, "a day and a time of day without a time zone"),
    Kind.TIME: (time_of_day, "a time of day"),
}


def _step(section: Section, declared: Declared | None, low: Bound | None, high: Bound | None) -> Fraction | None:
    """How fine a number is, or a timestamp in seconds; a decimal must say it."""
    if declared is Declared.DECIMAL:
        section.require("step", "step = 0.01, of which all values are whole multiples")
    step = section.number("step", "step = 0.01")
    if step is None or declared is None:
        return None
    kind = declared.kind
    if kind in (Kind.TIMESTAMP, Kind.TIME):
        if (step * SECOND).denominator != 1:
            section.problem("step", "is not a whole number of microseconds", "write step = 1, in seconds")
        return step * SECOND
    if kind is not Kind.NUMBER:
        section.problem("step", f"a column of type {kind.value} has no step", "leave step out")
    elif isinstance(low, Fraction) and isinstance(high, Fraction) and low < high < low + step:
        section.problem("step", "is wider than the bounds", "write a step that is smaller than their difference")
    return step


def _values(
    section: Section, kind: Kind | None, low: Bound | None, high: Bound | None
) -> tuple[str, ...] | tuple[int, ...] | None:
    """Texts or whole numbers, each once."""
    written = section.value("values")
    if written is None or kind is None:
        return None
    if kind not in _LISTS:
        section.problem("values", f"a column of type {kind.value} has no list of values", "leave values out")
        return None
    if not isinstance(written, list | tuple) or not written:
        section.problem("values", f"must be a list of at least one value, not {shown(written)}", _LISTS[kind])
        return None
    texts = tuple(value for value in written if isinstance(value, str))
    numbers = tuple(int(number) for value in written if (number := fraction(value)) is not None and _fits(number))
    values = texts if kind is Kind.TEXT else numbers
    if len(values) < len(written):
        section.problem("values", f"must all be of the column's type, {kind.value}", _LISTS[kind])
    known = Counter(normalize("NFC", text) for text in texts) if kind is Kind.TEXT else Counter(numbers)
    for value in (value for value, times in known.items() if times > 1):
        section.problem("values", f"{shown(value)} is there twice", "write each value once")
    if kind is Kind.INTEGER and isinstance(low, Fraction) and isinstance(high, Fraction):
        for stranger in (whole for whole in numbers if not low <= whole <= high):
            section.problem("values", f"{stranger} is outside of the bounds", "leave it out, or widen the bounds")
    return values


def _length(section: Section, kind: Kind | None, values: tuple[str, ...] | tuple[int, ...] | None) -> int | None:
    """How many characters of a text are read."""
    length = section.whole("length", "length = 200, the most characters of a text that are read", most=_LONGEST)
    if length is None or kind is None:
        return None
    if kind is not Kind.TEXT:
        section.problem("length", f"a column of type {kind.value} has no length", "leave length out")
    elif _longest(values) > length:
        section.problem("length", "is shorter than one of the values", f"write length = {_longest(values)}")
    return length


def _longest(values: tuple[str, ...] | tuple[int, ...] | None) -> int:
    return max((len(value) for value in values or () if isinstance(value, str)), default=0)


def _number(bound: Bound | None) -> Fraction | None:
    """The bound as the algebra counts it."""
    return Fraction(counted(bound)) if isinstance(bound, date | time) else bound


def _fits(number: Fraction) -> bool:
    """Whether every engine can hold it as a whole number."""
    return number.denominator == 1 and -(2**63) <= number < 2**63
