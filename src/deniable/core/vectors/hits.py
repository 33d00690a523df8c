"""How well a model does on private rows."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from deniable.core.algebra.query import WEIGHT
from deniable.core.number import root_above
from deniable.core.vectors.batch import FloatArray, VectorBatch
from deniable.core.vectors.design import GRID
from deniable.core.vectors.kernel import Kernel
from deniable.core.vectors.residuals import Coefficients, margins
from deniable.core.vectors.target_products import reach_of


@dataclass(frozen=True, slots=True)
class Hits(Kernel):
    """How many rows a linear model puts into their class, and how many rows there are. A row adds at most (1, 1)."""

    coefficients: Coefficients

    @property
    def within(self) -> Fraction:
        """Both at once."""
        return root_above(Fraction(2 * WEIGHT**2))

    @property
    def worth(self) -> FloatArray:
        """Rows of weight one."""
        return np.full(2, 1 / WEIGHT)

    def add(self, batch: VectorBatch) -> FloatArray:
        """The class with the largest margin; of two, the second if its margin is above 0."""
        places = margins(self.coefficients, batch.vectors)
        guess = places[:, 0] >= 0 if places.shape[1] == 1 else places.argmax(axis=1)
        return np.array([batch.weights[guess == batch.target].sum(), batch.weights.sum()])


@dataclass(frozen=True, slots=True)
class SquaredErrors(Kernel):
    """What scores a linear model: squared errors, those of always guessing the middle, targets, and rows, all summed.

    An error is held within twice the target's reach, so a row adds at most (1, 1/4, 1/2, 1) times 4 reach^2.
    """

    coefficients: Coefficients

    @property
    def within(self) -> Fraction:
        """All four at once."""
        return root_above(Fraction(WEIGHT**2 * 37, 16))

    @property
    def worth(self) -> FloatArray:
        """In the target's own grid: errors and squares, targets, rows."""
        far = reach_of(self.design) / GRID
        return np.array([4 * far**2, 4 * far**2, 2 * far, 1]) / WEIGHT

    def add(self, batch: VectorBatch) -> FloatArray:
        """Errors of rows as they were shrunk: a long row counts less, as in training."""
        far = float(reach_of(self.design))
        guess = np.floor(batch.vectors @ np.array(self.coefficients[0], dtype=np.float64) / GRID)
        missed = np.clip(batch.target - guess, -2 * far, 2 * far)
        parts = np.stack([(missed / (2 * far)) ** 2, (batch.target / (2 * far)) ** 2, batch.target / (2 * far)])
        shares = np.trunc(parts * batch.weights)
        return np.array([*shares.sum(axis=1), batch.weights.sum()])
