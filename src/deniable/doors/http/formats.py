"""Answers in the form that Accept names: JSON, CSV, an Arrow stream or Parquet; the last two with price and notes."""

from __future__ import annotations

import csv
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
from fastapi.responses import Response

from deniable.core.errors import InvalidArgumentError
from deniable.curator import Answer

JSON, CSV = "application/json", "text/csv"
ARROW, PARQUET = "application/vnd.apache.arrow.stream", "application/vnd.apache.parquet"
FORMS = (JSON, CSV, ARROW, PARQUET)
KEY = b"deniable"
"""Under which an Arrow schema keeps what is said of the answer."""


def wanted(accept: str | None) -> str:
    """The first form in the header that we have.

    Example:
        >>> wanted("text/html, text/csv;q=0.9"), wanted(None), wanted("*/*")
        ('text/csv', 'application/json', 'application/json')
    """
    asked = [part.split(";")[0].strip().lower() for part in (accept or "*/*").split(",")]
    for one in asked:
        if one in FORMS:
            return one
        if one in {"*/*", "application/*"}:
            return JSON
    if "text/*" in asked:
        return CSV
    raise InvalidArgumentError("accept", f"must be one of {', '.join(FORMS)}")


def said(answer: Answer) -> dict[str, object]:
    """What is said of an answer, beside its rows."""
    found = answer.to_dict()
    noisy = [name.removesuffix("_low") for name in answer.intervals.column_names if name.endswith("_low")]
    return {**{key: value for key, value in found.items() if key != "rows"}, "noisy": noisy}


def written(answer: Answer, form: str) -> Response:
    """The answer, with its intervals."""
    table = answer.with_intervals
    if form == JSON:
        return Response(json.dumps({**answer.to_dict(), **said(answer)}), media_type=JSON)
    if form == CSV:
        return Response(_csv(table), media_type=f"{CSV}; charset=utf-8")
    noted = table.replace_schema_metadata({KEY: json.dumps(said(answer)).encode()})
    sink = pa.BufferOutputStream()
    if form == PARQUET:
        pq.write_table(noted, sink)
    else:
        with pa.ipc.new_stream(sink, noted.schema) as writer:
            writer.write_table(noted)
    return Response(sink.getvalue().to_pybytes(), media_type=form)


def _csv(table: pa.Table) -> str:
    """NULL is empty. What a spreadsheet would take for a formula gets an apostrophe before it."""
    sink = io.StringIO()
    lines = csv.writer(sink, lineterminator="\n")
    lines.writerow(table.column_names)
    for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
        lines.writerow(["" if value is None else _plain(value) for value in row])
    return sink.getvalue()


def _plain(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value[:1] in {"=", "+", "-", "@", "\t", "\r"} else value
