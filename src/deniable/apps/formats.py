"""Tables into files and pipes: the ending of a file's name says its format."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from deniable.core.errors import InvalidArgumentError
from deniable.files.atomic import refusing, whole
from deniable.files.spreadsheet import guarded

if TYPE_CHECKING:
    import pyarrow as pa


class Format(Enum):
    """How a table is written."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"
    ARROW = "arrow"

    @property
    def ending(self) -> str:
        """Of a file in this format."""
        return ".txt" if self is Format.TABLE else f".{self.value}"


EVERY = tuple(Format)
FILES = (Format.CSV, Format.PARQUET, Format.JSON, Format.ARROW)
"""Those that another program can read."""
_BINARY = (Format.PARQUET, Format.ARROW)

Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write to this file: .csv, .parquet, .json, .arrow, or .txt for the table.",
    ),
]
Form = Annotated[
    Format | None,
    typer.Option("--format", metavar="FORMAT", help="Print as table (the default), csv, json, parquet or arrow."),
]


def settled(output: Path | None, form: Format | None = None, allowed: Sequence[Format] = EVERY) -> Format:
    """The format to write, or what is wrong with the wish: asked before anything is paid.

    Example:
        >>> settled(Path("answer.parquet"))
        <Format.PARQUET: 'parquet'>
        >>> settled(Path("answer.xlsx"))
        Traceback (most recent call last):
        deniable.core.errors.InvalidArgumentError: output must end in .txt, .csv, .json, .parquet or .arrow, not be ...
    """
    if output is None:
        chosen = form or Format.TABLE
        if chosen in _BINARY and sys.stdout.isatty():
            raise InvalidArgumentError("format", f"{chosen.value} is not for terminals: name a file with --output")
        return chosen
    by_ending = {one.ending: one for one in allowed}
    if output.suffix not in by_ending:
        *others, last = by_ending
        raise InvalidArgumentError("output", f"must end in {', '.join(others)} or {last}, not be {str(output)!r}")
    if output.is_dir():
        raise InvalidArgumentError("output", f"must be a file, and {str(output)!r} is a folder")
    if not output.absolute().parent.is_dir():
        raise InvalidArgumentError("output", f"must be in a folder that exists, not in {str(output.parent)!r}")
    if form not in (None, by_ending[output.suffix]):
        raise InvalidArgumentError("format", f"is said by the ending of {str(output)!r}: leave --format out")
    return by_ending[output.suffix]


def write(form: Format, output: Path | None, table: pa.Table, document: object) -> None:
    """The table in this format, or the document as JSON: into the file, whole or not at all, or to the next program."""
    if output is None:
        _write(form, sys.stdout.buffer, table, document)
        sys.stdout.flush()
        return
    with refusing(output, "output"), whole(output) as file:
        _write(form, file, table, document)


def _write(form: Format, file: IO[bytes], table: pa.Table, document: object) -> None:
    match form:
        case Format.CSV:
            from pyarrow.csv import write_csv

            write_csv(guarded(table), file)
        case Format.PARQUET:
            from pyarrow.parquet import write_table

            write_table(table, file)
        case Format.ARROW:
            from pyarrow.ipc import new_file

            with new_file(file, table.schema) as writer:
                writer.write_table(table)
        case Format.JSON:
            file.write(json.dumps(document, indent=2, default=_plain, ensure_ascii=False).encode() + b"\n")
        case Format.TABLE:
            raise ValueError("a table for people is drawn by whoever knows it")


def _plain(value: Any) -> str:  # noqa: ANN401 - a date, a decimal
    return str(value)
