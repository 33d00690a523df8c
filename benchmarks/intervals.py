"""Error bars beside what they were when worst cases were added up: how often they hold, and how wide they are.

Run:  python -m benchmarks.intervals [--groups 20000] [--many 1000000] [--journeys 3]

Every group is answered with noise of its own, so one answer with many equal groups is as many trials. Aims, at 95%: the
intervals of counts, sums, differences, ratios and averages hold between 95.0% and 96.5% of the time, those of averages
are at most 0.85 as wide as before and those of differences at most 0.6. Two limits are not ours: of two equal normal
noises, the law itself leaves sqrt(2) 1.96 / (2 2.24) = 0.62 (of Laplace noises 0.55); and of 50 rows, a quotient whose
divisor may be zero has everything between the public bounds as its interval, which never misses.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from benchmarks.profiled import stories
from deniable.curator.answers.answer import Answer
from deniable.curator.factory import engine_of
from deniable.curator.noise import add_noise
from deniable.planner import Payment, Plan, Spend, bind, parse, price
from deniable.planner.expressions.evaluate import Band, evaluate
from deniable.planner.plan import Noisy, singly
from deniable.policy import Policy

SIZES = (50, 1_000, 10_000, 100_000, 1_000_000)
COLUMNS = {
    "COUNT(*)": (None, "count"),
    "SUM(cost)": (None, "sum"),
    "SUM(cost) + 0 * COUNT(*)": (None, "sum beside a count"),
    "COUNT(*) FILTER (WHERE urgent) - COUNT(*) FILTER (WHERE NOT urgent)": (0.6, "difference of counts"),
    "SUM(cost) - SUM(age)": (None, "difference of sums"),
    "AVG(cost)": (0.85, "average"),
    "COUNT(*) FILTER (WHERE urgent) / COUNT(*)": (None, "rate"),
    "SUM(cost) / SUM(age)": (None, "ratio of sums"),
    "VAR_POP(cost)": (None, "variance"),
    "STDDEV(cost)": (None, "deviation"),
    "COVAR_POP(cost, age)": (None, "covariance"),
    "REGR_SLOPE(cost, age)": (None, "slope"),
    "CORR(cost, age)": (None, "correlation"),
}
SETTINGS: dict[str, tuple[int | None, Payment]] = {
    "unit = row, Laplace": (None, {"epsilon": 0.1}),
    "unit = row, Gaussian": (None, {"rho": 0.001}),
    "unit = person, Laplace": (10, {"epsilon": 1}),
    "unit = person, Gaussian": (10, {"rho": 0.1}),
}
FIRST_PLAIN = 8
"""So many of the columns have the aim of 96.5%."""
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Measured:
    """One column of groups of one size: how often its intervals hold, how wide they are, and what each was before."""

    held: float
    before: float
    width: float
    """Of the median interval, as a share of what it was."""


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.intervals")
    parser.add_argument("--groups", type=int, default=20_000, help="of each size: trials")
    parser.add_argument("--many", type=int, default=1_000_000, help="groups of the answer whose time is taken")
    parser.add_argument("--journeys", type=int, default=3, help="from a file without bounds to answers")
    given = parser.parse_args()
    console = Console(width=150)
    with TemporaryDirectory(prefix="intervals-") as folder:
        console.print(stories(Path(folder), given.journeys))
        rows(Path(folder))
        for title, (contribution, payment) in SETTINGS.items():
            console.print(_table(title, Path(folder), contribution, payment, given.groups))
        console.print(_times(Path(folder), given.many))


def rows(folder: Path) -> None:
    """A group of each size; costs, ages and urgency hang together a little."""
    chance, count = np.random.default_rng(11), sum(SIZES)
    age = chance.integers(0, 100, count)
    cost = np.round(np.minimum(chance.gamma(2, 40, count) + age / 2, 500), 2)
    columns = {
        "person": np.arange(count) // 3,
        "age": age,
        "cost": cost,
        "urgent": chance.random(count) < 0.3,  # noqa: PLR2004
        "size": np.repeat([str(size) for size in SIZES], SIZES),
    }
    pq.write_table(pa.table(columns), folder / "rows.parquet")


def policy(folder: Path, contribution: int | None, values: list[str]) -> Policy:
    """What a custodian would write."""
    table: dict[str, object] = {
        "source": "rows.parquet",
        "columns": {
            "person": {"type": "integer", "nulls": False},
            "age": {"type": "integer", "bounds": [0, 110], "nulls": False},
            "cost": {"type": "number", "bounds": [0, 500], "step": 0.01, "nulls": False},
            "urgent": {"type": "boolean", "nulls": False},
            "size": {"type": "text", "values": values, "nulls": False},
        },
    }
    if contribution is not None:
        table |= {"unit": "person", "contribution": contribution}
    return Policy.from_mapping(
        {
            "population": {"name": "intervals"},
            "budget": {"epsilon": 1000, "delta": 1e-6},
            "limits": {"least_spend": 1e-9, "answer_size": 100_000_000},
            "tables": {"visits": table},
        },
        origin="a benchmark",
        folder=folder,
    )


def measured(folder: Path, column: str, contribution: int | None, payment: Payment, groups: int) -> dict[int, Measured]:
    """By group size: the intervals of one answer with so many groups of each."""
    sql = f"SELECT size, {column} AS x FROM visits GROUP BY size"
    narrow = policy(folder, contribution, [str(size) for size in SIZES])
    engine = engine_of(narrow)
    few = price(bind(parse(sql), narrow), Spend.of(**payment))
    exact = [engine.run(query) for query in few.queries]
    engine.close()
    wide = policy(folder, contribution, [f"{size}.{n}" for size in SIZES for n in range(groups)])
    plan = price(bind(parse(sql), wide), Spend.of(**payment))
    answer = Answer(
        plan,
        add_noise(plan, [_tiled(table, groups) for table in exact]),
        plan.quote.loss,
        free=False,
        delta=Fraction(0),
    )
    truth = np.repeat(_truth(few, exact), groups)
    low, high = (answer.intervals[f"x_{side}"].to_numpy() for side in ("low", "high"))
    old = added_up(plan, answer.noisy)
    return {
        size: Measured(
            float(((low <= truth) & (truth <= high))[part].mean()),
            float(((old.low <= truth) & (truth <= old.high))[part].mean()),
            _share((high - low)[part], (old.high - old.low)[part]),
        )
        for size, part in ((size, slice(n * groups, (n + 1) * groups)) for n, size in enumerate(SIZES))
    }


def _share(width: Array, before: Array) -> float:
    """Of the median widths; nothing, if both are infinite."""
    with np.errstate(invalid="ignore"):
        return float(np.median(width) / np.median(before))


def added_up(plan: Plan, noisy: pa.Table) -> Band:
    """What is compared with: every statistic surely within its own interval, and worst cases added up."""
    (output,) = [output for output in plan.bound.outputs if output.name == "x"]
    used = [part for part in singly(plan.noise) if isinstance(part, Noisy) and part.names & output.rests_on]
    share = 1 - (1 - plan.quote.confidence) / len(used)
    recorded = {part.statistic.name: noisy[part.statistic.name].to_numpy() for part in used}
    columns = {name: band for part in used for name, band in part.results(recorded, share).items()}
    found = evaluate(output.value, columns, noisy.num_rows)
    if not isinstance(found, Band):
        raise TypeError("not a number")
    return found


def _tiled(exact: pa.Table, groups: int) -> pa.Table:
    """Each group as often, under names of their own."""
    key = exact.column_names[0]
    places = np.repeat(np.arange(exact.num_rows), groups)
    names = [f"{size}.{n}" for size in exact[key].to_pylist() for n in range(groups)]
    return exact.take(pa.array(places)).set_column(0, key, pa.array(names))


def _truth(plan: Plan, exact: list[pa.Table]) -> Array:
    """What the answer would be without noise."""
    columns: dict[str, Band] = {}
    for table in exact:
        order = [table.column(0).to_pylist().index(str(size)) for size in SIZES]
        for part in singly(plan.noise):
            if isinstance(part, Noisy) and part.statistic.name in table.column_names:
                totals = table[part.statistic.name].to_numpy()[order] * float(part.statistic.worth)
                columns[part.statistic.name] = Band.exactly(totals)
    (output,) = [output for output in plan.bound.outputs if output.name == "x"]
    found = evaluate(output.value, columns, len(SIZES))
    if not isinstance(found, Band):
        raise TypeError("not a number")
    return found.value


def _table(title: str, folder: Path, contribution: int | None, payment: Payment, groups: int) -> Table:
    spent = ", ".join(f"{name} {value}" for name, value in payment.items())
    table = Table(
        title=f"{title}, {spent}: intervals at 95%, {groups:,} trials each",
        caption="coverage in % (before: worst cases added up), and width as a share of what it was. Of 50 rows, many\n"
        "divisors may be zero: then the interval is the public bounds. Differences of normal noises: 0.62 is the law's",
    )
    table.add_column("column", no_wrap=True)
    for size in SIZES:
        table.add_column(f"{size:,} rows", justify="right", no_wrap=True)
    table.add_column("aim")
    for number, (column, (aim, name)) in enumerate(COLUMNS.items()):
        found = measured(folder, column, contribution, payment, groups)
        cells = [f"{100 * one.held:.1f} ({100 * one.before:.1f}) x {one.width:.2f}" for one in found.values()]
        spread = 5 * np.sqrt(0.95 * 0.05 / groups)
        right = all(one.held > 0.95 - spread and (number >= FIRST_PLAIN or one.held < 0.965) for one in found.values())  # noqa: PLR2004
        narrow = aim is None or all(one.width <= aim for one in found.values())
        table.add_row(
            name,
            *cells,
            ("met" if right else "missed") + ("" if aim is None else f", {aim}: {'met' if narrow else 'missed'}"),
        )
    return table


def _times(folder: Path, groups: int) -> Table:
    """How long the intervals of very many groups take."""
    table = Table(title=f"Intervals of {groups:,} groups, wall time")
    for name in ("column", "worst cases added up", "by the law of the noise"):
        table.add_column(name, justify="left" if name == "column" else "right")
    rules = policy(folder, None, [str(number) for number in range(groups)])
    for column in ("COUNT(*)", "AVG(cost)", "STDDEV(cost)"):
        plan = price(bind(parse(f"SELECT size, {column} AS x FROM visits GROUP BY size"), rules), Spend.of(epsilon=1))
        names = [part.statistic.name for part in singly(plan.noise) if isinstance(part, Noisy)]
        key = plan.bound.keys[0].name
        noisy = pa.table(
            {key: pa.array([str(n) for n in range(groups)])}
            | {name: np.full(groups, 1000 + 7 * n) for n, name in enumerate(names)}
        )
        answer = Answer(plan, noisy, plan.quote.loss, free=False, delta=Fraction(0))
        before, ours = _seconds(added_up, plan, noisy), _seconds(answer.intervals_at, Fraction(19, 20))
        table.add_row(column, f"{before:.2f} s", f"{ours:.2f} s")
    return table


def _seconds(step: Callable[..., object], *arguments: object) -> float:
    start = time.perf_counter()
    step(*arguments)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
