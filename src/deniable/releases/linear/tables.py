"""Answers as tables: a row for each query, with columns that say which one it is."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from fractions import Fraction

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.core.shown import label
from deniable.releases.linear.domain import Attribute
from deniable.releases.linear.matrices.factors import Shape
from deniable.releases.linear.task import Factors, ListedQueries, Piece, Task

_RESERVED = ("part", "condition", "count", "deviation", "low", "high")
"""What answers and errors are called."""


def title(task: Task, piece: Piece) -> str:
    """A part of the workload in words."""
    names = [attribute.name for attribute in task.domain.attributes]
    if isinstance(piece, ListedQueries):
        return f"conditions on {' x '.join(names[axis] for axis in piece.axes)}"
    words = [
        names[axis] if factor.shape is Shape.VALUES else f"{factor.shape.value} of {names[axis]}"
        for axis, factor in enumerate(piece.factors)
        if factor.shape is not Shape.TOTAL
    ]
    return " x ".join(words) or "total"


def queries(task: Task, piece: Piece) -> dict[str, pa.Array]:
    """What tells the queries of a part apart: values, and the ends of prefixes and ranges (both included)."""
    if isinstance(piece, ListedQueries):
        return {"condition": pa.array(piece.texts or [f"condition {row + 1}" for row in range(piece.rows)])}
    columns: dict[str, pa.Array] = {}
    after = piece.rows
    for axis in piece.axes:
        factor, attribute = piece.factors[axis], task.domain.attributes[axis]
        after //= factor.rows
        codes = np.arange(piece.rows) // after % factor.rows
        for name, column in _columns(piece, axis, attribute, codes).items():
            columns[_free(name, columns)] = column
    return columns


def described(columns: dict[str, pa.Array], most: int) -> list[str]:
    """The first queries of a part in words, each in one cell: values, and ranges from one to another."""
    parts: list[list[str]] = []
    for name, column in columns.items():
        texts = [label(value) for value in column.slice(0, most).to_pylist()]
        if name.endswith("_to") and f"{name.removesuffix('_to')}_from" in columns:
            parts[-1] = [f"{low} to {high}" for low, high in zip(parts[-1], texts, strict=True)]
        else:
            parts.append([f"up to {text}" for text in texts] if name.endswith("_to") else texts)
    return [", ".join(row) for row in zip(*parts, strict=True)] if parts else ["all rows"]


def _free(name: str, taken: dict[str, pa.Array]) -> str:
    """The name, or one like it that no other column has."""
    while name in taken or name in _RESERVED:
        name += "_"
    return name


def _columns(piece: Factors, axis: int, attribute: Attribute, codes: NDArray[np.int64]) -> dict[str, pa.Array]:
    labels = _labels(attribute.values)
    factor = piece.factors[axis]
    if factor.shape is Shape.VALUES:
        return {attribute.name: labels.take(pa.array(codes))}
    if factor.shape is Shape.PREFIXES:
        return {f"{attribute.name}_to": labels.take(pa.array(codes))}
    low, high = factor.ends
    return {
        f"{attribute.name}_from": labels.take(pa.array(low[codes])),
        f"{attribute.name}_to": labels.take(pa.array(high[codes])),
    }


def _labels(values: Sequence[object]) -> pa.Array:
    """Values of one kind; multiples of a step are floats for display."""
    plain = [float(value) if isinstance(value, Fraction) else value for value in values]
    dates = any(isinstance(value, date) for value in values)
    return pa.array(plain, type=pa.date32() if dates else None)


def stacked(task: Task, columns: Sequence[dict[str, pa.Array]]) -> pa.Table:
    """The parts below each other, each with its name; what a part does not tell apart is NULL in it."""
    if len(columns) == 1:
        return pa.table(columns[0])
    tables = []
    for piece, part in zip(task.pieces, columns, strict=True):
        rows = piece.rows
        name = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, dtype=np.int32)), pa.array([title(task, piece)]))
        tables.append(pa.table({"part": name.cast(pa.string())} | part))
    return pa.concat_tables(tables, promote_options="default")
