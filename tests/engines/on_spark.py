"""The tests of Spark on Spark itself and not on Sail: `make test-spark`.

A server of this run's own, reached from this machine alone, and stopped at the end. Needs Java 17 or later.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.support.sail import URL

TESTS = (
    ("tests/unit/engines/sql/test_functions.py", "spark"),
    ("tests/engines/test_same_answers.py", "sail"),
    ("tests/flows/test_spark.py", ""),
)
"""Files, and which of their tests: the functions, every question of the conformance suites, a curator's life."""
START = 180.0
"""Seconds in which a server must have started."""


@contextmanager
def server(submit: str) -> Iterator[str]:
    """The url of a server that is started now."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = {
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": port,
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "3g",
        "spark.sql.shuffle.partitions": 4,
        "spark.ui.enabled": "false",
    }
    given = [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]
    main = ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"]
    with TemporaryDirectory(prefix="spark-") as folder, (Path(folder) / "log").open("w") as log:
        command = [str(Path(submit).absolute()), "--master", "local[2]", *given, *main]
        with subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, start_new_session=True) as process:
            try:
                _wait(port, process)
                yield f"sc://127.0.0.1:{port}"
            finally:
                os.killpg(process.pid, signal.SIGKILL)


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START
    while time.monotonic() < until and process.poll() is None:
        with socket.socket() as door:
            if door.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.5)
    raise SystemExit("no Spark: the server did not start; is there a Java 17?")


def main() -> None:
    """One file after the other; what fails is told at the end."""
    with server(sys.argv[1]) as url:
        os.environ[URL] = url
        failed = [file for file, which in TESTS if pytest.main(["-q", file, "-k", which]) != pytest.ExitCode.OK]
    raise SystemExit(f"failed: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
