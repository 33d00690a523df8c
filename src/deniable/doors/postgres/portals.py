"""What a connection has prepared, and results that are fetched piece by piece."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from deniable.doors.postgres.copying import CopyForm
from deniable.doors.postgres.errors import PgError
from deniable.doors.postgres.messages import data_row, message
from deniable.doors.postgres.types import Value, to_binary, to_text


@dataclass(frozen=True, slots=True)
class PgColumn:
    """A column of a result: its name, and the number of its type."""

    name: str
    oid: int


@dataclass(frozen=True, slots=True)
class Result:
    """What a statement leads to. Without columns there are no rows, only a tag."""

    tag: str
    columns: tuple[PgColumn, ...] | None = None
    rows: Sequence[tuple[Value, ...]] = ()
    notices: tuple[str, ...] = ()
    copy: CopyForm | None = None
    """How the rows are copied out, if they are."""
    ready: Sequence[bytes] = ()
    """The rows as messages, in the form that was asked for, where it was known before: so there is nothing left to do
    when the deadline has come."""
    size: int = 0
    """Bytes that all of it takes, about."""


@dataclass(slots=True)
class Prepared:
    """A statement that was parsed: its text, the types of its parameters, and, once described, its columns."""

    text: str
    parameters: tuple[int, ...]
    columns: tuple[PgColumn, ...] | None = None
    described: bool = False


@dataclass(slots=True)
class Portal:
    """A statement with its parameters, and what is left to fetch of its result."""

    prepared: Prepared
    values: tuple[Value, ...] = ()
    formats: tuple[int, ...] = ()
    result: Result | None = None
    at: int = 0
    cursor: bool = False
    hold: bool = False
    """Whether it outlives the transaction in which it was declared, if that is committed."""
    kept: bool = False
    """Whether that one has been."""

    def fetch(self, most: int | None) -> Result:
        """The next rows, at most so many; None: all."""
        if self.result is None:
            raise PgError("55000", "the portal has not been executed")
        end = len(self.result.rows) if most is None else min(len(self.result.rows), self.at + most)
        next_rows, self.at = slice(self.at, end), end
        return replace(self.result, rows=self.result.rows[next_rows], ready=self.result.ready[next_rows])

    @property
    def ended(self) -> bool:
        """Whether nothing is left."""
        return self.result is None or self.at >= len(self.result.rows)


def as_messages(
    columns: Sequence[PgColumn], rows: Sequence[tuple[Value, ...]], formats: Sequence[int]
) -> Iterator[bytes]:
    """Each row as a DataRow."""
    oids, forms = [column.oid for column in columns], formats_of(formats, columns)
    for row in rows:
        values = [
            to_binary(value, oid) if form else to_text(value) for value, oid, form in zip(row, oids, forms, strict=True)
        ]
        yield message(b"D", data_row(values))


def as_copied(columns: Sequence[PgColumn], rows: Sequence[tuple[Value, ...]], form: CopyForm) -> Iterator[bytes]:
    """Each row, and what stands before and behind them, as CopyData."""
    for piece in form.messages([one.name for one in columns], [one.oid for one in columns], rows):
        yield message(b"d", piece)


def formats_of(formats: Sequence[int], columns: Sequence[PgColumn]) -> list[int]:
    """A format for each column: 0 is text, 1 is binary. None said: text; one said: for all."""
    if len(formats) <= 1:
        return [formats[0] if formats else 0] * len(columns)
    if len(formats) != len(columns):
        raise PgError("08P01", f"bind message has {len(formats)} result formats but query has {len(columns)} columns")
    return list(formats)
