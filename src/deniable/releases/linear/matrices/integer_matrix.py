"""Whole-number matrices, and exact products with them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from deniable.core.errors import InvalidArgumentError
from deniable.core.grid import RANGE, IntArray
from deniable.releases.linear.matrices.factors import FloatArray

_LIMB = 16
"""Bits of a private number that are multiplied at a time."""
_LIMBS = 4
_MANY = 4096
"""Columns that are not multiplied with each other if their products cannot be negative."""
_MOST_DOUBLED = 24
_EXACT = 1 << 53
"""Doubles hold every whole number below this."""


class Map(Protocol):
    """A whole-number matrix along one axis of the cells, as far as noise is concerned."""

    @property
    def rows(self) -> int:
        """How many numbers come out."""

    @property
    def taxi(self) -> int:
        """The largest l1 norm of a column."""

    @property
    def square(self) -> int:
        """The largest squared l2 norm of a column."""

    @property
    def least(self) -> int:
        """The least product of two columns."""

    @property
    def widest(self) -> int:
        """The largest l1 norm of a row."""

    def apply(self, tensor: FloatArray, axis: int) -> FloatArray:
        """The matrix times the tensor, along an axis."""


class Solvable(Map, Protocol):
    """A map that least squares can undo."""

    @property
    def gram(self) -> FloatArray:
        """The transposed matrix times the matrix."""

    def adjoint(self, tensor: FloatArray, axis: int) -> FloatArray:
        """The transposed matrix times the tensor, along an axis."""


@dataclass(frozen=True, eq=False)
class Whole:
    """A matrix of whole numbers. What is said of it is computed from it, in whole numbers, whoever made it."""

    matrix: IntArray

    def __post_init__(self) -> None:
        """Whole numbers, so small that every sum below is exact in 64 bits."""
        if not np.issubdtype(self.matrix.dtype, np.integer):
            raise InvalidArgumentError("matrix", "must hold whole numbers")
        largest = max(int(self.matrix.max()), -int(self.matrix.min()))
        if largest**2 * max(self.matrix.shape) >= _EXACT:
            raise InvalidArgumentError("matrix", "has numbers that are too large")

    @property
    def rows(self) -> int:
        """How many numbers come out."""
        return len(self.matrix)

    @cached_property
    def taxi(self) -> int:
        """The largest l1 norm of a column."""
        return int(np.abs(self.matrix).sum(axis=0).max())

    @cached_property
    def square(self) -> int:
        """The largest squared l2 norm of a column."""
        return int((self.matrix * self.matrix).sum(axis=0).max())

    @cached_property
    def least(self) -> int:
        """The least product of two columns, or less; whole numbers below 2^53 are exact in doubles."""
        if self.matrix.shape[1] > _MANY and bool((self.matrix >= 0).all()):
            return 0
        return int(self.gram.min())

    @cached_property
    def widest(self) -> int:
        """The largest l1 norm of a row."""
        return int(np.abs(self.matrix).sum(axis=1).max())

    def apply(self, tensor: FloatArray, axis: int) -> FloatArray:
        """The matrix times the tensor, along an axis."""
        return np.moveaxis(np.tensordot(self._floats, tensor, axes=(1, axis)), 0, axis)

    def adjoint(self, tensor: FloatArray, axis: int) -> FloatArray:
        """The transposed matrix times the tensor, along an axis."""
        return np.moveaxis(np.tensordot(self._floats, tensor, axes=(0, axis)), 0, axis)

    @cached_property
    def gram(self) -> FloatArray:
        """The transposed matrix times the matrix."""
        return np.asarray(self._floats.T @ self._floats)

    @cached_property
    def _floats(self) -> FloatArray:
        return self.matrix.astype(np.float64)

    def __repr__(self) -> str:
        """Short, and different for different matrices: a question's name in the ledger is made from it."""
        digest = hashlib.sha256(np.ascontiguousarray(self.matrix, dtype="<i8").tobytes()).hexdigest()
        return f"Whole({self.matrix.shape}, {digest})"


def room(maps: Sequence[Map]) -> int:
    """How many times a product of these maps may be doubled and still be exact; at most 24 times."""
    widest = prod(one.widest for one in maps) << _LIMB
    if widest >= _EXACT:
        raise InvalidArgumentError("maps", "have numbers that are too large")
    return min(_MOST_DOUBLED, (_EXACT // (widest + 1)).bit_length() - 1)


def image(cells: NDArray[np.int64], maps: Sequence[Map], scale: int) -> IntArray:
    """The exact product of all maps, each along its own axis of the cells, and `scale`; cut to plus or minus 2^61.

    Numbers of 62 bits are taken apart into limbs of 16, so that no sum of a limb's products reaches 2^53 and doubles
    hold it exactly, in whatever order it is added up; then the limbs are put together in whole numbers. Cutting moves
    no two results apart.

    Example:
        >>> image(np.array([2**61, 1]), [Whole(np.array([[1, 1], [0, 3]]))], scale=1) == [2**61, 3]
        array([ True,  True])
    """
    if scale > 1 << room(maps):
        raise InvalidArgumentError("scale", "is too large for an exact product")
    carried = np.zeros(1, dtype=np.int64)
    total = np.zeros(1, dtype=np.int64)
    for limb in range(_LIMBS):
        part = cells >> (limb * _LIMB)
        if limb < _LIMBS - 1:
            part &= (1 << _LIMB) - 1
        product = part.astype(np.float64) * scale
        for axis, one in enumerate(maps):
            product = one.apply(product, axis)
        carried = product.astype(np.int64) + carried
        if limb < _LIMBS - 1:
            total = total + ((carried & ((1 << _LIMB) - 1)) << (limb * _LIMB))
            carried >>= _LIMB
    most = RANGE >> (_LIMB * (_LIMBS - 1))
    fits = (carried >= -most) & (carried < most)
    whole = (np.where(fits, carried, 0) << (_LIMB * (_LIMBS - 1))) + total
    return np.where(fits, whole, np.where(carried < 0, -RANGE, RANGE))
