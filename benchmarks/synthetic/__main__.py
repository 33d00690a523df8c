"""`python -m benchmarks.synthetic`: a row for each table, epsilon and contender.

The Adult census extract is used if `DENIABLE_ADULT` names a CSV file of its codes; four made-up tables of other shapes
always are. The settings are those of the product, for all of them. Peers run in the interpreters that the environment
names (DENIABLE_MBI, DENIABLE_DPMM, DENIABLE_SMARTNOISE, DENIABLE_OPENDP); see benchmarks/README.md. DENIABLE_OWN may
name one for ours: where pandas is installed, Arrow loads it, and its 40 MB count.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.synthetic.tables import Codes, every
from deniable.core.grid import IntArray

OURS = ("plain-tree", "deniable")
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""For everybody: threads that wait for each other count as processor time."""
_SECONDS = 1800.0
"""After which a contender is given up."""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epsilons", type=float, nargs="+", default=[0.1, 1.0, 10.0])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--tables", nargs="+", help="which; unless told, all")
    parser.add_argument("--peers", nargs="*", default=["mbi-mst", "dpmm-mst", "smartnoise-mst", "opendp-mst"])
    parser.add_argument("--peer-runs", type=int, default=1, help="peers take minutes")
    options = parser.parse_args()
    print("| data | epsilon | method | columns | pairs | worst pair | triples | CPU s | MB |")
    print("| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name, data in every().items():
        if options.tables and name not in options.tables:
            continue
        chance = np.random.default_rng(0)
        _print(data, "", "rows drawn again", [partial(_again, data, chance)] * options.runs)
        _print(data, "", "columns alone", [partial(_alone, data, chance)])
        for epsilon in options.epsilons:
            for contender in (*options.peers, *OURS):
                runs = options.runs if contender in OURS else options.peer_runs
                _print(data, f"{epsilon:g}", contender, [partial(run, contender, data, epsilon)] * runs)


Made = tuple[list[IntArray], float, float]
"""Rows, processor seconds, megabytes."""


def _print(data: Codes, epsilon: str, method: str, runs: list[Callable[[], Made | str]]) -> None:
    """The means over all runs."""
    found, costs = [], []
    for one in runs:
        made = one()
        if isinstance(made, str):
            print(f"| {data.name} | {epsilon} | {method} | {made} | | | | | |", flush=True)
            return
        rows, seconds, memory = made
        found.append([data.distances(rows, many) for many in (1, 2, 3)])
        costs.append((seconds, memory))
    means = [float(np.mean([one[place].mean() for one in found])) for place in range(3)]
    worst = float(np.mean([one[1].max() for one in found]))
    seconds, memory = (float(np.mean(column)) for column in zip(*costs, strict=True))
    said = f"{seconds:.1f} | {memory:,.0f}" if epsilon else " | "
    line = f"{means[0]:.4f} | {means[1]:.4f} | {worst:.3f} | {means[2]:.4f} | {said}"
    print(f"| {data.name} | {epsilon} | {method} | {line} |", flush=True)


def run(contender: str, data: Codes, epsilon: float) -> Made | str:
    """One run in a process of its own; a text says why there is none."""
    own = contender in OURS
    family = "OWN" if own else contender.split("-", maxsplit=1)[0].upper()
    python = os.environ.get(f"DENIABLE_{family}", sys.executable)
    script = ["-m", "benchmarks.synthetic.contenders"] if own else [str(Path(__file__).with_name("peers.py"))]
    with tempfile.TemporaryDirectory() as folder:
        table, made = Path(folder) / "table.npz", Path(folder) / "made.npz"
        data.save(table)
        command = [python, *script, contender, str(table), f"{epsilon:g}", str(made)]
        try:
            done = subprocess.run(  # noqa: S603 - our own
                command, check=False, capture_output=True, text=True, timeout=_SECONDS, env=os.environ | _ONE_THREAD
            )
        except subprocess.TimeoutExpired:
            return f"longer than {_SECONDS:g} s"
        if done.returncode:
            return "failed: " + (done.stderr.strip().splitlines() or ["nothing said"])[-1][:80]
        said = json.loads(done.stdout.strip().splitlines()[-1])
        if "missing" in said:
            return "not installed"
        with np.load(made) as file:
            rows = list(file["codes"])
    return rows, said["cpu"], said["rss_mb"]


def _again(data: Codes, chance: np.random.Generator) -> Made:
    drawn = chance.integers(0, data.rows, data.rows)
    return [column[drawn] for column in data.columns.values()], 0.0, 0.0


def _alone(data: Codes, chance: np.random.Generator) -> Made:
    return [chance.permutation(column) for column in data.columns.values()], 0.0, 0.0


if __name__ == "__main__":
    main()
