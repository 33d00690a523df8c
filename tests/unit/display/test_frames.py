"""Frames and files: names stay apart, nothing half-written stays."""

from datetime import date
from math import inf, nan

import pyarrow as pa
import pytest

from deniable.core.errors import InvalidArgumentError
from deniable.display import frames


def test_names_that_meet_are_told_apart():
    table = pa.table({"n": [1], "n_low": [7]})
    found = frames.beside(table, pa.table({"n_low": [0], "n_high": [2], "n_low_low": [6], "n_low_high": [8]}))
    assert found.to_pylist() == [{"n": 1, "n_low": 7, "n_low_": 0, "n_high": 2, "n_low_low": 6, "n_low_high": 8}]


def test_rows_are_what_json_can_say():
    table = pa.table({"d": [date(2025, 1, 2)], "x": [inf], "y": [nan], "z": [None], "n": [3]})
    assert frames.to_rows(table) == [{"d": "2025-01-02", "x": None, "y": None, "z": None, "n": 3}]


def test_whole_numbers_that_no_double_holds_stay_what_they_are_in_pandas():
    table = pa.table({"long": [2**53 + 1, None], "short": [3, None], "word": ["a", None]})
    found = frames.to_pandas(table)
    assert found["long"].tolist() == [2**53 + 1, None]
    assert found["short"].dtype == "float64"


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(suffix, tmp_path):
    path = tmp_path / f"table{suffix}"
    path.write_text("old")
    broken = pa.table({"x": [[1, {"y": 2}][:1]]}) if suffix == ".csv" else object()
    with pytest.raises(Exception):  # noqa: B017, PT011 - whatever the writer says
        frames.to_file(broken, path, suffix)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    assert path.read_text() == "old"


def test_coded_texts_become_texts(tmp_path):
    table = pa.table({"town": pa.array(["a", "b", None]).dictionary_encode()})
    assert frames.to_file(table, tmp_path / "x.csv", ".csv").read_text() == '"town"\n"a"\n"b"\n\n'
    assert frames.to_polars(table)["town"].to_list() == ["a", "b", None]


def test_a_file_is_called_what_it_is(tmp_path):
    with pytest.raises(InvalidArgumentError, match=r"must end in \.csv"):
        frames.to_file(pa.table({"x": [1]}), tmp_path / "x.parquet", ".csv")
