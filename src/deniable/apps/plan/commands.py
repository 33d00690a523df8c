"""`deniable plan`: one command per calculator."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from deniable.apps.chart import Chart
from deniable.apps.plan.budget import budget
from deniable.apps.plan.limits import limits
from deniable.apps.plan.mean import mean
from deniable.apps.plan.meaning import meaning
from deniable.apps.plan.queries import queries
from deniable.apps.plan.shuffle import shuffle
from deniable.apps.plan.size import size

app = typer.Typer(no_args_is_help=True, help="Calculators for before the start. They read no data.")

Epsilon = Annotated[str, typer.Option(help="The privacy loss.")]
Delta = Annotated[str, typer.Option(help="The part outside epsilon; far below 1 in the number of people.")]
Confidence = Annotated[str, typer.Option(help="How sure the error bound is to hold.")]
Plot = Annotated[Path | None, typer.Option(help="Also draw the picture into this file (png, svg, pdf).")]


@app.command("mean")
def _mean(
    n: Annotated[int, typer.Option(help="How many people.")] = 10_000,
    epsilon: Epsilon = "1",
    delta: Delta = "1e-6",
    confidence: Confidence = "0.95",
    plot: Plot = None,
) -> None:
    """Error of a fraction: randomized response against Laplace against Gaussian."""
    show(mean(n, epsilon, delta, confidence), plot)


@app.command("size")
def _size(
    error: Annotated[str, typer.Option(help="The error of the fraction that is wanted.")] = "0.01",
    epsilon: Epsilon = "1",
    delta: Delta = "1e-6",
    confidence: Confidence = "0.95",
    plot: Plot = None,
) -> None:
    """How many people a wanted error needs."""
    show(size(error, epsilon, delta, confidence), plot)


@app.command("queries")
def _queries(
    k: Annotated[int, typer.Option(help="How many counts at once.")] = 1000,
    n: Annotated[int, typer.Option(help="How many people.")] = 10_000,
    epsilon: Epsilon = "1",
    delta: Delta = "1e-6",
    confidence: Confidence = "0.95",
    cells: Annotated[
        int | None, typer.Option(help="What people can be told apart by; as many as people if not said.")
    ] = None,
    error: Annotated[str, typer.Option(help="The error of each fraction that is wanted.")] = "0.06",
    plot: Plot = None,
) -> None:
    """Error of k linear queries that are asked at once, and what can still be done for how many."""
    show(queries(k, n, epsilon, delta, confidence), plot)
    show(limits(k, n, epsilon, delta, confidence, cells, error), None)


@app.command("budget")
def _budget(
    epsilon: Epsilon = "1",
    delta: Delta = "1e-6",
    each: Annotated[list[str], typer.Option(help="Epsilon of each Laplace count; may be repeated.")] = [  # noqa: B006 - Typer reads it
        "0.1",
        "0.01",
        "0.001",
    ],
    sigma: Annotated[list[str], typer.Option(help="Sigma of each Gaussian count; may be repeated.")] = [  # noqa: B006 - same
        "20",
        "50",
        "200",
    ],
) -> None:
    """How many questions fit a budget, under each account."""
    show(budget(epsilon, delta, each, sigma), None)


@app.command("shuffle")
def _shuffle(
    n: Annotated[int, typer.Option(help="How many reports are shuffled.")] = 10_000,
    epsilon: Epsilon = "1",
    delta: Delta = "1e-6",
    plot: Plot = None,
) -> None:
    """What shuffling adds to reports of the local model."""
    show(shuffle(n, epsilon, delta), plot)


@app.command("meaning")
def _meaning(
    epsilon: Epsilon = "1",
    delta: Delta = "0",
    prior: Annotated[str | None, typer.Option(help="A belief between 0 and 1; several are shown without it.")] = None,
    group: Annotated[int, typer.Option(help="A family, say: how many people together.")] = 4,
) -> None:
    """What epsilon means in words: odds, beliefs, groups."""
    show(meaning(epsilon, delta, prior, group), None)


def show(chart: Chart, plot: Path | None) -> None:
    """On the terminal, and into the file if one is named."""
    console = Console()
    if plot is not None:
        chart.save(plot)
    chart.show(console)
    if plot is not None:
        console.print(Text(f"picture: {plot}", style="dim"), soft_wrap=True)
