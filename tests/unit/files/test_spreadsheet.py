"""No CSV file that is written anywhere begins a cell, or a name, with what a spreadsheet takes for a formula."""

import csv

import pyarrow as pa
import pytest

from deniable.files.spreadsheet import guarded, plain
from deniable.files.tables import write_table

TEXTS = ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1", "\n=1", "\uff1d1", "north", "", "'=1", None]


def test_a_table_is_guarded_as_each_text_is():
    table = pa.table({"=name": TEXTS, "n": range(len(TEXTS))})
    found = guarded(table)
    assert found.column_names == ["'=name", "n"]
    assert found["'=name"].to_pylist() == [None if text is None else plain(text) for text in TEXTS]
    assert found["n"] == table["n"]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
def test_no_cell_of_a_file_is_a_formula_and_numbers_stay(tmp_path, kind):
    texts = pa.array(TEXTS, pa.string()).cast(kind)
    write_table(pa.table({"text": texts, "number": [-1.5] * len(TEXTS)}), tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert [row[1] for row in rows[1:]] == ["-1.5"] * len(TEXTS)
    assert all(row[0][:1] not in "=+-@\t\r\n\uff1d" or not row[0] for row in rows)
