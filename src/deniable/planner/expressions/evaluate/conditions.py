"""Conditions on numbers within bounds: what they are, what they could be; and what is chosen by them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from deniable.planner.expressions.evaluate.results import (
    Band,
    BoolArray,
    Result,
    Truth,
    as_numbers,
    missing,
    plain,
    truth_of,
)


def _compare(
    rule: Callable[[Any, Any], Any],
    widest: Callable[[Band, Band], BoolArray],
    surest: Callable[[Band, Band], BoolArray],
) -> Callable[[Result, Result], Truth]:
    """Of numbers, with what could be; of labels, plainly. NULL compares to nothing."""

    def compare(one: Result, other: Result) -> Truth:
        there = ~missing(one) & ~missing(other)
        if isinstance(one, Band):
            other = as_numbers(other, there)
        elif isinstance(other, Band):
            one = as_numbers(one, there)
        if isinstance(one, Band) and isinstance(other, Band):
            held = rule(one.value, other.value) & there
            return Truth(held, widest(one, other) & there, surest(one, other) & there, ~there)
        held = np.zeros(len(there), dtype=bool)
        held[there] = rule(plain(one)[there], plain(other)[there])
        return Truth(held, held, held, ~there)

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
    gone = missing(one)
    return Truth(gone, gone, gone, np.zeros(len(gone), dtype=bool))


def _case(*parts: Result) -> Result:
    """The first branch whose condition holds; its interval covers every branch that could be the true one."""
    conditions, branches = parts[: len(parts) // 2 * 2 : 2], list(parts[1::2])
    rows = len(missing(branches[0]))
    if len(parts) % 2:
        branches.append(parts[-1])
    if not all(isinstance(branch, Band) for branch in branches):
        chosen = plain(branches[-1]) if len(parts) % 2 else np.full(rows, None, dtype=object)
        for condition, branch in zip(reversed(conditions), reversed(branches[: len(conditions)]), strict=True):
            chosen = np.where(truth_of(condition).value, plain(branch), chosen)
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
            first = np.where(missing(first), plain(other), plain(first))
    return first


CONDITIONS: dict[str, Callable[..., Result]] = {
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
    "coalesce": _coalesce,
}
