"""Post-processing: columns of the answer from noisy statistics, each with an interval that surely follows from theirs.

Interval arithmetic over whole columns at once. If every statistic lies within its own interval, every result lies
within its interval; so the results are at least as trustworthy as the statistics are together. NULL is NaN, and of
conditions neither true nor false, as in SQL.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, time
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.core.algebra.expression import Call, Column, Expression, Kind, Literal
from deniable.core.calendar import DAY, SECOND
from deniable.planner.work import spend

ROUNDED = "rounded"
"""A sum or mean of values that were put on a grid: what it is, the most that one row can be off by, and how many rows.

Only the planner writes it, around statistics: it is no function of the allow-list, and no engine ever sees it.
"""
MOMENTS = "moments"
"""A variance, covariance, slope or correlation, and the sums behind it, which planner/intervals/moments.py reads."""
ANY = "where_any"
"""How many rows there are, and a value, which is NULL where there are none."""
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Band:
    """A number per row, between low and high."""

    value: FloatArray
    low: FloatArray
    high: FloatArray

    @classmethod
    def exactly(cls, value: FloatArray) -> Band:
        """Known without doubt."""
        return cls(value, value, value)

    @classmethod
    def around(cls, value: FloatArray, error: float) -> Band:
        """Known up to an error on both sides."""
        return cls(value, value - error, value + error)


@dataclass(frozen=True, slots=True)
class Truth:
    """A condition per row: what it is for the noisy numbers, and what it could be for the true ones.

    Where it is NULL, it is none of these.
    """

    value: BoolArray
    possible: BoolArray
    certain: BoolArray
    null: BoolArray


Labels = NDArray[Any]
Result = Band | Truth | Labels


def evaluate(expression: Expression, columns: Mapping[str, Result], rows: int) -> Result:
    """The expression for every row; parts that occur in several places are worked out once."""
    known: dict[int, Result] = {}

    def result(part: Expression) -> Result:
        if id(part) not in known:
            spend()
            known[id(part)] = of(part)
        return known[id(part)]

    def of(part: Expression) -> Result:
        if isinstance(part, Column):
            return columns[part.name]
        if isinstance(part, Literal):
            return _constant(part, rows)
        if part.function == MOMENTS:
            return result(part.arguments[0])
        return RULES[part.function](*(result(argument) for argument in part.arguments))

    with np.errstate(all="ignore"):
        return result(expression)


def computable(expression: Expression) -> bool:
    """Whether this can stand around aggregates."""
    if not isinstance(expression, Call):
        return True
    if expression.function in ("least", "greatest") and expression.kind in (Kind.TEXT, Kind.BOOLEAN):
        return False
    return expression.function in RULES and all(computable(argument) for argument in expression.arguments)


def unrounded(expression: Expression) -> Expression:
    """The same with nothing said of rounding: noise alone."""
    if not isinstance(expression, Call):
        return expression
    if expression.function == ROUNDED:
        return unrounded(expression.arguments[0])
    return replace(expression, arguments=tuple(unrounded(argument) for argument in expression.arguments))


def _constant(literal: Literal, rows: int) -> Result:
    if literal.value is None:
        return Band.exactly(np.full(rows, np.nan))
    if isinstance(literal.value, bool):
        truth = np.full(rows, literal.value)
        return Truth(truth, truth, truth, np.zeros(rows, dtype=bool))
    if isinstance(literal.value, Fraction | date | time):  # dates and times are counted, as those of keys are
        return Band.exactly(np.full(rows, float(literal.range.low or 0)))
    return np.full(rows, literal.value, dtype=object)


def _hull(value: FloatArray, *corners: FloatArray) -> Band:
    """From the lowest corner to the highest; a corner without a value says that anything is possible."""
    stack = np.stack(corners)
    unknown = np.isnan(stack).any(axis=0) & ~np.isnan(value)
    low, high = np.where(unknown, -np.inf, stack.min(axis=0)), np.where(unknown, np.inf, stack.max(axis=0))
    return Band(value, low, high)


def _multiply(one: Band, other: Band) -> Band:
    corners = (one.low * other.low, one.low * other.high, one.high * other.low, one.high * other.high)
    return _hull(one.value * other.value, *corners)


def _divide(one: Band, other: Band) -> Band:
    """A divisor that may be zero leaves everything open; one that is zero gives NULL."""
    value = np.where(other.value == 0, np.nan, one.value / other.value)
    corners = [one.low / other.low, one.low / other.high, one.high / other.low, one.high / other.high]
    band = _hull(value, *corners)
    open_ended = (other.low <= 0) & (other.high >= 0)
    return Band(value, np.where(open_ended, -np.inf, band.low), np.where(open_ended, np.inf, band.high))


def _rounded(one: Band, most: Band, rows: Band) -> Band:
    """Off by at most so much for each of as many rows as there may be; where nobody knows how many, left out."""
    aside = np.nan_to_num(most.value * np.maximum(rows.high, 0), nan=0, posinf=np.inf)
    return Band(one.value, one.low - aside, one.high + aside)


def _where_any(many: Band, one: Band) -> Band:
    """NULL where nothing is counted; what it could be stays said."""
    return Band(np.where(many.value > 0, one.value, np.nan), one.low, one.high)


def _rising(rule: Callable[[FloatArray], FloatArray]) -> Callable[[Band], Band]:
    """A function that never falls goes from end to end."""
    return lambda one: Band(rule(one.value), rule(one.low), rule(one.high))


def _absolute(one: Band) -> Band:
    inside = (one.low <= 0) & (one.high >= 0)
    ends = np.abs(one.low), np.abs(one.high)
    return Band(np.abs(one.value), np.where(inside, 0, np.minimum(*ends)), np.maximum(*ends))


def _round(one: Band, places: Band) -> Band:
    """Halves away from zero, as SQL does."""
    unit = 10.0 ** -places.value[:1].item() if places.value.size else 1.0
    return _rising(lambda x: np.sign(x) * np.floor(np.abs(x) / unit + 0.5) * unit)(one)


def _extreme(pick: Callable[[FloatArray, FloatArray], FloatArray]) -> Callable[..., Band]:
    """LEAST and GREATEST pass over NULLs."""

    def rule(first: Band, *others: Band) -> Band:
        band = first
        for other in others:
            band = Band(pick(band.value, other.value), pick(band.low, other.low), pick(band.high, other.high))
        return band

    return rule


def _coalesce(first: Result, *others: Result) -> Result:
    """The first that is there."""
    for other in others:
        if isinstance(first, Band) and isinstance(other, Band):
            gone = np.isnan(first.value)
            first = Band(
                np.where(gone, other.value, first.value),
                np.where(gone, other.low, first.low),
                np.where(gone, other.high, first.high),
            )
        else:
            first = np.where(_missing(first), _plain(other), _plain(first))
    return first


def _compare(
    rule: Callable[[Any, Any], Any],
    widest: Callable[[Band, Band], BoolArray],
    surest: Callable[[Band, Band], BoolArray],
) -> Callable[[Result, Result], Truth]:
    """Of numbers, with what could be; of labels, plainly. NULL compares to nothing."""

    def compare(one: Result, other: Result) -> Truth:
        there = ~_missing(one) & ~_missing(other)
        if isinstance(one, Band) and isinstance(other, Band):
            held = rule(one.value, other.value) & there
            return Truth(held, widest(one, other) & there, surest(one, other) & there, ~there)
        plain = np.zeros(len(there), dtype=bool)
        plain[there] = rule(_plain(one)[there], _plain(other)[there])
        return Truth(plain, plain, plain, ~there)

    return compare


_less = _compare(lambda a, b: a < b, lambda a, b: a.low < b.high, lambda a, b: a.high < b.low)
_at_most = _compare(lambda a, b: a <= b, lambda a, b: a.low <= b.high, lambda a, b: a.high <= b.low)
_equal = _compare(
    lambda a, b: a == b,
    lambda a, b: (a.low <= b.high) & (b.low <= a.high),
    lambda a, b: (a.low == a.high) & (b.low == b.high) & (a.low == b.low),
)


def _not(one: Result) -> Truth:
    truth = truth_of(one)
    there = ~truth.null
    return Truth(~truth.value & there, ~truth.certain & there, ~truth.possible & there, truth.null)


def _and(*results: Result) -> Truth:
    """False as soon as one part is; otherwise NULL as soon as one part is."""
    parts = [truth_of(result) for result in results]
    false = np.logical_or.reduce([~part.value & ~part.null for part in parts])
    return Truth(
        np.logical_and.reduce([part.value for part in parts]),
        np.logical_and.reduce([part.possible for part in parts]),
        np.logical_and.reduce([part.certain for part in parts]),
        ~false & np.logical_or.reduce([part.null for part in parts]),
    )


def _or(*results: Result) -> Truth:
    """True as soon as one part is; otherwise NULL as soon as one part is."""
    parts = [truth_of(result) for result in results]
    true = np.logical_or.reduce([part.value for part in parts])
    return Truth(
        true,
        np.logical_or.reduce([part.possible for part in parts]),
        np.logical_or.reduce([part.certain for part in parts]),
        ~true & np.logical_or.reduce([part.null for part in parts]),
    )


def _in(value: Result, *options: Result) -> Truth:
    return _or(*(_equal(value, option) for option in options))


def _is_null(one: Result) -> Truth:
    gone = _missing(one)
    return Truth(gone, gone, gone, np.zeros(len(gone), dtype=bool))


def _case(*parts: Result) -> Result:
    """The first branch whose condition holds; its interval covers every branch that could be the true one."""
    conditions, branches = parts[: len(parts) // 2 * 2 : 2], list(parts[1::2])
    rows = len(_missing(branches[0]))
    if len(parts) % 2:
        branches.append(parts[-1])
    if not all(isinstance(branch, Band) for branch in branches):
        chosen = _plain(branches[-1]) if len(parts) % 2 else np.full(rows, None, dtype=object)
        for condition, branch in zip(reversed(conditions), reversed(branches[: len(conditions)]), strict=True):
            chosen = np.where(truth_of(condition).value, _plain(branch), chosen)
        return chosen
    bands = [branch for branch in branches if isinstance(branch, Band)]
    band = bands[-1] if len(parts) % 2 else Band.exactly(np.full(rows, np.nan))
    for condition, branch in zip(reversed(conditions), reversed(bands[: len(conditions)]), strict=True):
        truth = truth_of(condition)
        low = np.where(truth.certain, branch.low, np.where(truth.possible, np.fmin(branch.low, band.low), band.low))
        high = np.where(
            truth.certain, branch.high, np.where(truth.possible, np.fmax(branch.high, band.high), band.high)
        )
        band = Band(np.where(truth.value, branch.value, band.value), low, high)
    return band


def truth_of(result: Result) -> Truth:
    """A condition; a key that is true or false is one too."""
    if isinstance(result, Truth):
        return result
    held = result.value == 1 if isinstance(result, Band) else np.array([entry is True for entry in result], dtype=bool)
    return Truth(held, held, held, _missing(result))


def _missing(result: Result) -> BoolArray:
    if isinstance(result, Band):
        return np.isnan(result.value)
    if isinstance(result, Truth):
        return result.null
    return np.array([entry is None for entry in result], dtype=bool)


def _plain(result: Result) -> NDArray[Any]:
    if not isinstance(result, Band | Truth):
        return result
    values = result.value.astype(object)
    if isinstance(result, Truth):
        values[result.null] = None
    return values


def _square_root(values: FloatArray) -> FloatArray:
    return np.sqrt(np.where(values < 0, np.nan, values))


RULES: dict[str, Callable[..., Result]] = {
    "add": lambda one, other: Band(one.value + other.value, one.low + other.low, one.high + other.high),
    "subtract": lambda one, other: Band(one.value - other.value, one.low - other.high, one.high - other.low),
    "multiply": _multiply,
    "divide": _divide,
    "negate": lambda one: Band(-one.value, -one.high, -one.low),
    "absolute": _absolute,
    "floor": _rising(np.floor),
    "ceiling": _rising(np.ceil),
    "round": _round,
    ROUNDED: _rounded,
    ANY: _where_any,
    MOMENTS: lambda one, *_: one,
    "sqrt": lambda one: Band(_square_root(one.value), np.sqrt(np.maximum(one.low, 0)), _square_root(one.high)),
    "exp": _rising(np.exp),
    "least": _extreme(np.fmin),
    "greatest": _extreme(np.fmax),
    "coalesce": _coalesce,
    "to_number": lambda one: one,
    "days": lambda one: one,
    "microseconds": lambda one: one,
    "epoch": lambda one: _rising(lambda number: number / SECOND)(one),
    "to_timestamp": lambda one: _rising(lambda days: days * DAY)(one),
    "to_integer": lambda one: _rising(np.rint)(one),
    "equal": _equal,
    "unequal": lambda one, other: _not(_equal(one, other)),
    "less": _less,
    "at_most": _at_most,
    "more": lambda one, other: _less(other, one),
    "at_least": lambda one, other: _at_most(other, one),
    "in": _in,
    "is_null": _is_null,
    "and": _and,
    "or": _or,
    "not": _not,
    "case": _case,
}
"""The functions that may stand around aggregates."""
