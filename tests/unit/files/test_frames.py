"""Frames of every make become the same table."""

from __future__ import annotations

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from deniable.core.errors import InvalidArgumentError
from deniable.curator.factory import protect
from deniable.files.frames import arrow

COLUMNS = {"age": [31, 47, 52], "town": ["north", "south", None]}


@pytest.mark.parametrize(
    "frame",
    [pa.table(COLUMNS), pl.DataFrame(COLUMNS), pd.DataFrame(COLUMNS), pa.table(COLUMNS).to_reader(), COLUMNS],
    ids=["arrow", "polars", "pandas", "stream", "columns"],
)
def test_every_frame_is_the_same_table(frame: object) -> None:
    assert arrow(frame).to_pydict() == COLUMNS


def test_a_relation_is_a_frame() -> None:
    with duckdb.connect() as connection:
        assert arrow(connection.sql("SELECT 1 AS x")).to_pydict() == {"x": [1]}


def test_rows_that_were_chosen_bring_no_column_of_their_numbers() -> None:
    frame = pd.DataFrame(COLUMNS)
    with protect(frame[frame.age > 40], epsilon=1) as curator:
        assert list(curator.policy.tables["data"].columns) == ["age", "town"]
    with protect(frame.set_index("town"), epsilon=1) as curator:
        assert set(curator.policy.tables["data"].columns) == {"age", "town"}


@pytest.mark.parametrize(
    ("frame", "problem"),
    [
        (17, "must be a pandas, Polars or Arrow table or a DuckDB relation, not int"),
        ("people.csv", "must be a pandas"),
        (pd.Series([1]), "must be a pandas"),
        (pl.LazyFrame(COLUMNS), "must be a pandas"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "has two columns 'a'"),
        (pa.table([[1], [2]], names=["a", "a"]), "has two columns 'a'"),
    ],
)
def test_what_is_no_frame_is_refused(frame: object, problem: str) -> None:
    with pytest.raises(InvalidArgumentError, match=f"^frame {problem}"):
        protect(frame, epsilon=1)
