"""What a policy says of columns, beside what is in them: counts of rows, for custodians. Never part of an answer."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from unicodedata import normalize

from deniable.core.algebra.expression import Column, Range
from deniable.engines.duckdb.columns import read, stored
from deniable.engines.duckdb.look import row
from deniable.files.scan import HERE, columns, quoted, text
from deniable.files.source import DataFile


@dataclass(frozen=True, slots=True)
class RowCounts:
    """How many rows of a column are not as they are declared."""

    rows: int
    missing: int
    """Without a value."""
    unread: int
    """With one that cannot be read as the declared type, and counts as missing."""
    outside: int
    """Read as the nearest bound."""
    unlisted: int
    """With a value that is not among those listed."""
    distinct: int | None
    """Different values; only of the unit, and of a key."""


def compared(
    file: DataFile, declared: Sequence[tuple[Column, Sequence[str | int] | None]], distinct: Collection[str]
) -> list[RowCounts]:
    """Every declared column, which must be in the file, against what it holds, in one pass over all rows.

    Lines that are no rows are left out, as in questions.
    """
    kinds = columns(file)
    facts = [_compared(column, kinds[column.name], values, column.name in distinct) for column, values in declared]
    found = iter(row(file, f"SELECT COUNT(*), {', '.join(facts)} FROM {HERE}", strict=False))  # noqa: S608 - quoted
    rows = next(found)
    counts = []
    for column, _ in declared:
        missing, unread, outside, unlisted = (next(found) for _ in range(4))
        different = next(found) if column.name in distinct else None
        counts.append(RowCounts(rows, missing, unread, outside, unlisted, different))
    return counts


def _compared(column: Column, kind: str, values: Sequence[str | int] | None, told_apart: bool) -> str:  # noqa: FBT001
    """What is read within the bounds, beside what would be read without them."""
    place = stored(quoted(column.name), kind)
    within = read(place.place, place.type, column)
    free = read(place.place, place.type, replace(column, range=Range()))
    unlisted = "0"
    if values is not None:
        texts = ", ".join(text(normalize("NFC", str(value))) for value in values)
        known = f"nfc_normalize(CAST({free} AS VARCHAR)) IN ({texts})"
        unlisted = f"COUNT({free}) FILTER (WHERE NOT {known})"
    facts = [
        f"COUNT(*) - COUNT({place.place})",
        f"COUNT({place.place}) FILTER (WHERE {within} IS NULL)",
        f"COUNT({within}) FILTER (WHERE {free} IS DISTINCT FROM {within})",
        unlisted,
        *([f"COUNT(DISTINCT {place.place})"] if told_apart else []),
    ]
    return ", ".join(facts)
