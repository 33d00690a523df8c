"""A table to publish: from pandas, Polars, Arrow, DuckDB, or a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from deniable.core.errors import InvalidArgumentError
from deniable.files.frames import arrow, once
from deniable.files.scan import quoted
from deniable.files.source import DataFile
from deniable.files.tables import names_in, read_table


def read(frame: Any, wanted: Sequence[str]) -> pa.Table:  # noqa: ANN401 - whatever holds a table
    """The wanted columns, in their order. A CSV file's columns are texts, so that 02138 stays 02138; empty is NULL."""
    if isinstance(frame, str | Path):
        file = DataFile.named(frame, "frame")
        _require(names_in(file, "frame"), wanted)
        return read_table(file, "frame", wanted)
    if isinstance(frame, duckdb.DuckDBPyRelation):
        _require(frame.columns, wanted)
        return frame.select(*map(quoted, wanted)).to_arrow_table()
    table = arrow(frame)
    _require(table.column_names, wanted)
    return _without_views(table.select(list(wanted)))


def _without_views(table: pa.Table) -> pa.Table:
    """Texts in the layout that everything can sort."""
    texts = [
        pa.field(field.name, pa.string()) if pa.types.is_string_view(field.type) else field for field in table.schema
    ]
    return table.cast(pa.schema(texts))


def names_of(frame: Any) -> list[str]:  # noqa: ANN401 - whatever holds a table
    """The names of all columns."""
    if isinstance(frame, str | Path):
        return names_in(DataFile.named(frame, "frame"), "frame")
    if isinstance(frame, duckdb.DuckDBPyRelation):
        return list(frame.columns)
    if isinstance(frame, pa.Table):
        return list(frame.column_names)
    return list(map(str, frame.columns)) if hasattr(frame, "columns") else list(arrow(frame).column_names)


def _require(there: Sequence[str], wanted: Sequence[str]) -> None:
    """All columns are there, and each once."""
    once(there)
    for name in wanted:
        if name not in there:
            raise InvalidArgumentError(
                "frame", f"has no column {name!r}; its columns are {', '.join(map(repr, there))}"
            )
