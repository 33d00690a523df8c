"""From bins back to values: within a bin, as often as the column's own counts say; and values as they are declared."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa

from deniable.core.algebra.expression import Kind
from deniable.core.grid import IntArray
from deniable.releases.synthetic.measured.bins import by_bin
from deniable.releases.synthetic.measured.domain import ColumnDomain, Part
from deniable.releases.synthetic.measured.one_way import FloatArray


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
    found = np.empty(bins.size, dtype=np.min_scalar_type(fine.size))
    for inside, rows in zip(*(by_bin(own, int(fine.max()) + 1) for own in (fine, bins)), strict=True):
        if inside.size == 1 or rows.size == 0:
            found[rows] = inside[0]
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
_MICROSECONDS = {"day": 86_400_000_000, "quarter": 900_000_000, "minute": 60_000_000, "second": 1_000_000}


def as_declared(columns: Sequence[ColumnDomain], found: Sequence[IntArray], chance: np.random.Generator) -> pa.Array:
    """The values in these places, in the type that the column is declared to have; of all its parts, if it has parts.

    Whatever is not listed is missing, unless it is a text. A number without a step, or one of very many whole ones,
    days or steps, lies anywhere in its place, and a time of day at any second of its minute.
    """
    column, rows = columns[0], found[0]
    if column.part is not None:
        return _moments(columns, found, chance)
    if column.kind is Kind.TIME:
        return _times(column, rows, chance)
    if column.unit is not None:
        return _within(column, column.unit, rows, chance)
    shown = [_plain(value, column.decimals) for value in column.values]
    if column.other:
        shown.append(OTHER if column.kind is Kind.TEXT else None)
    type_ = _TYPES[column.kind] if column.decimals is None else pa.decimal128(38, column.decimals)
    values = pa.array(shown, type=type_).take(pa.array(rows))
    if column.width is None:
        return values
    numbers = values.to_numpy(zero_copy_only=False) + float(column.width) * chance.random(rows.size)
    last = max(float(value) for value in column.values if isinstance(value, Fraction))
    return pa.array(np.minimum(numbers, last), from_pandas=True)


def _within(column: ColumnDomain, unit: Fraction, rows: IntArray, chance: np.random.Generator) -> pa.Array:
    """Whole numbers, days or steps, any of those that are counted together."""
    first, last = column.ends
    together = int((column.width or unit) / unit)
    parts = np.minimum(rows, (last - first) // together).astype(np.uint64)  # an engine's doubles may show one more
    more = parts * np.uint64(together) + chance.integers(0, together, rows.size, dtype=np.uint64)
    found = first + np.minimum(more, np.uint64(last - first)).view(np.int64)  # beyond 2^63 both wrap around, and meet
    missing = rows >= column.present
    if column.kind is Kind.DATE:
        return pa.array(found.astype(np.int32), mask=missing).cast(pa.date32())
    if column.kind is Kind.INTEGER:
        return pa.array(found, mask=missing)
    if column.decimals is None:
        return pa.array(found * unit.numerator / unit.denominator, mask=missing)
    digits = int(unit * 10**column.decimals)
    exact = [
        None if gone else Decimal(one * digits).scaleb(-column.decimals)
        for one, gone in zip(found.tolist(), missing, strict=True)
    ]
    return pa.array(exact, pa.decimal128(38, column.decimals))


def _plain(value: object, decimals: int | None) -> object:
    """A value as Arrow takes it."""
    if not isinstance(value, Fraction):
        return value
    return float(value) if decimals is None else Decimal(int(value * 10**decimals)).scaleb(-decimals)


def _moments(columns: Sequence[ColumnDomain], found: Sequence[IntArray], chance: np.random.Generator) -> pa.Array:
    """Timestamps of their week, weekday and quarter of an hour, within their bounds, at any second."""
    places = {column.part: (column, rows) for column, rows in zip(columns, found, strict=True)}
    week, rows = places[Part.WEEK]
    weeks = pa.array(week.values, pa.date32()).take(pa.array(rows))
    days = weeks.cast(pa.int32()).cast(pa.int64()).fill_null(0).to_numpy()
    weekday, quarter = (
        np.array([int(str(value)) for value in own.values])[own_rows]
        for own, own_rows in (places[Part.WEEKDAY], places[Part.QUARTER])
    )
    seconds = chance.integers(0, 900, rows.size)
    moments = (days + weekday - 1) * _MICROSECONDS["day"] + quarter * _MICROSECONDS["quarter"]
    moments = np.clip(moments + seconds * _MICROSECONDS["second"], *week.ends)
    return pa.array(moments, pa.timestamp("us"), mask=weeks.is_null().to_numpy(zero_copy_only=False))


def _times(column: ColumnDomain, rows: IntArray, chance: np.random.Generator) -> pa.Array:
    """Times of day, within their bounds."""
    minutes = pa.array(column.values, pa.int64()).take(pa.array(rows))
    seconds = chance.integers(0, 60, rows.size) * _MICROSECONDS["second"]
    times = np.clip(minutes.fill_null(0).to_numpy() * _MICROSECONDS["minute"] + seconds, *column.ends)
    return pa.array(times, pa.time64("us"), mask=minutes.is_null().to_numpy(zero_copy_only=False))
