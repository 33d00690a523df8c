"""How long a command takes before it has begun: `python -m benchmarks.startup`.

Seconds of the processor, not of the clock, so that a busy machine matters less; and how many modules were imported by
then. A question is measured until its engine starts: until the process is made that will read rows. Modules are
compiled beforehand, as an installer does.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import deniable
from deniable.apps.demo.clinic import make_clinic

_QUESTION = "SELECT region, COUNT(*) AS visits, AVG(cost) AS cost FROM visits GROUP BY region"

_PROGRAM = """
import atexit, json, os, sys, time

def report():
    with open(path, "w") as file:
        json.dump({"seconds": time.process_time(), "modules": sorted(sys.modules)}, file)

def leave(event, _):
    if event == "subprocess.Popen":
        report()
        os._exit(0)

path = sys.argv.pop(1)
atexit.register(report)
sys.addaudithook(leave)
from deniable.apps.cli import main
main()
"""
"""The command line, with a hook that reports and leaves when another process is about to start, or else at the end."""


@dataclass(frozen=True, slots=True)
class Start:
    """How one run began."""

    seconds: float
    modules: frozenset[str]


def started(arguments: list[str], compiled: Path | None = None) -> Start:
    """Run the command line in a fresh process, as far as its engine; with a folder of compiled modules, if named."""
    environment = dict(os.environ)
    if compiled is not None:
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        environment["PYTHONPYCACHEPREFIX"] = str(compiled)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        program = [sys.executable, "-c", _PROGRAM, str(report), *arguments]
        subprocess.run(program, env=environment, capture_output=True, check=True)  # noqa: S603 - our own words
        facts = json.loads(report.read_text())
    return Start(facts["seconds"], frozenset(facts["modules"]))


def main() -> None:
    """Print a table: each command, its seconds (the median of some runs, and the least) and its modules."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=9)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as folder:
        policy = str(Path(folder) / "clinic.toml")
        make_clinic(Path(folder))
        deniable.create(policy, reason="a benchmark").close()
        commands = {
            "deniable --help": ["--help"],
            "deniable ask --help": ["ask", "--help"],
            "deniable explain": ["explain", policy, _QUESTION, "--epsilon", "0.001"],
            "deniable ask": ["ask", policy, _QUESTION, "--epsilon", "0.001"],
            "deniable ask, Gaussian": ["ask", policy, _QUESTION, "--rho", "0.0001"],
            "deniable budget": ["budget", policy],
            "deniable ledger list": ["ledger", "list", policy],
            "deniable plan mean": ["plan", "mean"],
        }
        print(f"| {'command':<22} | CPU seconds | least | modules |")
        print(f"| {'-' * 22} | ----------: | ----: | ------: |")
        for name, arguments in commands.items():
            _, *starts = [started(arguments, Path(folder) / "compiled") for _ in range(runs + 1)]
            seconds = [start.seconds for start in starts]
            print(f"| {name:<22} | {median(seconds):11.2f} | {min(seconds):5.2f} | {len(starts[0].modules):7,} |")


if __name__ == "__main__":
    main()
