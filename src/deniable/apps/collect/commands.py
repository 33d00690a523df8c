"""`deniable collect`: surveys that nobody has to be trusted with."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from deniable.apps.formats import FILES, Form, Format, settled, write
from deniable.apps.options import Confidence, Plot
from deniable.core.errors import InvalidArgumentError
from deniable.files import atomic

if TYPE_CHECKING:
    import pyarrow as pa

    from deniable.local.estimate import Estimate
    from deniable.local.survey import Survey, SurveyQuestion

app = typer.Typer(
    no_args_is_help=True,
    help="Run a survey in which people add the noise themselves. Nobody has to be trusted with true answers.",
)

SurveyFile = Annotated[Path, typer.Argument(metavar="SURVEY", help="The survey file (TOML).")]
_NUMBER = "NUMBER"


@app.command("design")
def _design(
    survey: SurveyFile,
    page: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where to write the respondents' page; beside the survey otherwise."),
    ] = None,
    people: Annotated[
        int, typer.Option(metavar=_NUMBER, help="How many people you expect to answer, to show the accuracy.")
    ] = 1000,
) -> None:
    """Show how private and how accurate a survey is, and write the page that respondents open."""
    from deniable.apps.collect.page import page as build_page
    from deniable.local.survey import Survey

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
    atomic.write(target, build_page(loaded), "path")
    console = Console()
    console.print(table)
    console.print(f"total: epsilon {total:g} for one respondent; any odds change by at most a factor {exp(total):.3g}")
    console.print(Text("± is two standard deviations of the noise, for a rare value or the worst number", style="dim"))
    console.print(Text(f"page: {target} (fingerprint {loaded.fingerprint})"), soft_wrap=True)


@app.command("perturb")
def _perturb(
    survey: SurveyFile,
    answers: Annotated[
        Path, typer.Argument(metavar="ANSWERS", help="True answers: CSV with a header, or JSON rows. They stay here.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where to write the noisy reports.")
    ] = Path("reports.jsonl"),
) -> None:
    """Add noise to true answers, on the respondents' side."""
    from deniable.apps.collect.files import read_answers, write_reports
    from deniable.local.survey import Survey

    loaded = Survey.load(survey)
    people = write_reports(output, loaded, loaded.perturb(read_answers(answers, loaded)))
    Console().print(f"wrote {people:,} reports to {output}", soft_wrap=True)


@app.command("estimate")
def _estimate(
    survey: SurveyFile,
    reports: Annotated[
        list[Path], typer.Argument(metavar="REPORTS", help="Files of noisy reports; what one person sent is one too.")
    ],
    confidence: Confidence = "0.95",
    consistent: Annotated[
        bool, typer.Option("--consistent", help="Also show the nearest shares that are not negative and add up to 1.")
    ] = False,
    form: Form = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write to this file instead: .csv, .json, .parquet, .arrow."
        ),
    ] = None,
    plot: Plot = None,
) -> None:
    """Estimate the truth from noisy reports, on the collector's side."""
    from deniable.apps.collect.files import read_reports
    from deniable.local.survey import Survey

    wanted = settled(output, form, FILES)
    loaded = Survey.load(survey)
    found = loaded.estimate(read_reports(reports, loaded), confidence)
    if plot is not None:
        _draw(loaded, found, plot)
    if wanted is Format.TABLE:
        _show(loaded, found, consistent)
    else:
        table = _table(found, consistent)
        write(wanted, output, table, table.to_pylist())


@app.command("students")
def _students(
    people: Annotated[int, typer.Option(metavar=_NUMBER, help="How many students to make up.")] = 100_000,
    share: Annotated[str, typer.Option(metavar=_NUMBER, help="Share of them who cheated (0 to 1).")] = "0.2",
    epsilon: Annotated[str, typer.Option(metavar=_NUMBER, help="Privacy loss of each student, as epsilon.")] = "1",
    error: Annotated[
        str, typer.Option(metavar=_NUMBER, help="Error you can accept, to see how many students that takes.")
    ] = "0.01",
    plot: Plot = None,
) -> None:
    """How many students cheated? Randomized response beside a trusted curator, on made-up students."""
    from deniable.apps.collect.students import students
    from deniable.apps.plan.commands import show

    show(students(people, share, epsilon, error), plot)


def _table(found: Mapping[str, Estimate], consistent: bool) -> pa.Table:
    """One row for each number."""
    import numpy as np
    import pyarrow as pa

    rows: list[dict[str, object]] = []
    for name, estimate in found.items():
        value, low, high = (np.ravel(part).tolist() for part in (estimate.value, *estimate.interval))
        near = _near(estimate)
        for place, label in enumerate(estimate.labels):
            row = {"question": name, "value": str(label), "estimate": value[place], "low": low[place]}
            row |= {"high": high[place], "people": estimate.people}
            rows.append(row | ({"consistent": near[place]} if consistent else {}))
    return pa.Table.from_pylist(rows)


def _near(estimate: Estimate) -> list[float]:
    """Post-processed: shares as shares; a mean stays what it is."""
    import numpy as np

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
        from matplotlib.figure import Figure
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
