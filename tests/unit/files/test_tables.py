"""Whole tables: what is read, what is refused, what is written."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.core.errors import InvalidArgumentError
from deniable.files.source import DataFile
from deniable.files.tables import names_in, read_table, write_table

TABLE = pa.table({"zip": pa.array(["02138", None, "02139"]).dictionary_encode(), "n": [1, 2, 3]})


def test_texts_of_a_csv_file_stay_texts_and_blanks_are_null(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('zip,n\n02138,1\n,"2"\n"",3\n')
    file = DataFile.named(tmp_path / "t.csv")
    assert read_table(file, "frame", ["n", "zip"]).to_pydict() == {"n": ["1", "2", "3"], "zip": ["02138", None, None]}
    assert names_in(file, "frame") == ["zip", "n"]


def test_a_name_that_is_there_twice_is_seen_twice(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b,a\n1,2,3\n")
    assert names_in(DataFile.named(tmp_path / "t.csv"), "frame") == ["a", "b", "a"]


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("gone.csv", None, r"release cannot be read: there is no file .*gone.csv"),
        ("t.csv", b"a,b\n1,2\n3\n", r"release cannot be read from .*t.csv: line 3 does not have 2 cells"),
        ("t.csv", b"a,b\n1,\xff\n", r"release cannot be read from .*t.csv: line 2 is no text in UTF-8"),
        ("t.csv", b"\na,b\n1,2\n", r"release cannot be read from .*t.csv: its first line is empty"),
        ("t.csv", b"Report\na,b\n1,2\n", r"release cannot be read from .*t.csv: line 2 has more cells .* title"),
        ("t.parquet", b"PAR1 no more", r"release cannot be read from .*t.parquet: "),
        ("t.duckdb::t", b"no database", r"release cannot be read from .*t.duckdb: "),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, name: str, content: bytes | None, problem: str) -> None:
    if content is not None:
        (tmp_path / name.partition("::")[0]).write_bytes(content)
    with pytest.raises(InvalidArgumentError, match=f"^{problem}"):
        read_table(DataFile.named(f"{tmp_path}/{name}"), "release")


def test_a_table_is_written_whole_as_its_name_says(tmp_path: Path) -> None:
    write_table(TABLE, tmp_path / "t.parquet")
    assert pq.read_table(tmp_path / "t.parquet").to_pydict() == TABLE.to_pydict()
    write_table(TABLE, tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == '"zip","n"\n"02138",1\n,2\n"02139",3\n'
    with pytest.raises(InvalidArgumentError, match=r"^output must end in .parquet or .csv"):
        write_table(TABLE, tmp_path / "t.xlsx")
    with pytest.raises(InvalidArgumentError, match=r"^output could not be written"):
        write_table(TABLE, tmp_path / "no" / "t.csv")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["t.csv", "t.parquet"]
