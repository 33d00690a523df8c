"""`deniable attack`: attacks on whatever answers questions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console

from deniable.apps.attack import target
from deniable.apps.attack.options import Defence, Epsilon, Plot, Seed
from deniable.apps.attack.show import fight
from deniable.attacks import (
    Averaging,
    BitRefusals,
    Differencing,
    MaxRefusals,
    Months,
    Pairs,
    Reconstruction,
    SinglingOut,
)
from deniable.core.errors import InvalidArgumentError

Curator = Annotated[Path | None, typer.Option(help="Attack this policy's curator instead of made-up people.")]
TableName = Annotated[str | None, typer.Option("--table", help="With --curator: the table.")]
Person = Annotated[str | None, typer.Option(help="With --curator: the whole-numbered column that names a person.")]
People = Annotated[str | None, typer.Option(help="With --curator: whom to attack, such as 1-200.")]
Spend = Annotated[str | None, typer.Option(help="With --curator: how much epsilon to spend on it.")]
Truth = Annotated[Path | None, typer.Option(help="With --curator: the custodian's file, to score the guesses.")]
Analyst = Annotated[str | None, typer.Option(help="With --curator: who asks.")]
Yes = Annotated[bool, typer.Option("--yes", help="With --curator: spend without asking.")]


def differencing(
    n: Annotated[int, typer.Option(help="How many patients.")] = 100,
    defence: Defence = None,
    epsilon: Epsilon = "1",
    seed: Seed = None,
    plot: Plot = None,
) -> None:
    """Everybody, minus everybody not named X."""
    fight(Differencing(n), defence, epsilon, seed, plot)


def pairs(
    n: Annotated[int, typer.Option(help="How many people.")] = 120,
    width: Annotated[int, typer.Option(help="Conditions that a question may join.")] = 2,
    least: Annotated[int, typer.Option(help="The least size of a set that is answered.")] = 10,
    defence: Defence = None,
    epsilon: Epsilon = "1",
    seed: Seed = None,
    plot: Plot = None,
) -> None:
    """Search all allowed questions for two that differ in one person."""
    fight(Pairs(n, width, least), defence, epsilon, seed, plot)


def averaging(
    way: Annotated[
        str, typer.Option(help="repeat (same words), respell (other words) or split (other sets).")
    ] = "repeat",
    repeats: Annotated[int, typer.Option(help="How often each difference is asked for.")] = 100,
    defence: Defence = None,
    epsilon: Epsilon = "1",
    seed: Seed = None,
    plot: Plot = None,
) -> None:
    """Ask again until the noise is gone."""
    fight(Averaging(way=way, repeats=repeats), defence, epsilon, seed, plot)


def singling_out(
    n: Annotated[int, typer.Option(help="How many patients.")] = 100,
    defence: Defence = None,
    epsilon: Epsilon = "1",
    seed: Seed = None,
    plot: Plot = None,
) -> None:
    """Tell who is in the sample, and read them."""
    fight(SinglingOut(n), defence, epsilon, seed, plot)


def months(
    n: Annotated[int, typer.Option(help="How many people.")] = 30,
    count: Annotated[int, typer.Option("--months", help="How many months.")] = 30,
    defence: Defence = None,
    epsilon: Epsilon = "1",
    seed: Seed = None,
    plot: Plot = None,
) -> None:
    """Average one person's many cells."""
    fight(Months(n, count), defence, epsilon, seed, plot)


def max_refusals(
    n: Annotated[int, typer.Option(help="How many people.")] = 200,
    defence: Defence = None,
    epsilon: Epsilon = "1",
    seed: Seed = None,
    plot: Plot = None,
) -> None:
    """Read salaries off refused maxima."""
    fight(MaxRefusals(n), defence, epsilon, seed, plot)


def bit_refusals(
    n: Annotated[int, typer.Option(help="How many people, at most 20.")] = 16,
    defence: Defence = None,
    epsilon: Epsilon = "1",
    seed: Seed = None,
    plot: Plot = None,
) -> None:
    """Read a list of yes and no off refused counts."""
    fight(BitRefusals(n), defence, epsilon, seed, plot)


def reconstruct(
    n: Annotated[int, typer.Option(help="How many people.")] = 128,
    factor: Annotated[float, typer.Option(help="Questions for each person.")] = 4.0,
    decoder: Annotated[str, typer.Option(help="auto, lp, least-squares or exhaustive (n up to 20).")] = "auto",
    defence: Defence = None,
    epsilon: Epsilon = "1",
    seed: Seed = None,
    plot: Plot = None,
    curator: Curator = None,
    table: TableName = None,
    person: Person = None,
    secret: Annotated[str | None, typer.Option(help="With --curator: a condition, such as smoker.")] = None,
    people: People = None,
    spend: Spend = None,
    truth: Truth = None,
    analyst: Analyst = None,
    yes: Yes = False,
) -> None:
    """Rebuild the table from counts of random subsets."""
    if curator is None:
        fight(Reconstruction(n, factor, decoder), defence, epsilon, seed, plot)
        return
    if secret is None:
        raise InvalidArgumentError("secret", "is needed with --curator: a condition, such as smoker")
    bit = f"CASE WHEN {secret} THEN 1 ELSE 0 END"
    with target.opened(curator, table, person, bit, people, spend, analyst, agreed=yes) as responder:
        attack = Reconstruction(responder.people.size, factor, decoder)
        with Console(stderr=True).status("asking ..."):
            rebuilt, answered = attack.play(responder, responder.people.size, np.random.default_rng(seed))
        allowed = target.allowed_for(responder.curator, responder.spend)
    console = Console()
    claims = ["yes" if bit else "no" for bit in rebuilt.tolist()]
    target.show_claims(responder.people.tolist(), claims, f"rebuilt: {secret}", console)
    console.print(f"{answered:,} of {attack.questions:,} questions were answered.")
    if truth is not None:
        known = target.truth_in(truth, person or "", secret, responder.people)
        listed = ~np.isnan(known)
        right = float((rebuilt[listed] == (known[listed] == 1)).mean()) if listed.any() else 0.0
        common = float(max(np.mean(known[listed]), 1 - np.mean(known[listed]))) if listed.any() else 0.0
        console.print(f"right: {right:.1%} of {int(listed.sum()):,} people; always saying the same: {common:.1%}")
    console.print(
        f"[dim]Of traits that are a fair coin to the attacker, at most {allowed:.1%} are right on average, by the "
        "policy's promise at this spend.[/dim]",
        soft_wrap=True,
    )
