"""A release that is ready to be paid and run: one query for all counts, and a strategy that measures them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
import pyarrow as pa

from deniable.core.algebra.query import Key, MarginalSums, Sums
from deniable.core.algebra.relation import tables
from deniable.core.event import Event
from deniable.core.grid import IntArray
from deniable.core.loss import Loss
from deniable.curator.groups import by_set, laid_out
from deniable.curator.purchase import Round
from deniable.planner.expressions.keys import MOST_GROUPS, GroupKey
from deniable.planner.plan import Bound
from deniable.planner.release_cells import ReleaseCells
from deniable.releases.linear.design import Design
from deniable.releases.linear.quote import ReleaseQuote
from deniable.releases.linear.release import Release

_LEFT = "left"
_NOISY = "noisy"


@dataclass(frozen=True)
class ReleasePlan:
    """Everything that is needed to release a workload, and nothing that depends on the data. Run in one round."""

    text: str
    """The workload in words."""
    cells: ReleaseCells
    keys: tuple[GroupKey, ...]
    design: Design
    quote: ReleaseQuote

    @property
    def bound(self) -> Bound:
        """How many rows each cell has."""
        return self.cells.bound

    @property
    def tables(self) -> tuple[str, ...]:
        """What the cells are counted in."""
        return tables(self.bound.source.table)

    @property
    def events(self) -> tuple[Event, ...]:
        """For the ledger."""
        return self.design.events

    @property
    def loss(self) -> Loss:
        """Of all of them."""
        return self.quote.loss

    @property
    def digest(self) -> str:
        """What runs, with which noise, on which cells."""
        return hashlib.sha256(repr((self.query, self.design.digest, self.keys)).encode()).hexdigest()

    @cached_property
    def query(self) -> Sums | MarginalSums:
        """One query for everything: all cells if they are few, else the largest marginals that are needed."""
        source, totals = self.bound.source, tuple(one.total for one in self.cells.counts if one.total is not None)
        if prod(len(key.domain or ()) for key in self.keys) <= MOST_GROUPS or len(self.sets[0]) == len(self.keys):
            return Sums(source, tuple(Key(key.name, key.value) for key in self.keys), totals)
        used = sorted(set().union(*self.sets))
        places = {axis: place for place, axis in enumerate(used)}
        keys = tuple(Key(self.keys[axis].name, self.keys[axis].value) for axis in used)
        sets = tuple(tuple(places[axis] for axis in axes) for axes in self.sets)
        return MarginalSums(source, keys, totals, sets, _LEFT)

    @property
    def queries(self) -> tuple[Sums | MarginalSums]:
        """That one."""
        return (self.query,)

    def rounds(self, noisy: Sequence[pa.Table]) -> Iterator[Round]:
        """Once; a strategy that learns from its own noisy numbers does so within, from counts that are read once."""
        del noisy
        yield Round(self.queries, self._measured)

    def _measured(self, exact: Sequence[pa.Table]) -> pa.Table:
        """What the strategy measures, with its noise."""
        (table,) = exact
        counts = ExactCounts(self.keys, self.sets, self.query, table)
        return pa.table({_NOISY: self.design.release(counts)})

    def released(self, recorded: Sequence[pa.Table], first: Sequence[Loss] = (), *, free: bool) -> Release:
        """What is made of the recorded table; `first`: what questions cost that found values, charges of their own."""
        (table,) = recorded
        noisy, loss = table[_NOISY].to_numpy(), sum(first, start=self.loss)
        return Release(self.design, noisy, self.resolve, loss, free, self.quote.confidence, self.quote.notes)

    def resolve(self, condition: str) -> tuple[tuple[int, ...], np.ndarray]:
        """Which cells satisfy a condition."""
        return self.cells.satisfying(condition, [key.domain or () for key in self.keys])

    @cached_property
    def sets(self) -> list[tuple[int, ...]]:
        """The sets of attributes that contain all others which the strategy needs, the largest first."""
        largest: list[tuple[int, ...]] = []
        for axes in sorted(self.design.needs, key=len, reverse=True):
            if not any(set(axes) <= set(other) for other in largest):
                largest.append(axes)
        return largest


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
        self._parts = {} if isinstance(query, Sums) else by_set(table[query.left].to_numpy())
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
