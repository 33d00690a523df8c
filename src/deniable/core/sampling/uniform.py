"""Uniform whole numbers."""

from __future__ import annotations

import numpy as np

from deniable.core.bits import BitSource, words
from deniable.core.sampling.batches import IntArray, in_pieces, until_full


def uniform(bound: int, size: int, bits: BitSource) -> IntArray:
    """Each of 0, 1, ..., bound - 1 with the same probability, exactly; 1 <= bound <= 2^63.

    The lowest digits that can hold bound - 1 are drawn and numbers past it thrown away: at least half stay.
    """
    places = (bound - 1).bit_length()
    width = next(width for width in (8, 16, 32, 64) if places <= width)
    mask = (1 << places) - 1

    def accepted(count: int) -> IntArray:
        drawn = np.frombuffer(bits.read(count * width // 8), dtype=f"u{width // 8}") & mask
        return drawn[drawn < bound].astype(np.int64)

    return in_pieces(size, lambda count: until_full(count, accepted))


def uniforms(bounds: IntArray, bits: BitSource) -> IntArray:
    """For each bound, one of 0, 1, ..., bound - 1, all equally likely, exactly; 1 <= bound < 2^52.

    Digits are drawn as above; those that land past their bound are drawn again.
    """
    _, places = np.frexp((bounds - 1).astype(np.float64))
    masks = (np.uint64(1) << places.astype(np.uint64)) - np.uint64(1)
    drawn = words(bits, bounds.size) & masks
    while (again := np.flatnonzero(drawn >= bounds.astype(np.uint64))).size:
        drawn[again] = words(bits, again.size) & masks[again]
    return drawn.astype(np.int64)
