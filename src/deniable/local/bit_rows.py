"""Rows of bits: drawn and stored eight to a byte, added up by column."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.core.bits import BitSource
from deniable.core.sampling import BoolArray, IntArray
from deniable.core.sampling.inversion import Inversion

Packed = NDArray[np.uint8]

_PIECE = 1 << 22
_BYTE = 256
_ONES = np.unpackbits(np.arange(_BYTE, dtype=np.uint8)[:, None], axis=1).sum(axis=1, dtype=np.uint8)


def packed_coins(probability: Fraction, rows: int, columns: int, bits: BitSource) -> Packed:
    """Rows of coins, each a one with this probability, exactly; strictly between 0 and 1.

    Eight coins are drawn at once: the byte that they make has a law of 256 outcomes, of which sixteen random digits
    decide nearly always, and more where they leave it open.
    """
    width = -(-columns // 8)
    drawn = _bytes(probability).draw(rows * width, bits)
    packed = drawn.astype(np.uint8).reshape(rows, width)
    packed[:, -1] &= 0xFF ^ (0xFF >> ((columns - 1) % 8 + 1))
    return packed


@lru_cache(maxsize=64)
def _bytes(probability: Fraction) -> Inversion:
    """The law of a byte of eight such coins."""
    ones = [probability**number * (1 - probability) ** (8 - number) for number in range(9)]
    sums = list(accumulate(ones[byte.bit_count()] for byte in range(_BYTE - 1)))
    return Inversion(lambda places: [(chance.numerator << places) // chance.denominator for chance in sums])


def coins(probability: Fraction, rows: int, columns: int, bits: BitSource) -> BoolArray:
    """Coins, one to a byte."""
    return np.unpackbits(packed_coins(probability, rows, columns, bits), axis=1, count=columns).view(np.bool_)


def in_blocks(places: IntArray, columns: int, draw: Callable[[IntArray], Packed]) -> Packed:
    """The rows that `draw` makes of a stretch of places, with bounded memory."""
    packed = np.empty((places.size, -(-columns // 8)), dtype=np.uint8)
    for block in _blocks(places.size, columns):
        packed[block] = draw(places[block])
    return packed


def bit_of(places: IntArray) -> tuple[IntArray, IntArray, NDArray[np.uint8]]:
    """Where the bit of each row's place is: row, byte, and the bit within it."""
    return np.arange(places.size), places >> 3, (0x80 >> (places & 7)).astype(np.uint8)


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
