"""What is wanted: which tables, which of their columns, how many rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from deniable.core.errors import InvalidArgumentError
from deniable.core.number import whole

MOST_ROWS = 1_000_000
"""Of a table that is certified and recorded; `more` draws any number."""


@dataclass(frozen=True, slots=True, init=False)
class Synthesis:
    """Made-up tables that look like private ones. Say nothing, and it is all private tables with all their columns.

    Example:
        >>> Synthesis("visits", columns=["age", "region"], rows=1000)
        Synthesis(tables=('visits',), columns=(('visits', ('age', 'region')),), rows=1000, constraints=())
    """

    tables: tuple[str, ...] | None
    """None: all private ones."""
    columns: tuple[tuple[str, tuple[str, ...]], ...]
    """By table; of a table that is not named, all but the one that names the unit."""
    rows: int | None
    """Of the table, or of that of the parents; None: about as many as there are."""
    constraints: tuple[tuple[str, tuple[str, ...]], ...]
    """By table: conditions in SQL that no row violates."""

    def __init__(
        self,
        tables: str | Sequence[str] | None = None,
        columns: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
        rows: int | None = None,
        constraints: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        named = (tables,) if isinstance(tables, str) else None if tables is None else tuple(tables)
        object.__setattr__(self, "tables", named)
        object.__setattr__(self, "columns", _by_table("columns", named, columns))
        object.__setattr__(self, "constraints", _by_table("constraints", named, constraints))
        if rows is not None and whole("rows", rows) > MOST_ROWS:
            raise InvalidArgumentError("rows", f"must be at most {MOST_ROWS:,}; draw more afterwards, with .more(rows)")
        object.__setattr__(self, "rows", rows)


def _by_table(
    what: str, tables: tuple[str, ...] | None, lists: Sequence[str] | Mapping[str, Sequence[str]] | None
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if lists is None:
        return ()
    if isinstance(lists, Mapping):
        return tuple(sorted((table, tuple(names)) for table, names in lists.items()))
    if isinstance(lists, str) or tables is None or len(tables) != 1:
        raise InvalidArgumentError(what, "must be a list for one named table, or lists by table")
    return ((tables[0], tuple(lists)),)
