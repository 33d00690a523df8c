"""The client ends: with a server that was killed, with one that no longer answers, in a process without a main file."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

SERVER = """
import sys
from pysail.spark import SparkConnectServer
server = SparkConnectServer(ip="127.0.0.1", port=0)
server.start(background=True)
print(server.listening_address[1], flush=True)
sys.stdin.read()
"""
CURATOR = """
import os, sys
from deniable.core.errors import Failed, Refused
from deniable.engines.spark.engine import Spark

port, process, how, source = sys.argv[1:]
engine = Spark(f"sc://127.0.0.1:{port}", {"visits": source}, seconds=3)
try:
    with engine.session() as session:
        assert session.describe("visits") == {"cost": "bigint"}
        os.kill(int(process), int(how))
        session.fetch("SELECT COUNT(*) AS n FROM deniable_766973697473")
except Exception as error:
    print(type(error).__name__)
try:
    with engine.session():
        pass
except Refused as refusal:
    print(refusal.code)
"""


@pytest.fixture
def doomed(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, str]]:
    """The port and the process of a server that a test may stop."""
    pytest.importorskip("pysail")
    monkeypatch.setenv("RUST_LOG", "off")
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip(), str(server.pid)
        server.kill()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "stopped"])
def test_neither_a_question_nor_the_end_of_a_process_waits_for_a_server_that_has_gone(
    tmp_path: Path, doomed: tuple[str, str], how: signal.Signals
) -> None:
    """The process has no main file, for which the library would otherwise look for a Spark, and end it."""
    pq.write_table(pa.table({"cost": [1, 2]}), tmp_path / "visits.parquet")
    command = [sys.executable, "-c", CURATOR, *doomed, str(int(how)), str(tmp_path / "visits.parquet")]
    curator = subprocess.run(command, capture_output=True, text=True, timeout=90, check=True)
    assert curator.stdout.split()[1:] == ["data-unavailable"]
    assert "SPARK_HOME" not in curator.stderr
