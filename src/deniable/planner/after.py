"""What is made of a noisy answer on request (steps.py has the names): for nothing, and from its numbers alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from deniable.core.algebra.expression import Call, Expression
from deniable.planner.aggregates.statistics import Statistic
from deniable.planner.expressions.evaluate import Band, Result, unrounded
from deniable.planner.intervals.forms import Affine, Forms
from deniable.planner.plan import Bound, Output


def processed(
    columns: Mapping[str, Result], bound: Bound, noisy: Sequence[str], wanted: Sequence[str]
) -> dict[str, Result]:
    """The columns of an answer after these steps; an interval still holds what it held."""
    found = dict(columns)
    outputs = {output.name: output for output in bound.outputs}
    for name in noisy:
        band = found[name]
        if not isinstance(band, Band):
            continue
        total = _total(outputs[name], bound)
        if "nonnegative" in wanted and total is not None and _never_negative(total, bound):
            band = Band(*(np.maximum(part, 0) for part in (band.value, band.low, band.high)))
        if "whole" in wanted and total is not None:
            band = Band(np.rint(band.value), np.floor(band.low), np.ceil(band.high))
        found[name] = band
    first = next((band for name in noisy if isinstance(band := found[name], Band)), None)
    if "nonzero" not in wanted or first is None:
        return found
    kept = np.flatnonzero((first.low > 0) | (first.high < 0))
    return {name: taken(column, kept) for name, column in found.items()}


def taken(result: Result, rows: NDArray[np.int64]) -> Result:
    """The rows at these places, in this order."""
    if isinstance(result, Band):
        return Band(result.value[rows], result.low[rows], result.high[rows])
    if isinstance(result, np.ndarray):
        return result[rows]
    return type(result)(result.value[rows], result.possible[rows], result.certain[rows], result.null[rows])


def _total(output: Output, bound: Bound) -> Affine | None:
    """A count, a sum, or what these add up to."""
    whole = {base.name: False for base in bound.statistics if isinstance(base, Statistic)}
    found = Forms(whole).of(unrounded(_inside(output.value)))
    return found if isinstance(found, Affine) and found.multiples else None


def _inside(expression: Expression) -> Expression:
    """Without the rounding of a count."""
    if isinstance(expression, Call) and expression.function == "round":
        return expression.arguments[0]
    return expression


def _never_negative(total: Affine, bound: Bound) -> bool:
    """Whether it adds up nothing that can be negative."""
    known = {base.name: base for base in bound.statistics if isinstance(base, Statistic)}
    return total.constant >= 0 and all(
        factor >= 0 and _counts_up(known[name]) for name, factor in total.multiples.items()
    )


def _counts_up(statistic: Statistic) -> bool:
    """Whether no row takes anything away: it is a count, or adds up values whose lower bound is not negative."""
    if not statistic.signed:
        return True
    row = statistic.total.row if statistic.total is not None else None
    if not isinstance(row, Call) or row.function != "grid":
        return False
    value, centre, *_ = row.arguments
    return value.range.low is not None and value.range.low >= 0 and centre.range.low == 0
