"""An answer as cells with error bars: what is written in a cell, and what is drawn in it."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

import pyarrow as pa

from deniable.core.errors import InvalidArgumentError
from deniable.core.shown import label, measured
from deniable.curator import NoisyAnswer, PublicAnswer
from deniable.curator.answers.answer import Answer
from deniable.display.sheet import SheetColumn

MOST_ROWS = 200
"""What a page shows of a long answer; the files have all of it."""


@dataclass(frozen=True, slots=True)
class Bar:
    """Where a number and both ends of its interval stand, in percent of the width; `zero` is where it starts."""

    zero: float
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Cell:
    """What is written, the error behind it, and what is drawn."""

    text: str
    error: str = ""
    bar: Bar | None = None


@dataclass(frozen=True, slots=True)
class Drawn:
    """An answer's table."""

    names: tuple[str, ...]
    number: tuple[bool, ...]
    """Which columns hold numbers."""
    rows: tuple[tuple[Cell, ...], ...]
    more: int
    """Rows that are not shown."""
    keyed: bool
    """Whether the first column names the rows: it has no error, and others have."""


def sheet_of(answer: NoisyAnswer | PublicAnswer) -> Drawn:
    """The first rows, with an error bar in each noisy cell."""
    table, ends = answer.table.slice(0, MOST_ROWS), answer.intervals.slice(0, MOST_ROWS)
    columns, number = [], []
    for name, column in zip(table.column_names, table.columns, strict=True):
        written = _column(name, column, ends)
        low, high = (ends[f"{name}_{side}"] if f"{name}_{side}" in ends.column_names else None for side in _SIDES)
        drawn = _bars(column, low, high)
        cells = zip(written.cells, drawn, strict=True)
        columns.append([Cell(text, error, bar) for (text, error), bar in cells])
        number.append(written.number)
    rows = tuple(zip(*columns, strict=True)) if columns else ()
    names = tuple(SheetColumn.texts(name, ()).name for name in table.column_names)
    keyed = bool(ends.column_names) and f"{table.column_names[0]}_low" not in ends.column_names
    return Drawn(names, tuple(number), rows, max(0, answer.table.num_rows - MOST_ROWS), keyed)


_SIDES = ("low", "high")


def _column(name: str, column: pa.ChunkedArray, ends: pa.Table) -> SheetColumn:
    """As a terminal and a notebook write it."""
    values = column.to_pylist()
    if f"{name}_low" not in ends.column_names:
        return SheetColumn.keys(name, values)
    low, high = (ends[f"{name}_{side}"].to_pylist() for side in _SIDES)
    if pa.types.is_temporal(column.type):
        return SheetColumn.moments(name, values, low, high)
    return SheetColumn.noisy(name, values, low, high, whole=pa.types.is_integer(column.type))


def _bars(column: pa.ChunkedArray, low: pa.ChunkedArray | None, high: pa.ChunkedArray | None) -> list[Bar | None]:
    """One scale for a column, with zero on it; what is not finite is not drawn."""
    if low is None or high is None or pa.types.is_temporal(column.type):
        return [None] * len(column)
    points = list(zip(*(part.to_pylist() for part in (column, low, high)), strict=True))
    whole = [all(one is not None and isfinite(one) for one in point) for point in points]
    ends = [one for point, sound in zip(points, whole, strict=True) if sound for one in point]
    least, most = min([0.0, *ends]), max([0.0, *ends])
    width = most - least or 1.0

    def place(number: float) -> float:
        return float(round(100 * (number - least) / width, 2))

    zero = place(0)
    return [Bar(zero, *map(place, point)) if sound else None for point, sound in zip(points, whole, strict=True)]


def first_keys(answer: NoisyAnswer | PublicAnswer) -> tuple[str, ...]:
    """The groups that can be compared, as they are shown: those of an answer with one key."""
    keys = _comparable(answer)
    return tuple(keys) if 1 < len(keys) <= MOST_ROWS else ()


def compared(answer: NoisyAnswer | PublicAnswer, one: str, other: str) -> list[tuple[str, str, str]]:
    """The first group less the second: each noisy column, the difference, and its error."""
    keys = _comparable(answer)
    if not isinstance(answer, Answer) or one not in keys or other not in keys:
        raise InvalidArgumentError("groups", "must be two of the answer's own")
    rows = answer.compare(keys[one], keys[other]).to_pylist()
    return [(row["column"], *measured(row["difference"], row["low"], row["high"])) for row in rows]


def _comparable(answer: NoisyAnswer | PublicAnswer) -> dict[str, object]:
    """Values of the one key, by how they are shown."""
    if not isinstance(answer, Answer) or len(answer.plan.bound.keys) != 1:
        return {}
    return {label(value): value for value in answer.noisy[answer.plan.bound.keys[0].name].to_pylist()}
