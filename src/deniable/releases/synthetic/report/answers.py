"""Answers from what was measured: sums of noisy counts, whose noise is known, and so are their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import time
from fractions import Fraction

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.core.algebra.expression import Kind
from deniable.core.distributions.normal import quantile
from deniable.core.errors import Refused
from deniable.core.grid import IntArray
from deniable.core.shown import label
from deniable.releases.linear.query_estimate import QueryEstimate
from deniable.releases.synthetic.drawn.rows import OTHER
from deniable.releases.synthetic.measured.domain import ColumnDomain, Part
from deniable.releases.synthetic.measured.one_way import FloatArray
from deniable.releases.synthetic.recipe import MeasuredTable


def counted(
    measured: MeasuredTable, axes: tuple[int, ...], satisfied: NDArray[np.bool_], doubt: float
) -> QueryEstimate:
    """How many rows lie in these places of one column, or of two: the sum that has the least noise.

    Noise is added to every cell by itself, so that of a sum of m cells has m times the variance.
    """
    options = [option for option in _sums(measured, axes, satisfied) if option is not None]
    if not options:
        hint = "Ask of one or two columns, in steps of the bins that .measurements shows; or ask the curator."
        raise Refused("no-cells", "The noisy counts do not tell this apart.", hint)
    count, deviation = min(options, key=lambda option: option[1])
    radius = -quantile(doubt / 2) * deviation
    return QueryEstimate(count, count - radius, count + radius, deviation)


def _sums(
    measured: MeasuredTable, axes: tuple[int, ...], satisfied: NDArray[np.bool_]
) -> list[tuple[float, float] | None]:
    table = measured.counted
    sizes = [column.size for column in table.recipe.columns]
    if len(axes) == 1:
        inside = _padded(satisfied, (sizes[axes[0]],))
        own = [_of_level(inside, starts, noisy, deviation) for starts, noisy, deviation in levels(measured, axes[0])]
        return [*own, *(_of_pair(measured, number, {axes[0]: inside}) for number in range(len(measured.tables)))]
    if len(axes) == 2:  # noqa: PLR2004 - a pair
        inside = _padded(satisfied, (sizes[axes[0]], sizes[axes[1]]))
        return [
            _of_pair(measured, number, {axes: inside}) for number, one in enumerate(measured.tables) if one.pair == axes
        ]
    return []


def levels(measured: MeasuredTable, place: int) -> list[tuple[IntArray, FloatArray, float]]:
    """The noisy counts of a column as they were measured, from coarse to fine: where cells start, counts, deviation."""
    table = measured.counted
    one_way = table.recipe.one_way
    first = sum(len(found) for found in one_way.levels[:place])
    return [
        (starts, table.raw[first + number], one_way.portion.deviation(one_way.weights[first + number]))
        for number, starts in enumerate(one_way.levels[place])
    ]


def _of_level(
    inside: NDArray[np.bool_], starts: IntArray, noisy: FloatArray, deviation: float
) -> tuple[float, float] | None:
    """The sum over the cells of one level, if each of them lies in or out as a whole."""
    codes = np.searchsorted(starts, np.arange(inside.size), side="right") - 1
    chosen = _whole(inside, codes, starts.size)
    return None if chosen is None else (float(noisy[chosen].sum()), deviation * float(chosen.sum()) ** 0.5)


def _of_pair(
    measured: MeasuredTable, number: int, inside: dict[object, NDArray[np.bool_]]
) -> tuple[float, float] | None:
    """The sum over a pair's cells, if each of them lies in or out as a whole."""
    one = measured.tables[number]
    bins = [measured.bins[place] for place in one.pair]
    codes = [own.fine if one.fine else own.coarse[own.fine] for own in bins]
    ((where, cells),) = inside.items()
    if isinstance(where, int):
        if where not in one.pair:
            return None
        axis = one.pair.index(where)
        chosen = _whole(cells, codes[axis], one.noisy.shape[axis])
        picked = None if chosen is None else one.noisy[chosen] if axis == 0 else one.noisy[:, chosen]
    else:
        flat = codes[0][:, None] * one.noisy.shape[1] + codes[1][None, :]
        chosen = _whole(cells.reshape(-1), flat.reshape(-1), one.noisy.size)
        picked = None if chosen is None else one.noisy.reshape(-1)[chosen]
    return None if picked is None else (float(picked.sum()), one.deviation * float(picked.size) ** 0.5)


