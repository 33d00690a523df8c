"""How far one unit can move a statistic: the textbook's sensitivities, for both neighbouring relations.

`add-remove`: neighbours have one unit more or less. `replace`: one unit is exchanged for another, the size is public.
A unit here is one row; where a person has several, the planner bounds what all of them weigh together.
"""

from __future__ import annotations

from enum import Enum
from fractions import Fraction

from deniable.core.errors import InvalidArgumentError
from deniable.core.number import Number, amount, whole


class Neighbours(Enum):
    """Which two tables must be hard to tell apart."""

    ADD_REMOVE = "add-remove"
    REPLACE = "replace"


def count(neighbours: Neighbours = Neighbours.ADD_REMOVE) -> Fraction:
    """1 in both: a row enters, leaves, or changes its mind."""
    del neighbours
    return Fraction(1)


def histogram(neighbours: Neighbours = Neighbours.ADD_REMOVE) -> Fraction:
    """In l1: 1 under add-remove; 2 under replace, as a row leaves one cell and enters another."""
    return Fraction(1 if neighbours is Neighbours.ADD_REMOVE else 2)


def total(lower: Number, upper: Number, neighbours: Neighbours = Neighbours.ADD_REMOVE) -> Fraction:
    """How far one unit moves a sum of values in [lower, upper]: the largest size, or under replace the whole width."""
    low, high = _bounds(lower, upper)
    return max(abs(low), abs(high)) if neighbours is Neighbours.ADD_REMOVE else high - low


def mean(lower: Number, upper: Number, people: int) -> Fraction:
    """How far one unit moves the mean of n values in [lower, upper], n public, under replace: (upper - lower) / n."""
    low, high = _bounds(lower, upper)
    return (high - low) / whole("people", people)


def median(lower: Number, upper: Number) -> Fraction:
    """How far one unit moves the median of values in [lower, upper]: the whole range, however many values there are."""
    low, high = _bounds(lower, upper)
    return high - low


def _bounds(lower: Number, upper: Number) -> tuple[Fraction, Fraction]:
    """Bounds in their order."""
    low, high = amount("lower", lower), amount("upper", upper)
    if low >= high:
        raise InvalidArgumentError("upper", f"must be above lower, but {upper} <= {lower}")
    return low, high
