"""The one reader: which files it opens, and what it makes of names that mean something to DuckDB."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.core.algebra.expression import Kind
from deniable.engines import DuckDB
from deniable.engines.engine import Broken
from deniable.files.layout import Layout
from deniable.files.scan import columns, reading, steps, take
from deniable.files.source import DataFile


def test_only_the_partitions_that_a_question_needs_are_read(tmp_path: Path) -> None:
    for year in (2023, 2024):
        (tmp_path / f"visits/year={year}").mkdir(parents=True)
        pq.write_table(pa.table({"x": [year]}), tmp_path / f"visits/year={year}/part.parquet")
    with duckdb.connect() as connection:
        for step in steps(DataFile.named(f"{tmp_path}/visits/"), "visits", tmp_path):
            take(connection, step)
        plan = connection.execute(
            "EXPLAIN ANALYZE SELECT SUM(x) FROM visits WHERE CASE WHEN TRY_CAST(year AS BIGINT) BETWEEN 0 AND 3000 "
            "THEN TRY_CAST(year AS BIGINT) END = 2024"
        ).fetchall()[0][1]
    assert "Scanning Files: 1/2" in plan


@pytest.mark.parametrize("name", ["a[1].csv", "what?.csv", "s*r.csv"])
def test_a_file_whose_name_looks_like_a_pattern_is_that_file(tmp_path: Path, name: str) -> None:
    for one in (name, "a1.csv", "whats.csv", "sir.csv"):
        (tmp_path / one).write_text("a\n1\n" if one == name else "a\n1\n2\n")
    engine = DuckDB({"t": tmp_path / name})
    assert engine.fetch("SELECT COUNT(*) AS n FROM t")["n"].to_pylist() == [1]
    with pytest.raises(Broken):
        engine.fetch(f"FROM read_csv('{tmp_path}/a1.csv')")
    engine.close()


def test_a_decimal_comma_is_one_only_in_numbers_and_a_point_is_no_fraction(tmp_path: Path) -> None:

    (tmp_path / "t.csv").write_text("x;t\n1,5;1,5\n1.234;a\n1.5;b\n1.234.567,8;c\n-,5;d\n;e\n")
    file = replace(
        DataFile.named(tmp_path / "t.csv"), layout=Layout(decimal=","), declared={"x": Kind.NUMBER, "t": Kind.TEXT}
    )
    with reading(file) as connection:
        found = connection.execute("SELECT TRY_CAST(x AS DOUBLE), t FROM data").fetchall()
    assert found == [(1.5, "1,5"), (1234, "a"), (None, "b"), (1234567.8, "c"), (-0.5, "d"), (None, "e")]


def test_bytes_that_mean_nothing_in_an_encoding_spoil_no_row(tmp_path: Path) -> None:
    """DuckDB's own readers would refuse the whole file because of one cell."""
    (tmp_path / "t.csv").write_bytes(b"a,b\n\x81,1\n\xe4,2\n")

    for encoding in ("cp1252", "ascii", "latin-1"):
        engine = DuckDB({"t": replace(DataFile.named(tmp_path / "t.csv"), layout=Layout(encoding=encoding))})
        assert engine.fetch("SELECT SUM(b::INT) AS n FROM t")["n"].to_pylist() == [3], encoding
        engine.close()


def test_columns_of_a_text_file_do_not_depend_on_its_rows(tmp_path: Path) -> None:
    for rows in ("", "1,2025-01-01\n", "x,y\n", "1\n", '"\n', "1,2,3\n\n\n"):
        (tmp_path / "t.csv").write_text(f"a,b\n{rows}")
        assert columns(DataFile.named(tmp_path / "t.csv")) == {"a": "VARCHAR", "b": "VARCHAR"}
    for rows in ("", '{"a": 1}\n', '{"a": [1], "c": 2}\n', "nonsense\n", "[1]\n7\n"):
        (tmp_path / "t.ndjson").write_text(rows)

        file = replace(DataFile.named(tmp_path / "t.ndjson"), declared={"a": Kind.INTEGER, "b": Kind.TEXT})
        assert columns(file) == {"a": "VARCHAR", "b": "VARCHAR"}
        engine = DuckDB({"t": file})
        assert engine.fetch("SELECT a, b FROM t LIMIT 0").column_names == ["a", "b"]
        engine.close()
