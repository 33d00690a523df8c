"""Error bars beside what they were when worst cases were added up: how often they hold, and how wide they are.

Run:  python -m benchmarks.intervals [--groups 20000] [--many 1000000] [--journeys 3]

Every group is answered with noise of its own, so one answer with many equal groups is as many trials. Aims, at 95%: the
intervals of counts, sums, differences, ratios and averages hold between 95.0% and 96.5% of the time, those of averages
are at most 0.85 as wide as before and those of differences at most 0.6. Two limits are not ours. No interval that holds
so often whatever the data are can be narrower than the law of the noise: what that leaves of the widths before is
printed as `least` (of two equal normal noises sqrt(2) 1.96 / (2 2.24) = 0.62). And where a divisor may be zero, an
interval can have a public bound for an end, or none; how many of them do is printed, too. Those hold more often.
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
from deniable.planner.intervals.added import AddedNoise
from deniable.planner.intervals.columns import taken_apart, wholes
from deniable.planner.intervals.forms import Affine, Form, Ratio
from deniable.planner.intervals.moments import Moments
from deniable.planner.plan import Noisy, singly
from deniable.planner.plan.parts import facts_of
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
    public: float
    """How many of them end at a public bound, or nowhere."""


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.intervals")
    parser.add_argument("--groups", type=int, default=20_000, help="of each size: trials")
    parser.add_argument("--many", type=int, default=1_000_000, help="groups of the answer whose time is taken")
    parser.add_argument("--columns", type=int, default=len(COLUMNS), help="how many of them, from the first on")
    parser.add_argument("--journeys", type=int, default=3, help="from a file without bounds to answers")
    given = parser.parse_args()
    console = Console(width=190)
    with TemporaryDirectory(prefix="intervals-") as folder:
        if given.journeys:
            console.print(stories(Path(folder), given.journeys))
        rows(Path(folder))
        for title, (contribution, payment) in SETTINGS.items():
            console.print(_table(title, Path(folder), contribution, payment, given.groups, columns=given.columns))
        if given.many:
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
    old, ends = added_up(plan, answer.noisy), _public_ends(plan)
    return {
        size: Measured(
            float(((low <= truth) & (truth <= high))[part].mean()),
            float(((old.low <= truth) & (truth <= old.high))[part].mean()),
            _share((high - low)[part], (old.high - old.low)[part]),
            float(((low <= ends[0]) | (high >= ends[1]))[part].mean()),
        )
        for size, part in ((size, slice(n * groups, (n + 1) * groups)) for n, size in enumerate(SIZES))
    }


def _piece(plan: Plan) -> tuple[Form | Moments | None, dict[str, AddedNoise]]:
    """What the column is made of, if that is one combination, quotient or moment; and its noises."""
    parts = [part for part in singly(plan.noise) if isinstance(part, Noisy)]
    noises = {part.statistic.name: part.noise for part in parts}
    (output,) = [output for output in plan.bound.outputs if output.name == "x"]
    facts = facts_of(part.statistic for part in parts)
    pieces = [piece for _, piece in taken_apart(output.value, wholes(noises), frozenset(), facts).pieces.values()]
    return pieces[0] if len(pieces) == 1 else None, noises


def _public_ends(plan: Plan) -> tuple[float, float]:
    piece, _ = _piece(plan)
    return piece.within if isinstance(piece, Ratio) else (-np.inf, np.inf)


def least(plan: Plan) -> float | None:
    """For a combination: the quantile of the law of its noise, over that of worst cases, by Fourier's integral.

    Pr[|X| <= t] = (2/pi) times the integral of sin(w t)/w f(w) over w > 0, with continuous noises in the place of ours.
    """
    piece, noises = _piece(plan)
    if not isinstance(piece, Affine) or len(piece.multiples) < 2:  # noqa: PLR2004
        return None
    used = [
        (abs(float(times)) * noises[name].step * noises[name].scale, name) for name, times in piece.multiples.items()
    ]
    widest = max(width for width, _ in used)
    waves = np.linspace(1e-6, 400, 400_001)
    law = np.ones_like(waves)
    for width, name in used:
        turned = (width / widest * waves) ** 2
        law *= np.exp(-turned / 2) if noises[name].gaussian else 1 / (1 + turned)
    low, high = 0.0, 50.0
    while high - low > 1e-4:  # noqa: PLR2004
        middle = (low + high) / 2
        within = 2 / np.pi * np.trapezoid(np.sin(waves * middle) / waves * law, waves)
        low, high = (middle, high) if within < 0.95 else (low, middle)  # noqa: PLR2004
    doubt = Fraction(1, 20) / len(used)
    worst = sum(abs(float(piece.multiples[name])) * noises[name].radius(doubt) for _, name in used)
    return high * widest / worst


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


def _table(title: str, folder: Path, contribution: int | None, payment: Payment, groups: int, *, columns: int) -> Table:
    spent = ", ".join(f"{name} {value}" for name, value in payment.items())
    table = Table(
        title=f"{title}, {spent}: intervals at 95%, {groups:,} trials each",
        caption="coverage in % (before: worst cases added up), width as a share of what it was, and how many end\n"
        "at a public bound, or nowhere. Least: the width that the law of the noise itself leaves",
    )
    table.add_column("column", no_wrap=True)
    for size in SIZES:
        table.add_column(f"{size:,} rows", justify="right", no_wrap=True)
    table.add_column("least")
    table.add_column("aim")
    for number, (column, (aim, name)) in enumerate([*COLUMNS.items()][:columns]):
        found = measured(folder, column, contribution, payment, groups)
        rules = policy(folder, contribution, ["a", "b"])
        law = least(
            price(bind(parse(f"SELECT size, {column} AS x FROM visits GROUP BY size"), rules), Spend.of(**payment))
        )
        cells = [_cell(one) for one in found.values()]
        spread = 5 * np.sqrt(0.95 * 0.05 / groups)
        over = [one for one in found.values() if number < FIRST_PLAIN and one.held >= 0.965]  # noqa: PLR2004
        right = all(one.held > 0.95 - spread for one in found.values()) and all(one.public > 0 for one in over)
        words = ("met, but for public ends" if over else "met") if right else "missed"
        narrow = aim is None or all(one.width <= aim for one in found.values())
        least_met = law is not None and all(one.width <= 1.02 * law for one in found.values())
        width = "" if aim is None else f", {aim}: {'met' if narrow else 'the least' if least_met else 'missed'}"
        table.add_row(name, *cells, "" if law is None else f"{law:.2f}", words + width)
    return table


def _cell(one: Measured) -> str:
    public = f", {100 * one.public:.0f}% public" if one.public >= 0.005 else ""  # noqa: PLR2004
    return f"{100 * one.held:.1f} ({100 * one.before:.1f}) x {one.width:.2f}{public}"


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
