"""A server that speaks Spark Connect, for tests: the one that DENIABLE_TEST_SPARK names, or Sail, in this process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.engines.spark.engine import Spark
from deniable.files.fingerprint import Contents
from deniable.files.scan import HERE, reading
from deniable.files.source import DataFile

URL = "DENIABLE_TEST_SPARK"
"""Of a server that can read this machine's files: sc://127.0.0.1:15002"""


@pytest.fixture(scope="session")
def sail() -> Iterator[str]:
    """The server of this run."""
    if named := os.environ.get(URL):
        yield named
        return
    os.environ.setdefault("RUST_LOG", "off")
    from pysail.spark import SparkConnectServer  # noqa: PLC0415 - slow to load

    server = SparkConnectServer(ip="127.0.0.1", port=0)
    server.start(background=True)
    yield f"sc://127.0.0.1:{server.listening_address[1]}"
    server.stop()


_ALONE = """
import sys
from pysail.spark import SparkConnectServer
server = SparkConnectServer(ip="127.0.0.1", port=0)
server.start(background=True)
print(server.listening_address[1], flush=True)
sys.stdin.read()
"""


@dataclass(frozen=True)
class OwnSail:
    """A server in a process of its own, which a test may stop."""

    url: str
    process: int


@contextmanager
def alone(**settings: str) -> Iterator[OwnSail]:
    """A server that is started now, and stopped in the end."""
    environment = os.environ | {"RUST_LOG": "off"} | settings
    with subprocess.Popen(
        [sys.executable, "-c", _ALONE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as server:
        assert server.stdout is not None
        yield OwnSail(f"sc://127.0.0.1:{server.stdout.readline().strip()}", server.pid)
        server.kill()


@pytest.fixture
def own_sail() -> Iterator[OwnSail]:
    """Ends with the test."""
    with alone() as server:
        yield server


_number = count()


def copied(
    files: Mapping[str, DataFile], url: str, folder: Path, seconds: float = 60, contents: Contents | None = None
) -> Spark:
    """An engine over copies of these files, which are made now."""
    places = {}
    for name, file in files.items():
        with reading(file) as connection:
            table = connection.sql(f"FROM {HERE}").to_arrow_table()
        places[name] = str(folder / f"{name}-{next(_number)}.parquet")
        pq.write_table(stored(table), places[name])
    return Spark(url, places, seconds, contents)


def stored(table: pa.Table) -> pa.Table:
    """Times of day as numbers: no Spark reads them from a file, and questions about them are refused."""
    for place, field in enumerate(table.schema):
        if pa.types.is_time(field.type):
            table = table.set_column(place, field.name, table[field.name].cast(pa.int64()))
    return table
