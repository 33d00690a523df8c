"""Rows of bits: drawn with one random byte per bit, stored eight to a byte, added up by column."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.core.bits import BitSource
from deniable.core.sampling import BoolArray, IntArray, bernoulli

Packed = NDArray[np.uint8]

_PIECE = 1 << 22
_BYTE = 256
_ONES = np.unpackbits(np.arange(_BYTE, dtype=np.uint8)[:, None], axis=1).sum(axis=1, dtype=np.uint8)


def coins(probability: Fraction, shape: tuple[int, int], bits: BitSource) -> BoolArray:
    """True with this probability, exactly: the first byte of a uniform real decides, more where it ties."""
    floor = int(probability * _BYTE)
    first = np.frombuffer(bits.read(shape[0] * shape[1]), dtype=np.uint8)
    heads = first < floor
    tied = np.flatnonzero(first == floor)
    heads[tied] = bernoulli(probability * _BYTE - floor, tied.size, bits)
    return heads.reshape(shape)


def in_blocks(places: IntArray, columns: int, draw: Callable[[IntArray], BoolArray]) -> Packed:
    """The rows that `draw` makes of a stretch of places, packed, with bounded memory."""
    packed = np.empty((places.size, -(-columns // 8)), dtype=np.uint8)
    for block in _blocks(places.size, columns):
        packed[block] = np.packbits(draw(places[block]), axis=1)
    return packed


def column_sums(packed: Packed, columns: int) -> IntArray:
    """How many rows have each bit."""
    total = np.zeros(columns, dtype=np.int64)
    for block in _blocks(len(packed), columns):
        total += np.unpackbits(packed[block], axis=1, count=columns).sum(axis=0, dtype=np.int32)
    return total


def row_sums(packed: Packed) -> IntArray:
    """How many bits each row has."""
    ones: IntArray = _ONES[packed].sum(axis=1, dtype=np.int64)
    return ones


def clean(packed: NDArray[Any], columns: int) -> bool:
    """Whether this can be rows of so many bits: the right width, and nothing past the last one."""
    if packed.ndim != 2 or packed.dtype != np.uint8 or packed.shape[1] != -(-columns // 8):  # noqa: PLR2004 - rows
        return False
    return not (packed[:, -1] & (0xFF >> ((columns - 1) % 8 + 1))).any()


def _blocks(rows: int, columns: int) -> Iterator[slice]:
    step = max(1, _PIECE // columns)
    return (slice(start, start + step) for start in range(0, rows, step))
