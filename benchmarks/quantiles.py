"""Private quantiles beside DuckDB's exact ones (time), and beside other ways to make them private (error).

Run:  python -m benchmarks.quantiles [--rows 10000000] [--error-rows 10000] [--runs 200]

OpenDP is measured if it is installed: pip install -e '.[bench]'
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from importlib.util import find_spec
from math import ceil, log
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from benchmarks.questions import policy_file, visits
from deniable.curator import Curator, create
from deniable.curator.choose import choose
from deniable.ledger import Ledger
from deniable.mechanisms import Exponential, PermuteAndFlip, SmoothMedian
from deniable.mechanisms.ranks import rank_scores
from deniable.planner import Payment, Spend, bind, parse, price
from deniable.planner.choices.histogram import Quantile
from deniable.planner.choices.price import Chosen
from deniable.policy import load

QUESTIONS = {
    "median": "SELECT MEDIAN(cost) AS a FROM visits",
    "three quantiles": "SELECT QUANTILE_CONT(cost, [0.25, 0.5, 0.75]) AS a FROM visits",
    "median by 50 regions": "SELECT region, MEDIAN(cost) AS a FROM visits GROUP BY region",
    "median of a few whole numbers": "SELECT MEDIAN(age) AS a FROM visits",
}
ROUNDS = 5
STEP, HIGHEST = 0.01, 500
RHO = Fraction(1, 8)
SPENDS: dict[str, Payment] = {"": {"epsilon": 1}, f", rho {RHO}": {"rho": RHO}}
Draw = Callable[[], float]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quantiles")
    parser.add_argument("--rows", type=int, default=10_000_000, help="for the times")
    parser.add_argument("--error-rows", type=int, default=10_000, help="for the errors")
    parser.add_argument("--runs", type=int, default=200, help="draws for the errors")
    given = parser.parse_args()
    console = Console(width=120)
    with TemporaryDirectory(prefix="quantiles-") as folder:
        path = Path(folder) / "visits.parquet"
        visits(path, given.rows)
        for unit in (False, True):
            console.print(_times(path, given.rows, unit=unit))
    console.print(_errors(given.error_rows, given.runs))


def _times(path: Path, rows: int, *, unit: bool) -> Table:
    """The whole way of a question, and the exact quantile of the same file."""
    table = Table(title=f"{rows:,} rows, unit = {'person' if unit else 'row'}, wall time, best of {ROUNDS} (aim: 2 x)")
    for name in ("question", "deniable", "DuckDB, exact", "x"):
        table.add_column(name, justify="left" if name == "question" else "right", no_wrap=True)
    with (
        TemporaryDirectory() as folder,
        create(policy_file(path, Path(folder), unit=unit), reason="a benchmark") as curator,
    ):
        plain = duckdb.connect()
        plain.execute(f"CREATE VIEW visits AS FROM read_parquet('{path}')")
        for name, sql in QUESTIONS.items():
            ours = _best(partial(_asked, curator, sql))
            theirs = _best(partial(_exactly, plain, sql))
            table.add_row(name, f"{ours:.3f} s", f"{theirs:.3f} s", f"{ours / theirs:.2f}")
        plain.close()
    return table


def _asked(curator: Curator, sql: str) -> pa.Table:
    """With an empty ledger, as a repeat would be free."""
    return Curator(curator.policy, curator.engine, Ledger.memory("clinic")).ask(sql, epsilon=1).table


def _exactly(plain: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[object, ...]]:
    return plain.sql(sql).fetchall()


def _best(step: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    return min(times)


def _errors(rows: int, runs: int) -> Table:
    """The median of costs in cents, between 0 and 500, at epsilon 1, and for rho; each row is a unit."""
    table = Table(
        title=f"Median of {rows:,} rows, epsilon 1, grid of {HIGHEST / STEP + 1:,.0f} values, {runs} draws",
        caption="ranks: root mean square of how many rows the answer is off. 'with interval': 0.55 of epsilon,\n"
        "or 0.7 of rho, for the value, the rest for its ends, which hold the exact value at 95%. 'before': a third\n"
        "for each of the three (aim: error at most 0.7 of it). The others say nothing of their error",
    )
    for name in ("data", "way", "ranks", "value", "interval"):
        table.add_column(name, justify="left" if name in {"data", "way"} else "right", no_wrap=True)
    random = np.random.default_rng(3)
    shapes = {
        "spread": random.gamma(2, 75, rows),
        "half of them one value": np.where(random.random(rows) < 0.5, 80.0, random.gamma(2, 75, rows)),  # noqa: PLR2004
        "two heaps, few between": np.where(random.random(rows) < 0.5, 20.0, 400.0) + random.normal(0, 5, rows),  # noqa: PLR2004
    }
    for shape, values in shapes.items():
        data = np.round(np.clip(values, 0, HIGHEST), 2)
        table.add_section()
        for place, (title, spend) in enumerate(SPENDS.items()):
            table.add_row("" if place else shape, f"deniable, with interval{title}", *_ours(data, runs, spend))
            table.add_row("", f"three choices (before){title}", *_thirds(data, runs, spend))
        smooth = SmoothMedian(lower=0, upper=HIGHEST, epsilon=1, step=STEP)
        table.add_row("", "SmoothMedian", *_scored(data, smooth.sample(data, runs)), "")
        for share, title in ((1.0, "all of epsilon"), (1 / 3, "a third of epsilon")):
            draw = _opendp(data, share)
            found = ["not installed", ""] if draw is None else _scored(data, np.array([draw() for _ in range(runs)]))
            table.add_row("", f"OpenDP, {title}", *found, "")
    return table


def _ours(data: NDArray[np.float64], runs: int, spend: Payment) -> list[str]:
    """Through the planner, on the exact histogram."""
    part, counts = _median(data, spend)
    found = [choose(part, counts) for _ in range(runs)]
    value, low, high = (np.concatenate([one[part.choice.recorded(side)] for one in found]) for side in (0, -1, 1))
    return [*_scored(data, value * STEP), f"± {float((high - low).mean()) * STEP / 2:.2f}"]


def _thirds(data: NDArray[np.float64], runs: int, spend: Payment) -> list[str]:
    """What it was until values had half of the spend: three choices, the value and both ends, each among all cells."""
    part, counts = _median(data, spend)
    mechanism: PermuteAndFlip | Exponential
    if "rho" in spend:
        epsilon = Fraction((8 * float(RHO) / 3) ** 0.5)
        mechanism = Exponential(sensitivity=part.mechanism.sensitivity, epsilon=epsilon)
    else:
        mechanism = PermuteAndFlip(sensitivity=part.mechanism.sensitivity, epsilon=Fraction(1, 3))
    odds = log(part.choice.candidates * 2 / 0.05)
    offset = ceil(odds * float(2 * mechanism.sensitivity / mechanism.epsilon) / 2) + part.choice.histogram.row
    value, low, high = (
        np.concatenate([mechanism.choose_each(rank_scores(counts, Fraction(1, 2), aside)) for _ in range(runs)])
        for aside in (0, -offset, offset)
    )
    return [*_scored(data, value * STEP), f"± {float((high - low).mean()) * STEP / 2:.2f}"]


def _median(data: NDArray[np.float64], spend: Payment) -> tuple[Chosen, NDArray[np.int64]]:
    """Its plan, and the exact histogram."""
    with TemporaryDirectory() as folder:
        rules = load(policy_file(Path("visits.parquet"), Path(folder), unit=False))
    (part,) = price(bind(parse(QUESTIONS["median"]), rules), Spend.of(**spend)).noise
    if not isinstance(part, Chosen) or not isinstance(part.choice, Quantile):
        raise TypeError("a median is chosen")
    counts = np.bincount(np.rint(data / STEP).astype(np.int64), minlength=round(HIGHEST / STEP) + 1)
    return part, counts[None, :] * part.choice.histogram.row


def _opendp(data: NDArray[np.float64], epsilon: float) -> Draw | None:
    """Scores of all values of the grid, and permute-and-flip by them."""
    if find_spec("opendp") is None:
        return None
    import opendp.prelude as dp

    dp.enable_features("contrib")
    candidates = (np.arange(round(HIGHEST / STEP) + 1) * STEP).round(2)
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()
    scores: Any = dp.t.make_quantile_score_candidates(*space, candidates=candidates.tolist(), alpha=0.5)
    found = scores(data.tolist())
    sensitivity = float(scores.map(1))
    chooser = dp.m.make_noisy_max(
        scores.output_domain, scores.output_metric, dp.max_divergence(), scale=2 * sensitivity / epsilon, negate=True
    )
    return lambda: float(candidates[chooser(found)])


def _scored(data: NDArray[np.float64], answers: NDArray[np.float64]) -> list[str]:
    """How far off, in ranks and in value."""
    ordered, middle = np.sort(data), float(np.median(data))
    low, high = (np.searchsorted(ordered, answers, side) for side in ("left", "right"))
    ranks = np.maximum(np.maximum(low - data.size / 2, data.size / 2 - high), 0)
    return [f"{np.sqrt((ranks**2).mean()):.1f}", f"{np.sqrt(((answers - middle) ** 2).mean()):.3f}"]


if __name__ == "__main__":
    main()
