"""Statements around noisy answers, as dashboards, reports and people write them; and how they are compared."""

from __future__ import annotations

import re
from decimal import Decimal
from math import isnan
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from deniable.planner.bind import apart

_FILE = Path(__file__).with_suffix(".sql")
STATEMENTS = [
    part.strip() for part in re.sub(r"^--.*$", "", _FILE.read_text(), flags=re.MULTILINE).split(";\n") if part.strip()
]
"""Answered, and equal to plain DuckDB's answers, with the noise taken out."""


def rows_of(table: pa.Table, *, ordered: bool) -> list[tuple[Any, ...]]:
    """Rows in their order, or in one that both sides have."""
    rows = list(zip(*(map(_plain, column.to_pylist()) for column in table.columns), strict=True))
    return rows if ordered else sorted(rows, key=_sortable)


def assert_same(found: pa.Table, wanted: pa.Table, statement: str) -> None:
    """The same columns and rows, up to what the grid rounds."""
    assert found.column_names == apart(wanted.column_names)
    ordered = "ORDER BY" in statement.rpartition(")")[2]
    ours, theirs = (rows_of(table, ordered=ordered) for table in (found, wanted))
    assert len(ours) == len(theirs)
    for mine, other in zip(ours, theirs, strict=True):
        for one, two in zip(mine, other, strict=True):
            assert one == (pytest.approx(two, rel=2e-6, abs=2e-4, nan_ok=True) if isinstance(two, float) else two)


def _plain(value: Any) -> Any:
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float | Decimal):
        return float(value)
    return value.date() if hasattr(value, "date") else value


def _sortable(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(
        (value is None, "nan" if isinstance(value, float) and isnan(value) else str(type(value)), _rounded(value))
        for value in row
    )


def _rounded(value: Any) -> Any:
    return "" if value is None else round(value, 2) if isinstance(value, float) and not isnan(value) else str(value)
