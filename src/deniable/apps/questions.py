"""`deniable init | check | explain | ask | budget`: the curator on the command line."""

from __future__ import annotations

import json
import sys
from enum import Enum
from pathlib import Path
from typing import Annotated

import pyarrow.csv
import pyarrow.parquet as pq
import typer
from rich.console import Console
from rich.table import Table

import deniable
from deniable.core.errors import InvalidArgumentError
from deniable.curator import Answer
from deniable.curator.check import check as check_policy
from deniable.curator.draft import draft
from deniable.curator.factory import engine_of
from deniable.files import atomic
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
        quote = curator.explain(
            sql, epsilon=epsilon, rho=rho, accuracy=accuracy, delta=delta, confidence=confidence, analyst=analyst
        )
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
    form: Annotated[Format, typer.Option("--format", help="How to write the answer.")] = Format.TABLE,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file.")] = None,
) -> None:
    """Ask a question, and pay for it."""
    if form is Format.PARQUET and output is None:
        raise InvalidArgumentError("output", "is needed for parquet: name a file with --output")
    with deniable.open(policy) as curator, Console(stderr=True).status("asking ..."):
        answer = curator.ask(
            sql, epsilon=epsilon, rho=rho, accuracy=accuracy, delta=delta, confidence=confidence, analyst=analyst
        )
    write(answer, form, output)


def budget(policy: Policy, analyst: Analyst = None) -> None:
    """What is spent and what is left."""
    with deniable.open(policy) as curator:
        Console().print(curator.budget(analyst))


def write(answer: Answer, form: Format, output: Path | None) -> None:
    """The answer in the wanted form, on the terminal or into a file."""
    match form:
        case Format.TABLE:
            console = Console() if output is None else Console(file=output.open("w"), width=120)
            console.print(answer)
            console.print(f"[dim]{answer.meaning}[/dim]")
        case Format.CSV:
            pyarrow.csv.write_csv(answer.with_intervals, output or sys.stdout.buffer)
        case Format.PARQUET:
            pq.write_table(answer.with_intervals, output)
        case Format.JSON:
            text = json.dumps(answer.to_dict(), indent=2)
            output.write_text(text + "\n") if output else print(text)  # noqa: T201 - for pipes
