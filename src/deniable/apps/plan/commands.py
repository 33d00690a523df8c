"""`deniable plan`: one command per calculator."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from deniable.apps.chart import Chart
from deniable.apps.options import Plot

app = typer.Typer(no_args_is_help=True, help="Calculators for planning a study. They read no data.")

_NUMBER = "NUMBER"
Epsilon = Annotated[str, typer.Option(metavar=_NUMBER, help="Privacy loss, as epsilon.")]
Delta = Annotated[
    str,
    typer.Option(metavar=_NUMBER, help="Chance that epsilon does not hold; keep it far below one in all people."),
]
Confidence = Annotated[str, typer.Option(metavar=_NUMBER, help="Confidence level of the error bars.")]
People = Annotated[int, typer.Option("--n", metavar=_NUMBER, help="How many people take part.")]


@app.command("mean")
def _mean(
    n: People = 10_000,
    epsilon: Epsilon = "1",
    delta: Delta = "1e-6",
    confidence: Confidence = "0.95",
    plot: Plot = None,
) -> None:
    """How accurate a percentage is: by randomized response, with Laplace and with Gaussian noise."""
    from deniable.apps.plan.mean import mean

    show(mean(n, epsilon, delta, confidence), plot)


@app.command("size")
def _size(
    error: Annotated[
        str, typer.Option(metavar=_NUMBER, help="Error you can accept, as a fraction: 0.01 is ± 1%.")
    ] = "0.01",
    epsilon: Epsilon = "1",
    delta: Delta = "1e-6",
    confidence: Confidence = "0.95",
    plot: Plot = None,
) -> None:
    """How many people it takes to reach a wanted accuracy."""
    from deniable.apps.plan.size import size

    show(size(error, epsilon, delta, confidence), plot)


@app.command("queries")
def _queries(
    k: Annotated[int, typer.Option(metavar=_NUMBER, help="How many counts are asked at once.")] = 1000,
    n: People = 10_000,
    epsilon: Epsilon = "1",
    delta: Delta = "1e-6",
    confidence: Confidence = "0.95",
    cells: Annotated[
        int | None,
        typer.Option(
            metavar=_NUMBER, help="How many kinds of people the data tells apart; as many as people otherwise."
        ),
    ] = None,
    error: Annotated[str, typer.Option(metavar=_NUMBER, help="Error you can accept for each percentage.")] = "0.06",
    plot: Plot = None,
) -> None:
    """How accurate many counts can be when they are asked at once, and what nobody can reach."""
    from deniable.apps.plan.limits import limits
    from deniable.apps.plan.queries import queries

    show(queries(k, n, epsilon, delta, confidence), plot)
    show(limits(k, n, epsilon, delta, confidence, cells, error), None)


@app.command("budget")
def _budget(
    epsilon: Epsilon = "1",
    delta: Delta = "1e-6",
    each: Annotated[
        list[str], typer.Option(metavar=_NUMBER, help="Epsilon of one count with Laplace noise; repeat for several.")
    ] = [  # noqa: B006 - Typer reads it
        "0.1",
        "0.01",
        "0.001",
    ],
    sigma: Annotated[
        list[str], typer.Option(metavar=_NUMBER, help="Sigma of one count with Gaussian noise; repeat for several.")
    ] = [  # noqa: B006 - same
        "20",
        "50",
        "200",
    ],
) -> None:
    """How many questions fit a budget, by each way of adding up."""
    from deniable.apps.plan.budget import budget

    show(budget(epsilon, delta, each, sigma), None)


@app.command("shuffle")
def _shuffle(
    n: Annotated[int, typer.Option(metavar=_NUMBER, help="How many reports are shuffled.")] = 10_000,
    epsilon: Epsilon = "1",
    delta: Delta = "1e-6",
    plot: Plot = None,
) -> None:
    """How much more private survey reports become when they are shuffled."""
    from deniable.apps.plan.shuffle import shuffle

    show(shuffle(n, epsilon, delta), plot)


@app.command("meaning")
def _meaning(
    epsilon: Epsilon = "1",
    delta: Delta = "0",
    prior: Annotated[
        str | None,
        typer.Option(metavar=_NUMBER, help="A belief between 0 and 1, before the answer; several otherwise."),
    ] = None,
    group: Annotated[int, typer.Option(metavar=_NUMBER, help="How many people belong together, such as a family.")] = 4,
) -> None:
    """What an epsilon means for a person: odds, beliefs, risks, groups."""
    from deniable.apps.plan.meaning import meaning

    show(meaning(epsilon, delta, prior, group), None)


def show(chart: Chart, plot: Path | None) -> None:
    """On the terminal, and into the file if one is named."""
    console = Console()
    if plot is not None:
        chart.save(plot)
    chart.show(console)
    if plot is not None:
        console.print(Text(f"picture: {plot}", style="dim"), soft_wrap=True)
