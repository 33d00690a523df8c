"""Files of every kind, however they store their columns, and whether they have changed."""

from __future__ import annotations

import os
import shutil
from datetime import date
from fractions import Fraction
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.core.algebra.expression import Call, Column, Kind, Literal, Range
from deniable.core.algebra.query import WEIGHT, Kept, Key, Source, Sums, Total
from deniable.core.errors import Failed, InvalidArgumentError
from deniable.engines import DuckDB
from deniable.engines.duckdb.killable import Killable
from deniable.engines.duckdb.look import types
from deniable.engines.engine import Broken
from deniable.files.source import DataFile
from tests.unit.engines.people import ONE, PEOPLE, TOWN, ages, by_town, count


def test_units_that_are_numbers(tmp_path: Path) -> None:
    """Two zeros are one person, and NaN is one; a Parquet file's bounds do not mention it."""
    table = pa.table(
        {"id": [0.0, -0.0, 1.5, float("nan"), float("nan")], "town": list("abcde"), "age": [1, 2, 3, 4, 5]}
    )
    pq.write_table(table, tmp_path / "people.parquet")
    engine = DuckDB({"people": tmp_path / "people.parquet"})
    assert engine.run(count(unit="id")).to_pylist() == [{"n": 3 * WEIGHT}]
    kept = Kept(Source("people", "id", 9, None), (Key("town", TOWN),), (Total("n", ONE, None, 1, 0),), 1, "u")
    assert engine.run(kept)["n"].to_pylist() == [WEIGHT] * 3
    engine.close()


