"""Rows by the nearest of some public centres: a step of Lloyd's algorithm, in whole numbers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from deniable.core.number import root_above
from deniable.core.vectors.batch import FloatArray, VectorBatch
from deniable.core.vectors.design import GRID
from deniable.core.vectors.kernel import Kernel


@dataclass(frozen=True, slots=True)
class NearestCentres(Kernel):
    """For each centre, how many rows are nearest to it, and the sum of these rows.

    A row is one vector, (count, v), in the place of one centre: at most sqrt(count^2 + B^2) long.
    """

    centres: tuple[tuple[int, ...], ...]
    """In units of 1 / GRID."""
    count: int
    """What a row counts, in units of 1 / GRID."""

    @property
    def within(self) -> Fraction:
        """The norm of a row and of what it counts."""
        return root_above(Fraction(self.design.square + self.count**2))

    @property
    def worth(self) -> FloatArray:
        """How many first, then the coordinates; centre after centre."""
        return np.tile(np.r_[1 / self.count, np.full(self.design.size, 1 / GRID)], len(self.centres))

    def add(self, batch: VectorBatch) -> FloatArray:
        """Of equally near centres, the first."""
        places = np.array(self.centres, dtype=np.float64)
        distances = (places**2).sum(axis=1) - 2 * (batch.vectors @ places.T)
        member = (distances.argmin(axis=1)[None, :] == np.arange(len(places))[:, None]).astype(np.float64)
        counted = np.c_[np.full(len(batch.vectors), float(self.count)), batch.vectors]
        return np.asarray(member @ batch.weighed(counted)).reshape(-1)
