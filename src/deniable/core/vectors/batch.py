"""Rows as they come from an engine become vectors of whole numbers that are short enough.

A row that is too long is shrunk by R / (floor(sqrt(s)) + 2), where s is the sum of its squares and R^2 the most that is
allowed: less than R / sqrt(s) whatever a square root is rounded to, and cutting towards 0 only shortens. A row that
should be too long all the same counts as 0: no proof rests on a rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from deniable.core.algebra.query import WEIGHT
from deniable.core.vectors.design import GRID, BinnedFeature, CategoryFeature, Classes, NumberFeature, VectorDesign

FloatArray = NDArray[np.float64]
"""Whole numbers below 2^53, as doubles: matrices of these multiply fast, and exactly."""

Matrix = tuple[tuple[int, ...], ...]
"""Public whole numbers, row by row."""

ROWS = 1 << 15
"""In one batch: a sum of so many products of coordinates stays below 2^53."""


@dataclass(frozen=True, slots=True)
class VectorBatch:
    """Some rows, each a vector with its target and its weight."""

    vectors: FloatArray
    """A row each; the squares of none add up to more than the design's."""
    target: FloatArray
    """A number, shrunk with its row; or the place of a class. Empty where there is none."""
    weights: FloatArray
    """What each row weighs, in WEIGHTs: a unit's rows weigh at most `contribution` of these together."""
    known: dict[Matrix, FloatArray] = field(default_factory=dict, repr=False, compare=False)
    """The last answer of `squares`: the steps of a training ask for the same."""

    @property
    def shares(self) -> FloatArray:
        """Weights, of one: at most 1."""
        return np.minimum(self.weights / WEIGHT, 1.0)

    def squares(self, matrix: Matrix) -> FloatArray:
        """For each row, the square of its length after it is turned by a matrix of whole numbers."""
        if matrix not in self.known:
            turned = self.vectors @ np.array(matrix, dtype=np.float64)
            self.known.clear()
            self.known[matrix] = np.einsum("ij,ij->i", turned, turned)
        return self.known[matrix]

    def weighed(self, values: FloatArray) -> FloatArray:
        """Rows of whole numbers, each times its weight, cut towards 0: never longer than that."""
        if bool((self.weights == WEIGHT).all()):
            return values
        shares = self.shares
        return np.trunc(values * (shares if values.ndim == 1 else shares[:, None]))


def batch_of(design: VectorDesign, columns: Sequence[NDArray[np.generic]], weights: NDArray[np.generic]) -> VectorBatch:
    """From one whole number for each feature, and one for the target if there is one; NaN where it is missing.

    A number is held within its reach, a place among its values: whatever an engine says.
    """
    count = len(weights)
    vectors = np.zeros((count, design.size))
    at = 0
    for feature, column in zip(design.features, columns, strict=False):
        values = np.asarray(column, dtype=np.float64)
        if isinstance(feature, NumberFeature):
            vectors[:, at] = np.trunc(np.clip(np.nan_to_num(values), -feature.reach, feature.reach))
        else:
            _mark(vectors[:, at : at + feature.size], values, feature)
        at += feature.size
    if design.constant:
        vectors[:, at] = design.constant
    target = np.asarray(columns[-1], dtype=np.float64) if design.target is not None else np.empty(0)
    held = np.clip(np.nan_to_num(np.asarray(weights, dtype=np.float64)), 0, WEIGHT)
    return _short(design, vectors, _held(design, target), held)


def _held(design: VectorDesign, target: FloatArray) -> FloatArray:
    """A target within its reach; what is missing, which an engine leaves out, counts as 0."""
    if design.target is None:
        return target
    known = np.trunc(np.nan_to_num(target))
    if isinstance(design.target, Classes):
        return np.asarray(np.clip(known, 0, len(design.target.values) - 1))
    return np.asarray(np.clip(known, -design.target.reach, design.target.reach))


def _mark(part: FloatArray, places: FloatArray, feature: CategoryFeature | BinnedFeature) -> None:
    """1 in the place of each row's value, and nowhere else; numbers beyond the outermost bins are in these."""
    size = part.shape[1]
    known = ~np.isnan(places)
    if isinstance(feature, BinnedFeature):
        places = np.clip(places, 0, size - 1)
    known &= (places >= 0) & (places < size)
    part[np.flatnonzero(known), places[known].astype(np.int64)] = GRID


def _short(design: VectorDesign, vectors: FloatArray, target: FloatArray, weights: FloatArray) -> VectorBatch:
    lengths = np.einsum("ij,ij->i", vectors, vectors)
    long = lengths > design.square
    if bool(long.any()):
        factor = np.where(long, design.radius / (np.floor(np.sqrt(lengths)) + 2), 1.0)
        vectors = np.trunc(vectors * factor[:, None])
        if isinstance(design.target, NumberFeature):
            target = np.trunc(target * factor)
        still = np.einsum("ij,ij->i", vectors, vectors) > design.square
        vectors[still] = 0
    return VectorBatch(vectors, target, weights)
