"""Some units at a time: the same numbers as all at once, and no unit in two parts."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.core.algebra.expression import Column, Kind
from deniable.core.algebra.query import WEIGHT, GroupQuery, Kept, Key, Source, Total, Units
from deniable.core.grid import RANGE
from deniable.engines import DuckDB
from deniable.engines.duckdb import engine as of_engine
from deniable.engines.duckdb.parts import together
from deniable.engines.sql.statements import is_divisible, statement_of_part
from tests.unit.engines.people import AGE, ONE, TOWN

ROWS, PEOPLE = 20_000, 900
KEYS = (Key("town", TOWN), Key("x", Column("x", Kind.NUMBER)))
COUNT, AGES = Total("n", ONE, None, 1, 0), Total("age", AGE, None, 110, 3)


def _file(folder: Path, unit: str) -> Path:
    random = np.random.default_rng(4)
    units = random.integers(0, PEOPLE, ROWS)
    stored = {
        "integer": pa.array(units, mask=random.random(ROWS) < 0.02),
        "text": pa.array([f"p{unit}" for unit in units]),
        "double": pa.array(np.where(units == 0, random.choice([0.0, -0.0, np.nan], ROWS), units / 3)),
    }[unit]
    towns = random.choice(["north", "südl", "su\u0308dl", ""], ROWS)
    columns = {
        "id": stored,
        "town": pa.array(towns, mask=towns == ""),
        "age": random.integers(0, 200, ROWS),
        "x": random.choice([0.0, -0.0, 0.5, np.nan], ROWS),
    }
    pq.write_table(pa.table(columns), folder / "people.parquet")
    return folder / "people.parquet"


def _sorted(table: pa.Table) -> list[dict[str, object]]:
    return sorted(table.to_pylist(), key=repr)


@pytest.mark.parametrize("unit", ["integer", "text", "double"])
@pytest.mark.parametrize(
    "query",
    [
        Kept(Source("people", "id", 7, None), KEYS, (COUNT,), 3, "units"),
        Kept(Source("people", "id", 7, None), KEYS, (COUNT, AGES), 3, "units"),
        Units(Source("people", "id", 2, None), KEYS, "units", None),
    ],
)
def test_parts_add_up_to_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unit: str, query: GroupQuery
) -> None:
    with closing(DuckDB({"people": _file(tmp_path, unit)})) as engine:
        whole = engine.run(query)
        asked: list[str] = []
        fetch = engine.fetch
        monkeypatch.setattr(of_engine, "AT_ONCE", ROWS // 4)
        monkeypatch.setattr(engine, "fetch", lambda sql: [asked.append(sql), fetch(sql)][1])
        parts = engine.run(query)
    assert len(asked) == 1 + 5
    assert parts.schema == whole.schema
    assert _sorted(parts) == _sorted(whole)


def test_no_unit_is_in_two_parts(tmp_path: Path) -> None:
    """A person whose number is stored as both zeros is one person, in one part."""
    table = pa.table({"id": [0.0, -0.0] * 50, "town": ["north"] * 100})
    pq.write_table(table, tmp_path / "people.parquet")
    query = Units(Source("people", "id", 1, None), (KEYS[0],), "units", None)
    with closing(DuckDB({"people": tmp_path / "people.parquet"})) as engine:
        found = [engine.fetch(statement_of_part(query, engine.tables, place, 16)) for place in range(16)]
    assert [part["units"].to_pylist() for part in found if part.num_rows] == [[WEIGHT]]


def test_small_files_are_not_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    query = Units(Source("people", "id", 1, None), (KEYS[0],), "units", None)
    with closing(DuckDB({"people": _file(tmp_path, "integer")})) as engine:
        asked: list[str] = []
        fetch = engine.fetch
        monkeypatch.setattr(engine, "fetch", lambda sql: [asked.append(sql), fetch(sql)][1])
        engine.run(query)
    assert len(asked) == 1


def test_nothing_wraps_where_parts_are_added_up() -> None:
    part = pa.table({"town": ["north", None], "n": pa.array([RANGE, -RANGE], pa.int64())})
    assert together([part] * 9, ["town"]).to_pylist() == part.to_pylist()


def test_only_units_of_declared_tables_are_divided() -> None:
    rows = Kept(Source("people", None, 1, None), (KEYS[0],), (COUNT,), 3, "units")
    assert not is_divisible(rows)
    assert not is_divisible(Units(Source("people", "id", 1, None), (), "units", None))
    assert is_divisible(Units(Source("people", "id", 1, None), (KEYS[0],), "units", None))
    with closing(DuckDB({})) as engine, pytest.raises(ValueError, match="divided into parts"):
        statement_of_part(rows, engine.tables, 0, 2)
