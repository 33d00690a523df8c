"""`deniable init | check | explain | ask | budget`: the curator on the command line."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import typer
from rich.console import Console
from rich.table import Table

import deniable
from deniable.core.errors import InvalidArgumentError, Refused
from deniable.core.loss import Loss
from deniable.curator import Answer, Budget
from deniable.curator.check import check as check_policy
from deniable.curator.draft import draft
from deniable.curator.factory import engine_of
from deniable.files import atomic
from deniable.planner import Quote
from deniable.policy import load

Policy = Annotated[Path, typer.Argument(help="The policy, a TOML file.")]
Question = Annotated[str, typer.Argument(help="The question, in SQL.")]
Epsilon = Annotated[str | None, typer.Option(help="Spend so much pure epsilon (Laplace noise).")]
Rho = Annotated[str | None, typer.Option(help="Spend so much rho of zCDP (Gaussian noise).")]
Accuracy = Annotated[str | None, typer.Option(help="Spend as little as reaches this error.")]
Delta = Annotated[str | None, typer.Option(help="For group keys that are private.")]
Confidence = Annotated[str, typer.Option(help="Of the error bars.")]
Analyst = Annotated[str | None, typer.Option(help="Who asks, where the policy gives analysts shares.")]


class Format(Enum):
    """How an answer is written."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


def init(
    file: Annotated[Path, typer.Argument(help="A .parquet, .csv or .tsv file, or 'file.duckdb::table'.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write the draft here.")] = None,
) -> None:
    """Draft a policy for a file. The draft marks what was looked up in the data, for you to replace."""
    target = output or file.with_suffix(".toml")
    if target.exists():
        raise InvalidArgumentError("output", f"{target} exists already; name another with --output")
    atomic.write(target, draft(file), new=True)
    Console().print(f"wrote {target}: replace what is marked, then: deniable check {target}", soft_wrap=True)


def check(policy: Policy) -> None:
    """Check a policy against its files, and say what analysts will see."""
    loaded = load(policy)
    table = Table(title=f"{loaded.population}: what analysts see", title_justify="left", header_style="bold")
    for name in ("table", "column", "type", "allows", "problem"):
        table.add_column(name, style="red" if name == "problem" else "")
    engine = engine_of(loaded)
    seen = check_policy(loaded, engine)
    engine.close()
    for line in seen:
        table.add_row(line.table, line.column, line.kind, line.allows, line.problem)
    console = Console()
    console.print(table)
    guarantee = loaded.budget
    console.print(
        f"budget: epsilon {float(guarantee.epsilon):g}, delta {float(guarantee.delta):g}; {loaded.neighbours.value}"
    )
    if any(line.problem for line in seen):
        raise typer.Exit(1)


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
    """What a question would cost and how far off it would be. Reads no data, spends nothing."""
    with deniable.open(policy) as curator:
        quote = underlined(
            sql,
            lambda: curator.explain(
                sql, epsilon=epsilon, rho=rho, accuracy=accuracy, delta=delta, confidence=confidence, analyst=analyst
            ),
        )
    show_quote(quote, Console())


def ask(
    policy: Policy,
    sql: Question,
    epsilon: Epsilon = None,
    rho: Rho = None,
    accuracy: Accuracy = None,
    delta: Delta = None,
    confidence: Confidence = "0.95",
    analyst: Analyst = None,
    form: Annotated[Format, typer.Option("--format", help="How to write the answer.")] = Format.TABLE,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file.")] = None,
) -> None:
    """Ask a question, and pay for it."""
    if form is Format.PARQUET and output is None:
        raise InvalidArgumentError("output", "is needed for parquet: name a file with --output")
    with deniable.open(policy) as curator, Console(stderr=True).status("asking ..."):
        answer = underlined(
            sql,
            lambda: curator.ask(
                sql, epsilon=epsilon, rho=rho, accuracy=accuracy, delta=delta, confidence=confidence, analyst=analyst
            ),
        )
    write(answer, form, output)


def budget(policy: Policy, analyst: Analyst = None) -> None:
    """What is spent and what is left."""
    with deniable.open(policy) as curator:
        show_budget(curator.budget(analyst), Console())


