"""An answer as the points of a picture: which key stands along its axis, and which make series."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from math import isfinite, prod

import pyarrow as pa

from deniable.core.shown import label
from deniable.curator import NoisyAnswer, PublicAnswer

_MOST_BARS, _MOST_ALONG, _MOST_SERIES = 400, 4_000, 6
_LINE_FROM = 13
"""Ordered keys, from so many on, are a line with a band; fewer are bars."""


@dataclass(frozen=True, slots=True)
class Point:
    """A number at a place, in a series, with its interval."""

    place: str
    series: str
    value: float
    low: float
    high: float
    along: object
    """The key itself."""


@dataclass(frozen=True, slots=True)
class Points:
    """One noisy column by the keys of its answer."""

    column: str
    columns: tuple[str, ...]
    """All that could be shown instead."""
    key: str
    """What stands along the axis."""
    all: tuple[Point, ...]
    line: bool

    @property
    def series(self) -> list[str]:
        """In their order; a single one without a name, where there is one key."""
        return list(dict.fromkeys(one.series for one in self.all))

    @property
    def places(self) -> list[str]:
        """Along the axis."""
        return list(dict.fromkeys(one.place for one in self.all))


def points_of(answer: NoisyAnswer | PublicAnswer, column: str = "") -> Points | None:
    """One noisy column, the first if none is named; None, where there is nothing to be compared at a glance."""
    table, ends = answer.table, answer.intervals.column_names
    columns = tuple(
        name
        for name, values in zip(table.column_names, table.columns, strict=True)
        if f"{name}_low" in ends and not pa.types.is_temporal(values.type)
    )
    keys = _axis_first(table, [name for name in table.column_names if f"{name}_low" not in ends])
    if not columns or not keys or not isinstance(answer, NoisyAnswer):
        return None
    chosen = column if column in columns else columns[0]
    ordered = _ordered(table[keys[0]].type)
    points = _points(answer, keys, chosen, ordered=ordered)
    line = ordered and len({one.place for one in points}) >= _LINE_FROM
    if line:  # on which there is no place for what is missing: the table has it
        points = [one for one in points if one.along is not None]
    found = Points(chosen, columns, keys[0], tuple(points), line)
    fits = 1 < len(found.places) <= (_MOST_ALONG if line else _MOST_BARS)
    return found if fits and len(found.series) <= _MOST_SERIES else None


def _axis_first(table: pa.Table, keys: Sequence[str]) -> list[str]:
    """Time along the axis, if there is any; else the first key, unless the others would make too many series.

    Then it is the one with most values.
    """
    many = {key: len(table[key].unique()) for key in keys}
    moments = [key for key in keys if pa.types.is_temporal(table[key].type)]
    first = [*moments, *keys][:1]
    if not moments and prod(many[key] for key in keys[1:]) > _MOST_SERIES:
        first = [max(keys, key=many.__getitem__)]
    return [*first, *(key for key in keys if key not in first)]


def _ordered(kind: pa.DataType) -> bool:
    return not pa.types.is_string(kind) and not pa.types.is_boolean(kind)


def _points(answer: NoisyAnswer, keys: Sequence[str], column: str, *, ordered: bool) -> list[Point]:
    """The first key along the axis, in its own order where it has one; the others as series."""
    table, ends = answer.table, answer.intervals
    parts = (table[column], ends[f"{column}_low"], ends[f"{column}_high"])
    rows = zip(*(table[key].to_pylist() for key in keys), *(part.to_pylist() for part in parts), strict=True)
    sound = [row for row in rows if all(one is not None and isfinite(one) for one in row[-3:])]
    if ordered:
        sound.sort(key=lambda row: (row[0] is None, row[0]) if row[0] is not None else (True, 0))
    return [
        Point(_short(along), " / ".join(map(_short, others)), float(value), float(low), float(high), along)
        for along, *others, value, low, high in sound
    ]


def _short(value: object) -> str:
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == datetime.min.time() else value.isoformat(sep=" ")
    return value.isoformat() if isinstance(value, date) else label(value)
