"""Tables that people hand over, read as texts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.core.errors import InvalidArgumentError
from deniable.files.source import DataFile
from deniable.files.tables import names_in
from deniable.files.tables import read_table as read_whole


def read_table(path: Path, what: str) -> pa.Table:
    """The file, with every cell as the text that it is: '02138' stays what it was, and a blank is a blank."""
    file = DataFile.named(path, what)
    names = names_in(file, what)
    if repeated := {name for name in names if names.count(name) > 1}:
        raise InvalidArgumentError(what, f"{path} has two columns named {min(repeated)!r}")
    table = read_whole(file, what)
    if not table.num_rows:
        raise InvalidArgumentError(what, f"{path} is empty: it has no rows")
    try:
        return pa.table({name: table[name].cast(pa.string()).fill_null("") for name in table.column_names})
    except pa.ArrowException as error:
        raise file.unreadable(what, error) from None


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
