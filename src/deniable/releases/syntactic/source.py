"""A table to publish: from pandas, Polars, Arrow, DuckDB, or a file."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from deniable.core.errors import InvalidArgumentError

_PARQUET = (".parquet", ".pq")
_TEXT = (".csv", ".tsv")


def read(frame: Any, wanted: Sequence[str]) -> pa.Table:  # noqa: ANN401 - whatever holds a table
    """The wanted columns, in their order. A CSV file's columns are texts, so that 02138 stays 02138; empty is NULL."""
    if isinstance(frame, str | Path):
        return _from_file(str(frame), wanted)
    if isinstance(frame, duckdb.DuckDBPyRelation):
        _require(frame.columns, wanted)
        return frame.select(*map(_quoted, wanted)).to_arrow_table()
    table = _arrow(frame)
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
        return _names_in(*_opened(str(frame)))
    if isinstance(frame, duckdb.DuckDBPyRelation):
        return list(frame.columns)
    if isinstance(frame, pa.Table):
        return list(frame.column_names)
    return list(map(str, frame.columns)) if hasattr(frame, "columns") else list(_arrow(frame).column_names)


def _arrow(frame: Any) -> pa.Table:  # noqa: ANN401 - whatever holds a table
    if isinstance(frame, pa.Table):
        return frame
    if type(frame).__module__.split(".")[0] == "pandas":
        repeated = [name for name, count in Counter(map(str, frame.columns)).items() if count > 1]
        if repeated:
            raise InvalidArgumentError("frame", f"has two columns {repeated[0]!r}; rename one of them")
        return pa.Table.from_pandas(frame, preserve_index=False)
    try:
        return pa.table(frame)
    except (TypeError, ValueError, pa.ArrowInvalid):
        raise InvalidArgumentError(
            "frame", "must be a pandas, Polars or Arrow table, a DuckDB relation or a file"
        ) from None


def _from_file(name: str, wanted: Sequence[str]) -> pa.Table:
    path, table = _opened(name)
    _require(_names_in(path, table), wanted)
    try:
        return _rows_of(path, table, wanted)
    except (duckdb.Error, pa.ArrowException) as error:
        raise _unreadable(path, error) from None


def _rows_of(path: Path, table: str, wanted: Sequence[str]) -> pa.Table:
    """Texts of a Parquet file stay dictionary-encoded, as they are stored."""
    if path.suffix in _PARQUET:
        schema = pq.read_schema(path)
        texts = [column for column in wanted if pa.types.is_string(schema.field(column).type)]
        return pq.read_table(path, columns=list(wanted), read_dictionary=texts).select(list(wanted))
    columns = ", ".join(map(_quoted, wanted))
    with duckdb.connect(str(path) if table else ":memory:", read_only=bool(table)) as connection:
        if table:
            return connection.sql(f"SELECT {columns} FROM {_quoted(table)}").to_arrow_table()  # noqa: S608 - quoted
        relation = connection.read_csv(str(path), header=True, all_varchar=True, sep=_delimiter(path))
        return relation.select(*map(_quoted, wanted)).to_arrow_table()


def _opened(name: str) -> tuple[Path, str]:
    """The file, and the table in it if it is a DuckDB file: 'clinic.duckdb::visits'."""
    file, _, table = name.partition("::")
    path = Path(file)
    if not table and path.suffix not in (*_PARQUET, *_TEXT):
        raise InvalidArgumentError(
            "frame", f"must be a .parquet, .csv or .tsv file, or 'file.duckdb::table', not {file!r}"
        )
    if not path.is_file():
        raise InvalidArgumentError("frame", f"cannot be read: there is no file {file!r}")
    return path, table


def _names_in(path: Path, table: str) -> list[str]:
    try:
        if table:
            with duckdb.connect(str(path), read_only=True) as connection:
                return list(connection.table(_quoted(table)).columns)
        if path.suffix in _PARQUET:
            return list(pq.read_schema(path).names)
        with path.open(encoding="utf-8-sig", newline="") as file:
            return next(csv.reader(file, delimiter=_delimiter(path)), [])
    except (duckdb.Error, pa.ArrowException, UnicodeDecodeError) as error:
        raise _unreadable(path, error) from None


def _delimiter(path: Path) -> str:
    """What the header line has most of."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        header = file.readline()
    return max(",;\t|", key=header.count)


def _unreadable(path: Path, error: Exception) -> InvalidArgumentError:
    return InvalidArgumentError("frame", f"cannot be read from {path}: {str(error).splitlines()[0]}")


def _require(there: Sequence[str], wanted: Sequence[str]) -> None:
    """All columns are there, and each once."""
    for name, count in Counter(there).items():
        if count > 1:
            raise InvalidArgumentError("frame", f"has two columns {name!r}; rename one of them")
    for name in wanted:
        if name not in there:
            raise InvalidArgumentError(
                "frame", f"has no column {name!r}; its columns are {', '.join(map(repr, there))}"
            )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
