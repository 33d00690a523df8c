"""Rows that people hold, as the vectors that a model was trained on: the same grid, the same shrinking."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.core.algebra.query import WEIGHT
from deniable.core.calendar import counted
from deniable.core.errors import InvalidArgumentError
from deniable.core.vectors.batch import batch_of
from deniable.core.vectors.design import GRID, BinnedFeature, CategoryFeature, Feature, NumberFeature, VectorDesign

FloatArray = NDArray[np.float64]


def vectors_of(design: VectorDesign, rows: Any, model: str = "model") -> FloatArray:  # noqa: ANN401 - a frame, a mapping or an array
    """One vector for each row, in the vectors' own unit."""
    columns = [
        _field(feature, column) for feature, column in zip(design.features, _columns(design, rows, model), strict=True)
    ]
    count = len(columns[0])
    unaimed = VectorDesign(design.features, None, design.constant, design.square)
    return batch_of(unaimed, columns, np.full(count, float(WEIGHT))).vectors / GRID


def _columns(design: VectorDesign, rows: Any, model: str) -> list[NDArray[Any]]:  # noqa: ANN401 - same
    """By name where there are names, else by place."""
    names = [feature.name for feature in design.features]
    if isinstance(rows, Mapping) or hasattr(rows, "columns") or hasattr(rows, "column_names"):
        missing = [name for name in names if name not in _names(rows)]
        if missing:
            raise InvalidArgumentError("rows", f"must have the columns {', '.join(names)}; {missing[0]!r} is not there")
        return [np.asarray(rows[name]) for name in names]
    table = np.asarray(rows)
    if table.ndim != 2:  # noqa: PLR2004 - rows and columns
        reason = "Reshape your data: it must have rows and columns"
        raise ValueError(f"Expected 2D array, got {table.ndim}D array instead. {reason}.")
    if table.shape[1] != len(names):
        raise ValueError(f"X has {table.shape[1]} features, but {model} is expecting {len(names)} features as input")
    return [table[:, place] for place in range(len(names))]


def _names(rows: Any) -> list[str]:  # noqa: ANN401 - same
    if isinstance(rows, Mapping):
        return [str(name) for name in rows]
    return [str(name) for name in (rows.column_names if hasattr(rows, "column_names") else rows.columns)]


def _field(feature: Feature, column: NDArray[Any]) -> FloatArray:
    """A number's place on its grid, the bin that it is in, or which value it is; NaN where it is missing, or none."""
    if isinstance(feature, CategoryFeature):
        places = {value: float(place) for place, value in enumerate(feature.values)}
        return np.array([_place(places, value) for value in column.tolist()])
    values = np.clip(_numbers(column), float(feature.low), float(feature.high))
    if isinstance(feature, NumberFeature):
        return np.floor((values - float(feature.origin)) / float(feature.width / GRID) + 0.5)
    width = (feature.high - feature.low) / feature.bins
    return _bins(feature, values, width)


def _bins(feature: BinnedFeature, values: FloatArray, width: Fraction) -> FloatArray:
    return np.clip(np.floor((values - float(feature.low)) / float(width)), 0, feature.bins - 1)


def _place(places: Mapping[Any, float], value: Any) -> float:  # noqa: ANN401 - a cell
    try:
        return places.get(value, np.nan)
    except TypeError:
        return np.nan


def _numbers(column: NDArray[Any]) -> FloatArray:
    """Dates and times are counted, as in training."""
    if column.dtype.kind == "M":
        days = column.astype("datetime64[D]") == column
        unit = "datetime64[D]" if bool(np.all(days | np.isnat(column))) else "datetime64[us]"
        return np.where(np.isnat(column), np.nan, column.astype(unit).astype(np.int64))
    if column.dtype.kind == "O":
        return np.array([_number(value) for value in column.tolist()])
    return np.asarray(column, dtype=np.float64)


def _number(value: Any) -> float:  # noqa: ANN401 - a cell
    if value is None:
        return np.nan
    return float(counted(value)) if isinstance(value, date | datetime) else float(value)
