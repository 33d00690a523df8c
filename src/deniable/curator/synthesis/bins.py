"""Bins as the engine is asked for them, and its exact counts by bin."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pyarrow as pa

from deniable.core.algebra.expression import Expression, Kind, Literal
from deniable.core.algebra.query import Key, MarginalSums, Total
from deniable.core.grid import IntArray
from deniable.curator.groups import by_set, laid_out
from deniable.curator.synthesis.cells import TableCells
from deniable.planner.expressions.functions import call, number
from deniable.planner.expressions.keys import Value
from deniable.releases.synthetic.domain import ColumnDomain
from deniable.releases.synthetic.pairs import Pair

_LEFT = "left"
_MOST = 1 << 41
"""Rows that are counted: in rows / 2^20, so many fit 64 bits."""


def by_value(cells: TableCells) -> MarginalSums:
    """How often each value of each column occurs, in one query."""
    keys = tuple(Key(key.name, key.value) for key in cells.bound.keys)
    return MarginalSums(cells.bound.source, keys, _totals(cells), tuple((place,) for place in range(len(keys))), _LEFT)


def by_pair(cells: TableCells, bins: Sequence[IntArray], pairs: Sequence[Pair]) -> MarginalSums:
    """How often each pair of bins occurs, for these pairs of columns, in one query; `bins` has each place's number."""
    keys = tuple(
        Key(_name(place), bin_of(key.value, key.domain or (), column, own))
        for place, (key, column, own) in enumerate(zip(cells.bound.keys, cells.columns, bins, strict=True))
    )
    return MarginalSums(cells.bound.source, keys, _totals(cells), tuple(pairs), _LEFT)


def exact_values(cells: TableCells, answer: pa.Table) -> list[IntArray]:
    """The counts of each column's places, in rows / 2^20."""
    found, left = [], answer[_LEFT].to_numpy()
    name, keys = cells.statistic.name, cells.bound.keys
    for place, (key, column) in enumerate(zip(keys, cells.columns, strict=True)):
        part = answer.filter(pa.array(left == _without(len(keys), (place,))))
        counts = laid_out(part, [key], [name])[name]
        if column.other:
            counts = np.append(counts, int(np.sum(part[name].to_numpy())) - int(counts.sum()))
        found.append(np.clip(counts, 0, _MOST) * cells.factor if cells.factor > 1 else counts)
    return found


def exact_pairs(
    cells: TableCells, bins: Sequence[IntArray], pairs: Sequence[Pair], answer: pa.Table
) -> dict[Pair, IntArray]:
    """The counts of each pair of bins, in rows / 2^20."""
    sizes = [int(own.max()) + 1 for own in bins]
    parts, counts = by_set(answer[_LEFT].to_numpy()), answer[cells.statistic.name].to_numpy()
    codes = [answer[_name(place)].to_numpy(zero_copy_only=False) for place in range(len(sizes))]
    found = {}
    for one, other in pairs:
        table = np.zeros((sizes[one], sizes[other]), dtype=np.int64)
        rows = parts.get(_without(len(sizes), (one, other)), np.zeros(0, dtype=np.int64))
        table[codes[one][rows].astype(np.int64), codes[other][rows].astype(np.int64)] = counts[rows]
        found[one, other] = np.clip(table, 0, _MOST) * cells.factor if cells.factor > 1 else table
    return found


def bin_of(value: Expression, domain: Sequence[Value], column: ColumnDomain, bins: IntArray) -> Expression:
    """The number of the bin that a value lies in. Total: whatever a row holds, it lies in one.

    Ordered values are looked up by halving. Of others the common ones are listed, and the rest is what is left.
    """
    present = bins[: column.present]
    if column.ordered:
        ends = np.flatnonzero(np.diff(present, append=-1))
        found = _halved(value, [(_literal(domain[end], value.kind), int(present[end])) for end in ends.tolist()])
    else:
        rest = int(bins[-1]) if column.other else int(np.bincount(present).argmax())
        listed = [number_ for number_ in np.unique(present) if number_ != rest]
        found = _listed(value, domain, present, listed, rest)
    if column.present < len(column.values):
        found = call("case", call("is_null", value), number(int(bins[column.present])), found)
    return found


def _halved(value: Expression, stretches: Sequence[tuple[Literal, int]]) -> Expression:
    if len(stretches) == 1:
        return number(stretches[0][1])
    middle = len(stretches) // 2
    low, high = _halved(value, stretches[:middle]), _halved(value, stretches[middle:])
    return call("case", call("at_most", value, stretches[middle - 1][0]), low, high)


def _listed(
    value: Expression, domain: Sequence[Value], present: IntArray, listed: Sequence[int], rest: int
) -> Expression:
    branches: list[Expression] = []
    for bin_ in listed:
        members = [_literal(domain[place], value.kind) for place in np.flatnonzero(present == bin_).tolist()]
        branches += [call("in", value, *members), number(int(bin_))]
    return call("case", *branches, number(rest)) if branches else number(rest)


def _literal(value: Value, kind: Kind) -> Literal:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Literal(Fraction(value), kind)
    return Literal(value, kind)


def _totals(cells: TableCells) -> tuple[Total, ...]:
    return () if cells.statistic.total is None else (cells.statistic.total,)


def _name(place: int) -> str:
    return f"bin {place}"


def _without(keys: int, kept: Sequence[int]) -> int:
    """Which keys a set leaves out, as the engine says it: the last key is the last bit."""
    return sum(1 << (keys - 1 - place) for place in range(keys) if place not in kept)
