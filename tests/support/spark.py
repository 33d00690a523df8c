"""A Spark of one's own, reached from this machine alone, and stopped at the end. Needs Java 17 or later."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

START = 600.0
"""Seconds in which a server must have started."""


@contextmanager
def spark_server(submit: str, cores: int = 2) -> Iterator[tuple[str, int]]:
    """The url and the process of a server that is started now, by the `spark-submit` of an installed Spark."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = {
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": port,
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "3g",
        "spark.sql.shuffle.partitions": 4,
        "spark.ui.enabled": "false",
    }
    given = [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]
    main = ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"]
    with TemporaryDirectory(prefix="spark-") as folder, (Path(folder) / "log").open("w") as log:
        program = Path(submit).absolute()
        environment = os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}"}  # it asks python3 where it is
        command = [str(program), "--master", f"local[{cores}]", *given, *main]
        with subprocess.Popen(
            command, cwd=folder, stdout=log, stderr=log, env=environment, start_new_session=True
        ) as process:
            try:
                _wait(port, process)
                yield f"sc://127.0.0.1:{port}", process.pid
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START
    while time.monotonic() < until and process.poll() is None:
        with socket.socket() as door:
            if door.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.5)
    raise SystemExit("no Spark: the server did not start; is there a Java 17?")
