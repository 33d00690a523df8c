"""Questions to the curator, beside plain DuckDB and other people's libraries: time, memory and error, in one run.

Run:  python -m benchmarks.questions [--rows 10000000] [--peers opendp,tumult,google] [--error-rows 1000000] [--runs 20]

Peers run in interpreters of their own, which the environment names (DENIABLE_OPENDP, DENIABLE_TUMULT,
DENIABLE_GOOGLE); see benchmarks/README.md
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from benchmarks import peers
from benchmarks.peers import CONTRIBUTION, DAYS, EPSILON, HIGHEST, QUESTIONS, REGIONS
from deniable.core.cap import Cap
from deniable.curator import Curator, create
from deniable.ledger import Charge, Ledger
from deniable.planner import Quote
from deniable.policy import Account

SQL = {
    "by-region": "SELECT region, COUNT(*) AS n, SUM(cost) AS s, AVG(cost) AS m FROM visits GROUP BY region",
    "count": "SELECT COUNT(*) AS n FROM visits",
    "by-region-and-day": "SELECT region, day, COUNT(*) AS n FROM visits GROUP BY region, day",
}
TITLES = {
    "by-region": "COUNT, SUM, AVG by 50 regions",
    "count": "one COUNT",
    "by-region-and-day": "COUNT by 50 regions and 365 days",
}
ROUNDS = {"ours": 5, "duckdb": 5, "opendp": 3, "google": 1, "tumult": 2}
"""How often each is asked in one process; the best time counts, and the memory of the first."""


@dataclass(frozen=True)
class Run:
    """One answer, and what it took."""

    cpu: float
    wall: float
    megabytes: float
    rows: dict[str, list[float]]


@dataclass(frozen=True)
class Contest:
    """What one contender took for one question, or why it did not take part."""

    name: str
    runs: tuple[Run, ...]
    absent: str = ""

    @property
    def cpu(self) -> float:
        """Of the best run."""
        return min(run.cpu for run in self.runs)

    @property
    def wall(self) -> float:
        """Of the best run."""
        return min(run.wall for run in self.runs)

    @property
    def megabytes(self) -> float:
        """Of a process that has answered once."""
        return self.runs[0].megabytes


def main() -> None:
    """Print the tables."""
    if sys.argv[1:2] == ["ours"]:
        _ours(*sys.argv[2:])
        return
    parser = argparse.ArgumentParser(prog="python -m benchmarks.questions")
    parser.add_argument("--rows", type=int, default=10_000_000, help="for the times; there is a person for every ten")
    parser.add_argument("--error-rows", type=int, default=1_000_000, help="for the errors, and for Tumult's times")
    parser.add_argument("--runs", type=int, default=20, help="answers per contender for the errors; Tumult a quarter")
    parser.add_argument("--peers", default="opendp,tumult,google", help="which to run, by commas; empty for none")
    parser.add_argument("--spread-ids", action="store_true", help="people's numbers lie far apart, not side by side")
    given = parser.parse_args()
    wanted = [name for name in given.peers.split(",") if name]
    console = Console(width=120)
    with TemporaryDirectory(prefix="questions-") as folder:
        os.environ["TMPDIR"] = folder
        large, small = Path(folder) / "large.parquet", Path(folder) / "small.parquet"
        visits(large, given.rows, spread=given.spread_ids)
        visits(small, given.error_rows, spread=given.spread_ids)
        console.print(_by_row(large, given.rows))
        console.print(_by_person(large, given.rows, wanted))
        console.print(_overheads(large))
        console.print(_errors(small, given.error_rows, given.runs, wanted))


def visits(path: Path, rows: int, *, spread: bool = False) -> None:
    """Visits of a tenth as many people, in no order: a few come often; most, but not all, near home; costs in cents."""
    random = np.random.default_rng(7)
    people = rows // 10
    activity = random.lognormal(0, 1, people)
    patients = np.repeat(np.arange(people), random.multinomial(rows, activity / activity.sum()))
    random.shuffle(patients)
    home, age = random.integers(0, len(REGIONS), people), random.integers(0, 100, people)
    away = random.integers(0, len(REGIONS), rows)
    region = np.where(random.random(rows) < 0.8, home[patients], away)  # noqa: PLR2004
    columns = {
        "patient_id": pa.array(patients * (2**40 // people) if spread else patients),
        "age": pa.array(age[patients]),
        "cost": pa.array(np.round(np.minimum(random.gamma(2, 75, rows), HIGHEST), 2)),
        "region": pa.array(REGIONS).take(pa.array(region)),
        "day": pa.array(DAYS).take(pa.array(random.integers(0, len(DAYS), rows))),
    }
    pq.write_table(pa.table(columns), path)


def _by_row(path: Path, rows: int) -> Table:
    """Unit = row: what privacy adds to a plain query."""
    table = _times(f"Unit = row, {rows:,} rows, beside plain DuckDB (aim: 1.3 x its time + 50 ms)")
    for question in ("by-region", "count"):
        ours = _contest("ours-row", path, question)
        plain = _contest("duckdb", path, question)
        _compare(table, question, ours, [(plain, lambda it: 1.3 * it + 0.05, None)])
    return table


def _by_person(path: Path, rows: int, wanted: list[str]) -> Table:
    """Unit = person: what the curator adds to a bounded query, and what the peers take."""
    table = _times(
        f"Unit = person, {rows:,} rows of {rows // 10:,} people, contribution {CONTRIBUTION}\n"
        "(aims: 1.25 x the bounded query; a third of OpenDP's time and memory, half on 18,250 groups)"
    )
    for question in QUESTIONS:
        share = 2 if question == "by-region-and-day" else 3
        ours = _contest("ours-person", path, question)
        others: list[tuple[Contest, Aim | None, int | None]] = [
            (_contest("duckdb", path, question), None, None),
            (_contest("duckdb-bounded", path, question), lambda it: 1.25 * it, None),
            (_contest("duckdb-tuned", path, question), None, None),
        ]
        if "opendp" in wanted:
            ways = [_contest(name, path, question) for name in ("opendp", "opendp-first")]
            others += [(way, lambda it, share=share: it / share, share) for way in ways]  # type: ignore[misc]
        if "google" in wanted:
            others.append((_contest("google", path, question), None, None))
        _compare(table, question, ours, others)
    return table


Aim = Callable[[float], float]
"""The most that we may take, by what the other takes."""


def _times(title: str) -> Table:
    table = Table(title=title, caption="x: ours divided by theirs. Best of a few runs in one process, after imports")
    for name in ("question", "contender", "CPU", "wall", "peak", "CPU x", "wall x", "peak x", "aim"):
        table.add_column(name, justify="left" if name in {"question", "contender"} else "right", no_wrap=True)
    return table


def _compare(table: Table, question: str, ours: Contest, others: list[tuple[Contest, Aim | None, int | None]]) -> None:
    """Ours, then each of the others with its ratios. An aim is met if it is met in CPU and in wall time."""
    table.add_section()
    if not ours.runs:
        table.add_row(TITLES[question], "deniable", ours.absent)
        return
    table.add_row(TITLES[question], "deniable", *_figures(ours))
    for other, aim, leaner in others:
        if not other.runs:
            table.add_row("", other.name, other.absent)
            continue
        met = aim is None or (ours.cpu <= aim(other.cpu) and ours.wall <= aim(other.wall))
        met = met and (leaner is None or ours.megabytes * leaner <= other.megabytes)
        pairs = ((ours.cpu, other.cpu), (ours.wall, other.wall), (ours.megabytes, other.megabytes))
        ratios = [f"{one / two:.2f}" for one, two in pairs]
        verdict = "" if aim is None else "met" if met else "[bold]missed[/bold]"
        table.add_row("", other.name, *_figures(other), *ratios, verdict)


def _figures(contest: Contest) -> tuple[str, str, str]:
    return f"{contest.cpu:.3f} s", f"{contest.wall:.3f} s", f"{contest.megabytes:.0f} MB"


def _overheads(path: Path) -> Table:
    """What a question costs besides its rows."""
    table = Table(title="What a question costs besides its rows (aims: planning 20 ms, charge and record 20 ms)")
    for name in ("step", "median", "worst of 50"):
        table.add_column(name, justify="left" if name == "step" else "right", no_wrap=True)
    with (
        TemporaryDirectory() as folder,
        create(policy_file(path, Path(folder), unit=True), reason="a benchmark") as curator,
    ):
        for question, sql in SQL.items():
            texts = [sql.replace(" AS n", f" AS n{number}") for number in range(51)]
            table.add_row(f"explain: {TITLES[question]}", *_spread([_time(curator.explain, text) for text in texts]))
        paying = [_time(_pay, curator.ledger, curator.explain(SQL["by-region"], epsilon=1), n) for n in range(51)]
        table.add_row("charge and record, on disk", *_spread(paying))
        first = _time(curator.ask, "SELECT COUNT(*) FROM visits WHERE age < 50")
        table.add_row("the first answer of a curator, which starts the engine's process", f"{first:.0f} ms", "")
    return table


def _pay(ledger: Ledger, quote: Quote, number: int, *, epsilon: float) -> None:
    """A charge to one account, and an answer of a usual size."""
    account = Account("population", Cap(10_000 * epsilon))
    ticket = ledger.charge(Charge(f"{number:064x}", "", SQL["by-region"], (), quote.loss, ledger.policy), [account])
    ledger.record(ticket, bytes(4_000))


def _time(step: Callable[..., object], *arguments: object) -> float:
    """Milliseconds, for epsilon 1."""
    start = time.perf_counter()
    step(*arguments, epsilon=1)
    return (time.perf_counter() - start) * 1e3


def _spread(times: list[float]) -> tuple[str, str]:
    """Without the first, which warms up."""
    return f"{median(times[1:]):.1f} ms", f"{max(times[1:]):.1f} ms"


def _errors(path: Path, rows: int, runs: int, wanted: list[str]) -> Table:
    """How far off each contender is, by region, at the same epsilon and the same bounds."""
    table = Table(
        title=f"Error by region, {rows:,} rows, epsilon {EPSILON:g}, {CONTRIBUTION} rows a person, costs to {HIGHEST}",
        caption="root mean square of the relative error over regions and runs, against the exact answer in which all\n"
        "rows of a person together weigh at most ten (the mean of sampled rows), and against the plain one.\n"
        "-centred: the sum of distances from the middle, which ours does by itself, was asked for by hand",
    )
    for name in ("contender", "COUNT", "SUM", "AVG", "plain: COUNT", "SUM", "AVG", "runs", "CPU", "peak"):
        table.add_column(name, justify="left" if name == "contender" else "right", no_wrap=True)
    exact = [_contest(name, path, "by-region", 1).runs[0].rows for name in ("duckdb-bounded", "duckdb")]
    for name in ("ours-person", *(name + way for name in wanted for way in ("", "-centred"))):
        rounds = max(2, runs // 4) if name.startswith("tumult") else runs
        contest = _contest(name, path, "by-region", rounds)
        if not contest.runs:
            table.add_row(contest.name, contest.absent)
            continue
        errors = [f"{100 * error:.2f}%" for truth in exact for error in _root_mean_square(contest, truth)]
        table.add_row(contest.name, *errors, str(rounds), f"{contest.cpu:.2f} s", f"{contest.megabytes:.0f} MB")
    return table


def _root_mean_square(contest: Contest, exact: dict[str, list[float]]) -> list[float]:
    """Of the relative errors of each statistic."""
    truth = np.array([exact[region] for region in REGIONS])
    answers = np.array([[run.rows[region] for region in REGIONS] for run in contest.runs])
    squares: NDArray[np.float64] = ((answers - truth) / truth) ** 2
    means: list[float] = np.sqrt(squares.mean(axis=(0, 1))).tolist()
    return means


def _contest(name: str, path: Path, question: str, rounds: int | None = None) -> Contest:
    """A contender's answers, from a process of its own."""
    family, _, unit = name.partition("-")
    python = os.environ.get(f"DENIABLE_{family.upper()}", sys.executable)
    program = ["-m", "benchmarks.questions", "ours", unit] if family == "ours" else [peers.__file__, name]
    command = [python, *program, str(path), question, str(rounds or ROUNDS[family])]
    title = "deniable" if family == "ours" else name
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own programs
    if done.returncode:
        return Contest(title, (), "failed: " + (done.stderr.strip().splitlines() or ["?"])[-1][:60])
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if any("missing" in line for line in lines):
        return Contest(title, (), "not installed")
    return Contest(title, tuple(Run(line["cpu"], line["wall"], line["rss_mb"], line["rows"]) for line in lines))


