"""The tests of Spark on Spark itself and not on Sail: `make test-spark`.

A server of this run's own, reached from this machine alone, and stopped at the end. Needs Java 17 or later.
"""

from __future__ import annotations

import os
import subprocess
import sys

from tests.support.sail import URL
from tests.support.spark import spark_server

TESTS = (
    ("tests/unit/engines/sql/test_functions.py", "spark"),
    ("tests/engines/test_same_answers.py", "sail"),
    ("tests/flows/test_spark.py", ""),
)
"""Files, and which of their tests: the functions, every question of the conformance suites, a curator's life."""


def main() -> None:
    """One file after the other, each in a process of its own; what fails is told at the end."""
    with spark_server(sys.argv[1]) as (url, _):
        failed = [file for file, which in TESTS if not _passes(url, file, which)]
    raise SystemExit(f"failed: {', '.join(failed)}" if failed else 0)


def _passes(url: str, file: str, which: str) -> bool:
    command = [sys.executable, "-m", "pytest", "-q", file, "-k", which]
    return subprocess.run(command, check=False, env=os.environ | {URL: url}).returncode == 0


if __name__ == "__main__":
    main()
