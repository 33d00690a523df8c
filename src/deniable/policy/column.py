"""A declared column: its kind, and what the custodian knows about its values without looking at them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from unicodedata import normalize

from deniable.core.algebra import expression
from deniable.core.algebra.expression import EPOCH, Kind, Range
from deniable.policy.section import Section
from deniable.policy.written import day, fraction, shown

Bound = Fraction | date

_RANGES = {
    Kind.INTEGER: "write bounds = [0, 110]",
    Kind.NUMBER: "write bounds = [0, 99.5]",
    Kind.DATE: 'write bounds = ["2025-01-01", "2025-12-31"]',
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
    """How fine a number is: cents, tenths of a degree."""
    values: tuple[str, ...] | tuple[int, ...] | None = None
    """The values that a GROUP BY answers for, in this order."""
    nulls: bool = True
    """False: the custodian asserts that no value is missing."""
    length: int | None = None
    """Of a text: how many of its characters are read; None: as many as usual."""

    @property
    def longest(self) -> int | None:
        """How many characters of a text are read; a declared value is read as a whole."""
        if self.kind is not Kind.TEXT:
            return None
        return max(self.length or _USUAL, _longest(self.values))

    @property
    def expression(self) -> expression.Column:
        """The column as the algebra of questions sees it; dates are days since 1970-01-01."""
        within = Range(_number(self.low), _number(self.high))
        return expression.Column(self.name, self.kind, within, self.nulls, self.longest)

    @property
    def facts(self) -> Mapping[str, object]:
        """What an answer depends on, as plain words and lists."""
        return {
            "type": self.kind.value,
            "bounds": [None if bound is None else str(bound) for bound in (self.low, self.high)],
            "step": None if self.step is None else str(self.step),
            "values": None if self.values is None else list(self.values),
            "nulls": self.nulls,
            "length": self.longest,
        }


def read_column(name: str, section: Section) -> DeclaredColumn | None:
    """The column that a section declares."""
    section.require("type", 'type = "integer", or number, text, boolean, date')
    kind = section.choice("type", Kind)
    low, high = _bounds(section, kind)
    step = _step(section, kind, low, high)
    values = _values(section, kind, low, high)
    nulls = section.flag("nulls", default=True)
    length = _length(section, kind, values)
    section.finish()
    return None if kind is None else DeclaredColumn(name, kind, low, high, step, values, nulls, length)


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
    if kind is Kind.DATE:
        if (found := day(value)) is None:
            section.problem("bounds", f"{shown(value)} is not a day", _RANGES[kind])
        return found
    number = fraction(value)
    if number is None:
        section.problem("bounds", f"{shown(value)} is not a finite number", _RANGES[kind])
    elif kind is Kind.INTEGER and not _fits(number):
        section.problem("bounds", f"{shown(value)} is not a whole number of 64 bits", _RANGES[kind])
    return number


def _step(section: Section, kind: Kind | None, low: Bound | None, high: Bound | None) -> Fraction | None:
    """How fine a number is; only numbers need to be told."""
    step = section.number("step", "step = 0.01")
    if step is None or kind is None:
        return None
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
    return Fraction((bound - EPOCH).days) if isinstance(bound, date) else bound


def _fits(number: Fraction) -> bool:
    """Whether every engine can hold it as a whole number."""
    return number.denominator == 1 and -(2**63) <= number < 2**63
