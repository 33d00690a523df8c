"""Results as frames and files. What has to be installed for it is said, and nothing half-written stays behind."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from importlib import import_module
from math import isfinite
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from deniable.core.errors import InvalidArgumentError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


def needed(what: str, module: str, extra: str) -> ModuleType:
    """A module that is an extra, or a message that says what to install."""
    try:
        return import_module(module)
    except ImportError:
        name = module.partition(".")[0]
        raise InvalidArgumentError(what, f"needs {name}: pip install 'deniable[{extra}]'") from None


def to_pandas(table: pa.Table) -> pd.DataFrame:
    """The table as a pandas frame."""
    needed("to_pandas", "pandas", "pandas")
    return table.to_pandas()


def to_polars(table: pa.Table) -> pl.DataFrame:
    """The table as a Polars frame."""
    frame: pl.DataFrame = needed("to_polars", "polars", "polars").DataFrame(decoded(table))
    return frame


def to_csv(table: pa.Table, path: str | Path) -> Path:
    """The table as a CSV file."""
    from pyarrow import csv  # noqa: PLC0415 - needed only here

    return _written(path, lambda part: csv.write_csv(decoded(table), part))


def to_parquet(table: pa.Table, path: str | Path) -> Path:
    """The table as a Parquet file."""
    from pyarrow import parquet  # noqa: PLC0415 - same

    return _written(path, lambda part: parquet.write_table(table, part))


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


def decoded(table: pa.Table) -> pa.Table:
    """Coded texts as plain texts."""
    from pyarrow import types  # noqa: PLC0415 - same

    for place, column in enumerate(table.columns):
        if types.is_dictionary(column.type):
            table = table.set_column(place, table.column_names[place], column.cast(column.type.value_type))
    return table


def _said(value: object) -> object:
    if isinstance(value, float) and not isfinite(value):
        return None
    return value.isoformat() if isinstance(value, date) else value


def _written(path: str | Path, write: Callable[[Path], object]) -> Path:
    """Beside its place first, so that nobody reads half of it."""
    target = Path(path)
    part = target.with_name(f".{target.name}.part")
    try:
        write(part)
        return part.replace(target)
    finally:
        part.unlink(missing_ok=True)
