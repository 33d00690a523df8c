"""Columns as they are read: units and texts are told apart by their bytes, whatever a file makes of them."""

from __future__ import annotations

import duckdb
import pytest

from deniable.engines.duckdb.columns import identified, stored
from deniable.engines.engine import UnlikeUnitsError


def groups(kind: str, values: list[object], spelled: str, collation: str = "") -> int:
    """How many groups there are, by this spelling of the column `c`."""
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t (c {kind}{collation})")
        connection.executemany("INSERT INTO t VALUES (?)", [(value,) for value in values])
        (found,) = connection.execute(f"SELECT COUNT(*) FROM (SELECT {spelled} AS g FROM t GROUP BY g)").fetchone()
        return int(found)


@pytest.mark.parametrize("collation", ["", " COLLATE NOCASE", " COLLATE NOACCENT", " COLLATE NOCASE.NOACCENT"])
def test_texts_have_no_collation(collation: str) -> None:
    texts = ["north", "NORTH", "nórth", "north"]
    assert groups("VARCHAR", texts, stored("c", "VARCHAR").place, collation) == 3
    assert groups("VARCHAR", texts, identified(stored("c", "VARCHAR")), collation) == 3


@pytest.mark.parametrize("kind", ["DOUBLE", "FLOAT"])
def test_equal_floats_have_equal_bytes(kind: str) -> None:
    """What is hashed as text and grouped as a number must be one unit in both."""
    values = [0.0, -0.0, float("nan"), -float("nan"), 1.5]
    assert groups(kind, values, f"CAST({identified(stored('c', kind))} AS VARCHAR)") == 3


@pytest.mark.parametrize("kind", ["INTERVAL", "TIME WITH TIME ZONE", "INTEGER[]", "STRUCT(a INTEGER)", "BIT"])
def test_types_with_another_equality_name_no_unit(kind: str) -> None:
    with pytest.raises(UnlikeUnitsError):
        identified(stored("c", kind))
