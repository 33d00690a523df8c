"""`deniable workload`: many linear queries at once, into a file."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

import deniable
from deniable.apps.formats import FILES, settled, write
from deniable.apps.options import Accuracy, Analyst, Confidence, Delta, Epsilon, Policy, Rho
from deniable.apps.publish.steps import steps
from deniable.core.errors import InvalidArgumentError

if TYPE_CHECKING:
    import pyarrow as pa

    from deniable.releases import Workload
    from deniable.releases.linear.release import Release

_STEPS = 4


def command(
    policy: Policy,
    workload: Annotated[
        Path, typer.Argument(metavar="WORKLOAD", help="The workload file (TOML): which counts to answer.")
    ],
    epsilon: Epsilon = None,
    rho: Rho = None,
    accuracy: Accuracy = None,
    delta: Delta = None,
    confidence: Confidence = "0.95",
    analyst: Analyst = None,
    strategy: Annotated[
        str, typer.Option(metavar="NAME", help="How to measure; 'best' picks the most accurate way.")
    ] = "best",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write the answers here: .csv, .json, .parquet or .arrow."),
    ] = None,
    pictures: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a page of charts here (.html).")] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Only show the price and the accuracy. Reads no data, spends nothing.")
    ] = False,
) -> None:
    """Answer many counts at once: histograms, ranges, cross-tables.

    Together they cost far less than one by one. The answers go to a file, each with its error bar.
    """
    from deniable.apps.publish.pictures import page

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
        with steps(_STEPS) as step:
            step("finding a strategy, charging, reading")
            release = curator.release(work, strategy=strategy, analyst=analyst, **payment)  # type: ignore[arg-type]
            step("computing answers and errors")
            table = with_errors(release)
            step("writing")
            if output is not None:
                write(settled(output, allowed=FILES), output, table, as_json(table, release))
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


def as_json(table: pa.Table, release: Release) -> dict[str, object]:
    """The answers, how they were measured and what they cost."""
    return release.to_dict() | {"rows": table.to_pylist(), "strategy": release.design.name}


def _read(path: Path) -> Workload:
    """The file, or what is wrong with it."""
    from deniable.releases.linear.toml import read_workload

    try:
        written = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidArgumentError("workload", f"{path} cannot be read: {error}") from None
    return read_workload(written)


def _check(output: Path | None, pictures: Path | None) -> None:
    """Before anything is paid."""
    from deniable.apps.publish.pictures import page

    if output is None and pictures is None:
        raise InvalidArgumentError("output", "is missing: name a file with --output, or a page with --pictures")
    if output is not None:
        settled(output, allowed=FILES)
    if pictures is not None:
        if not pictures.absolute().parent.is_dir():
            raise InvalidArgumentError("pictures", f"must be in a folder that exists, not in {str(pictures.parent)!r}")
        page(None, pictures)
