"""A matrix that is the same read backwards falls apart into two of half the size.

If J reverses the order and J G J = G, then G maps vectors that are the same backwards to such vectors, and vectors that
change their sign to such vectors. In these coordinates G is two blocks: an eighth of the work, twice.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deniable.releases.linear.matrices.factors import FloatArray

_WORTHWHILE = 4


def halves(matrix: FloatArray) -> tuple[FloatArray, ...]:
    """The two blocks; or the matrix itself, if it is not the same backwards."""
    size = len(matrix)
    if size < _WORTHWHILE or size % 2 or not np.array_equal(matrix, matrix[::-1, ::-1]):
        return (matrix,)
    first, second = matrix[: size // 2, : size // 2], matrix[: size // 2, size // 2 :][:, ::-1]
    return first + second, first - second


def put_together(parts: Sequence[FloatArray]) -> FloatArray:
    """The matrix whose blocks these are.

    Example:
        >>> matrix = np.array([[5.0, 1.0, 2.0, 0.0], [1.0, 6.0, 3.0, 2.0], [2.0, 3.0, 6.0, 1.0], [0.0, 2.0, 1.0, 5.0]])
        >>> len(halves(matrix)), bool(np.array_equal(put_together(halves(matrix)), matrix))
        (2, True)
    """
    if len(parts) == 1:
        return parts[0]
    same, other = (parts[0] + parts[1]) / 2, (parts[0] - parts[1]) / 2
    return np.block([[same, other[:, ::-1]], [other[::-1], same[::-1, ::-1]]])
