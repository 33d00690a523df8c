"""Five people in a file, and an engine that reads it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.engines import DuckDB
from tests.unit.engines.people import PEOPLE


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.parquet"
    pq.write_table(pa.table(PEOPLE), path)
    return path


@pytest.fixture
def engine(people: Path) -> Iterator[DuckDB]:
    opened = DuckDB({"people": people}, seconds=20, threads=2)
    yield opened
    opened.close()
