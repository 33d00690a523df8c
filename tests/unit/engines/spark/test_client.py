"""The client ends: with a server that was killed, with one that no longer answers, in a process without a main file."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.support.sail import OwnSail

CURATOR = """
import os, sys
from deniable.core.errors import Failed, Refused
from deniable.engines.spark.engine import Spark

url, process, how, source = sys.argv[1:]
engine = Spark(url, {"visits": source}, seconds=3)
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


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "stopped"])
def test_neither_a_question_nor_the_end_of_a_process_waits_for_a_server_that_has_gone(
    tmp_path: Path, own_sail: OwnSail, how: signal.Signals
) -> None:
    """The process has no main file, for which the library would otherwise look for a Spark, and end it."""
    pq.write_table(pa.table({"cost": [1, 2]}), tmp_path / "visits.parquet")
    command = [sys.executable, "-c", CURATOR, own_sail.url, str(own_sail.process), str(int(how))]
    command.append(str(tmp_path / "visits.parquet"))
    curator = subprocess.run(command, capture_output=True, text=True, timeout=90, check=True)
    assert curator.stdout.split()[1:] == ["data-unavailable"]
    assert "SPARK_HOME" not in curator.stderr
