"""From bins back to values: within a bin, as often as the column's own counts say."""

from __future__ import annotations

import numpy as np

from deniable.core.grid import IntArray
from deniable.releases.synthetic.one_way import FloatArray


def places(bins: IntArray, fine: IntArray, counts: FloatArray, chance: np.random.Generator) -> IntArray:
    """For each row's bin a place in it, spread as evenly as the counts allow, and in random order.

    Example:
        >>> found = places(np.array([1, 1, 0, 1, 1]), np.array([0, 1, 1]), np.array([7.0, 3, 1]), np.random.default_rng(0))
        >>> np.bincount(found)
        array([1, 3, 1])
    """
    found = np.empty(bins.size, dtype=np.int64)
    for number in range(int(fine.max()) + 1):
        inside, rows = np.flatnonzero(fine == number), np.flatnonzero(bins == number)
        if rows.size == 0:
            continue
        ends = np.cumsum(counts[inside] + 1e-9)
        even = (np.arange(rows.size) + chance.random()) / rows.size * ends[-1]
        chosen = inside[np.minimum(np.searchsorted(ends, even), inside.size - 1)]
        found[rows] = chance.permutation(chosen)
    return found
