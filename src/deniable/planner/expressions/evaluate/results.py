"""What an expression is for every row: numbers within bounds, conditions, or labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.core.algebra.expression import Kind
from deniable.planner.expressions.long_numbers import HELD

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


def truth_of(result: Result) -> Truth:
    """A condition; a key that is true or false is one too."""
    if isinstance(result, Truth):
        return result
    held = result.value == 1 if isinstance(result, Band) else np.array([entry is True for entry in result], dtype=bool)
    return Truth(held, held, held, missing(result))


def missing(result: Result) -> BoolArray:
    """Where it is NULL."""
    if isinstance(result, Band):
        return np.isnan(result.value)
    if isinstance(result, Truth):
        return result.null
    return np.array([entry is None for entry in result], dtype=bool)


def plain(result: Result) -> NDArray[Any]:
    """Without what could be."""
    if not isinstance(result, Band | Truth):
        return result
    values = result.value.astype(object)
    values[missing(result)] = None
    return values


def labelled(values: Sequence[Any], kind: Kind) -> bool:
    """Whether values of a kind are compared and shown as they are, and not as doubles, because these hold them not."""
    if kind is Kind.INTEGER:
        return any(value is not None and abs(value) >= HELD for value in values)
    return kind in (Kind.TEXT, Kind.BOOLEAN)


def labels(values: Sequence[Any]) -> Labels:
    """As they are."""
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def as_numbers(result: Result, there: BoolArray) -> Result:
    """Whole numbers beside what is noisy, or has a point: as the nearest doubles, where there are any."""
    if not isinstance(result, np.ndarray) or not all(isinstance(entry, int) for entry in result[there]):
        return result
    values = np.full(len(result), np.nan)
    values[there] = result[there].astype(np.float64)
    return Band.exactly(values)
