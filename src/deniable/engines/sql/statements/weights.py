"""What the rows of a unit weigh, and the parts of groups put together."""

from __future__ import annotations

from deniable.core.algebra.query import WEIGHT
from deniable.engines.sql.statements.rows import Rows, select
from deniable.engines.sql.statements.sums import Adding


def weights(rows: Rows) -> str:
    """What each row of a unit weighs, for every unit."""
    return select([f"{rows.unit} AS unit", f"{rows.weight('COUNT(*)')} AS weight"], rows.chosen(), 1)


def heavy(rows: Rows) -> str:
    """The units that have more rows than they may, and what each of these weighs."""
    size = f"{rows.dialect.quotient(str(rows.most * WEIGHT), 'COUNT(*)')} AS weight"
    return select([f"{rows.unit} AS unit", size], rows.chosen(), 1) + f" HAVING COUNT(*) > {rows.most}"


def added_up(rows: Rows, totals: list[Adding], *counts: str, normal: bool = False) -> str:
    """The parts of each group, put together; `normal` says that keys are not yet in their one form."""
    sums = [rows.finished(rows.dialect.added(f"t{place}"), adding.total.name) for place, adding in enumerate(totals)]
    keys = [rows.speller.normal(name, key.value) for key, name in zip(rows.named, rows.keys, strict=True)]
    return select([*rows.answered(keys if normal else rows.keys), *sums, *counts], "parts", len(rows.keys))
