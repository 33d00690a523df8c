"""The gradient of a logistic model, turned by a public matrix, clipped row by row, in whole numbers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from deniable.core.grid import IntArray
from deniable.core.number import root_above
from deniable.core.vectors.batch import FloatArray, Matrix, VectorBatch
from deniable.core.vectors.design import GRID
from deniable.core.vectors.kernel import Kernel

Coefficients = Matrix
"""A row for each class, or a single one for the second of two; in units of 1 / GRID."""

FINE = 1 << 16
"""Steps in one, of a probability."""
_LARGEST = 1 << 20
"""Of a coefficient, in units of 1 / GRID: margins stay below 2^53."""
_STEPS = 1 << 10
"""In one, of what probabilities are looked up by."""
_FARTHEST = 10
"""Beyond this, a probability is as good as 0 or 1."""
_MARGIN = GRID**2 // _STEPS
TURN = 1 << 8
"""Steps in one, of what rows are turned by."""
_FARTHEST_TURN = 1 << 20
"""Of an entry, in units of 1 / TURN: products with a row stay below 2^53."""


@dataclass(frozen=True, slots=True)
class Residuals(Kernel):
    """For each row of coefficients, what the model gets wrong, times the coordinates, summed, and turned.

    A row's residuals r are its probabilities less 1 for its class, looked up in a public table; with M what rows are
    turned by, it adds r (M v)', of norm |r| |M v|. Residuals are shrunk until that is at most `clip`, and cut towards
    0. M is the same for all rows, so it is applied to their sum, once, which is then cut to the grid.
    """

    coefficients: Coefficients
    clip: int
    """The longest that a row's gradient may be, in units of 1 / GRID."""
    turn: Matrix
    """M, a symmetric matrix, in units of 1 / TURN."""

    @property
    def within(self) -> Fraction:
        """The clipping norm, and one in every number, by which cutting may move them apart."""
        return self.clip * FINE + root_above(Fraction(self.size))

    @property
    def worth(self) -> FloatArray:
        """A coordinate and a probability have a grid each."""
        return np.full(self.design.size * len(self.coefficients), 1 / (GRID * FINE))

    def add(self, batch: VectorBatch) -> FloatArray:
        """Margins, probabilities, residuals, clipping, and one product of matrices."""
        wrong = residuals(self.coefficients, batch)
        lengths = batch.squares(self.turn)
        clipped = batch.weighed(clipped_residuals(wrong, lengths, float(self.clip * FINE * TURN)))
        return np.asarray(clipped.T @ batch.vectors).reshape(-1)

    def finished(self, total: NDArray[np.object_]) -> NDArray[np.object_]:
        """Turned, in Python's integers."""
        gradient = total.reshape(len(self.coefficients), self.design.size)
        return np.asarray(gradient @ np.array(self.turn, dtype=object) // TURN).reshape(-1)


def residuals(coefficients: Coefficients, batch: VectorBatch) -> FloatArray:
    """Probabilities less 1 for the row's class; of two classes, of the second."""
    places = margins(coefficients, batch.vectors)
    if len(coefficients) == 1:
        chance = _SIGMOID[np.clip(places, -_FARTHEST * _STEPS, _FARTHEST * _STEPS) + _FARTHEST * _STEPS]
        return np.asarray(chance - FINE * (batch.target[:, None] == 1), dtype=np.float64)
    below = np.minimum(places.max(axis=1, keepdims=True) - places, _FARTHEST * _STEPS)
    weights = _EXPONENTIAL[below]
    chance = weights * FINE // weights.sum(axis=1, keepdims=True)
    return np.asarray(chance - FINE * (batch.target[:, None] == np.arange(len(coefficients))), dtype=np.float64)


def margins(coefficients: Coefficients, vectors: FloatArray) -> IntArray:
    """What probabilities are looked up by: products with coefficients, exact, cut to a coarser grid."""
    products = vectors @ np.array(coefficients, dtype=np.float64).T
    return np.asarray(np.floor(products / _MARGIN), dtype=np.int64)


def clipped_residuals(wrong: FloatArray, squares: FloatArray, most: float) -> FloatArray:
    """Residuals shrunk so that their norm, times that of the turned row, whose square is given, is at most `most`.

    Norms are computed in doubles, to 2^-40 of their size at least: what is not surely short enough is made 2^-20
    shorter than it has to be, and whatever is not surely short enough then counts as 0.
    """
    surely = most * (1 - 2.0**-36)
    norms = np.sqrt(np.einsum("ij,ij->i", wrong, wrong) * squares)
    long = norms > surely
    if not bool(long.any()):
        return wrong
    factor = np.where(long, most * (1 - 2.0**-20) / np.maximum(norms, 1), 1.0)
    shrunk = np.trunc(wrong * factor[:, None])
    still = np.sqrt(np.einsum("ij,ij->i", shrunk, shrunk) * squares) > surely
    shrunk[still] = 0
    return np.asarray(shrunk)


def rounded(coefficients: NDArray[np.float64]) -> Coefficients:
    """Coefficients as whole numbers, small enough that every margin is exact.

    Example:
        >>> rounded(np.array([[0.5, -1000.0]]))
        ((2048, -1048576),)
    """
    return _matrix(np.clip(np.nan_to_num(coefficients), -_LARGEST / GRID, _LARGEST / GRID) * GRID)


def turned(matrix: NDArray[np.float64]) -> Matrix:
    """A symmetric matrix as whole numbers, for rows to be turned by.

    Example:
        >>> turned(np.array([[1.0, 0.25], [0.25, 1e9]]))
        ((256, 64), (64, 1048576))
    """
    return _matrix(np.clip(np.nan_to_num(matrix) * TURN, -_FARTHEST_TURN, _FARTHEST_TURN))


def _matrix(scaled: NDArray[np.float64]) -> Matrix:
    return tuple(map(tuple, np.rint(np.atleast_2d(scaled)).astype(np.int64).tolist()))


def _table(first: int, last: int, rule: object) -> IntArray:
    places = np.arange(first, last + 1) / _STEPS
    return np.rint(FINE * np.asarray(rule(places))).astype(np.int64)  # type: ignore[operator]


_SIGMOID = _table(-_FARTHEST * _STEPS, _FARTHEST * _STEPS, lambda margin: 1 / (1 + np.exp(-margin)))
_EXPONENTIAL = _table(0, _FARTHEST * _STEPS, lambda below: np.exp(-below))
