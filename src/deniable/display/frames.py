"""Results as frames and files. What has to be installed for it is said, and nothing half-written stays behind."""

from __future__ import annotations

from datetime import date, time
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from deniable.core.errors import InvalidArgumentError
from deniable.core.extras import needed
from deniable.files.tables import decoded, write_table

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


def to_pandas(table: pa.Table) -> pd.DataFrame:
    """The table as a pandas frame. Where a value is missing, pandas makes doubles of whole numbers that these hold."""
    needed("to_pandas", "pandas", "pandas")
    frame: pd.DataFrame = table.to_pandas()
    for place, column in enumerate(table.columns):
        if column.null_count and not _held(column):
            frame.isetitem(place, column.to_pandas(integer_object_nulls=True))
    return frame


def _held(column: pa.ChunkedArray) -> bool:
    """Whether doubles hold what is in a column."""
    import pyarrow as pa  # noqa: PLC0415 - slow to load, and what is shown is mostly no frame
    import pyarrow.compute as pc  # noqa: PLC0415 - same

    ends = pc.min_max(column).as_py().values() if pa.types.is_integer(column.type) else ()
    return all(end is None or abs(end) <= _MOST_WHOLE for end in ends)


_MOST_WHOLE = 1 << 53


def to_polars(table: pa.Table) -> pl.DataFrame:
    """The table as a Polars frame."""
    frame: pl.DataFrame = needed("to_polars", "polars", "polars").DataFrame(decoded(table))
    return frame


def to_file(table: pa.Table, path: str | Path, suffix: str) -> Path:
    """The table as a file that must end in `suffix`; whole or not at all."""
    target = Path(path)
    if target.suffix != suffix:
        raise InvalidArgumentError("path", f"must end in {suffix}, not be {str(path)!r}")
    write_table(table, target, "path")
    return target


def to_rows(table: pa.Table) -> list[dict[str, object]]:
    """The rows as JSON can say them: dates as texts, what is not finite as null."""
    return [{name: _said(value) for name, value in row.items()} for row in table.to_pylist()]


def beside(table: pa.Table, intervals: pa.Table) -> pa.Table:
    """A table with its intervals behind its own columns, whose names stay theirs."""
    for name, column in zip(intervals.column_names, intervals.columns, strict=True):
        free = name
        while free in table.column_names:
            free += "_"
        table = table.append_column(free, column)
    return table


def _said(value: object) -> object:
    if isinstance(value, float) and not isfinite(value):
        return None
    return value.isoformat() if isinstance(value, date | time) else value
