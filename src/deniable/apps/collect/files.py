"""Answers in, reports out, and reports in again: the files of a survey.

A reports file has one line of JSON for each respondent, so that what the page gives one person, sent by whatever means,
can be put together by joining files. A batch begins with a line that says how many follow.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json
from numpy.typing import NDArray

from deniable.core.errors import InvalidArgumentError
from deniable.files.atomic import write
from deniable.files.source import DataFile
from deniable.files.tables import decoded, read_table
from deniable.local.reports import smallest
from deniable.local.survey import Survey

FORMAT = 1
_BLOCK = 1 << 24


def read_answers(path: Path, survey: Survey) -> dict[str, NDArray[Any]]:
    """The true answers, by question: from a table's file, or JSON (a list of rows, or one per line)."""
    columns = [question.name for question in survey.questions]
    by_line = path.suffix in {".json", ".jsonl"}
    table = _json_table(path) if by_line else decoded(read_table(DataFile.named(path, "answers"), "answers"))
    missing = [name for name in columns if name not in table.column_names]
    if missing:
        raise InvalidArgumentError("answers", f"have no column {', '.join(missing)}")
    if table.num_rows == 0:
        raise InvalidArgumentError("answers", "must be at least one")
    return {name: table[name].to_numpy() for name in columns}


def write_reports(path: Path, survey: Survey, reports: Mapping[str, NDArray[Any]]) -> int:
    """One line for each respondent, below a line that counts them; returns how many."""
    people = len(next(iter(reports.values())))
    head = {**stamp(survey), "count": people}
    parts: list[Any] = [json.dumps(stamp(survey))[:-1] + ', "answers": {']
    for place, (name, column) in enumerate(reports.items()):
        parts += [f"{', ' if place else ''}{json.dumps(name)}: ", pa.array(column).cast(pa.string())]
    lines = pc.binary_join_element_wise(*parts, "}}", "")
    text = "\n".join([json.dumps(head), *lines.to_pylist(), ""])
    write(path, text)
    return people


def read_reports(paths: Sequence[Path], survey: Survey) -> dict[str, NDArray[Any]]:
    """The reports of all files, by question; anything that is not from this very survey is refused."""
    tables = [_reports_table(path, survey) for path in paths]
    columns = {}
    for question in survey.questions:
        values = np.concatenate(
            [_column(path, table, question.name) for path, table in zip(paths, tables, strict=True)]
        )
        columns[question.name] = smallest(values, int(values.max()) + 1)
    return columns


def stamp(survey: Survey) -> dict[str, Any]:
    """What every line says about where it belongs."""
    return {"format": FORMAT, "survey": survey.name, "version": survey.version, "fingerprint": survey.fingerprint}


def _reports_table(path: Path, survey: Survey) -> pa.Table:
    """The lines with answers, after the stamps and counts were checked."""
    answers = pa.struct([(question.name, pa.int64()) for question in survey.questions])
    schema = pa.schema(
        [
            ("format", pa.int64()),
            ("survey", pa.string()),
            ("version", pa.int64()),
            ("fingerprint", pa.string()),
            ("count", pa.int64()),
            ("answers", answers),
        ]
    )
    try:
        table = pa.json.read_json(
            BytesIO(path.read_bytes()),
            read_options=pa.json.ReadOptions(block_size=_BLOCK),
            parse_options=pa.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore"),
        )
    except OSError as error:
        raise InvalidArgumentError("reports", f"could not be read: {error.strerror}: {path}") from None
    except pa.ArrowInvalid:
        raise _broken(path) from None
    for name, ours in stamp(survey).items():
        theirs = pc.unique(table[name]).to_pylist()
        if theirs != [ours]:
            said = next(value for value in theirs if value != ours)
            raise InvalidArgumentError("reports", f"in {path} are of another survey: {name} is {said}, not {ours}")
    _check_counts(path, table)
    return table.filter(pc.is_null(table["count"]))


def _check_counts(path: Path, table: pa.Table) -> None:
    """Every batch has as many lines as its head says, so that a file that was cut short is noticed."""
    heads = np.flatnonzero(table["count"].is_valid().to_numpy())
    ends = np.append(heads, table.num_rows)[1:]
    counts = table["count"].take(pa.array(heads)).to_pylist()
    for head, end, count in zip(heads.tolist(), ends.tolist(), counts, strict=True):
        if not 0 <= count <= end - head - 1:
            raise _broken(path)
    if table.num_rows == heads.size:
        raise InvalidArgumentError("reports", f"in {path} must be at least one")


def _column(path: Path, table: pa.Table, name: str) -> NDArray[Any]:
    """One question's reports, whole numbers from zero on."""
    column = pc.struct_field(table["answers"].combine_chunks(), name)
    if column.null_count or (pc.min(column).as_py() or 0) < 0:
        raise InvalidArgumentError("reports", f"in {path} have a line without a report for {name}")
    return np.asarray(column.to_numpy())


def _broken(path: Path) -> InvalidArgumentError:
    return InvalidArgumentError("reports", f"in {path} are incomplete or damaged; ask for the file once more")


def _json_table(path: Path) -> pa.Table:
    """A list of objects, or one object on each line."""
    try:
        text = path.read_bytes()
        if text.lstrip().startswith(b"["):
            return pa.Table.from_pylist(json.loads(text))
        return pa.json.read_json(BytesIO(text), read_options=pa.json.ReadOptions(block_size=_BLOCK))
    except OSError as error:
        raise InvalidArgumentError("answers", f"could not be read: {error.strerror}: {path}") from None
    except (ValueError, TypeError, AttributeError, pa.ArrowException):
        raise InvalidArgumentError("answers", f"in {path} are not JSON rows of one kind") from None