def test_nan_in_a_parquet_file(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": [0.0, 1.0, float("nan")]}), tmp_path / "x.parquet")
    engine = DuckDB({"x": tmp_path / "x.parquet"})
    x = Column("x", Kind.NUMBER, Range(Fraction(-5), Fraction(5)))
    row = Call("grid", (x, Literal(Fraction(0), Kind.INTEGER), ONE, Literal(Fraction(9), Kind.INTEGER)), Kind.INTEGER)
    more = Call("more", (Column("x", Kind.NUMBER), Literal(Fraction(100), Kind.INTEGER)), Kind.BOOLEAN)
    gone = Call("is_null", (Column("x", Kind.NUMBER),), Kind.BOOLEAN)
    totals = (Total("sum", row, None, 9, 0), Total("more", ONE, more, 1, 0), Total("gone", ONE, gone, 1, 0))
    expected = [{"sum": 1, "more": 0, "gone": 1}]
    assert engine.run(Sums(Source("x", None, 1, None), (), totals)).to_pylist() == expected
    engine.close()


STORED = [
    pa.int8(),
    pa.int16(),
    pa.int32(),
    pa.uint8(),
    pa.uint32(),
    pa.uint64(),
    pa.float32(),
    pa.float64(),
    pa.decimal128(9, 2),
    pa.string(),
    pa.dictionary(pa.int8(), pa.string()),
]


@pytest.mark.parametrize("kind", [Kind.INTEGER, Kind.NUMBER])
def test_however_numbers_are_stored(tmp_path: Path, kind: Kind) -> None:
    columns = {f"c{place}": pa.array(["3", None, "100"]).cast(stored) for place, stored in enumerate(STORED)}
    columns["wide"] = pa.array([3.0, None, 1e300])
    columns["large"] = pa.array([3, None, 2**64 - 1], pa.uint64())
    pq.write_table(pa.table(columns), tmp_path / "numbers.parquet")
    engine = DuckDB({"numbers": tmp_path / "numbers.parquet"})
    for name in columns:
        column = Column(name, kind, Range(Fraction(5), Fraction(50)))
        steps = (Literal(Fraction(0), Kind.INTEGER), ONE, Literal(Fraction(50), Kind.INTEGER))
        row = Call("grid", (column, *steps), Kind.INTEGER, Range(Fraction(-50), Fraction(50)))
        query = Sums(Source("numbers", None, 1, None), (), (Total("sum", row, None, 50, 0),))
        assert engine.run(query).to_pylist() == [{"sum": 55}], name
    engine.close()


def test_dates_however_they_are_stored(tmp_path: Path) -> None:
    days = pa.array([date(2024, 2, 29), None])
    stored = [pa.date32(), pa.date64(), pa.timestamp("us"), pa.timestamp("ns", "UTC"), pa.string()]
    columns = {f"d{place}": days.cast(kind) for place, kind in enumerate(stored)}
    pq.write_table(pa.table(columns), tmp_path / "days.parquet")
    engine = DuckDB({"days": tmp_path / "days.parquet"})
    for name in columns:
        query = Sums(
            Source("days", None, 1, None), (Key("d", Column(name, Kind.DATE)),), (Total("n", ONE, None, 1, 0),)
        )
        assert set(engine.run(query)["d"].to_pylist()) == {date(2024, 2, 29), None}, name
    engine.close()


CSV = b'id,age,town\n1,31,north\n1,47,"so""uth"\n2,x,\n3,999,a;b\n'


@pytest.mark.parametrize(("name", "change"), [("a.csv", ","), ("b.csv", ";"), ("c.tsv", "\t"), ("d.csv", "|")])
def test_csv_files_are_read_as_text_and_cast(tmp_path: Path, name: str, change: str) -> None:
    text = CSV.replace(b";", b"!").replace(b",", change.encode())
    (tmp_path / name).write_bytes(text)
    engine = DuckDB({"people": tmp_path / name})
    known = Call("not", (Call("is_null", (Column("id", Kind.INTEGER),), Kind.BOOLEAN),), Kind.BOOLEAN)
    sums = Sums(Source("people", None, 1, known), ages().keys, ages().totals)
    assert by_town(engine.run(sums), "age") == {"north": 31, 'so"uth': 47, None: 0, "a!b": 110}
    assert engine.run(count(unit="id")).to_pylist() == [{"n": 3 * WEIGHT}]
    engine.close()


def test_tables_of_a_database_file(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "clinic.duckdb") as connection:
        connection.execute("CREATE TABLE visits AS FROM (VALUES (1), (2)) AS v(id)")
        connection.execute('CREATE TABLE "other one" AS FROM range(7) AS r(id)')
    file = tmp_path / "clinic.duckdb"
    engine = DuckDB({"visits": f"{file}::visits", "others": f"{file}::other one"})
    assert engine.run(count("visits")).to_pylist() == [{"n": 2}]
    assert engine.run(count("others", "id")).to_pylist() == [{"n": 7 * WEIGHT}]
    assert engine.describe("others") == {"id": "BIGINT"}
    with pytest.raises(Broken):
        engine.fetch(f"FROM read_text('{tmp_path}/other.txt')")
    engine.close()


def test_a_file_of_no_known_kind_is_refused() -> None:
    for source in ("people.docx", "clinic.duckdb", "people"):
        with pytest.raises(InvalidArgumentError, match="parquet"):
            DuckDB({"people": source})


def test_description(engine: DuckDB, tmp_path: Path) -> None:
    assert engine.describe("people") == {"id": "BIGINT", "age": "BIGINT", "town": "VARCHAR"}
    (tmp_path / "people.csv").write_text("id,day\n1,2025-01-01\n")
    assert DuckDB({"p": tmp_path / "people.csv"}).describe("p") == {"id": "VARCHAR", "day": "VARCHAR"}
    assert types(DataFile.named(tmp_path / "people.csv")) == {"id": "BIGINT", "day": "DATE"}


def test_the_version_changes_with_the_file(engine: DuckDB, people: Path) -> None:
    first = engine.version("people")
    assert first == engine.version("people")
    assert engine.run(count()).to_pylist() == [{"n": 5}]
    status = people.stat()
    pq.write_table(pa.table(PEOPLE).slice(1), people)
    os.utime(people, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert engine.version("people") != first
    assert engine.run(count()).to_pylist() == [{"n": 4}]
    shutil.copy(people, people.with_suffix(".copy"))
    second = engine.version("people")
    people.with_suffix(".copy").replace(people)
    assert engine.version("people") == second, "a copy is the same data"
    os.utime(people, ns=(0, 0))
    assert engine.run(count()).to_pylist() == [{"n": 4}]


def test_a_changed_file_is_read_with_its_new_types(engine: DuckDB, people: Path) -> None:
    engine.run(ages())
    pq.write_table(pa.table(PEOPLE).set_column(1, "age", pa.array(["31", "47", "-5", "999", "fifty"])), people)
    assert by_town(engine.run(ages()), "age") == {"north": 31, "south": 47, None: 110}


def test_a_file_that_changes_while_it_is_read_is_read_again(
    engine: DuckDB, people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask, rows = Killable.ask, [3, 2]

    def changing(worker: Killable, sql: str) -> pa.Table:
        answer = ask(worker, sql)
        if rows:
            pq.write_table(pa.table(PEOPLE).slice(rows.pop()), people)
        return answer

    monkeypatch.setattr(Killable, "ask", changing)
    assert engine.run(count()).to_pylist() == [{"n": 2}]
    rows[:] = [1, 2, 3, 4, 1, 2]
    with pytest.raises(Failed):
        engine.run(count())
