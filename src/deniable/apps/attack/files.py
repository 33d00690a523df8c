"""Tables that people hand over: CSV or Parquet, read as texts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from deniable.core.errors import InvalidArgumentError


def read_table(path: Path, what: str) -> pa.Table:
    """The file, with every cell as the text that it is; '02138' stays what it was."""
    if not path.is_file():
        raise InvalidArgumentError(what, f"is not a file: {path}")
    try:
        table = _parquet(path) if path.suffix == ".parquet" else _csv(path)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InvalidArgumentError(what, f"{path} cannot be read: {error}") from None
    if not table.num_rows:
        raise InvalidArgumentError(what, f"{path} is empty: it has no rows")
    if repeated := {name for name in table.column_names if table.column_names.count(name) > 1}:
        raise InvalidArgumentError(what, f"{path} has two columns named {min(repeated)!r}")
    return table


def columns_of(text: str | None, otherwise: Sequence[str]) -> list[str]:
    """A list with commas, or the default."""
    return list(otherwise) if text is None else [name.strip() for name in text.split(",") if name.strip()]


def sensitive_of(name: str | None, columns: Sequence[str], on: Sequence[str]) -> str:
    """The named column, or the last one that is not matched on, where tables have it by habit."""
    if name is not None:
        return name
    others = [column for column in columns if column not in on]
    if not others:
        raise InvalidArgumentError("sensitive", f"must be named: all of {', '.join(columns)} are matched on")
    return others[-1]


def numbers_of(table: pa.Table, name: str, what: str) -> NDArray[np.float64]:
    """A column of numbers."""
    if name not in table.column_names:
        raise InvalidArgumentError(what, f"has no column {name!r}; its columns are {', '.join(table.column_names)}")
    try:
        numbers = np.array(table[name].to_pylist(), dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidArgumentError(what, f"column {name!r} must hold numbers in every row") from None
    if not np.isfinite(numbers).all():
        raise InvalidArgumentError(what, f"column {name!r} must hold finite numbers in every row")
    return numbers


def _csv(path: Path) -> pa.Table:
    with pyarrow.csv.open_csv(path) as reader:
        names = reader.schema.names
    texts = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False)
    return pyarrow.csv.read_csv(path, convert_options=texts)


def _parquet(path: Path) -> pa.Table:
    table = pq.read_table(path)
    return pa.table({name: table[name].cast(pa.string()) for name in table.column_names})
