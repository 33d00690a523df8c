"""The closed algebra of row expressions: what a question may compute from one row.

An expression is a column, a literal, or a call of a function from the allow-list. Each carries its kind, bounds that
surely hold its value, and whether it can be missing. No expression can raise: what has no value is NULL.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, time
from enum import Enum
from fractions import Fraction

from deniable.core.calendar import counted


class Kind(Enum):
    """What a value is. Dates, timestamps and times are counted in whole numbers (core/calendar.py)."""

    INTEGER = "integer"
    NUMBER = "number"
    TEXT = "text"
    BOOLEAN = "boolean"
    DATE = "date"
    TIMESTAMP = "timestamp"
    """A day and a time of day, to the microsecond, in the zone that the policy names."""
    TIME = "time"


@dataclass(frozen=True, slots=True)
class Range:
    """Bounds that hold every value, both included; None where there is no bound."""

    low: Fraction | None = None
    high: Fraction | None = None

    @property
    def finite(self) -> bool:
        """Whether both ends are known."""
        return self.low is not None and self.high is not None


@dataclass(frozen=True, slots=True)
class Column:
    """A declared column. Numbers and dates are read as the nearest value within their bounds; NaN is NULL."""

    name: str
    kind: Kind
    range: Range = Range()
    nullable: bool = True
    length: int | None = None
    """Of a text: how many of its characters are read; None: all of them."""
    zone: str | None = None
    """Of a timestamp: the time zone in which instants are read."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant. Numbers are exact; dates are dates; NULL has the kind of its place."""

    value: Fraction | str | bool | date | time | None
    kind: Kind

    @property
    def range(self) -> Range:
        """The value itself."""
        if isinstance(self.value, bool | str) or self.value is None:
            return Range()
        number = Fraction(counted(self.value) if isinstance(self.value, date | time) else self.value)
        return Range(number, number)

    @property
    def nullable(self) -> bool:
        """Only NULL is."""
        return self.value is None


@dataclass(frozen=True, slots=True)
class Call:
    """A function of the allow-list, by its own name (never an engine's), applied to expressions."""

    function: str
    arguments: tuple[Expression, ...]
    kind: Kind
    range: Range = Range()
    nullable: bool = True


Expression = Column | Literal | Call


def columns(expression: Expression) -> frozenset[Column]:
    """The columns that an expression rests on."""
    if isinstance(expression, Column):
        return frozenset({expression})
    if isinstance(expression, Call):
        return frozenset().union(*(columns(argument) for argument in expression.arguments))
    return frozenset()


def calls(expression: Expression, function: str) -> frozenset[Call]:
    """The calls of a function in it, those within another of them left out."""
    if not isinstance(expression, Call):
        return frozenset()
    if expression.function == function:
        return frozenset({expression})
    return frozenset().union(*(calls(argument, function) for argument in expression.arguments))


def names(expression: Expression) -> frozenset[str]:
    """What the columns are called that an expression rests on."""
    return frozenset(column.name for column in columns(expression))


def renamed(expression: Expression, prefix: str) -> Expression:
    """The expression over columns whose names start with a prefix.

    Example:
        >>> renamed(Column("age", Kind.INTEGER), "0.").name
        '0.age'
    """
    return _mapped(expression, lambda name: prefix + name)


def unprefixed(expression: Expression, prefix: str) -> Expression:
    """What was renamed, as it was before."""
    return _mapped(expression, lambda name: name.removeprefix(prefix))


def _mapped(expression: Expression, rule: Callable[[str], str]) -> Expression:
    if isinstance(expression, Column):
        return replace(expression, name=rule(expression.name))
    if isinstance(expression, Call):
        return replace(expression, arguments=tuple(_mapped(argument, rule) for argument in expression.arguments))
    return expression


def depth(expression: Expression, most: int) -> int:
    """How deep an expression is nested, counted up to `most`: whoever takes it apart must come back up."""
    counted, level = 0, {id(expression): expression}
    while level and counted < most:
        counted += 1
        parts = [part for whole in level.values() if isinstance(whole, Call) for part in whole.arguments]
        level = {id(part): part for part in parts}
    return counted


def size(expression: Expression, most: int) -> int:
    """How many parts an expression has, counted up to `most`: shared parts can make it longer than any memory."""
    counted, waiting = 0, [expression]
    while waiting and counted < most:
        part = waiting.pop()
        counted += 1
        if isinstance(part, Call):
            waiting.extend(part.arguments)
    return counted
