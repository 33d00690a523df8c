"""`deniable workload`: many linear queries at once, into a file."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import pyarrow as pa
import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

import deniable
from deniable.apps.pictures import page
from deniable.apps.questions import Accuracy, Analyst, Confidence, Delta, Epsilon, Policy, Rho
from deniable.core.errors import InvalidArgumentError
from deniable.files.tables import WRITABLE, write_table
from deniable.releases import Workload
from deniable.releases.linear.release import Release
from deniable.releases.linear.toml import read_workload

_MOST_LINES = 30
_STEPS = 4


def command(
    policy: Policy,
    workload: Annotated[Path, typer.Argument(help="The workload, a TOML file.")],
    epsilon: Epsilon = None,
    rho: Rho = None,
    accuracy: Accuracy = None,
    delta: Delta = None,
    confidence: Confidence = "0.95",
    analyst: Analyst = None,
    strategy: Annotated[str, typer.Option(help="How to measure; 'best' errs least.")] = "best",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write answers here: .parquet or .csv")] = None,
    pictures: Annotated[Path | None, typer.Option(help="Write a page of pictures here: .html")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Only say what it would cost; reads no data.")] = False,
) -> None:
    """Release the answers to a whole workload: histograms, ranges, cross-tabulations."""
    work = _read(workload)
    if not explain:
        _check(output, pictures)
    payment = {"epsilon": epsilon, "rho": rho, "accuracy": accuracy, "delta": delta, "confidence": confidence}
    console = Console()
    with deniable.open(policy) as curator:
        if explain:
            quote = curator.explain(work, strategy=strategy, analyst=analyst, **payment)  # type: ignore[arg-type]
            console.print(quote)
            return
        with _progress() as step:
            step("finding a strategy, charging, reading")
            release = curator.release(work, strategy=strategy, analyst=analyst, **payment)  # type: ignore[arg-type]
            step("computing answers and errors")
            table = with_errors(release)
            step("writing")
            if output is not None:
                write_table(table, output)
            if pictures is not None:
                page(release, pictures)
            step("done")
    paid = "recorded earlier: free" if release.free else f"paid: {release.loss}"
    console.print(f"{table.num_rows:,} answers by strategy {release.design.name}; {paid}", soft_wrap=True)


def with_errors(release: Release) -> pa.Table:
    """The answers, with deviation, low and high behind them."""
    table, errors = release.table, release.errors
    for name in ("deviation", "low", "high"):
        table = table.append_column(name, errors[name])
    return table


def _read(path: Path) -> Workload:
    """The file, or what is wrong with it."""
    try:
        written = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidArgumentError("workload", f"{path} cannot be read: {error}") from None
    return read_workload(written)


def _check(output: Path | None, pictures: Path | None) -> None:
    """Before anything is paid."""
    if output is None and pictures is None:
        raise InvalidArgumentError("output", "is missing: name a file with --output, or a page with --pictures")
    if output is not None and output.suffix not in WRITABLE:
        raise InvalidArgumentError("output", f"must end in {' or '.join(WRITABLE)}, not be {str(output)!r}")
    for path in (output, pictures):
        if path is not None and not path.absolute().parent.is_dir():
            raise InvalidArgumentError("output", f"there is no folder {str(path.parent)!r}")
    if pictures is not None:
        page(None, pictures)


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """A bar on the terminal's other channel; each call is a step."""
    columns = (BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=_STEPS)
        yield lambda name: bar.update(task, description=name, advance=1)