def _whole(inside: NDArray[np.bool_], codes: IntArray, size: int) -> NDArray[np.bool_] | None:
    """Which bins lie inside; None if one of them does so in part."""
    within = np.bincount(codes, inside, size)
    every = np.bincount(codes, minlength=size)
    return (within == every) & (every > 0) if ((within == 0) | (within == every)).all() else None


def _padded(satisfied: NDArray[np.bool_], sizes: tuple[int, ...]) -> NDArray[np.bool_]:
    """Values that are not listed satisfy no condition."""
    return np.pad(satisfied, [(0, size - have) for size, have in zip(sizes, satisfied.shape, strict=True)])


def listed(name: str, measured: MeasuredTable) -> pa.Table:
    """Every noisy count, with the values that it counts; of columns with very many values, those of wide ranges."""
    found: list[pa.Table] = []
    columns = measured.counted.recipe.columns
    for place, column in enumerate(columns):
        starts, noisy, deviation = levels(measured, place)[0]
        ranges = labels(column, np.searchsorted(starts, np.arange(column.size), side="right") - 1)
        found.append(_part(name, (column.name, None), (ranges, None), noisy, deviation))
    for one in measured.tables:
        own = [measured.bins[place] for place in one.pair]
        codes = [bins.fine if one.fine else bins.coarse[bins.fine] for bins in own]
        left, right = (labels(columns[place], code) for place, code in zip(one.pair, codes, strict=True))
        names = columns[one.pair[0]].name, columns[one.pair[1]].name
        cells = [value for value in left for _ in right], right * len(left)
        found.append(_part(name, names, cells, one.noisy.reshape(-1), one.deviation))
    return pa.concat_tables(found)


def _shown(value: object, column: ColumnDomain) -> object:
    """A value as people write it: no fractions, and times of day with a colon."""
    if column.kind is Kind.TIME and isinstance(value, int):
        return time(value // 60, value % 60)
    if column.part is Part.QUARTER and isinstance(value, int):
        return time(value // 4, value % 4 * 15)
    return float(value) if isinstance(value, Fraction) else value


def _part(
    table: str,
    names: tuple[str, str | None],
    cells: tuple[list[str], list[str] | None],
    noisy: FloatArray,
    deviation: float,
) -> pa.Table:
    """The counts of one column, or of one pair."""
    size = noisy.size
    columns: dict[str, Sequence[str | None]] = {
        "table": [table] * size,
        "one": [names[0]] * size,
        "other": [names[1]] * size,
        "value_of_one": cells[0],
        "value_of_other": cells[1] or [None] * size,
    }
    texts = {title: pa.array(column, pa.string()) for title, column in columns.items()}
    return pa.table(texts | {"count": pa.array(noisy), "deviation": pa.array(np.full(size, deviation))})


def labels(column: ColumnDomain, bins: IntArray) -> list[str]:
    """What the bins hold, in words."""
    values = [label(_shown(value, column)) for value in column.values] + [OTHER] * column.other
    found = []
    for number in range(int(bins.max()) + 1):
        inside = np.flatnonzero(bins == number)
        first, last = values[inside[0]], values[inside[-1]]
        joint = " to " if column.ordered else ", "
        more = f", … ({inside.size})" if not column.ordered and inside.size > 2 else f"{joint}{last}"  # noqa: PLR2004 - more than both ends
        found.append(first if inside.size == 1 else first + more)
    return found