def underlined(sql: str, step: Any) -> Any:  # noqa: ANN401 - whatever the step gives
    """Run a step; a refusal gets the question's text, so that the place can be shown."""
    try:
        return step()
    except Refused as refusal:
        print(refusal.show(sql), file=sys.stderr)  # noqa: T201 - plain text keeps the underline in place
        raise typer.Exit(2) from None


def write(answer: Answer, form: Format, output: Path | None) -> None:
    """The answer in the wanted form, on the terminal or into a file."""
    match form:
        case Format.TABLE:
            console = Console() if output is None else Console(file=output.open("w"), width=120)
            console.print(answer)
            console.print(f"[dim]{answer.meaning}[/dim]")
        case Format.CSV:
            pyarrow.csv.write_csv(with_intervals(answer), output or sys.stdout.buffer)
        case Format.PARQUET:
            pq.write_table(with_intervals(answer), output)
        case Format.JSON:
            text = json.dumps(as_json(answer), indent=2, default=str)
            output.write_text(text + "\n") if output else print(text)  # noqa: T201 - for pipes


def with_intervals(answer: Answer) -> pa.Table:
    """The answer, with low and high behind its own columns."""
    table = answer.table
    for name, column in zip(answer.intervals.column_names, answer.intervals.columns, strict=True):
        table = table.append_column(name, column)
    return table


def as_json(answer: Answer) -> dict[str, object]:
    """The answer, its intervals, its price and what that means."""
    return {
        "rows": with_intervals(answer).to_pylist(),
        "confidence": float(answer.plan.quote.confidence),
        "loss": forms(answer.loss),
        "free": answer.free,
        "meaning": answer.meaning,
        "notes": list(answer.plan.quote.cautions),
    }


def forms(loss: Loss) -> dict[str, float]:
    """The forms of a loss that there are."""
    known = {"epsilon": loss.epsilon, "rho": loss.rho, "mu": loss.mu, "delta": loss.delta}
    return {name: float(form) for name, form in known.items() if form is not None}


def show_quote(quote: Quote, console: Console) -> None:
    """The price before paying."""
    title = f"error at {float(quote.confidence):.0%} confidence (of ratios: for a group of 1,000)"
    table = Table(title=title, title_justify="left", header_style="bold")
    for name in ("column", "noise", "one unit moves it by", "scale", "error"):
        table.add_column(name, justify="left" if name in ("column", "noise") else "right")
    for line in quote.lines:
        table.add_row(
            line.column, line.mechanism, f"{line.sensitivity:,.4g}", f"{line.scale:,.4g}", f"± {line.error:,.4g}"
        )
    console.print(table)
    size = (
        "as many groups as are shown" if quote.groups is None else f"{quote.groups:,} group{'s' * (quote.groups != 1)}"
    )
    console.print(f"price: {quote.loss!r}; {size}")
    for caution in quote.cautions:
        console.print(f"[dim]note: {caution}[/dim]", soft_wrap=True)
    if quote.shown_from is not None:
        console.print(
            f"a key is shown half of the time from {quote.shown_from:,} units on; rarer ones mostly stay hidden"
        )


def show_budget(account: Budget, console: Console) -> None:
    """Total, spent and left, sum by sum."""
    table = Table(title=f"budget of {account.name}", title_justify="left", header_style="bold")
    for name in ("sum", "cap", "spent", "left"):
        table.add_column(name, justify="left" if name == "sum" else "right")
    losses = (account.total, account.spent, account.remaining)
    rows: dict[str, Sequence[Fraction | None]] = {
        "pure epsilon": [loss.epsilon for loss in losses],
        "zCDP rho": [loss.rho for loss in losses],
        "GDP mu²": [loss.mu_squared for loss in losses],
        "delta for keys": [loss.delta for loss in losses],
    }
    for name, values in rows.items():
        table.add_row(name, *("closed" if value is None else f"{float(value):.4g}" for value in values))
    console.print(table)
    console.print(
        f"a question may still cost up to epsilon {account.largest_epsilon:.4g} (Laplace) or rho "
        f"{account.largest_rho:.4g} (Gaussian): one sum within its cap is enough",
        soft_wrap=True,
    )
