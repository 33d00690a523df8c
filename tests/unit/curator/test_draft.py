"""A draft says what the engine would read."""

from __future__ import annotations

import tomllib
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.core.errors import InvalidArgumentError
from deniable.curator.draft import draft


def columns(text: str, table: str) -> dict[str, dict[str, object]]:
    return tomllib.loads(text)["tables"][table]["columns"]


def test_a_blank_in_a_csv_file_is_a_missing_value(tmp_path: Path) -> None:
    """It is NULL in every question, so a draft must not say that none is missing."""
    (tmp_path / "visits.csv").write_text('town,name,age\nnorth,ann,3\n,"",\nsouth,bob,5\n')
    assert columns(draft(tmp_path / "visits.csv"), "visits") == {
        "town": {"type": "text", "values": ["north", "south"]},
        "name": {"type": "text", "values": ["ann", "bob"]},
        "age": {"type": "integer", "bounds": [3, 5]},
    }


def test_a_number_that_the_engine_reads_as_missing_is_missing(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": [1.5, float("nan"), 2.5], "y": [1.5, float("inf"), 2.5]}), tmp_path / "t.parquet")
    assert columns(draft(tmp_path / "t.parquet"), "t") == {
        "x": {"type": "number", "bounds": [1.5, 2.5]},
        "y": {"type": "number", "bounds": [1.5, 2.5], "nulls": False},
    }


def test_values_behind_the_sample_of_which_types_are_guessed_count_as_the_engine_reads_them(tmp_path: Path) -> None:
    rows = "".join(f"{number}\n" for number in range(30_000))
    (tmp_path / "t.csv").write_text(f"x\n{rows}unknown\n")
    assert columns(draft(tmp_path / "t.csv"), "t") == {"x": {"type": "integer", "bounds": [0, 29_999]}}


def test_a_table_of_a_database_keeps_its_name(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "clinic.duckdb") as connection:
        connection.execute("CREATE TABLE \"all visits\" AS FROM (VALUES (1, 'a'), (1, 'b')) AS v(patient_id, reason)")
    text = draft(f"{tmp_path}/clinic.duckdb::all visits")
    (table,) = tomllib.loads(text)["tables"].items()
    assert table[0] == "all_visits"
    assert table[1]["source"] == "clinic.duckdb::all visits"
    assert table[1]["unit"] == "patient_id"


def test_a_line_that_is_no_row_is_said_to_the_custodian(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3\n")
    with pytest.raises(InvalidArgumentError, match=r"^file cannot be read from .*t.csv: it is not CSV"):
        draft(tmp_path / "t.csv")
    with pytest.raises(InvalidArgumentError, match=r"^file cannot be read: there is no file"):
        draft(tmp_path / "gone.csv")
