"""`deniable collect`: surveys that nobody has to be trusted with."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from enum import Enum
from math import exp, sqrt
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from deniable.apps.collect.files import read_answers, read_reports, write_reports
from deniable.apps.collect.page import page as build_page
from deniable.apps.collect.students import students
from deniable.apps.plan.commands import show
from deniable.core.errors import InvalidArgumentError
from deniable.files.atomic import write
from deniable.local.estimate import Estimate
from deniable.local.survey import Survey, SurveyQuestion

app = typer.Typer(no_args_is_help=True, help="Surveys in the local model: people add the noise themselves.")

SurveyFile = Annotated[Path, typer.Argument(help="The survey, a TOML file.")]


class EstimateFormat(Enum):
    """How estimates are written."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"


@app.command("design")
def _design(
    survey: SurveyFile,
    page: Annotated[Path | None, typer.Option(help="Where the respondents' page goes.")] = None,
    people: Annotated[int, typer.Option(help="How many are expected to answer, for the errors.")] = 1000,
) -> None:
    """Show what a survey asks and loses, and write the page that respondents open."""
    loaded = Survey.load(survey)
    table = Table(title=loaded.title, title_justify="left", header_style="bold")
    for name in ("question", "kind", "protocol", "epsilon", f"± with {people:,} people"):
        table.add_column(name, justify="right" if name.startswith(("epsilon", "±")) else "left")
    for question in loaded.questions:
        table.add_row(
            f"{question.name}: {question.text}",
            question.kind.value,
            type(question.protocol).__name__,
            f"{float(question.protocol.epsilon):g}",
            f"{_expected_error(question, people):.3g}",
        )
    total = float(loaded.loss.epsilon or 0)
    target = page or survey.with_suffix(".html")
    write(target, build_page(loaded), "path")
    console = Console()
    console.print(table)
    console.print(f"total: epsilon {total:g} for one respondent; any odds change by at most a factor {exp(total):.3g}")
    console.print(Text("± is two standard deviations of the noise, for a rare value or the worst number", style="dim"))
    console.print(Text(f"page: {target} (fingerprint {loaded.fingerprint})"), soft_wrap=True)


@app.command("perturb")
def _perturb(
    survey: SurveyFile,
    answers: Annotated[Path, typer.Argument(help="True answers: CSV with a header, or JSON rows. They stay here.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the reports go.")] = Path("reports.jsonl"),
) -> None:
    """Make answers noisy, on the respondent's side."""
    loaded = Survey.load(survey)
    people = write_reports(output, loaded, loaded.perturb(read_answers(answers, loaded)))
    Console().print(f"wrote {people:,} reports to {output}", soft_wrap=True)


@app.command("estimate")
def _estimate(
    survey: SurveyFile,
    reports: Annotated[list[Path], typer.Argument(help="Files of reports; what one person sent is such a file too.")],
    confidence: Annotated[str, typer.Option(help="Of the intervals.")] = "0.95",
    consistent: Annotated[bool, typer.Option("--consistent", help="Also the nearest non-negative shares.")] = False,
    format: Annotated[EstimateFormat, typer.Option(help="How to write them.")] = EstimateFormat.TABLE,  # noqa: A002 - the option's name
    plot: Annotated[Path | None, typer.Option(help="Also draw a picture into this file (png, svg, pdf).")] = None,
) -> None:
    """Estimate the truth from reports, on the collector's side."""
    loaded = Survey.load(survey)
    found = loaded.estimate(read_reports(reports, loaded), confidence)
    if plot is not None:
        _draw(loaded, found, plot)
    match format:
        case EstimateFormat.JSON:
            sys.stdout.write(json.dumps([dict(zip(_COLUMNS, row, strict=False)) for row in _rows(found, consistent)]))
            sys.stdout.write("\n")
        case EstimateFormat.CSV:
            names = _COLUMNS if consistent else _COLUMNS[:-1]
            for row in (names, *_rows(found, consistent)):
                sys.stdout.write(",".join(_quoted(cell) for cell in row) + "\n")
        case EstimateFormat.TABLE:
            _show(loaded, found, consistent)


@app.command("students")
def _students(
    people: Annotated[int, typer.Option(help="How many students to make up.")] = 100_000,
    share: Annotated[str, typer.Option(help="How many of them cheated.")] = "0.2",
    epsilon: Annotated[str, typer.Option(help="The privacy loss of each.")] = "1",
    error: Annotated[str, typer.Option(help="A wanted error, to say how many people it takes.")] = "0.01",
    plot: Annotated[Path | None, typer.Option(help="Also draw the picture into this file (png, svg, pdf).")] = None,
) -> None:
    """How many students cheated? Randomized response beside a trusted curator, on made-up students."""
    show(students(people, share, epsilon, error), plot)


_COLUMNS = ("question", "value", "estimate", "low", "high", "people", "consistent")


def _rows(found: Mapping[str, Estimate], consistent: bool) -> list[tuple[object, ...]]:
    """One row for each number."""
    rows: list[tuple[object, ...]] = []
    for name, estimate in found.items():
        value, low, high = (np.ravel(part).tolist() for part in (estimate.value, *estimate.interval))
        near = _near(estimate)
        for place, label in enumerate(estimate.labels):
            row = (name, label, value[place], low[place], high[place], estimate.people)
            rows.append((*row, near[place]) if consistent else row)
    return rows


def _near(estimate: Estimate) -> list[float]:
    """Post-processed: shares as shares; a mean stays what it is."""
    return [float(number) for number in np.ravel(estimate.consistent() if estimate.shares else estimate.value)]


def _show(survey: Survey, found: Mapping[str, Estimate], consistent: bool) -> None:
    """One table for each question."""
    console = Console()
    for question in survey.questions:
        console.print(Text(f"\n{question.text}", style="bold"))
        console.print(found[question.name])
        if consistent:
            near = ", ".join(f"{share:.4f}" for share in _near(found[question.name]))
            console.print(Text(f"consistent: {near}"))
    total = float(survey.loss.epsilon or 0)
    console.print(f"\n[dim]each respondent lost epsilon {total:g}, and nobody else did[/dim]")


def _draw(survey: Survey, found: Mapping[str, Estimate], path: Path) -> None:
    """One panel for each question."""
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - an extra
    except ImportError:
        raise InvalidArgumentError("plot", "needs matplotlib: pip install 'deniable[plot]'") from None
    figure = Figure(figsize=(7, 3 * len(survey.questions)), layout="constrained")
    for place, question in enumerate(survey.questions, start=1):
        found[question.name].draw(figure.add_subplot(len(survey.questions), 1, place))
        figure.axes[-1].set_title(question.text)
    try:
        figure.savefig(path, dpi=150)
    except (OSError, ValueError) as error:
        raise InvalidArgumentError("plot", f"could not be written to {path}: {error}") from None


def _expected_error(question: SurveyQuestion, people: int) -> float:
    """Two standard deviations."""
    return 2 * sqrt(question.protocol.variance(people))


def _quoted(cell: object) -> str:
    """For CSV."""
    text = str(cell)
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in ',"\n') else text
