"""The exact counts that a release measures: asked for once, and looked up by attributes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from deniable.core.grid import IntArray
from deniable.core.query import MarginalSums, Sums
from deniable.curator.groups import laid_out
from deniable.planner.expressions.keys import GroupKey


class ExactCounts:
    """Exact counts by attributes, from the engine's answer to one query. Never leaves the curator.

    `sets` are the sets of attributes that the query has counts of, if not of all attributes together.
    """

    def __init__(
        self,
        keys: Sequence[GroupKey],
        sets: Sequence[tuple[int, ...]],
        query: Sums | MarginalSums,
        table: pa.Table,
    ) -> None:
        self._keys, self._query, self._table = keys, query, table
        self._sets = [tuple(range(len(keys)))] if isinstance(query, Sums) else sets
        self._parts = {} if isinstance(query, Sums) else _by_set(table[query.left].to_numpy())
        self._laid_out: dict[tuple[int, ...], IntArray] = {}

    def __call__(self, axes: tuple[int, ...]) -> IntArray:
        """Those of some attributes, with an axis for each."""
        known = next(one for one in self._sets if set(axes) <= set(one))
        if known not in self._laid_out:
            self._laid_out[known] = self._cells(known)
        others = tuple(place for place, axis in enumerate(known) if axis not in axes)
        return np.asarray(self._laid_out[known].sum(axis=others))

    def _cells(self, known: tuple[int, ...]) -> IntArray:
        """Those of one set of attributes that the engine was asked for."""
        keys, query, table = [self._keys[axis] for axis in known], self._query, self._table
        if isinstance(query, MarginalSums):
            kept = {key.name for key in keys}
            left = int("".join("0" if key.name in kept else "1" for key in query.keys), 2)
            table = table.take(pa.array(self._parts.get(left, np.zeros(0, dtype=np.int64))))
        (total,) = query.totals
        return laid_out(table, keys, [total.name])[total.name].reshape([len(key.domain or ()) for key in keys])


def _by_set(left: IntArray) -> dict[int, IntArray]:
    """Which rows belong to which set of attributes."""
    order = np.argsort(left, kind="stable")
    numbers, starts = np.unique(left[order], return_index=True)
    return dict(zip(numbers.tolist(), np.split(order, starts[1:]), strict=True)) if left.size else {}
