"""What a connection has prepared, and results that are fetched piece by piece."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from deniable.doors.postgres.copying import CopyForm
from deniable.doors.postgres.errors import PgError
from deniable.doors.postgres.types import Value


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
    sent: set[int] = field(default_factory=set)

    def fetch(self, most: int | None) -> Sequence[tuple[Value, ...]]:
        """The next rows, at most so many; None: all."""
        if self.result is None:
            raise PgError("55000", "the portal has not been executed")
        end = len(self.result.rows) if most is None else min(len(self.result.rows), self.at + most)
        rows, self.at = self.result.rows[self.at : end], end
        return rows

    @property
    def ended(self) -> bool:
        """Whether nothing is left."""
        return self.result is None or self.at >= len(self.result.rows)


def formats_of(formats: Sequence[int], columns: Sequence[PgColumn]) -> list[int]:
    """A format for each column: 0 is text, 1 is binary. None said: text; one said: for all."""
    if len(formats) <= 1:
        return [formats[0] if formats else 0] * len(columns)
    if len(formats) != len(columns):
        raise PgError("08P01", f"bind message has {len(formats)} result formats but query has {len(columns)} columns")
    return list(formats)
