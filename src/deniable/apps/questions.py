"""`deniable init | check | explain | ask | budget`: the curator on the command line."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

import deniable
from deniable.apps.exits import ExitCode
from deniable.apps.formats import Form, Format, Output, settled, write
from deniable.apps.options import Accuracy, Analyst, Confidence, Delta, Epsilon, Policy, Question, Rho
from deniable.core.errors import InvalidArgumentError
from deniable.core.shown import printable
from deniable.files import atomic

if TYPE_CHECKING:
    from deniable.curator import Answer


def init(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A .parquet, .csv or .tsv file, or 'file.duckdb::table'.")
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Where to write the draft; beside the data otherwise."),
    ] = None,
) -> None:
    """Draft a policy for a data file.

    The draft marks every value that was looked up in the data: replace it by something publicly known.
    """
    from deniable.curator.draft import draft

    target = output or file.with_suffix(".toml")
    if target.exists():
        raise InvalidArgumentError("output", f"{target} exists already; name another with --output")
    atomic.write(target, draft(file), new=True)
    Console().print(
        f"wrote {target}: replace what is marked, then run: deniable check {target}", soft_wrap=True, markup=False
    )


def check(policy: Policy) -> None:
    """Check a policy against its files, and show what analysts can do.

    Ends with exit code 1 if a column does not fit.
    """
    from deniable.curator.check import check as check_policy
    from deniable.curator.factory import engine_of
    from deniable.planner import ChargeLimits
    from deniable.policy import load

    loaded = load(policy)
    engine = engine_of(loaded)
    seen = check_policy(loaded, engine)
    engine.close()
    wrong = any(line.problem for line in seen)
    title = Text(printable(f"{loaded.population}: what analysts can do"))
    table = Table(title=title, title_justify="left", header_style="bold")
    for name in ("table", "column", "type", "allows", *(["problem"] if wrong else [])):
        table.add_column(name, style="red" if name == "problem" else "", overflow="fold")
    for line in seen:
        words = (line.table, line.column, line.kind, line.allows, *([line.problem] if wrong else []))
        table.add_row(*(Text(printable(word)) for word in words))
    console = Console()
    console.print(table)
    guarantee = loaded.budget
    console.print(
        f"budget: epsilon {float(guarantee.epsilon):g}, delta {float(guarantee.delta):g}; {loaded.neighbours.value}"
    )
    daily = f"{'Each analyst' if loaded.analysts else 'Everybody together'} may ask {loaded.limits.questions_per_day:,}"
    console.print("limits:", *ChargeLimits.of(loaded).words, f"{daily} questions a day.")
    if wrong:
        raise typer.Exit(ExitCode.FAILED)


def explain(
    policy: Policy,
    sql: Question,
    epsilon: Epsilon = None,
    rho: Rho = None,
    accuracy: Accuracy = None,
    delta: Delta = None,
    confidence: Confidence = "0.95",
    analyst: Analyst = None,
) -> None:
    """Show what a question would cost and how accurate it would be.

    Reads no data and spends nothing.
    """
    with deniable.open(policy) as curator:
        quote = curator.explain(
            sql, epsilon=epsilon, rho=rho, accuracy=accuracy, delta=delta, confidence=confidence, analyst=analyst
        )
        account = curator.budget(analyst)
        quote = quote.with_notes((*account.warns(quote.loss), *account.rules))
    Console().print(quote)


def ask(
    policy: Policy,
    sql: Question,
    epsilon: Epsilon = None,
    rho: Rho = None,
    accuracy: Accuracy = None,
    delta: Delta = None,
    confidence: Confidence = "0.95",
    analyst: Analyst = None,
    form: Form = None,
    output: Output = None,
) -> None:
    """Ask a question and pay for the answer.

    Say how much to spend with --epsilon, --rho or --accuracy. Asking the same question again costs nothing.
    """
    wanted = settled(output, form)
    with deniable.open(policy) as curator, Console(stderr=True).status("asking ..."):
        answer = curator.ask(
            sql, epsilon=epsilon, rho=rho, accuracy=accuracy, delta=delta, confidence=confidence, analyst=analyst
        )
    show(answer, wanted, output)


def budget(policy: Policy, analyst: Analyst = None) -> None:
    """Show what has been spent and what is left."""
    with deniable.open(policy) as curator:
        Console().print(curator.budget(analyst))


def show(answer: Answer, form: Format, output: Path | None) -> None:
    """The answer in the wanted form, on the terminal or in a file."""
    if form is not Format.TABLE:
        write(form, output, answer.with_intervals, answer.to_dict())
        return
    with nullcontext(sys.stdout) if output is None else output.open("w", encoding="utf-8") as file:
        console = Console() if output is None else Console(file=file, width=120)
        console.print(answer)
        console.print(f"[dim]{answer.meaning}[/dim]")
