"""Post-processing: columns of the answer from noisy statistics, each with an interval that surely follows from theirs.

Interval arithmetic over whole columns at once. If every statistic lies within its own interval, every result lies
within its interval; so the results are at least as trustworthy as the statistics are together. NULL is NaN, and of
conditions neither true nor false, as in SQL.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, time
from fractions import Fraction

import numpy as np

from deniable.core.algebra.expression import Call, Column, Expression, Kind, Literal
from deniable.planner.expressions.evaluate.conditions import CONDITIONS
from deniable.planner.expressions.evaluate.numbers import MOMENTS, NUMBERS, ROUNDED
from deniable.planner.expressions.evaluate.results import Band, Result, Truth
from deniable.planner.work import spend

RULES: dict[str, Callable[..., Result]] = {**NUMBERS, **CONDITIONS}
"""The functions that may stand around aggregates."""


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
    """An expression with nothing said of rounding: noise alone."""
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
