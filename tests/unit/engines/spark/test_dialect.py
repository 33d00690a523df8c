"""Sums in Spark's words: as whole as Python's, in 64 bits and in decimals, at every bound that is told apart."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.engines.spark.connection import SparkConnection
from deniable.engines.spark.dialect import SailDialect, SparkDialect, dialect_of
from deniable.engines.spark.engine import Spark
from tests.support.sail import URL

BOUNDS = [1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, (1 << 40) - 1, 1 << 40, (1 << 62) - 1]


@pytest.fixture(scope="module")
def extremes(sail: str, tmp_path_factory: pytest.TempPathFactory):
    """A column for each bound, with both of its ends, what is next to them, and NULL; each number several times."""
    rows = {f"x{place}": [most, most, -most, 1 - most, -1, 0, None, most] for place, most in enumerate(BOUNDS)}
    file: Path = tmp_path_factory.mktemp("extremes") / "rows.parquet"
    pq.write_table(pa.table({name: pa.array(values, pa.int64()) for name, values in rows.items()}), file)
    connection = SparkConnection(sail, None, {"extremes": str(file)}, seconds=120)
    yield rows, connection
    connection.close()


@pytest.mark.parametrize("where", ["", " FILTER (WHERE x0 >= 0)", " FILTER (WHERE x0 > 99)"])
def test_sums_are_those_of_python(extremes, where: str) -> None:
    rows, connection = extremes
    spelled = [SparkDialect().summed(name, most, where) for name, most in zip(rows, BOUNDS, strict=True)]
    found = connection.fetch(f"SELECT {', '.join(f'CAST({one} AS STRING)' for one in spelled)} FROM extremes")
    for column, values in zip(found.columns, rows.values(), strict=True):
        kept = [value for value, first in zip(values, rows["x0"], strict=True) if _chosen(where, first)]
        numbers = [value for value in kept if value is not None]
        assert column[0].as_py() == (str(sum(numbers)) if numbers else None)


def _chosen(where: str, first: int | None) -> bool:
    return not where or (first is not None and first >= 0 and "> 99" not in where)


@pytest.mark.parametrize("most", BOUNDS)
def test_no_sum_of_64_bits_can_overflow(most: int) -> None:
    """With more rows than any table has: the parts of a number, as the statement takes it apart."""
    spelled = SparkDialect().summed("x", most, "")
    if "SHIFTRIGHT" in spelled:
        assert max(abs(-most >> 20), most >> 20, (1 << 20) - 1) << 42 < 1 << 63
    elif spelled.startswith("CAST(SUM(x)"):
        assert most << 42 < 1 << 63
    else:
        assert spelled == "SUM(CAST(x AS DECIMAL(38, 0)))"
        assert most << 42 < 10**38


@pytest.mark.parametrize(
    ("version", "dialect"),
    [("0.7.2", SailDialect), ("4.3.0 1a2b3c", SparkDialect), ("3.5.0", SparkDialect), ("", SparkDialect)],
)
def test_a_server_is_known_by_its_version(version: str, dialect: type[SparkDialect]) -> None:
    assert type(dialect_of(version)) is dialect


def test_sail_is_known_as_sail(sail: str) -> None:
    """Which is started by the tests, unless a Spark is named."""
    with Spark(sail, {}).session() as session:
        assert isinstance(session, Spark)
        assert (type(session.tables.dialect) is SailDialect) == (URL not in os.environ)
