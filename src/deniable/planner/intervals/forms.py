"""Which expressions are combinations of noisy statistics, or quotients of two: those whose noise has a known law."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import inf
from sys import float_info

from deniable.core.algebra.expression import Call, Column, Expression, Literal
from deniable.planner.expressions.evaluate import ROUNDED
from deniable.planner.work import spend

_MOST_PLACES = 30
_HALF = Fraction(1, 2)
_ONCE = ""
"""The slack that does not grow with any count."""
Way = tuple[str, bool]
"""A statistic, by its name, and whether it is rounded to a whole number before anything is done with it."""
OTHERWISE: Way = ("", True)
"""Something else was rounded: the numbers that are added up then have no names."""


@dataclass(frozen=True, slots=True)
class Affine:
    """A constant plus multiples of statistics, known up to what a grid rounds."""

    constant: Fraction = Fraction(0)
    multiples: Mapping[str, Fraction] = field(default_factory=dict)
    """By the statistics' names; none is zero."""
    slack: Mapping[str, Fraction] = field(default_factory=dict)
    """How far it may be off without any noise: so much for each row that a count (by its name) counts, or once."""
    ways: frozenset[Way] = field(default=frozenset(), compare=False)
    """How the statistics occur in it."""
    sums: frozenset[str] | None = field(default=None, compare=False)
    """Some statistics: if none of them is negative, neither is this. None: it can be, whatever they are."""

    @property
    def once(self) -> Fraction:
        """The slack that does not grow with any count."""
        return self.slack.get(_ONCE, Fraction(0))

    @property
    def counts(self) -> frozenset[str]:
        """The counts that the slack grows with."""
        return frozenset(self.slack) - {_ONCE}

    def plus(self, other: Affine, times: Fraction = Fraction(1)) -> Affine:
        """With so many times another one."""
        return Affine(
            self.constant + times * other.constant,
            _added(self.multiples, other.multiples, times),
            _added(self.slack, other.slack, abs(times)),
            self.ways | other.ways,
            None if self.sums is None or other.sums is None or times < 0 else self.sums | other.sums,
        )

    def times(self, factor: Fraction) -> Affine:
        """So many times this one."""
        return Affine(sums=frozenset()).plus(self, factor)

    def loosened(self, most: Fraction, count: str = _ONCE) -> Affine:
        """Known less well: by so much, once or for each row that is counted."""
        slack = _added(self.slack, {count: most}, Fraction(1))
        return Affine(self.constant, self.multiples, slack, self.ways | {OTHERWISE})

    def rounded(self, half: Fraction) -> Affine:
        """To a multiple of twice as much: what is not negative stays so."""
        (way, *others) = self.ways or {OTHERWISE}
        alone = half == _HALF and not others and self == Affine(multiples={way[0]: Fraction(1)})
        ways = frozenset({(way[0], True)}) if alone else self.ways | {OTHERWISE}
        return replace(self.loosened(half), ways=ways, sums=self.sums)


@dataclass(frozen=True, slots=True)
class Ratio:
    """One combination over another one."""

    top: Affine
    bottom: Affine
    within: tuple[float, float] = (-inf, inf)
    """Where it surely lies, whatever the data are."""


Form = Affine | Ratio


@dataclass(frozen=True, slots=True)
class Forms:
    """Reads expressions; parts that occur in several places are read once.

    `whole` says for each statistic that may occur whether it is a whole number, so that rounding does nothing to it.
    """

    whole: Mapping[str, bool]
    _known: dict[int, Form | None] = field(default_factory=dict)

    def of(self, expression: Expression) -> Form | None:
        """The expression as a combination of the statistics, or as a quotient of two; None if it is neither."""
        if id(expression) not in self._known:
            spend(isinstance(expression, Call))
            self._known[id(expression)] = self._read(expression)
        return self._known[id(expression)]

    def _read(self, expression: Expression) -> Form | None:
        match expression:
            case Column(name=name):
                return _alone(name) if name in self.whole else None
            case Literal(value=value):
                return _constant(value) if isinstance(value, Fraction) else None
            case Call(function="add" | "subtract" | "multiply" | "divide" as function, arguments=(left, right)):
                one, other = self.of(left), self.of(right)
                return None if one is None or other is None else _ARITHMETIC[function](one, other)
            case Call(arguments=(inner, *_)):
                return self._around(expression, inner)
            case _:
                return None

    def _around(self, expression: Call, inner: Expression) -> Form | None:
        """What leaves a number as it is, or nearly."""
        match expression.function, expression.arguments[1:]:
            case "to_number", ():
                return self.of(inner)
            case "negate", ():
                return _times(self.of(inner), _constant(Fraction(-1)))
            case "round", (Literal(value=Fraction() as places),) if 0 <= places <= _MOST_PLACES:
                found = self.of(inner)
                kept = isinstance(found, Affine) and _is_whole(found, self.whole)
                half = Fraction(1, 2 * 10 ** int(places))
                return found if kept else found.rounded(half) if isinstance(found, Affine) else None
            case "case", (Literal(None), other) if _compares(inner, other):  # NULLIF: elsewhere it is what it is
                return self.of(other)
            case function, (Literal(value=Fraction() as most), rows) if function == ROUNDED:
                return _loosened(self.of(inner), most, rows)
            case _:
                return None


