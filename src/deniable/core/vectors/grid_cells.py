"""How many rows lie in each cell of a public grid."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import prod

import numpy as np

from deniable.core.algebra.query import WEIGHT
from deniable.core.vectors.batch import FloatArray, VectorBatch
from deniable.core.vectors.design import GRID
from deniable.core.vectors.kernel import Kernel


@dataclass(frozen=True, slots=True)
class GridCells(Kernel):
    """Counts over some public directions, each divided into bins between minus and plus its reach.

    Rows beyond the outermost bins are counted in these. A row is in one cell.
    """

    directions: tuple[tuple[int, ...], ...]
    """In units of 1 / GRID."""
    bins: tuple[int, ...]
    reach: tuple[int, ...]
    """In units of 1 / GRID."""

    @property
    def within(self) -> Fraction:
        """One row, in the smallest weights."""
        return Fraction(WEIGHT)

    @property
    def worth(self) -> FloatArray:
        """Rows of weight one."""
        return np.full(prod(self.bins), 1 / WEIGHT)

    def add(self, batch: VectorBatch) -> FloatArray:
        """Whole numbers decide which cell it is."""
        along = np.floor(batch.vectors @ np.array(self.directions, dtype=np.float64).T / GRID)
        cell = np.zeros(len(along), dtype=np.int64)
        for place, (count, far) in enumerate(zip(self.bins, self.reach, strict=True)):
            moved = np.clip(along[:, place] + far, 0, 2 * far - 1)
            cell = cell * count + np.floor(moved * count / (2 * far)).astype(np.int64)
        return np.bincount(cell, weights=batch.weights, minlength=self.size).astype(np.float64)
