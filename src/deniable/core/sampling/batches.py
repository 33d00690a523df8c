"""Long draws in pieces: bounded memory, and rejection without a Python loop over values."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]

PIECE = 1 << 16
"""Values per piece: small enough for the processor's cache, large enough that Python's overhead vanishes."""


def in_pieces(size: int, draw: Callable[[int], IntArray]) -> IntArray:
    """`size` draws, at most `PIECE` at a time."""
    if size <= PIECE:
        return draw(size)
    drawn = np.empty(size, dtype=np.int64)
    for start in range(0, size, PIECE):
        piece = drawn[start : start + PIECE]
        piece[:] = draw(piece.size)
    return drawn


def until_full(size: int, accepted: Callable[[int], IntArray]) -> IntArray:
    """`size` values from a sampler that returns only those of its n proposals that it accepts.

    Which proposals are accepted is decided independently, so keeping the first `size` biases nothing.
    """
    kept = [accepted(size)]
    missing = size - kept[0].size
    while missing > 0:
        kept.append(accepted(2 * missing + 8)[:missing])
        missing -= kept[-1].size
    return np.concatenate(kept) if len(kept) > 1 else kept[0]
