"""What a source of rows is: a Parquet file, a CSV file with a header line, or a table of a DuckDB file."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from os import SEEK_END
from pathlib import Path

from deniable.core.errors import InvalidArgumentError

PARQUET = (".parquet", ".pq")
DELIMITERS = {".csv": ",", ".tsv": "\t"}
DATABASES = (".duckdb", ".db")
READABLE = "a .parquet, .pq, .csv or .tsv file, or 'file.duckdb::table'"
"""What a source can be, as every refusal says it."""
SEVERAL = "is a file of several tables"

Stamp = tuple[int, int, int]
_EDGE = 1 << 16
_MOST = 1 << 10


@dataclass(frozen=True, slots=True)
class DataFile:
    """One table in a file. It need not be there yet.

    Example:
        >>> visits = DataFile.named("clinic.duckdb::visits")
        >>> visits.path.name, visits.table, visits.title
        ('clinic.duckdb', 'visits', 'visits')
        >>> DataFile.named("visits.xlsx")
        Traceback (most recent call last):
        deniable.core.errors.InvalidArgumentError: source must be a .parquet, .pq, .csv or .tsv file, or
        'file.duckdb::table', not 'visits.xlsx'
    """

    path: Path
    """Absolute, with links followed."""
    table: str | None = None
    """Its name inside a DuckDB file."""

    @classmethod
    def named(cls, source: str | Path, argument: str = "source") -> DataFile:
        """The file that a custodian names, as a path or as 'file.duckdb::table'."""
        written = str(source)
        problem = refusal(written)
        if problem:
            more = "" if READABLE in problem else f"; name {READABLE}"
            raise InvalidArgumentError(argument, problem + more)
        file, table = parts(written)
        return cls(Path(file).resolve(), table)

    @property
    def suffix(self) -> str:
        """The end of the file's name, in small letters."""
        return self.path.suffix.lower()

    @property
    def title(self) -> str:
        """What the table is called: as in the database, or as the file."""
        return self.table if self.table is not None else self.path.stem

    @property
    def is_text(self) -> bool:
        """Whether the file holds texts alone (CSV), so that types have to be told or guessed."""
        return self.suffix in DELIMITERS

    def require(self, argument: str) -> None:
        """Refuse what is not there."""
        if not self.path.is_file():
            raise InvalidArgumentError(argument, f"cannot be read: there is no file {self.path}")

    def unreadable(self, argument: str, error: Exception) -> InvalidArgumentError:
        """What is wrong with a file that is there: its reader's first line, which for CSV says little."""
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        if self.is_text and not isinstance(error, OSError):
            reason = "it is not CSV in UTF-8 with a header line and as many cells in every line"
        return InvalidArgumentError(argument, f"cannot be read from {self.path}: {reason}")

    def delimiter(self) -> str:
        """By the name of a CSV file, or what its header line has more of, quoted names aside; never by its rows."""
        with self.path.open(encoding="utf-8", errors="replace", newline="") as file:
            header = re.sub(r'"[^"]*"', "", file.readline(_EDGE))
        usual = DELIMITERS[self.suffix]
        return usual if usual in header else max((usual, ",", ";", "|", "\t"), key=header.count)

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

    def content(self) -> str:
        """Of the bytes alone, wherever they are: all of them up to 64 MiB, else as many, evenly spread."""
        digest = hashlib.sha256(repr((self.table, self.path.stat().st_size)).encode())
        with self.path.open("rb") as file:
            pieces = -(-file.seek(0, SEEK_END) // _EDGE)
            for number in range(min(pieces, _MOST)):
                file.seek(number * pieces // min(pieces, _MOST) * _EDGE)
                digest.update(file.read(_EDGE))
        return digest.hexdigest()


def parts(written: str) -> tuple[str, str | None]:
    """The file's name, and the table's behind the last '::', if there is one.

    Example:
        >>> parts("clinic.duckdb::visits"), parts("visits.csv")
        (('clinic.duckdb', 'visits'), ('visits.csv', None))
    """
    file, mark, table = written.rpartition("::")
    return (file, table) if mark else (written, None)


def refusal(written: str) -> str:
    """Why this cannot be a source, whatever is on the disk; nothing if it can.

    Example:
        >>> refusal("visits.pq"), refusal("clinic.duckdb")
        ('', 'is a file of several tables')
    """
    file, table = parts(written)
    suffix = Path(file).suffix.lower()
    if "://" in written:
        return "is not on this machine, and other places cannot be read yet"
    if "\x00" in written:
        return "cannot be the name of a file"
    if table is not None and not (file.strip() and table.strip()):
        return "needs a file before '::' and a table after it"
    if table is None and suffix in DATABASES:
        return SEVERAL
    if suffix not in ((*PARQUET, *DELIMITERS) if table is None else DATABASES):
        return f"must be {READABLE}, not {written!r}"
    return ""
