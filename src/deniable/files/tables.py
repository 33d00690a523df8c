"""Whole tables, from every source and into files."""

from __future__ import annotations

from collections.abc import Sequence
from csv import Error as CsvError
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import BadZipFile

from deniable.core.errors import InvalidArgumentError
from deniable.files.atomic import refusing, whole
from deniable.files.formats import FileFormat
from deniable.files.scan import HERE, columns, quoted, reading
from deniable.files.source import DataFile
from deniable.files.spreadsheet import guarded

if TYPE_CHECKING:
    import pyarrow as pa

WRITABLE = (".parquet", ".csv")
"""What a table can be written as."""


def names_in(file: DataFile, argument: str) -> list[str]:
    """The names of all columns, as the file has them: a name may be there twice."""
    import pyarrow.parquet as pq  # noqa: PLC0415 - takes long to import, and most commands read no tables

    file.require(argument)
    try:
        if _plain(file):
            return list(pq.read_schema(file.path).names)
        if file.format is FileFormat.CSV and file.layout.header and not file.several:
            return file.layout.first_row(file.path)
        return list(columns(file))
    except unreadable() as error:
        raise file.unreadable(argument, error) from None


def read_table(file: DataFile, argument: str, wanted: Sequence[str] | None = None) -> pa.Table:
    """The wanted columns, in their order; all of them, if none are named.

    The columns of a CSV, JSON or Excel file are texts, so that 02138 stays 02138, and an empty cell is NULL; a line
    that is no row is an error. Texts of a Parquet file stay dictionary-encoded, as they are stored.
    """
    import pyarrow as pa  # noqa: PLC0415 - takes long to import, and most commands read no tables
    import pyarrow.parquet as pq  # noqa: PLC0415 - same

    file.require(argument)
    try:
        if _plain(file):
            schema = pq.read_schema(file.path)
            names = schema.names if wanted is None else list(wanted)
            texts = [name for name in set(names) if pa.types.is_string(schema.field(name).type)]
            return pq.read_table(file.path, columns=names, read_dictionary=texts).select(names)
        listed = "*" if wanted is None else ", ".join(map(quoted, wanted))
        with reading(file) as connection:
            return connection.sql(f"SELECT {listed} FROM {HERE}").to_arrow_table()  # noqa: S608 - quoted
    except unreadable() as error:
        raise file.unreadable(argument, error) from None


def unreadable() -> tuple[type[Exception], ...]:
    """What readers raise about files that they cannot read."""
    import duckdb  # noqa: PLC0415 - takes long to import
    import pyarrow as pa  # noqa: PLC0415 - same

    return duckdb.Error, pa.ArrowException, OSError, UnicodeError, CsvError, BadZipFile, InvalidArgumentError


def _plain(file: DataFile) -> bool:
    return file.format is FileFormat.PARQUET and not file.several


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
            pa.csv.write_csv(guarded(decoded(table)), file)


def decoded(table: pa.Table) -> pa.Table:
    """The table with every value in its place, and none that is stored once and referred to."""
    import pyarrow as pa  # noqa: PLC0415 - takes long to import

    written_out = [
        column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        for column in table.columns
    ]
    return pa.table(written_out, names=table.column_names)
