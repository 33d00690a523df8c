"""Queries about one attribute: all its rows, its values, its prefixes, its ranges.

A product of factors, one per attribute, is a set of queries about cells: two ranges make a rectangle, two sets of
values a cross-tabulation.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


class Shape(Enum):
    """Which rows a query about one attribute counts."""

    TOTAL = "total"
    VALUES = "values"
    PREFIXES = "prefixes"
    RANGES = "ranges"


@dataclass(frozen=True, slots=True)
class Factor:
    """A matrix of zeros and ones, one row per query and one column per value, that is never written out.

    Ranges and prefixes leave out the value of rows that have none; it is the last one.
    """

    shape: Shape
    size: int
    """Values, with the one of rows that have none."""
    present: int
    """Values without it."""

    @property
    def rows(self) -> int:
        """How many queries."""
        match self.shape:
            case Shape.TOTAL:
                return 1
            case Shape.VALUES:
                return self.size
            case Shape.PREFIXES:
                return self.present
            case Shape.RANGES:
                return self.present * (self.present + 1) // 2

    @property
    def taxi(self) -> int:
        """The largest l1 norm of a column: in how many queries one value counts."""
        match self.shape:
            case Shape.TOTAL | Shape.VALUES:
                return 1
            case Shape.PREFIXES:
                return self.present
            case Shape.RANGES:
                middle = (self.present + 1) // 2
                return middle * (self.present + 1 - middle)

    @property
    def square(self) -> int:
        """The largest squared l2 norm of a column: of zeros and ones, the same."""
        return self.taxi

    @property
    def least(self) -> int:
        """The least product of two columns: in how many queries the two values count that share the fewest."""
        if self.shape is Shape.TOTAL or self.size == 1:
            return 1
        return 0 if self.shape is Shape.VALUES or self.present < self.size else 1

    @property
    def widest(self) -> int:
        """The largest l1 norm of a row."""
        return 1 if self.shape is Shape.VALUES else self.size if self.shape is Shape.TOTAL else self.present

    def apply(self, tensor: FloatArray, axis: int) -> FloatArray:
        """The matrix times the tensor, along an axis; exact for whole numbers whose sums stay below 2^53."""
        match self.shape:
            case Shape.TOTAL:
                return np.asarray(tensor.sum(axis=axis, keepdims=True))
            case Shape.VALUES:
                return tensor
        sums = np.moveaxis(tensor, axis, 0)[: self.present].cumsum(axis=0)
        if self.shape is Shape.RANGES:
            before = np.concatenate([np.zeros_like(sums[:1]), sums])
            low, high = self.ends
            sums = before[high + 1] - before[low]
        return np.moveaxis(sums, 0, axis)

    def row(self, place: int) -> FloatArray:
        """One query: which values it counts."""
        values = np.arange(self.size)
        match self.shape:
            case Shape.TOTAL:
                return np.ones(self.size)
            case Shape.VALUES:
                return np.asarray(values == place, dtype=np.float64)
            case Shape.PREFIXES:
                return np.asarray(values <= place, dtype=np.float64)
        low, high = self.ends
        return np.asarray((low[place] <= values) & (values <= high[place]), dtype=np.float64)

    def quadratic(self, covariance: NDArray[Any]) -> NDArray[Any]:
        """The variance of each query, for values whose covariance has its two axes first; further axes stay."""
        match self.shape:
            case Shape.TOTAL:
                return np.asarray(covariance.sum(axis=(0, 1))[None])
            case Shape.VALUES:
                return covariance[np.arange(self.size), np.arange(self.size)]
        sums = np.zeros((self.present + 1, self.present + 1, *covariance.shape[2:]))
        sums[1:, 1:] = covariance[: self.present, : self.present].cumsum(axis=0).cumsum(axis=1)
        if self.shape is Shape.PREFIXES:
            places = np.arange(1, self.present + 1)
            return np.asarray(sums[places, places])
        low, high = self.ends
        high = high + 1
        return np.asarray(sums[high, high] - sums[low, high] - sums[high, low] + sums[low, low])

    @property
    def sums(self) -> FloatArray:
        """How many values each query counts."""
        return self.apply(np.ones(self.size), 0)

    @property
    def gram(self) -> FloatArray:
        """For each pair of values, how many queries count both."""
        places = np.arange(self.present)
        gram = np.zeros((self.size, self.size))
        match self.shape:
            case Shape.TOTAL:
                gram[:] = 1
            case Shape.VALUES:
                np.fill_diagonal(gram, 1)
            case Shape.PREFIXES:
                gram[: self.present, : self.present] = self.present - np.maximum.outer(places, places)
            case Shape.RANGES:
                first, last = np.minimum.outer(places, places), np.maximum.outer(places, places)
                gram[: self.present, : self.present] = (first + 1.0) * (self.present - last)
        return gram

    @property
    def trace(self) -> float:
        """Of the Gram matrix: how many pairs of a query and a value that it counts there are."""
        return float(self.sums.sum())

    @property
    def ends(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The first and the last value of every range, both included."""
        return np.triu_indices(self.present)
