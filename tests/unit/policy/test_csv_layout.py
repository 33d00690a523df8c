"""What a policy can say about a CSV file, and what it cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from deniable.files.layout import Layout
from deniable.policy import InvalidPolicyError, Policy


def policy(source: str, csv: object) -> Policy:
    table = {"source": source, "csv": csv, "columns": {"a": {"type": "number"}}}
    said = {"population": {"name": "p"}, "budget": {"epsilon": 1}, "tables": {"t": table}}
    return Policy.from_mapping(said, origin="test", folder=Path())


@pytest.mark.parametrize(
    ("csv", "layout"),
    [
        ({}, Layout()),
        ({"delimiter": "\t", "quote": "'"}, Layout(delimiter="\t", quote="'")),
        ({"decimal": ",", "delimiter": ";"}, Layout(delimiter=";", decimal=",")),
        ({"encoding": "Windows-1252", "header": False}, Layout(encoding="cp1252", header=False)),
        ({"encoding": "UTF8"}, Layout()),
        ({"dates": "12/31/2025"}, Layout(dates="12/31/2025")),
    ],
)
def test_a_layout_is_read(csv: dict[str, object], layout: Layout) -> None:
    table = policy("t.csv", csv).tables["t"]
    assert table.layout == layout
    assert table.file is not None
    assert table.file.layout == layout
    assert ("csv" in table.facts) == (layout != Layout())


@pytest.mark.parametrize(
    ("csv", "key", "problem"),
    [
        ({"delimiter": ";;"}, "csv.delimiter", "must be one character, not ';;'"),
        ({"delimiter": "\n"}, "csv.delimiter", "must be one character"),
        ({"delimiter": 3}, "csv.delimiter", "must be one character, not 3"),
        ({"delimiter": '"'}, "csv.delimiter", "has another meaning already"),
        ({"delimiter": ",", "decimal": ","}, "csv.delimiter", "has another meaning already"),
        ({"decimal": ";"}, "csv.decimal", "cannot be ';'"),
        ({"encoding": "klingon"}, "csv.encoding", "is no way to write texts"),
        ({"encoding": "rot13"}, "csv.encoding", "is no way to write texts"),
        ({"encoding": "base64"}, "csv.encoding", "is no way to write texts"),
        ({"header": "no"}, "csv.header", "must be true or false"),
        ({"dates": "%d.%m.%Y"}, "csv.dates", "must be 31 December 2025 as the file would write it"),
        ({"dates": 3}, "csv.dates", "must be a text"),
        ({"delimeter": ";"}, "csv.delimeter", "is not a key here"),
        ("semicolons", "csv", "must be a table"),
    ],
)
def test_what_is_no_layout_is_named(csv: object, key: str, problem: str) -> None:
    with pytest.raises(InvalidPolicyError) as wrong:
        policy("t.csv", csv)
    assert any(one.key == f"tables.t.{key}" and problem in one.what for one in wrong.value.problems)


def test_only_csv_files_have_one() -> None:
    with pytest.raises(InvalidPolicyError, match="is about CSV files, and the source is none"):
        policy("t.parquet", {"delimiter": ";"})
    assert policy("folder/", {"delimiter": ";"}).tables["t"].layout.delimiter == ";"
