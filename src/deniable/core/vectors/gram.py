"""The Gram matrix X'X in whole numbers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from deniable.core.vectors.batch import FloatArray, VectorBatch
from deniable.core.vectors.design import GRID
from deniable.core.vectors.kernel import Kernel

DIAGONAL, OTHERS = 5, 7
"""By what products are multiplied before the noise: those of two coordinates stand in the matrix twice, and 2 * 5^2 is
a little more than 7^2. So the same noise is less for them."""


@dataclass(frozen=True, slots=True)
class Gram(Kernel):
    """All products of two coordinates, summed: the upper triangle, row by row, its diagonal times 5, the rest times 7.

    A row's matrix v v' has Frobenius norm |v|^2, at most B^2; 25 times the squares of the diagonal and 49 times those
    above it are less than 25 B^4. A row that weighs w is v sqrt(w), cut towards 0, so matrices stay positive
    semidefinite, and two of these never point away from each other: under `replace`, sqrt(2) times. See
    docs/proofs/gram.md.
    """

    aligned: ClassVar[bool] = True

    @property
    def within(self) -> Fraction:
        """B^2, times what the diagonal is multiplied by."""
        return Fraction(DIAGONAL * self.design.square)

    @property
    def worth(self) -> FloatArray:
        """Two coordinates have a grid each."""
        rows, columns = np.triu_indices(self.design.size)
        return np.where(rows == columns, 1 / DIAGONAL, 1 / OTHERS) / GRID**2

    def add(self, batch: VectorBatch) -> FloatArray:
        """One product of matrices."""
        vectors = root_weighed(batch, batch.vectors)
        rows, columns = np.triu_indices(self.design.size)
        products = (vectors.T @ vectors)[rows, columns]
        return np.asarray(products * np.where(rows == columns, DIAGONAL, OTHERS))

    def matrix(self, values: FloatArray) -> FloatArray:
        """The whole matrix, from its upper triangle in the vectors' own unit."""
        found = np.zeros((self.design.size, self.design.size))
        found[np.triu_indices(self.design.size)] = values
        return found + np.triu(found, 1).T


def root_weighed(batch: VectorBatch, values: FloatArray) -> FloatArray:
    """Rows times the root of their weight, cut towards 0, so that their products weigh what the rows do.

    The root of a double that is at most 1 is rounded by less than 2^-52 of it: less than what is taken off here.
    """
    shares = batch.shares
    if bool((shares == 1).all()):
        return values
    roots = np.where(shares == 1, 1.0, np.sqrt(shares) * (1 - 2.0**-50))
    return np.asarray(np.trunc(values * (roots if values.ndim == 1 else roots[:, None])))
