"""The public grid: real numbers become whole multiples of a step, and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.core.errors import InvalidArgumentError
from deniable.core.number import Number, positive_amount

RANGE = 1 << 61
"""Indices lie within plus or minus this, so that an index and its noise always fit 64 bits."""

IntArray = NDArray[np.int64]

_DOUBLE = np.dtype(np.float64).itemsize


@dataclass(frozen=True, slots=True, init=False)
class Grid:
    """The multiples of `step`.

    A number goes to its nearest multiple, halves upward: floor(x / step + 1/2). That map is monotone and moves
    with whole steps, so two numbers at most m steps apart land at most ceil(m) indices apart. A float is the binary
    fraction that it stores, as a value and as a step. (Rounding halves to even would not do: 0.5 and 1.5 would land two
    apart. Nor would reading 0.15 as 15/100: it lands two tenths from 0.049999999999999996, less than a tenth away.)

    Example:
        >>> cents = Grid("0.01")
        >>> cents.indices("price", 3121.57), cents.values(np.array([312157]))
        (array([312157]), array([3121.57]))
    """

    step: Fraction

    def __init__(self, step: Number = 1) -> None:
        object.__setattr__(self, "step", positive_amount("step", step))

    def distance(self, difference: Fraction) -> int:
        """How many indices apart two numbers can land that differ by at most `difference`."""
        return -(-difference // self.step)

    def rounds(self, values: NDArray[np.generic]) -> bool:
        """Whether numbers of this kind may lie between the multiples. Decided by their type, not by their values."""
        return not (np.issubdtype(values.dtype, np.integer) and self.step.numerator == 1)

    def indices(self, name: str, values: ArrayLike | Fraction) -> IntArray:
        """The index of every number, as a vector; raises if one is not a finite number within the grid's range."""
        numbers = np.atleast_1d(_array(values))
        if numbers.ndim != 1:
            raise InvalidArgumentError(name, f"must be a number or a vector, not {numbers.ndim}-dimensional")
        if np.issubdtype(numbers.dtype, np.integer):
            return self._from_integers(name, numbers)
        if numbers.dtype.kind == "f" and numbers.itemsize <= _DOUBLE:
            return self._from_floats(name, numbers.astype(np.float64))
        return self._from_objects(name, numbers)

    def values(self, indices: IntArray) -> NDArray[np.int64] | NDArray[np.float64]:
        """The numbers at these indices: integers if the step is whole, floats otherwise."""
        if self.step.denominator == 1 and self.step.numerator < RANGE:
            limit = RANGE // self.step.numerator
            if bool((np.abs(indices) <= limit).all()):
                return indices * self.step.numerator
        return indices.astype(np.float64) * float(self.step.numerator) / float(self.step.denominator)

    def _from_integers(self, name: str, numbers: NDArray[np.generic]) -> IntArray:
        """Within 64 bits if that surely suffices, else in Python's integers."""
        limit = RANGE // (2 * max(self.step.numerator, self.step.denominator))
        if not limit or (numbers.size and not -limit <= int(numbers.min()) <= int(numbers.max()) <= limit):
            return self._from_objects(name, numbers.astype(object))
        top, bottom = self.step.numerator, self.step.denominator
        return (2 * bottom * numbers.astype(np.int64) + top) // (2 * top)

    def _from_floats(self, name: str, numbers: NDArray[np.float64]) -> IntArray:
        """By float division where its error cannot change the index, and exactly elsewhere."""
        if not np.isfinite(numbers).all():
            raise InvalidArgumentError(name, "must be finite; NaN and infinity have no place on the grid")
        with np.errstate(over="ignore"):
            shifted = numbers / float(self.step) + 0.5
        if not (np.abs(shifted) <= RANGE).all():
            raise InvalidArgumentError(name, f"must lie within {RANGE} steps of zero; choose a coarser step")
        unsure = np.abs(shifted - np.rint(shifted)) <= (np.abs(shifted) + 1) * 2.0**-50
        indices = np.floor(np.where(unsure, 0, shifted)).astype(np.int64)
        for position in np.flatnonzero(unsure):
            indices[position] = self._index(name, Fraction(float(numbers[position])))
        return indices

    def _from_objects(self, name: str, numbers: NDArray[np.generic]) -> IntArray:
        """Fractions, decimals, integers of any size and floats of more than 64 bits."""
        try:
            fractions = [_fraction(number) for number in numbers.tolist()]
        except (TypeError, ValueError, OverflowError, ZeroDivisionError):
            raise InvalidArgumentError(name, "must be finite numbers") from None
        return np.array([self._index(name, fraction) for fraction in fractions], dtype=np.int64)

    def _index(self, name: str, number: Fraction) -> int:
        """The definition."""
        index = floor(number / self.step + Fraction(1, 2))
        if abs(index) > RANGE:
            raise InvalidArgumentError(name, f"must lie within {RANGE} steps of zero; choose a coarser step")
        return index


def _array(values: ArrayLike | Fraction) -> NDArray[Any]:
    """The numbers as they were given: in a list of integers and floats, NumPy would round the large integers."""
    numbers = np.asarray(values)
    if numbers.dtype.kind == "f" and isinstance(values, Sequence) and not all(isinstance(one, float) for one in values):
        return np.asarray(values, dtype=object)
    return numbers


def _fraction(number: Any) -> Fraction:  # noqa: ANN401 - whatever an array may hold
    """The number itself; a float means the same in a list of objects as in an array of floats."""
    if isinstance(number, np.integer):
        return Fraction(int(number))  # Python's, which does not overflow
    if isinstance(number, float | np.floating):
        return Fraction(*number.as_integer_ratio())
    return Fraction(number)
