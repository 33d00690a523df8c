"""Frames of every make become the same table."""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

import duckdb
import numpy as np
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


SOME = datetime(2025, 1, 2, 3)
PANDAS = {
    "moment": pd.to_datetime(["2025-01-01 12:00", None, None]),
    "cat": pd.Categorical(["a", None, "b"]),
    "whole_cat": pd.Categorical([1, None, 2]),
    "Int64": pd.array([1, None, 3], dtype="Int64"),
    "Float32": pd.array([1.5, None, 3], dtype="Float32"),
    "boolean": pd.array([True, None, False], dtype="boolean"),
    "string": pd.array(["a", None, "b"], dtype="string"),
    "decimal": [Decimal("1.50"), None, Decimal(2)],
    "day": [date(2025, 1, 1), None, date(2025, 1, 2)],
    "time": [time(1, 2), None, time(3)],
    "arrow": pd.array(["a", None, "b"], dtype=pd.ArrowDtype(pa.string())),
    "half": np.array([1, 2, 3], dtype="float16"),
    "sparse": pd.arrays.SparseArray([1, 0, 0]),
    "mixed": [1, "a", None],
    "huge": [2**70, None, 2**70 + 1],
    "who": [UUID(int=1), UUID(int=1), UUID(int=2)],
}
POLARS = {
    "i8": pl.Series([1, None, 3], dtype=pl.Int8),
    "i128": pl.Series([2**70, None, 2**70 + 1], dtype=pl.Int128),
    "f32": pl.Series([1.5, None, 2], dtype=pl.Float32),
    "decimal": pl.Series([Decimal("1.5"), None, Decimal(2)], dtype=pl.Decimal(10, 2)),
    "truth": [True, None, False],
    "day": [date(2025, 1, 1), None, None],
    "moment": [SOME, None, None],
    "nanos": pl.Series([SOME, None, None], dtype=pl.Datetime("ns")),
    "time": [time(1), None, None],
    "cat": pl.Series(["a", None, "b"], dtype=pl.Categorical),
    "enum": pl.Series(["a", None, "b"], dtype=pl.Enum(["a", "b"])),
    "none": pl.Series([None] * 3),
}
LEFT_OUT = {"list": [[1], None, [2]], "struct": [{"a": 1}, None, {"a": 2}], "bytes": [b"x", None, b"y"]}


@pytest.mark.parametrize(
    "frame",
    [pd.DataFrame({**PANDAS, **LEFT_OUT, "complex": [1j, 2j, 3j]}), pl.DataFrame({**POLARS, **LEFT_OUT})],
    ids=["pandas", "polars"],
)
def test_columns_of_every_type_are_asked_or_left_out(frame: Any) -> None:
    named = PANDAS if isinstance(frame, pd.DataFrame) else POLARS
    with protect(frame, epsilon=10**9) as curator:
        assert set(curator.policy.tables["data"].columns) == set(named)
        for name in named:
            there = int(frame[name].notna().sum()) if named is PANDAS else 3 - frame[name].null_count()
            answer = curator.ask(f'SELECT COUNT("{name}") AS n FROM data', epsilon=10**6)
            assert answer.table["n"].to_pylist() == [there], name
    with pytest.raises(InvalidArgumentError, match="has a column 'struct' that is stored as"):
        protect(frame, epsilon=1, unit="struct", contribution=1)


def test_people_whose_numbers_arrow_cannot_hold_are_told_apart() -> None:
    for frame in (pd.DataFrame({"huge": PANDAS["huge"] * 2}), pl.DataFrame({"huge": POLARS["i128"]})):
        with protect(frame, epsilon=10**9, unit="huge", contribution=5) as curator:
            answer = curator.ask("SELECT COUNT(DISTINCT huge) AS n FROM data", epsilon=10**6)
            assert answer.table["n"].to_pylist() == [2]
