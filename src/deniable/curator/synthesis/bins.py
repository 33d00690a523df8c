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
from deniable.releases.synthetic.measured.domain import ColumnDomain
from deniable.releases.synthetic.measured.pairs import Pair

_LEFT, _BIN = "left", "bin "
_NARROW, _COUNT = ("one", "bin of one", "other", "bin of other"), "count"
_ANSWER = 24_000_000
"""Numbers that an answer of the engine can have at most: 200 MB."""
_AT_ONCE = 8_000
"""Numbers in a row of all pairs that are counted together: an engine has buffers for each."""
_MOST = 1 << 41
"""Rows that are counted: in rows / 2^20, so many fit 64 bits."""


def by_value(cells: TableCells) -> MarginalSums:
    """How often each value of each column occurs, in one query."""
    keys = tuple(Key(key.name, key.value) for key in cells.bound.keys)
    return MarginalSums(cells.bound.source, keys, _totals(cells), tuple((place,) for place in range(len(keys))), _LEFT)


def by_pairs(cells: TableCells, bins: Sequence[IntArray], pairs: Sequence[Pair]) -> tuple[MarginalSums, ...]:
    """How often each pair of bins occurs, for these pairs of columns; `bins` has each place's number.

    One query, unless its answer could be too large: then one for each pair of blocks of columns, as an answer has a
    number for every column of the query in every cell of every pair.
    """
    keys = [
        Key(_name(place), bin_of(key.value, key.domain or (), column, own))
        for place, (key, column, own) in enumerate(zip(cells.bound.keys, cells.columns, bins, strict=True))
    ]
    sizes = [int(own.max()) + 1 for own in bins]
    found = []
    for part in parted(sizes, pairs):
        places = sorted({place for pair in part for place in pair})
        sets = tuple((places.index(one), places.index(other)) for one, other in part)
        named = tuple(keys[place] for place in places)
        found.append(MarginalSums(cells.bound.source, named, _totals(cells), sets, _LEFT))
    return tuple(found)


def parted(sizes: Sequence[int], pairs: Sequence[Pair]) -> list[list[Pair]]:
    """Pairs in parts: each of few columns, and with few cells together.

    Example:
        >>> parted([2, 3, 4], [(0, 1), (0, 2), (1, 2)])
        [[(0, 1), (0, 2), (1, 2)]]
        >>> [len(part) for part in parted([300] * 24, [(0, place) for place in range(1, 24)])]
        [11, 12]
    """
    columns = len(sizes)
    for blocks in range(1, columns + 1):
        block = [place * blocks // columns for place in range(columns)]
        found: dict[Pair, list[Pair]] = {}
        for one, other in pairs:
            found.setdefault((block[one], block[other]), []).append((one, other))
        if all(_fits(part, sizes) for part in found.values()):
            break
    return list(found.values())


def _fits(pairs: Sequence[Pair], sizes: Sequence[int]) -> bool:
    """Whether the answer of a query for these pairs is small enough, and what an engine keeps for each of them."""
    width = len({place for pair in pairs for place in pair}) + 2
    cells = sum(sizes[one] * sizes[other] for one, other in pairs)
    return width * cells <= _ANSWER and width * len(pairs) <= _AT_ONCE


def narrowed(answer: pa.Table) -> pa.Table:
    """An answer of `by_pairs` without its empty columns: each pair, its two bins, and how often they occur."""
    *names, left, counted = answer.column_names
    places = [int(name.removeprefix(_BIN)) for name in names]
    numbers = answer[left].to_numpy()
    found = {name: np.zeros(numbers.size, dtype=np.int16) for name in _NARROW}
    for set_, rows in by_set(numbers).items():
        inside = [at for at in range(len(places)) if not set_ >> (len(places) - 1 - at) & 1]
        for at, (of, bin_) in zip(inside, (_NARROW[:2], _NARROW[2:]), strict=True):
            found[of][rows] = places[at]
            found[bin_][rows] = answer[names[at]].take(pa.array(rows)).to_numpy()
    return pa.table({**found, _COUNT: answer[counted]})


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
    cells: TableCells, bins: Sequence[IntArray], pairs: Sequence[Pair], answers: Sequence[pa.Table]
) -> dict[Pair, IntArray]:
    """The counts of each pair of bins, in rows / 2^20, from answers that were narrowed."""
    sizes = [int(own.max()) + 1 for own in bins]
    found = {(one, other): np.zeros((sizes[one], sizes[other]), dtype=np.int64) for one, other in pairs}
    for answer in answers:
        one, first, other, second, counts = (answer[name].to_numpy() for name in (*_NARROW, _COUNT))
        for pair, rows in by_set(one.astype(np.int64) * len(sizes) + other).items():
            found[divmod(pair, len(sizes))][first[rows], second[rows]] = counts[rows]
    return {pair: np.clip(table, 0, _MOST) * cells.factor for pair, table in found.items()}


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
    return f"{_BIN}{place}"


def _without(keys: int, kept: Sequence[int]) -> int:
    """Which keys a set leaves out, as the engine says it: the last key is the last bit."""
    return sum(1 << (keys - 1 - place) for place in range(keys) if place not in kept)
