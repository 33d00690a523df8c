"""`deniable init | check | explain | ask | budget`: the curator on the command line."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

import deniable
from deniable.apps.exits import ExitCode, refused
from deniable.apps.formats import Form, Format, Output, settled, write
from deniable.apps.options import Accuracy, Analyst, Confidence, Delta, Epsilon, Policy, Rho
from deniable.core.errors import InvalidArgumentError, Refused

if TYPE_CHECKING:
    from fractions import Fraction

    import pyarrow as pa

    from deniable.core.loss import Loss
    from deniable.curator import Answer, Budget
    from deniable.planner import Quote

Question = Annotated[str, typer.Argument(metavar="SQL", help="The question, in SQL.")]


def init(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A Parquet or CSV file that holds one table.")],
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
    target.write_text(draft(file))
    Console().print(f"wrote {target}: replace what is marked, then run: deniable check {target}", soft_wrap=True)


def check(policy: Policy) -> None:
    """Check a policy against its files, and show what analysts can do.

    Ends with exit code 1 if a column does not fit.
    """
    from deniable.curator.check import check as check_policy
    from deniable.curator.factory import engine_of
    from deniable.policy import load

    loaded = load(policy)
    engine = engine_of(loaded)
    seen = check_policy(loaded, engine)
    engine.close()
    wrong = any(line.problem for line in seen)
    table = Table(title=f"{loaded.population}: what analysts can do", title_justify="left", header_style="bold")
    for name in ("table", "column", "type", "allows", *(["problem"] if wrong else [])):
        table.add_column(name, style="red" if name == "problem" else "", overflow="fold")
    for line in seen:
        table.add_row(line.table, line.column, line.kind, line.allows, *([line.problem] if wrong else []))
    console = Console()
    console.print(table)
    guarantee = loaded.budget
    console.print(
        f"budget: epsilon {float(guarantee.epsilon):g}, delta {float(guarantee.delta):g}; {loaded.neighbours.value}"
    )
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
        quote = underlined(
            sql,
            lambda: curator.explain(
                sql, epsilon=epsilon, rho=rho, accuracy=accuracy, delta=delta, confidence=confidence, analyst=analyst
            ),
        )
        closed = closing(curator.budget(analyst), quote.loss)
    console = Console()
    show_quote(quote, console)
    for warning in closed:
        console.print(f"[yellow]warning: {warning}[/yellow]", soft_wrap=True)


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
        answer = underlined(
            sql,
            lambda: curator.ask(
                sql, epsilon=epsilon, rho=rho, accuracy=accuracy, delta=delta, confidence=confidence, analyst=analyst
            ),
        )
    show(answer, wanted, output)


def budget(policy: Policy, analyst: Analyst = None) -> None:
    """Show what has been spent and what is left."""
    with deniable.open(policy) as curator:
        show_budget(curator.budget(analyst), Console())


def closing(account: Budget, loss: Loss) -> list[str]:
    """What a question would use up for good, beyond its own price."""
    before, after = account.remaining, account.filter.remaining(account.spent + loss)
    sums = {"epsilon": (before.epsilon, after.epsilon), "rho": (before.rho, after.rho)}
    sums |= {"mu²": (before.mu_squared, after.mu_squared)}
    still = [name for name, (_, left) in sums.items() if left is not None]
    if not still or after.delta < 0:
        return [f"this is more than the account {account.name!r} has left: asking it would be refused"]
    return [
        f"after this question the sum of {name} is closed for good: later ones must fit within {' or '.join(still)}"
        for name, (had, left) in sums.items()
        if had is not None and left is None
    ]


def underlined(sql: str, step: Any) -> Any:  # noqa: ANN401 - whatever the step gives
    """Run a step; a refusal gets the question's text, so that the place can be shown."""
    try:
        return step()
    except Refused as refusal:
        print(refusal.show(sql), file=sys.stderr)  # noqa: T201 - plain text keeps the underline in place
        raise typer.Exit(refused(refusal)) from None


def show(answer: Answer, form: Format, output: Path | None) -> None:
    """The answer in the wanted form, on the terminal or in a file."""
    if form is not Format.TABLE:
        write(form, output, with_intervals(answer), as_json(answer))
        return
    with nullcontext(sys.stdout) if output is None else output.open("w", encoding="utf-8") as file:
        console = Console() if output is None else Console(file=file, width=120)
        console.print(answer)
        console.print(f"[dim]{answer.meaning}[/dim]")


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
