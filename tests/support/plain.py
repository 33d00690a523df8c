"""Answers without noise, compared with plain DuckDB's. Keys are called k and l; everything else is a number."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from deniable.curator import Curator
from deniable.curator.answers.answer import Answer
from tests.support.curators import curator
from tests.support.tables import policy

Plain = duckdb.DuckDBPyConnection


@contextmanager
def beside_plain(folder: Path, table: pa.Table, contribution: int | None) -> Iterator[tuple[Curator, Plain]]:
    """A curator over these visits, and plain DuckDB over the rows that it may see."""
    quiet = curator(folder, table, policy(folder, contribution=contribution))
    plain = duckdb.connect()
    plain.register("everything", table)
    known = "" if contribution is None else "WHERE patient_id IS NOT NULL"
    plain.execute(f"CREATE TABLE visits AS SELECT * FROM everything {known}")
    yield quiet, plain
    quiet.close()


def assert_equal(answer: Answer, plain: Plain, question: str) -> None:
    """The same rows in the same order where the question orders them; else in any."""
    wanted = plain.sql(question).to_arrow_table().to_pylist()
    found = [row for row in answer.table.to_pylist() if _there(row, wanted)]
    if "ORDER BY" in question:
        assert len(found) == len(wanted)
    found, wanted = _by_key(found, question), _by_key(wanted, question)
    assert [_keys(row) for row in found] == [_keys(row) for row in wanted]
    for ours, theirs in zip(found, wanted, strict=True):
        for name in ours.keys() - {"k", "l"}:
            assert ours[name] == pytest.approx(_number(theirs[name]), rel=2e-6, abs=2e-4), name


def _there(row, wanted):
    """Groups that the data does not have are answered too; plain SQL leaves them out."""
    return "k" not in row or _keys(row) in [_keys(other) for other in wanted]


def _keys(row):
    return tuple(str(_number(row[name])) for name in ("k", "l") if name in row)


def _by_key(rows, question):
    return rows if "ORDER BY" in question else sorted(rows, key=_keys)


def _number(value):
    """Numbers as floats, moments as days."""
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return float(value)
    return value.date() if hasattr(value, "date") else value
