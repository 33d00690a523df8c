"""Post-processing: columns of the answer from noisy statistics, each with an interval that surely follows from theirs.

Interval arithmetic over whole columns at once. If every statistic lies within its own interval, every result lies
within its interval; so the results are at least as trustworthy as the statistics are together. NULL is NaN, and of
conditions neither true nor false, as in SQL. Where a double would not hold a key or a constant, it is a label.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, time
from fractions import Fraction

import numpy as np

from deniable.core.algebra.expression import Call, Column, Expression, Kind, Literal, columns
from deniable.planner.expressions.allow_list import Arguments, branches, is_null
from deniable.planner.expressions.evaluate.conditions import CONDITIONS
from deniable.planner.expressions.evaluate.numbers import MOMENTS, NUMBERS, ROUNDED
from deniable.planner.expressions.evaluate.results import Band, Result, Truth
from deniable.planner.expressions.long_numbers import held
from deniable.planner.work import spend

COMPARING = frozenset({"equal", "unequal", "less", "at_most", "more", "at_least", "in", "is_null"})
_CHOOSING = frozenset({"case", "coalesce"})
RULES: dict[str, Callable[..., Result]] = {**NUMBERS, **CONDITIONS}
"""The functions that may stand around aggregates."""


def evaluate(expression: Expression, found: Mapping[str, Result], rows: int) -> Result:
    """The expression for every row; parts that occur in several places are worked out once."""
    known: dict[int, Result] = {}

    def result(part: Expression) -> Result:
        if id(part) not in known:
            spend()
            known[id(part)] = of(part)
        return known[id(part)]

    def of(part: Expression) -> Result:
        if isinstance(part, Column):
            return found[part.name]
        if isinstance(part, Literal):
            return _constant(part, rows)
        if part.function == MOMENTS:
            return result(part.arguments[0])
        as_given = part.kind is Kind.INTEGER or part.function in COMPARING | _CHOOSING
        return RULES[part.function](
            *(
                _nearest(one, rows) if isinstance(one, Literal) and is_long(one) and not as_given else result(one)
                for one in part.arguments
            )
        )

    with np.errstate(all="ignore"):
        return result(expression)


def computable(expression: Expression) -> bool:
    """Whether this can stand around aggregates."""
    if not isinstance(expression, Call):
        return True
    if expression.function in ("least", "greatest") and expression.kind in (Kind.TEXT, Kind.BOOLEAN):
        return False
    if expression.function not in COMPARING and not _is_short(expression):
        return False
    return expression.function in RULES and all(computable(argument) for argument in expression.arguments)


def _is_short(call: Call) -> bool:
    """Whether no whole number that a double does not hold is computed with: such are chosen, compared and shown.

    Noisy numbers are doubles; whole numbers alone are keys, choices and constants. A constant in what is no whole
    number, such as the factor of a variance, is a double there as in plain SQL.
    """
    if call.function in _CHOOSING:
        return _is_given(call) or not any(map(is_long, _chosen(call)))
    if any(is_long(one) for one in call.arguments if call.kind is Kind.INTEGER or not isinstance(one, Literal)):
        return False
    if call.kind is not Kind.INTEGER or held(call.range):
        return True
    return any(column.kind is not Kind.INTEGER for column in columns(call))


def is_long(part: Expression) -> bool:
    """Whether it may be a whole number that no double holds."""
    if part.kind is not Kind.INTEGER or held(part.range) or is_null(part):
        return False
    return not isinstance(part, Call) or (part.function in _CHOOSING and _is_given(part))


def _is_given(call: Call) -> bool:
    """Whether it gives one of several keys, choices and constants that are whole numbers."""
    return all(isinstance(one, Column | Literal) and (one.kind is call.kind or is_null(one)) for one in _chosen(call))


def _chosen(call: Call) -> Arguments:
    return branches(call.arguments) if call.function == "case" else call.arguments


def unrounded(expression: Expression) -> Expression:
    """An expression with nothing said of rounding: noise alone."""
    if not isinstance(expression, Call):
        return expression
    if expression.function == ROUNDED:
        return unrounded(expression.arguments[0])
    return replace(expression, arguments=tuple(unrounded(argument) for argument in expression.arguments))


def _nearest(long: Literal, rows: int) -> Band:
    """A constant of many digits in what is no whole number: the nearest double, as in plain SQL."""
    return Band.exactly(np.full(rows, float(long.range.low or 0)))


def _constant(literal: Literal, rows: int) -> Result:
    if literal.value is None:
        return Band.exactly(np.full(rows, np.nan))
    if isinstance(literal.value, bool):
        truth = np.full(rows, literal.value)
        return Truth(truth, truth, truth, np.zeros(rows, dtype=bool))
    if literal.kind is Kind.INTEGER and isinstance(literal.value, Fraction) and not held(literal.range):
        return np.full(rows, int(literal.value), dtype=object)
    if isinstance(literal.value, Fraction | date | time):  # dates and times are counted, as those of keys are
        return Band.exactly(np.full(rows, float(literal.range.low or 0)))
    return np.full(rows, literal.value, dtype=object)
