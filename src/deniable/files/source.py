"""What a source of rows is: a file, several files of one kind, or a table of a DuckDB file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from deniable.core.algebra.expression import Kind
from deniable.core.errors import InvalidArgumentError
from deniable.files.broken import reason
from deniable.files.formats import IN_PARTS, TEXTS, FileFormat, bare, format_of
from deniable.files.layout import Layout

READABLE = (
    "a .parquet, .pq, .csv, .tsv, .ndjson, .jsonl, .arrow, .feather or .xlsx file, a folder (ending in '/') or a "
    "pattern ('visits-*.parquet') of such files, or 'file.duckdb::table'"
)
"""What a source can be, as every refusal says it."""
SEVERAL = "is a file of several tables"

Stamp = tuple[tuple[str, int, int, int, int], ...]
_USUAL = Layout()
_WILD = re.compile(r"[*?]")
_SEVERAL = frozenset({FileFormat.DATABASE, FileFormat.EXCEL})
"""What can hold several tables."""
_ALONE = frozenset(FileFormat) - IN_PARTS
_INSIDE = re.compile(r'(?:("(?:[^"]|"")+"|[^".]+)\.)?("(?:[^"]|"")+"|[^".]+)')
"""A table, and before it the schema."""


@dataclass(frozen=True)
class DataFile:
    """One table in files. They need not be there yet.

    Example:
        >>> visits = DataFile.named("clinic.duckdb::visits")
        >>> visits.path.name, visits.table, visits.title
        ('clinic.duckdb', 'visits', 'visits')
        >>> DataFile.named("visits.docx")
        Traceback (most recent call last):
        deniable.core.errors.InvalidArgumentError: source must be a .parquet, .pq, .csv, .tsv, .ndjson, .jsonl, .arrow,
        .feather or .xlsx file, a folder (ending in '/') or a pattern ('visits-*.parquet') of such files, or
        'file.duckdb::table', not 'visits.docx'
    """

    path: Path
    """Absolute, with links followed; a folder, or a pattern, for several files."""
    table: str | None = None
    """Its name inside a DuckDB file, with the schema before a dot; or the sheet of an Excel file."""
    layout: Layout = _USUAL
    """Of a CSV file."""
    declared: Mapping[str, Kind] | None = field(default=None, compare=False)
    """What the policy says of its columns, which some formats do not say themselves; None: there is no policy."""

    @classmethod
    def named(cls, source: str | Path, argument: str = "source") -> DataFile:
        """The source that a custodian names: a path, a pattern, or 'file.duckdb::table'."""
        written = str(source)
        if format_of(written) is None and Path(written).is_dir():  # a Path knows no slash at its end
            written = f"{written.rstrip('/')}/"
        problem = refusal(written)
        if problem:
            more = "" if READABLE in problem else f"; name {READABLE}"
            raise InvalidArgumentError(argument, problem + more)
        file, table = parts(written)
        return cls(Path(file).resolve(), table)

    @cached_property
    def format(self) -> FileFormat:
        """By the name; in a folder without one, by the files' names."""
        found = format_of(self.path)
        return found or next((one for path in self.files if (one := format_of(path)) is not None), FileFormat.PARQUET)

    @property
    def title(self) -> str:
        """What the table is called: as in the database, or as the file."""
        if self.format is FileFormat.DATABASE and self.table is not None:
            return inside(self.table)[1]
        name = bare(self.path)
        return (_WILD.sub("", name) if self.wild else name).strip("-_. ") or self.path.parent.name

    @property
    def is_text(self) -> bool:
        """Whether the file has no types of its own, so that they have to be told or guessed."""
        return self.format in TEXTS

    def untyped(self, column: str) -> bool:
        """Whether only the policy says what a column is: it is text, in a text file or in the names of folders."""
        return self.is_text or column in self.partitions

    @property
    def partitions(self) -> frozenset[str]:
        """The columns whose values stand in the names of folders, as in year=2024."""
        if not self.several:
            return frozenset()
        folders = {folder for path in self.files for folder in path.parent.parts}
        return frozenset(folder.partition("=")[0] for folder in folders if "=" in folder)

    @property
    def wild(self) -> bool:
        """Whether the path is a pattern. A file whose name only looks like one is a file."""
        return _WILD.search(str(self.path)) is not None and not self.path.exists()

    @property
    def several(self) -> bool:
        """Whether it may be more than one file, today or tomorrow."""
        return self.wild or self.path.is_dir()

    @property
    def files(self) -> tuple[Path, ...]:
        """The files of the table, in order: those there are now. Hidden ones, and marks like _SUCCESS, are none."""
        if self.wild:
            anchor = Path(self.path.anchor)
            found = anchor.glob(str(self.path.relative_to(anchor)))
        elif self.path.is_dir():
            found = self.path.rglob("*")
        else:
            return (self.path,) if self.path.is_file() else ()
        known = (one for one in found if one.is_file() and not _hidden(one, self.path) and format_of(one) in IN_PARTS)
        return tuple(sorted(known))

    def require(self, argument: str) -> None:
        """Refuse what is not there, and what cannot be one table."""
        files = self.files
        if not files:
            what = "there are no files" if self.several else "there is no file"
            raise InvalidArgumentError(argument, f"cannot be read: {what} {self.path}")
        formats = {format_of(one) for one in files}
        if self.several and len(formats) > 1:
            raise InvalidArgumentError(argument, f"cannot be read: {self.path} has files of several formats")

    def unreadable(self, argument: str, error: Exception) -> InvalidArgumentError:
        """What is wrong with a file that is there."""
        if isinstance(error, InvalidArgumentError):
            return InvalidArgumentError(argument, str(error).removeprefix(f"{error.argument} "))
        empty = not any(one.stat().st_size for one in self.files)
        fault = "it is empty" if empty else reason(self.format, self.files, self.layout, error)
        return InvalidArgumentError(argument, f"cannot be read from {self.path}: {fault}")

    def delimiter(self) -> str:
        """Of the first file, if it is a CSV file."""
        return self.layout.delimiter_of(self.files[0])

    def stamp(self) -> Stamp | None:
        """What changes when a file is written, replaced, added or removed; None if there is none."""
        stamps = []
        for path in self.pieces:
            try:
                status = path.stat()
            except OSError:
                return None
            stamps.append((str(path), status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino))
        return tuple(stamps) or None

    @property
    def pieces(self) -> tuple[Path, ...]:
        """The files, and what a database has not yet put into its file."""
        ahead = self.path.with_name(f"{self.path.name}.wal")
        return (*self.files, ahead) if self.format is FileFormat.DATABASE and ahead.is_file() else self.files