def _ours(unit: str, path: str, question: str, runs: str) -> None:
    """The curator as a contender. Each run has a ledger of its own, on disk: a repeat would be free."""
    with TemporaryDirectory() as folder:
        curator = create(policy_file(Path(path), Path(folder), unit=unit == "person"), reason="a benchmark")
        fresh = [Ledger.create(f"sqlite:///{folder}/{number}.ledger", "clinic") for number in range(int(runs))]
        curators = iter([Curator(curator.policy, curator.engine, ledger) for ledger in fresh])
        for line in peers.measured(lambda: _answered(next(curators), question), int(runs)):
            print(line, flush=True)
        curator.close()


def _answered(curator: Curator, question: str) -> peers.Rows:
    """The whole way of a question, as the peers are asked."""
    columns = [column.to_pylist() for column in curator.ask(SQL[question], epsilon=1).table.columns]
    keys = {"by-region": 1, "count": 0, "by-region-and-day": 2}[question]
    return {
        " ".join(map(str, row[:keys])): [float(value) for value in row[keys:]] for row in zip(*columns, strict=True)
    }


def policy_file(path: Path, folder: Path, *, unit: bool) -> Path:
    """What a custodian would write."""
    person = f'unit = "patient_id"\ncontribution = {CONTRIBUTION}' if unit else ""
    policy = folder / "clinic.toml"
    policy.write_text(
        f"""
[population]
name = "clinic"

[budget]
epsilon = 10000

[tables.visits]
source = {json.dumps(str(path))}
{person}

[tables.visits.columns]
patient_id = {{ type = "integer", nulls = false }}
age = {{ type = "integer", bounds = [0, 110], nulls = false }}
cost = {{ type = "number", bounds = [0, {HIGHEST}], step = 0.01, nulls = false }}
region = {{ type = "text", values = {json.dumps(REGIONS)}, nulls = false }}
day = {{ type = "date", bounds = ["{DAYS[0]}", "{DAYS[-1]}"], nulls = false }}
"""
    )
    return policy


if __name__ == "__main__":
    main()
