"""Arithmetic of numbers within bounds: from the ends of the arguments follow those of the result."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from deniable.core.calendar import DAY, SECOND
from deniable.planner.expressions.evaluate.results import Band, FloatArray

ROUNDED = "rounded"
"""A sum or mean of values that were put on a grid: what it is, the most that one row can be off by, and how many rows.

Only the planner writes it, around statistics: it is no function of the allow-list, and no engine ever sees it.
"""
MOMENTS = "moments"
"""A variance, covariance, slope or correlation, and the sums behind it, which planner/intervals/moments.py reads."""
ANY = "where_any"
"""How many rows there are, and a value, which is NULL where there are none."""


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


def _square_root(values: FloatArray) -> FloatArray:
    return np.sqrt(np.where(values < 0, np.nan, values))


NUMBERS: dict[str, Callable[..., Band]] = {
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
    "to_number": lambda one: one,
    "days": lambda one: one,
    "microseconds": lambda one: one,
    "epoch": lambda one: _rising(lambda number: number / SECOND)(one),
    "to_timestamp": lambda one: _rising(lambda days: days * DAY)(one),
    "to_integer": lambda one: _rising(np.rint)(one),
}
