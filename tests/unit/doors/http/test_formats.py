"""An answer as a file: what a spreadsheet would run is text."""

import csv
import io

import pyarrow as pa
import pytest
from starlette.exceptions import HTTPException

from deniable.doors.http.formats import csv_of, wanted


def read(written):
    return list(csv.reader(io.StringIO(written, newline="")))


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\uff1d1"])
def test_neither_a_name_nor_a_value_is_a_formula(text):
    assert read(csv_of(pa.table({text: [text]}))) == [[f"'{text}"], [f"'{text}"]]


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
def test_a_value_begins_no_line_of_its_own(end):
    written = csv_of(pa.table({"a": [f"x{end}=1"], "b": ["y"]}))
    assert read(written) == [["a", "b"], [f"x{end}=1", "y"]]
    assert f'"x{end}=1"' in written


def test_numbers_stay_numbers_and_what_is_missing_is_empty():
    assert csv_of(pa.table({"n": [-1, None]})) == 'n\r\n-1\r\n""\r\n'


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        ("text/csv;q=0.1, application/json", "application/json"),
        ("application/json;q=0, */*", "text/csv"),
        ("text/csv;q=0.5, application/vnd.apache.parquet; q=0.9", "application/vnd.apache.parquet"),
        ("text/html,application/xhtml+xml,*/*;q=0.8", "application/json"),
        ("TEXT/*", "text/csv"),
    ],
)
def test_the_form_is_the_one_that_is_liked_best(accept, form):
    assert wanted(accept) == form


@pytest.mark.parametrize("accept", ["*/*;q=0", "image/png", "[a-z]*/*", "garbage;;;q=x"])
def test_a_form_that_we_have_not_is_refused(accept):
    with pytest.raises(HTTPException):
        wanted(accept)
