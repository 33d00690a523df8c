"""The files that hold private tables: how they are read, what is in them, and whether they have changed."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from os import SEEK_END
from pathlib import Path

import duckdb

from deniable.core.errors import InvalidArgumentError
from deniable.engines.duckdb.literals import quoted, text

_EDGE = 1 << 16
_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_PARQUET = (".parquet", ".pq")
Stamp = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class DataFile:
    """One table: a Parquet file, a CSV file with a header line, or a table of a DuckDB file."""

    path: Path
    table: str | None

    @classmethod
    def named(cls, source: str | Path) -> DataFile:
        """The file that a policy names, as a path or as 'file.duckdb::table'."""
        file, _, table = str(source).partition("::")
        path = Path(file).resolve()
        if not table and path.suffix not in (*_PARQUET, *_DELIMITERS):
            raise InvalidArgumentError(
                "source", f"must be a .parquet, .csv or .tsv file, or 'file.duckdb::table', not {file!r}"
            )
        return cls(path, table or None)

    @property
    def attachment(self) -> str:
        """What the file is called inside the engine, if it is a database of its own."""
        return quoted(f"file {self.path}")

    def opened(self) -> list[str]:
        """What has to be said before the table can be read."""
        if self.table is None:
            return []
        return [f"ATTACH IF NOT EXISTS {text(str(self.path))} AS {self.attachment} (READ_ONLY)"]

    def relation(self, *, typed: bool = False) -> str:
        """The table, for FROM.

        The columns of a CSV file are read as text, because a row that does not look like those before it would
        otherwise raise; and a line that is no row is skipped. `typed` guesses, for a custodian to look at. The bounds
        that a Parquet file states for its columns leave out NaN, and DuckDB would trust them.
        """
        path = text(str(self.path))
        if self.table is not None:
            return f"{self.attachment}.main.{quoted(self.table)}"
        if self.path.suffix in _PARQUET:
            return f"read_parquet({path}, can_have_nan = true)"
        shape = f"delim = {text(self._delimiter())}, quote = '\"', escape = '\"', header = true, skip = 0"
        lenient = "" if typed else ", all_varchar = true, ignore_errors = true"
        return f"read_csv({path}, {shape}{lenient})"

    def columns(self, *, typed: bool = False) -> dict[str, str]:
        """The columns and their types; reads no rows of a private table, but may guess from some of a CSV file."""
        with duckdb.connect() as connection:
            for statement in self.opened():
                connection.execute(statement)
            described = connection.execute(f"DESCRIBE FROM {self.relation(typed=typed)}").fetchall()
        return {name: kind for name, kind, *_ in described}

    def stamp(self) -> Stamp | None:
        """What changes when the file is written or replaced; None if there is none."""
        try:
            status = self.path.stat()
        except OSError:
            return None
        return status.st_size, status.st_mtime_ns, status.st_ino

    def fingerprint(self) -> str:
        """Of the path, the stamp, and the first and last 64 KiB; raises if there is no file."""
        digest = hashlib.sha256(repr((str(self.path), self.table, self.stamp())).encode())
        with self.path.open("rb") as file:
            digest.update(file.read(_EDGE))
            file.seek(max(0, file.seek(0, SEEK_END) - _EDGE))
            digest.update(file.read(_EDGE))
        return digest.hexdigest()

    def _delimiter(self) -> str:
        """By the name of the file, or what its header line has more of; never by its rows."""
        with self.path.open(encoding="utf-8", errors="replace", newline="") as file:
            header = file.readline(_EDGE)
        usual = _DELIMITERS[self.path.suffix]
        return usual if usual in header else max((usual, ";", "|", "\t"), key=header.count)
