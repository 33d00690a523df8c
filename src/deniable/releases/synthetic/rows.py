"""From bins back to values: within a bin, as often as the column's own counts say; and values as they are declared."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa

from deniable.core.algebra.expression import Kind
from deniable.core.grid import IntArray
from deniable.releases.synthetic.domain import ColumnDomain
from deniable.releases.synthetic.one_way import FloatArray


def places(
    bins: IntArray,
    fine: IntArray,
    counts: FloatArray,
    chance: np.random.Generator,
    order: FloatArray | None = None,
) -> IntArray:
    """For each row's bin a place in it, spread as evenly as the counts allow; rising in this order, or at random.

    Example:
        >>> chance = np.random.default_rng(0)
        >>> found = places(np.array([1, 1, 0, 1, 1]), np.array([0, 1, 1]), np.array([7.0, 3, 1]), chance)
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
        found[rows if order is None else rows[np.argsort(order[rows])]] = (
            chosen if order is not None else chance.permutation(chosen)
        )
    return found


OTHER = "(other)"
"""What a text is called that is not listed."""

_TYPES = {
    Kind.INTEGER: pa.int64(),
    Kind.NUMBER: pa.float64(),
    Kind.TEXT: pa.string(),
    Kind.BOOLEAN: pa.bool_(),
    Kind.DATE: pa.date32(),
}


def as_declared(column: ColumnDomain, found: IntArray, chance: np.random.Generator) -> pa.Array:
    """The values in these places, in the type that the column is declared to have.

    Whatever is not listed is missing, unless it is a text. A number without a step lies anywhere in its place.
    """
    shown = [float(value) if isinstance(value, Fraction) else value for value in column.values]
    if column.other:
        shown.append(OTHER if column.kind is Kind.TEXT else None)
    values = pa.array(shown, type=_TYPES[column.kind]).take(pa.array(found))
    if column.width is None:
        return values
    numbers = values.to_numpy(zero_copy_only=False) + float(column.width) * chance.random(found.size)
    last = max(float(value) for value in column.values if isinstance(value, Fraction))
    return pa.array(np.minimum(numbers, last), from_pandas=True)