def parts(written: str) -> tuple[str, str | None]:
    """The file's name, and the table's behind the last '::', if there is one.

    Example:
        >>> parts("clinic.duckdb::visits"), parts("visits.csv")
        (('clinic.duckdb', 'visits'), ('visits.csv', None))
    """
    file, mark, table = written.rpartition("::")
    return (file, table) if mark else (written, None)


def inside(table: str, usual: str = "main") -> tuple[str, str]:
    """The schema and the name of a table in a database. A name with a dot in it is written in quotes.

    `usual` is the schema of those that name none.

    Example:
        >>> inside("visits"), inside("sales.visits"), inside('"visits.2024"'), inside('sales."visits.2024"')
        (('main', 'visits'), ('sales', 'visits'), ('main', 'visits.2024'), ('sales', 'visits.2024'))
    """
    found = _INSIDE.fullmatch(table)
    if found is None:
        return usual, table
    schema, name = (part if part is None else _unquoted(part) for part in found.groups())
    return schema or usual, name or table


def refusal(written: str) -> str:
    """Why this cannot be a source, whatever is on the disk; nothing if it can.

    Example:
        >>> refusal("visits.pq"), refusal("visits/"), refusal("clinic.duckdb")
        ('', '', 'is a file of several tables')
    """
    file, table = parts(written)
    found = format_of(file)
    one = found is not None and (table is None or found in _SEVERAL)
    folder = found is None and table is None and file.endswith("/")
    problems = {
        "is not on this machine, and other places cannot be read yet": "://" in written,
        "cannot be the name of a file": "\x00" in written,
        "needs a file before '::' and a table after it": table is not None and not (file.strip() and table.strip()),
        SEVERAL: table is None and found is FileFormat.DATABASE,
        f"must be {READABLE}, not {written!r}": not (one or folder),
        "cannot be a pattern: such a file is a table by itself": bool(_WILD.search(file)) and found in _ALONE,
    }
    return next((problem for problem, there in problems.items() if there), "")


def _hidden(path: Path, root: Path) -> bool:
    """Whether it, or a folder below the root, is called as what is not meant to be read."""
    below = path.parts[len(root.parts) :] or (path.name,)
    return any(part.startswith((".", "_")) for part in below)


def _unquoted(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name
