"""Whole tables, from every source and into files."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from deniable.core.errors import InvalidArgumentError
from deniable.files.atomic import refusing, whole
from deniable.files.scan import attached, checked, columns, quoted
from deniable.files.source import PARQUET, DataFile

if TYPE_CHECKING:
    import pyarrow as pa

WRITABLE = (".parquet", ".csv")
"""What a table can be written as."""


def names_in(file: DataFile, argument: str) -> list[str]:
    """The names of all columns, as the file has them: a name may be there twice."""
    import duckdb  # noqa: PLC0415 - takes long to import, and most commands read no tables
    import pyarrow as pa  # noqa: PLC0415 - same
    import pyarrow.parquet as pq  # noqa: PLC0415 - same

    file.require(argument)
    try:
        if file.suffix in PARQUET:
            return list(pq.read_schema(file.path).names)
        if not file.is_text:
            return list(columns(file))
        with file.path.open(encoding="utf-8-sig", newline="") as opened:
            return next(csv.reader(opened, delimiter=file.delimiter()), [])
    except (duckdb.Error, pa.ArrowException, OSError, UnicodeDecodeError, csv.Error) as error:
        raise file.unreadable(argument, error) from None


def read_table(file: DataFile, argument: str, wanted: Sequence[str] | None = None) -> pa.Table:
    """The wanted columns, in their order; all of them, if none are named.

    A CSV file's columns are texts, so that 02138 stays 02138, and an empty cell is NULL; a line that is no row is an
    error. Texts of a Parquet file stay dictionary-encoded, as they are stored.
    """
    import duckdb  # noqa: PLC0415 - takes long to import, and most commands read no tables
    import pyarrow as pa  # noqa: PLC0415 - same
    import pyarrow.parquet as pq  # noqa: PLC0415 - same

    file.require(argument)
    try:
        if file.suffix in PARQUET:
            schema = pq.read_schema(file.path)
            names = schema.names if wanted is None else list(wanted)
            texts = [name for name in set(names) if pa.types.is_string(schema.field(name).type)]
            return pq.read_table(file.path, columns=names, read_dictionary=texts).select(names)
        listed = "*" if wanted is None else ", ".join(map(quoted, wanted))
        with duckdb.connect() as connection:
            for statement in attached(file):
                connection.execute(statement)
            return connection.sql(f"SELECT {listed} FROM {checked(file)}").to_arrow_table()  # noqa: S608 - quoted
    except (duckdb.Error, pa.ArrowException, OSError) as error:
        raise file.unreadable(argument, error) from None


def write_table(table: pa.Table, path: Path, argument: str = "output") -> None:
    """As .parquet or .csv, whole or not at all. In a CSV file, values that are stored once are written out."""
    import pyarrow as pa  # noqa: PLC0415 - takes long to import
    import pyarrow.csv  # noqa: PLC0415 - same
    import pyarrow.parquet as pq  # noqa: PLC0415 - same

    if path.suffix not in WRITABLE:
        raise InvalidArgumentError(argument, f"must end in {' or '.join(WRITABLE)}, not be {str(path)!r}")
    with refusing(path, argument), whole(path) as file:
        if path.suffix == ".parquet":
            pq.write_table(table, file)
        else:
            pa.csv.write_csv(decoded(table), file)


def decoded(table: pa.Table) -> pa.Table:
    """The table with every value in its place, and none that is stored once and referred to."""
    import pyarrow as pa  # noqa: PLC0415 - takes long to import

    written_out = [
        column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        for column in table.columns
    ]
    return pa.table(written_out, names=table.column_names)
