"""Every door but those to the declared files is shut, twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.engines import DuckDB
from deniable.engines.duckdb.lockdown import locks, tables
from deniable.engines.duckdb.worker import answer, prepare
from deniable.engines.engine import Broken
from deniable.files.source import DataFile
from tests.unit.engines.people import PEOPLE, count

DOORS = [
    "SELECT * FROM read_text('{other}')",
    "SELECT * FROM read_csv('{other}')",
    "SELECT * FROM '{other}'",
    "SELECT * FROM read_blob('/proc/self/environ')",
    "SELECT * FROM glob('/etc/*')",
    "SELECT * FROM read_csv('https://example.com/x.csv')",
    "SELECT * FROM read_parquet('s3://bucket/x.parquet')",
    "COPY (SELECT 1) TO '{written}'",
    "COPY (SELECT 1) TO '{people}'",
    "COPY (SELECT 1) TO '{people}' (FORMAT parquet, USE_TMP_FILE false)",
    "EXPORT DATABASE '{written}'",
    "ATTACH '{written}' AS other",
    "ATTACH ':memory:' AS other",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET threads = 1",
    "SET memory_limit = '100GB'",
    "SET enable_external_access = true",
    "SET lock_configuration = false",
    "RESET memory_limit",
    "PRAGMA threads = 1",
    "PRAGMA database_list",
    "CALL pragma_version()",
    "CREATE TABLE mine AS SELECT 1",
    "DROP VIEW people",
    "EXPLAIN SELECT 1",
    "SELECT 1; SELECT 2",
    "SET VARIABLE remembered = 1",
    "",
    "SELECT (",
]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DuckDB]:
    path = tmp_path_factory.mktemp("shared") / "people.parquet"
    pq.write_table(pa.table(PEOPLE), path)
    opened = DuckDB({"people": path}, seconds=20)
    yield opened
    opened.close()


@pytest.mark.parametrize("door", DOORS)
def test_every_door_is_shut(shared: DuckDB, tmp_path: Path, door: str) -> None:
    other, written = tmp_path / "other.csv", tmp_path / "written"
    other.write_text("a,b\n1,2\n")
    people = shared._files["people"].path
    before = people.read_bytes()
    with pytest.raises(Broken):
        shared.fetch(door.format(other=other, written=written, people=people))
    assert people.read_bytes() == before
    assert not written.exists()
    assert shared.run(count()).to_pylist() == [{"n": 5}]


LEFT_TO_SELECT = ("ATTACH ':memory:'", "PRAGMA d", "CREATE", "DROP", "EXPLAIN", "CALL", "SET V", "SELECT 1;")
"""How those begin that only touch the worker's own memory, or are shut by the rule that only SELECT runs."""
LOCKED = [door for door in DOORS if door and not door.startswith(LEFT_TO_SELECT) and "USE_TMP_FILE" not in door]


@pytest.mark.parametrize("door", LOCKED)
def test_the_database_itself_is_locked_too(people: Path, tmp_path: Path, door: str) -> None:
    other, written = tmp_path / "other.csv", tmp_path / "written"
    other.write_text("a,b\n1,2\n")
    files = {"people": DataFile.named(people)}
    with duckdb.connect() as connection:
        prepare(connection, tables(files, str(tmp_path)), locks(files, "1GB", 1, str(tmp_path / "spill")))
        with pytest.raises(duckdb.Error):
            connection.execute(door.format(other=other, written=written, people=people)).fetchall()


def test_only_select_is_answered(people: Path, tmp_path: Path) -> None:
    files = {"people": DataFile.named(people)}
    with duckdb.connect() as connection:
        prepare(connection, tables(files, str(tmp_path)), [])
        for sql in ("CREATE TABLE t AS SELECT 1", "SELECT 1; SELECT 2", "SET threads = 1", "PRAGMA version"):
            with pytest.raises(PermissionError):
                answer(connection, sql)
        assert (
            pa.ipc.open_stream(answer(connection, "SELECT COUNT(*) AS n FROM people")).read_all()["n"][0].as_py() == 5
        )


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("python_enable_replacements", False),
        ("enable_external_access", False),
        ("lock_configuration", True),
        ("autoload_known_extensions", False),
        ("TimeZone", "UTC"),
    ],
)
def test_the_locks_hold_where_questions_run(tmp_path: Path, setting: str, value: object) -> None:
    people = tmp_path / "people.csv"
    people.write_text("age\n31\n")
    engine = DuckDB({"people": people})
    try:
        found = engine.fetch(f"SELECT current_setting('{setting}') AS s").to_pylist()
    finally:
        engine.close()
    assert found == [{"s": value}]