def _alone(name: str) -> Affine:
    return Affine(multiples={name: Fraction(1)}, ways=frozenset({(name, False)}), sums=frozenset({name}))


def _constant(value: Fraction) -> Affine:
    return Affine(value, sums=frozenset() if value >= 0 else None)


def _compares(condition: Expression, value: Expression) -> bool:
    """Whether this is: the value equals a constant."""
    match condition:
        case Call(function="equal", arguments=(one, Literal())):
            return one is value or one == value
        case _:
            return False


def _added(one: Mapping[str, Fraction], other: Mapping[str, Fraction], times: Fraction) -> dict[str, Fraction]:
    sums = {name: one.get(name, Fraction(0)) + times * other.get(name, Fraction(0)) for name in {**one, **other}}
    return {name: value for name, value in sums.items() if value}


def _is_whole(found: Affine, whole: Mapping[str, bool]) -> bool:
    """Whole multiples of whole numbers."""
    numbers = (found.constant, *found.multiples.values())
    return not found.slack and all(n.denominator == 1 for n in numbers) and all(whole[name] for name in found.multiples)


def _loosened(found: Form | None, most: Fraction, rows: Expression) -> Form | None:
    """Of a quotient, what is rounded once is rounded for each unit of the divisor: only a plain count may grow it."""
    if found is None or (isinstance(rows, Literal) and rows.value is None):
        return found
    if isinstance(found, Ratio):
        return None
    if isinstance(rows, Column):
        return found.loosened(most, rows.name)
    return found.loosened(most) if isinstance(rows, Literal) and rows.value == 1 else None


def _plus(one: Form, other: Form, sign: int = 1) -> Form | None:
    """Quotients add up if they have the same divisor, or one of them is a constant."""
    if isinstance(one, Affine) and isinstance(other, Affine):
        return one.plus(other, Fraction(sign))
    if isinstance(one, Ratio) and isinstance(other, Ratio):
        return Ratio(one.top.plus(other.top, Fraction(sign)), one.bottom) if one.bottom == other.bottom else None
    if isinstance(one, Ratio) and isinstance(other, Affine):
        return _moved(one, other.times(Fraction(sign)))
    if isinstance(one, Affine) and isinstance(other, Ratio):
        return _moved(Ratio(other.top.times(Fraction(sign)), other.bottom), one)
    return None


def _moved(ratio: Ratio, by: Affine) -> Form | None:
    """A constant c more: c times the divisor more, above."""
    return None if by.multiples or by.slack else Ratio(ratio.top.plus(ratio.bottom, by.constant), ratio.bottom)


def _times(one: Form | None, other: Form) -> Form | None:
    """By a constant."""
    if isinstance(one, Affine) and isinstance(other, Affine):
        if not other.multiples and not other.slack:
            return one.times(other.constant)
        return None if one.multiples or one.slack else other.times(one.constant)
    if isinstance(one, Ratio) and isinstance(other, Affine) and not other.multiples and not other.slack:
        return Ratio(one.top.times(other.constant), one.bottom)
    return _times(other, one) if isinstance(one, Affine) else None


def _over(one: Form, other: Form) -> Form | None:
    """Over a constant, or over another combination."""
    if isinstance(other, Ratio):
        return None
    if not other.multiples:
        return _times(one, _constant(1 / other.constant)) if other.constant and not other.slack else None
    return Ratio(one, other) if isinstance(one, Affine) else None


_ARITHMETIC: dict[str, Callable[[Form, Form], Form | None]] = {
    "add": _plus,
    "subtract": lambda one, other: _plus(one, other, -1),
    "multiply": _times,
    "divide": _over,
}


def finite(number: Fraction) -> float:
    """The nearest double; beyond all of them, the largest."""
    try:
        return float(number)
    except OverflowError:
        return float_info.max if number > 0 else -float_info.max
