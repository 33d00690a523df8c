"""Publishing a table, beside other people's libraries: time, memory and loss, in one run.

Run:  python -m benchmarks.anonymize [--adult FOLDER] [--rows 30000,1000000,5000000] [--peers pycanon,anonypy,anjana]

FOLDER holds adult.csv and its hierarchies as ARX ships them (hierarchy_age.csv, ...); without it the table is made up.
Peers run in the interpreter that DENIABLE_ANONYMIZERS names, or in ours; see benchmarks/README.md
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
from rich.console import Console
from rich.table import Table

from benchmarks.anonymizers import KNOWN, SECRET, SUPPRESSION, K, L, T, line, measured
from deniable.releases import Entropy, Recursive, anonymize, check, hierarchy

ASKED: dict[str, dict[str, Any]] = {"k": {"k": K}, "k+l": {"k": K, "l": L}, "k+l+t": {"k": K, "l": L, "t": T}}
AIMS = {
    ("optimal", "k"): 3.0,
    ("optimal", "k+l"): 5.0,
    ("optimal", "k+l+t"): 12.0,
    ("mondrian", "k"): 3.0,
    ("check", "all"): 1.5,
}
"""CPU seconds for five million rows."""
ARX = {
    ("optimal", "k"): (0.15, 2.5, 9.2),
    ("optimal", "k+l"): (0.24, 7.0, 17.4),
    ("optimal", "k+l+t"): (0.57, 13.8, 42.2),
    ("local", "k"): (1.2, 5.5, 16.0),
}
"""CPU seconds for 30 thousand, 1 and 5 million rows of a table of this kind, measured once on two cores."""
SIZES = (30_000, 1_000_000, 5_000_000)
MIX = 0.1
"""The share of values that are drawn anew, so that a table that is grown has new combinations too."""


def main() -> None:
    """Print the tables."""
    if sys.argv[1:2] == ["ours"]:
        _ours(*sys.argv[2:])
        return
    parser = argparse.ArgumentParser(prog="python -m benchmarks.anonymize")
    parser.add_argument("--adult", type=Path, help="folder with adult.csv and hierarchy_*.csv")
    parser.add_argument("--rows", default=",".join(map(str, SIZES)), help="sizes, by commas")
    parser.add_argument("--peers", default="pycanon,anonypy,anjana", help="which to run on the smallest table")
    parser.add_argument("--runs", type=int, default=3, help="of ours, each in one process; the best counts")
    given = parser.parse_args()
    console = Console(width=120)
    with TemporaryDirectory(prefix="anonymize-") as name:
        folder = Path(name)
        base = _adult(given.adult, folder) if given.adult else _made_up(folder)
        for rows in map(int, given.rows.split(",")):
            file = folder / f"{rows}.parquet"
            pq.write_table(_grown(base, rows), file)
            console.print(_compared(file, rows, given.runs))
        smallest = folder / f"{given.rows.split(',')[0]}.parquet"
        console.print(_beside(smallest, [peer for peer in given.peers.split(",") if peer]))


def _compared(file: Path, rows: int, runs: int) -> Table:
    """Ours, with the aims and ARX's figures."""
    table = Table(
        title=f"{rows:,} rows, {len(KNOWN)} quasi-identifiers, suppression {SUPPRESSION}", title_justify="left"
    )
    for name in ("what", "asked", "CPU s", "wall s", "peak MB", "NCP", "classes", "aim CPU s", "ARX CPU s"):
        table.add_column(name, justify="left" if name in ("what", "asked") else "right")
    questions = [(method, asked) for method in ("optimal", "local", "mondrian") for asked in ASKED]
    for method, asked in [*questions, ("check", "all")]:
        found = _run([sys.executable, "-m", "benchmarks.anonymize", "ours", method, asked, str(file), str(runs)])
        best = min(found, key=lambda run: run["cpu"])
        aim = (
            AIMS.get((method, asked))
            if rows == SIZES[2]
            else 0.6
            if (rows, asked, method) == (SIZES[0], "k+l+t", "optimal")
            else None
        )
        arx = ARX.get((method, asked), ())[SIZES.index(rows)] if rows in SIZES and (method, asked) in ARX else None
        table.add_row(
            method,
            asked,
            f"{best['cpu']:.2f}",
            f"{best['wall']:.2f}",
            f"{found[0]['megabytes']:.0f}",
            f"{best['ncp']:.4f}" if "ncp" in best else "",
            f"{best['classes']:,}",
            "" if aim is None else f"{aim:g} {'met' if best['cpu'] <= aim else 'MISSED'}",
            "" if arx is None else f"{arx:g}",
        )
    return table


