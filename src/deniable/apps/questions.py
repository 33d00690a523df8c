"""`deniable explain | ask | budget`: the curator on the command line."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

import deniable
from deniable.apps.formats import Form, Format, Output, settled, write
from deniable.apps.options import Analyst, Param, PaymentOptions, Policy, Question, parameters
from deniable.apps.spread import spread

if TYPE_CHECKING:
    from deniable.curator import NoisyAnswer, PublicAnswer


@spread
def explain(
    *,
    policy: Policy,
    sql: Question,
    param: Param = None,
    payment: PaymentOptions,
    statements: Annotated[
        bool, typer.Option("--statements", help="Also show what the engine would be asked; for custodians.")
    ] = False,
) -> None:
    """Show what a question would cost and how accurate it would be.

    Reads no data and spends nothing.
    """
    console = Console()
    with deniable.open(policy) as curator:
        quote = curator.explain(sql, params=parameters(sql, param), **asdict(payment))
        console.print(quote.with_notes(curator.budget(payment.analyst).warns(quote.loss)))
        if statements:
            console.print(f"engine: {curator.engine.where()}", soft_wrap=True, markup=False, highlight=False)
            spend = asdict(payment)
            del spend["analyst"]
            for text in curator.statements(sql, params=parameters(sql, param), **spend):
                console.print(f"\n{text};", soft_wrap=True, markup=False, highlight=False)


@spread
def ask(
    *,
    policy: Policy,
    sql: Question,
    param: Param = None,
    payment: PaymentOptions,
    form: Form = None,
    output: Output = None,
) -> None:
    """Ask a question and pay for the answer.

    Say how much to spend with --epsilon, --rho or --accuracy. Asking the same question again costs nothing.
    """
    wanted = settled(output, form)
    with deniable.open(policy) as curator, Console(stderr=True).status("asking ..."):
        answer = curator.ask(sql, params=parameters(sql, param), **asdict(payment))
    show(answer, wanted, output)


def budget(policy: Policy, analyst: Analyst = None) -> None:
    """Show what has been spent and what is left."""
    with deniable.open(policy) as curator:
        Console().print(curator.budget(analyst))


def show(answer: NoisyAnswer | PublicAnswer, form: Format, output: Path | None) -> None:
    """The answer in the wanted form, on the terminal or in a file."""
    if form is not Format.TABLE:
        write(form, output, answer.with_intervals, answer.to_dict())
        return
    with nullcontext(sys.stdout) if output is None else output.open("w", encoding="utf-8") as file:
        console = Console() if output is None else Console(file=file, width=120)
        console.print(answer)
        console.print(f"[dim]{answer.meaning}[/dim]")
