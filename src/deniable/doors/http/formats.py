"""Answers in the form that Accept names: JSON, CSV, an Arrow stream or Parquet; the last two with price and notes."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from math import isfinite
from typing import TYPE_CHECKING, Generic, TypeVar, Union

import pyarrow as pa
import pyarrow.parquet as pq
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from deniable.curator import NoisyAnswer, PublicAnswer
from deniable.files.spreadsheet import plain

if TYPE_CHECKING:  # strategies are slow to load
    from deniable.releases.linear.release import Release

JSON, CSV = "application/json", "text/csv"
ARROW, PARQUET = "application/vnd.apache.arrow.stream", "application/vnd.apache.parquet"
FORMS = (JSON, CSV, ARROW, PARQUET)
KEY = b"deniable"
"""Under which an Arrow schema keeps what is said of the answer."""


Found = TypeVar("Found")
Written = Union[NoisyAnswer, PublicAnswer, "Release"]
"""What is written: it has a table, intervals, and says what it cost."""


def wanted(accept: str | None, forms: Sequence[str] = FORMS) -> str:
    """Of the forms that we have, the one that the header likes best; of those that it likes alike, the first.

    Example:
        >>> wanted("text/html, text/csv;q=0.9"), wanted(None), wanted("text/csv;q=0.1, */*")
        ('text/csv', 'application/json', 'application/json')
    """
    asked = [_liked(part) for part in (accept or "*/*").split(",")]
    never = {name for name, weight in asked if weight <= 0}
    for name, weight in sorted(asked, key=lambda one: -one[1]):
        found = next((one for one in forms if fnmatchcase(one, name) and one not in never), None)
        if weight > 0 and found is not None:
            return found
    raise HTTPException(406, f"Accept must name one of {', '.join(forms)}.")


def _liked(part: str) -> tuple[str, float]:
    """A form that Accept names, perhaps with stars in it, and how much it is liked: `text/csv;q=0.9`."""
    name, *more = (one.strip().lower() for one in part.split(";"))
    weight = next((one[2:] for one in more if one.startswith("q=")), "1")
    known = re.fullmatch(r"[01](\.\d{0,3})?", weight)
    return name if re.fullmatch(r"[\w.+\-]+/(\*|[\w.+\-]+)|\*/\*", name) else "", float(weight) if known else 1.0


def said(body: object, status: int = 200, headers: dict[str, str] | None = None, media: str = JSON) -> Response:
    """A body in JSON."""
    return Response(_json(body), status, headers, media)


def _json(body: object) -> bytes:
    """JSON has no infinity and no NaN: they are null."""
    try:
        text = json.dumps(body, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(body), allow_nan=False)
    return text.encode()


def beside(answer: Written) -> dict[str, object]:
    """What is said of an answer, beside its rows."""
    return {key: value for key, value in _whole(answer).items() if key != "rows"}


class Ready(Generic[Found]):
    """An answer, or several, whose bytes were made before the deadline; in other forms they are made on demand."""

    def __init__(
        self, found: Found, form: str, write: Callable[[Found, str], bytes], forms: Sequence[str] = FORMS
    ) -> None:
        self.form, self.forms = form, forms
        self._found, self._write = found, write
        self._bytes = write(found, form)

    def content(self, form: str) -> bytes:
        """In one of its forms; in a thread, unless it is the one that lies ready: a long answer takes seconds."""
        return self._bytes if form == self.form else self._write(self._found, form)


def response(content: bytes, form: str) -> Response:
    """What was written in this form."""
    return Response(content, media_type=f"{CSV}; charset=utf-8" if form == CSV else form)


def written(answer: Written, form: str) -> bytes:
    """The answer, with its intervals."""
    if form == JSON:
        return _json(_whole(answer))
    if form == CSV:
        return csv_of(answer.with_intervals).encode()
    if form == ARROW:
        return _streamed(answer)
    sink = pa.BufferOutputStream()
    pq.write_table(_noted(answer), sink)
    return bytes(sink.getvalue().to_pybytes())


def written_all(answers: Sequence[Written], form: str) -> bytes:
    """Several answers: JSON, or Arrow streams, one after the other."""
    if form == ARROW:
        return b"".join(_streamed(answer) for answer in answers)
    return _json({"answers": [_whole(answer) for answer in answers]})


def _whole(answer: Written) -> dict[str, object]:
    """The rows, what is said of them, and which columns are noisy."""
    noisy = [name.removesuffix("_low") for name in answer.intervals.column_names if name.endswith("_low")]
    return {**answer.to_dict(), "noisy": noisy}


def _noted(answer: Written) -> pa.Table:
    return answer.with_intervals.replace_schema_metadata({KEY: json.dumps(beside(answer)).encode()})


def _streamed(answer: Written) -> bytes:
    noted, sink = _noted(answer), pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, noted.schema) as writer:
        writer.write_table(noted)
    return bytes(sink.getvalue().to_pybytes())


def _finite(body: object) -> object:
    if isinstance(body, dict):
        return {key: _finite(value) for key, value in body.items()}
    if isinstance(body, list):
        return [_finite(value) for value in body]
    return None if isinstance(body, float) and not isfinite(body) else body


def csv_of(table: pa.Table) -> str:
    """NULL is empty. What a spreadsheet would take for a formula, also as a name, gets an apostrophe before it.

    Lines end as in RFC 4180: the writer quotes no other end of a line than its own, and within a value that is not
    quoted a bare carriage return would begin another line, whose first cell nobody has looked at.
    """
    sink = io.StringIO()
    lines = csv.writer(sink, lineterminator="\r\n")
    lines.writerow(map(_plain, table.column_names))
    for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
        lines.writerow(["" if value is None else _plain(value) for value in row])
    return sink.getvalue()


def _plain(value: object) -> object:
    return plain(value) if isinstance(value, str) else value