def _beside(file: Path, peers: list[str]) -> Table:
    """Peers on the smallest table, with ours in the same run."""
    rows = pq.read_metadata(file).num_rows
    table = Table(title=f"Beside peers, {rows:,} rows", title_justify="left")
    for name in ("what", "contender", "CPU s", "x ours", "NCP", "what it reached"):
        table.add_column(name, justify="left" if name in ("what", "contender", "what it reached") else "right")
    python = os.environ.get("DENIABLE_ANONYMIZERS", sys.executable)
    contests = {
        "mondrian, k": ("mondrian k", ["anonypy k"]),
        "mondrian, k+l": ("mondrian k+l", ["anonypy k+l"]),
        "mondrian, k+l+t": ("mondrian k+l+t", ["anonypy t"]),
        "full domain, k": ("optimal k", ["anjana k"]),
        "full domain, k+l": ("optimal k+l", ["anjana k+l"]),
        "check k, l, t": ("check all", ["pycanon all"]),
    }
    for what, (ours, others) in contests.items():
        method, asked = ours.split()
        first = _run([sys.executable, "-m", "benchmarks.anonymize", "ours", method, asked, str(file), "3"])
        best = min(first, key=lambda run: run["cpu"])
        table.add_row(what, "deniable", f"{best['cpu']:.2f}", "", _ncp(best), str(best.get("reached", "")))
        for other in others:
            peer, task = other.split()
            if peer not in peers:
                continue
            run = _run([python, "benchmarks/anonymizers.py", peer, task, str(file)])[0]
            if "missing" in run:
                table.add_row("", peer, "not installed", "", "", run["missing"])
                continue
            table.add_row(
                "", peer, f"{run['cpu']:.2f}", f"{run['cpu'] / best['cpu']:.0f}", _ncp(run), str(run.get("reached", ""))
            )
    return table


def _ours(method: str, asked: str, file: str, runs: str) -> None:
    """In a process of its own: a line of JSON for each run."""
    folder = Path(file).parent
    trees = {name: hierarchy.tree(folder / f"hierarchy_{name}.csv") for name in KNOWN}
    if method == "mondrian":
        trees["age"] = hierarchy.interval(5, 10, 20)
    models = {SECRET: [Entropy(2), Recursive(2, 4)]}
    released = folder / f"released-{Path(file).name}"

    def run() -> dict[str, Any]:
        if method == "check":
            found = check(released, quasi_identifiers=KNOWN, sensitive=models, k=K, l=L, t=T, suppression=SUPPRESSION)
            return {"classes": found.classes, "reached": [round(finding.reached, 3) for finding in found.findings]}
        result = anonymize(
            file, quasi_identifiers=trees, sensitive=SECRET, suppression=SUPPRESSION, method=method, **ASKED[asked]
        )
        if (method, asked) == ("mondrian", "k+l"):
            result.save(released)
        reached = [round(finding.reached, 3) for finding in result.checked.findings]
        return {"classes": result.checked.classes, "reached": reached, "result": result}

    for _ in range(int(runs)):
        found = measured(run)
        result = found.pop("result", None)
        print(line(found | ({} if result is None else {"ncp": result.report.losses["ncp"]})), flush=True)


def _run(command: list[str]) -> list[dict[str, Any]]:
    done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603 - ours
    lines = [json.loads(text) for text in done.stdout.splitlines() if text.startswith("{")]
    return lines or [{"missing": done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "said nothing"}]


def _ncp(run: dict[str, Any]) -> str:
    return f"{run['ncp']:.4f}" if "ncp" in run else ""


def _adult(folder: Path, target: Path) -> pa.Table:
    """The real table; its hierarchies are copied beside the grown ones."""
    for name in KNOWN:
        (target / f"hierarchy_{name}.csv").write_bytes((folder / f"hierarchy_{name}.csv").read_bytes())
    return pa.csv.read_csv(folder / "adult.csv", parse_options=pa.csv.ParseOptions(delimiter=";"))


def _made_up(target: Path) -> pa.Table:
    """As many columns, values and levels as Adult, skewed and correlated by a hidden trait."""
    random = np.random.default_rng(11)
    shapes = {"sex": (2,), "age": (74, 15, 8, 4), "race": (5,), "marital-status": (7, 2), "education": (16, 6, 3)}
    shapes |= {"native-country": (41, 6), "workclass": (7, 2), SECRET: (14,)}
    trait = random.random(30_000)
    columns = {}
    for name, levels in shapes.items():
        many = levels[0]
        weights = 1 / np.arange(1, many + 1) ** 1.2
        place = np.clip(random.normal(trait, 0.4), 0, 0.9999)
        drawn = np.minimum(np.searchsorted(np.cumsum(weights / weights.sum()), place), many - 1)
        values = [str(17 + value) if name == "age" else f"{name} {value}" for value in range(many)]
        columns[name] = pa.array(values).take(pa.array(drawn))
        with (target / f"hierarchy_{name}.csv").open("w", newline="") as file:
            csv.writer(file, delimiter=";").writerows(_tree(values, levels))
    return pa.table(columns)


def _tree(values: list[str], levels: tuple[int, ...]) -> Iterator[list[str]]:
    """Each level halves, or more; groups nest."""
    for place, value in enumerate(values):
        above = []
        for level, groups in enumerate(levels[1:], 1):
            place = place * groups // levels[level - 1]  # noqa: PLW2901 - from level to level
            above.append(f"level {level}, group {place}")
        yield [value, *above, "*"]


def _grown(base: pa.Table, rows: int) -> pa.Table:
    """Rows drawn from the table, with some of their values drawn anew; the table itself, if it is about that size."""
    if abs(rows - base.num_rows) < 0.1 * rows:
        return base
    random = np.random.default_rng(1)
    chosen = random.integers(0, base.num_rows, rows)
    columns = {}
    for name in base.column_names:
        anew = random.integers(0, base.num_rows, rows)
        columns[name] = base[name].combine_chunks().take(pa.array(np.where(random.random(rows) < MIX, anew, chosen)))
    return pa.table(columns)


if __name__ == "__main__":
    main()
