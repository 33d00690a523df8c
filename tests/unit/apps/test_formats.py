"""Formats: the ending decides, everything is checked before it is paid, and a file is whole or not there."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from deniable.apps.formats import FILES, Format, settled, write
from deniable.core.errors import InvalidArgumentError

TABLE = pa.table({"town": ["a", "b"], "n": [1.5, None], "day": [date(2026, 1, 31), None]})
READERS = {
    Format.CSV: pyarrow.csv.read_csv,
    Format.PARQUET: pq.read_table,
    Format.ARROW: lambda path: pa.ipc.open_file(path).read_all(),
}


@pytest.mark.parametrize("form", Format)
def test_the_ending_says_the_format(form: Format, tmp_path: Path) -> None:
    assert settled(tmp_path / f"answer{form.ending}") is form
    assert settled(tmp_path / f"answer{form.ending}", form) is form


@pytest.mark.parametrize("form", FILES)
def test_another_format_than_the_ending_says_is_refused(form: Format, tmp_path: Path) -> None:
    other = Format.CSV if form is not Format.CSV else Format.JSON
    with pytest.raises(InvalidArgumentError, match="leave --format out"):
        settled(tmp_path / f"answer{form.ending}", other)


@pytest.mark.parametrize("name", ["answer", "answer.xlsx", "answer.CSVX", "answer.csv.gz"])
def test_an_ending_without_a_format_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match="must end in"):
        settled(tmp_path / name)


def test_a_table_for_people_is_no_file_for_programs(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match="must end in"):
        settled(tmp_path / "answer.txt", allowed=FILES)


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match="folder that exists"):
        settled(tmp_path / "nowhere" / "answer.csv")


@pytest.mark.parametrize("form", [Format.PARQUET, Format.ARROW])
def test_bytes_are_not_for_terminals(form: Format, monkeypatch: pytest.MonkeyPatch) -> None:
    assert settled(None, form) is form
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    with pytest.raises(InvalidArgumentError, match="not for terminals"):
        settled(None, form)


def test_without_a_wish_it_is_a_table() -> None:
    assert settled(None) is Format.TABLE


@pytest.mark.parametrize("form", READERS)
def test_what_is_written_can_be_read(form: Format, tmp_path: Path) -> None:
    path = tmp_path / f"answer{form.ending}"
    write(form, path, TABLE, {})
    assert READERS[form](path).to_pylist() == TABLE.to_pylist()
    assert list(tmp_path.iterdir()) == [path]


def test_json_is_the_document(tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    write(Format.JSON, path, TABLE, {"rows": TABLE.to_pylist()})
    assert json.loads(path.read_text())["rows"][0] == {"town": "a", "n": 1.5, "day": "2026-01-31"}


def test_a_file_that_cannot_be_finished_does_not_replace_another(tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    path.write_text("before")
    with pytest.raises(ValueError, match="Circular"):
        write(Format.JSON, path, TABLE, (loop := {}) | {"loop": loop.setdefault("loop", loop)})
    assert path.read_text() == "before"
