"""The sums of all coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from deniable.core.number import root_above
from deniable.core.vectors.batch import FloatArray, VectorBatch
from deniable.core.vectors.design import GRID
from deniable.core.vectors.kernel import Kernel


@dataclass(frozen=True, slots=True)
class ColumnSums(Kernel):
    """The sum of every coordinate; that of the constant is how many rows there are. A row is at most B long."""

    @property
    def within(self) -> Fraction:
        """B."""
        return root_above(Fraction(self.design.square))

    @property
    def worth(self) -> FloatArray:
        """A coordinate has a grid."""
        return np.full(self.design.size, 1 / GRID)

    def add(self, batch: VectorBatch) -> FloatArray:
        """Column by column."""
        return np.asarray(batch.weighed(batch.vectors).sum(axis=0))
