"""`deniable attack`: attacks on whatever answers questions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console

from deniable.apps.attack import target
from deniable.apps.attack.files import columns_of, read_table
from deniable.apps.attack.options import Defence, Epsilon, On, Plot, Seed
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
from deniable.attacks.classes import factorized, require
from deniable.attacks.on_questions.averaging import mean_of_known
from deniable.attacks.on_questions.pairs import find_pairs, menu

Curator = Annotated[Path | None, typer.Option(help="Attack this policy's curator instead of made-up people.")]
TableName = Annotated[str | None, typer.Option("--table", help="With --curator: the table.")]
Person = Annotated[str | None, typer.Option(help="With --curator: the whole-numbered column that names a person.")]
Condition = Annotated[str | None, typer.Option(help="With --curator: a condition, such as smoker.")]
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
    curator: Curator = None,
    table: TableName = None,
    person: Person = None,
    secret: Annotated[str | None, typer.Option(help="With --curator: a number, such as cost.")] = None,
    people: People = None,
    spend: Spend = None,
    truth: Truth = None,
    analyst: Analyst = None,
    yes: Yes = False,
) -> None:
    """Everybody, minus everybody not named X."""
    if curator is None:
        fight(Differencing(n), defence, epsilon, seed, plot)
        return
    named = target.needed("secret", secret)
    known = target.truth_of(truth, person, named, people)
    with target.opened(curator, table, person, named, people, spend, analyst, agreed=yes) as responder:
        readings = Differencing.play(responder, responder.people.size)
    target.show_numbers(responder, readings, named, known, Console())


def pairs(
    file: Annotated[
        Path | None, typer.Argument(help="A table of people, to search for pairs (CSV or Parquet).")
    ] = None,
    on: On = None,
    n: Annotated[int, typer.Option(help="How many people.")] = 120,
    width: Annotated[int, typer.Option(help="Conditions that a question may join.")] = 2,
    least: Annotated[int, typer.Option(help="The least size of a set that is answered.")] = 10,
    defence: Defence = None,
    epsilon: Epsilon = "1",
    seed: Seed = None,
    plot: Plot = None,
) -> None:
    """Search all allowed questions for two that differ in one person."""
    if file is not None:
        listed = read_table(file, "table")
        columns = columns_of(on, listed.column_names)
        require(listed, columns, "table")
        public = np.column_stack([factorized(listed[column])[0] for column in columns])
        isolated = int((find_pairs(menu(public, width), least)[0] >= 0).sum())
        Console().print(
            f"{isolated:,} of {listed.num_rows:,} people are isolated by two sets of at least {least}, "
            f"each described by up to {width} conditions on {', '.join(columns)}",
            soft_wrap=True,
        )
        return
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
    curator: Curator = None,
    table: TableName = None,
    person: Person = None,
    secret: Condition = None,
    people: People = None,
    spend: Spend = None,
    truth: Truth = None,
    analyst: Analyst = None,
    yes: Yes = False,
) -> None:
    """Ask again until the noise is gone."""
    if curator is None:
        fight(Averaging(way=way, repeats=repeats), defence, epsilon, seed, plot)
        return
    named = target.needed("secret", secret)
    known = target.truth_of(truth, person, named, people)
    with target.opened(curator, table, person, target.bit(named), people, spend, analyst, agreed=yes) as responder:
        everyone = responder.people.size
        attack = Averaging(everyone, everyone, repeats, way)
        guesses = mean_of_known(attack.play(responder, everyone, np.random.default_rng(seed))) > 0.5  # noqa: PLR2004 - half way
    target.show_bits(responder, guesses, named, known, Console())


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
    decoder: Annotated[str, typer.Option(help="auto, lp, least-squares or exhaustive (n up to 14).")] = "auto",
    defence: Defence = None,
    epsilon: Epsilon = "1",
    seed: Seed = None,
    plot: Plot = None,
    curator: Curator = None,
    table: TableName = None,
    person: Person = None,
    secret: Condition = None,
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
    named = target.needed("secret", secret)
    known = target.truth_of(truth, person, named, people)
    with target.opened(curator, table, person, target.bit(named), people, spend, analyst, agreed=yes) as responder:
        attack = Reconstruction(responder.people.size, factor, decoder)
        rebuilt, answered = attack.play(responder, responder.people.size, np.random.default_rng(seed))
    console = Console()
    target.show_bits(responder, rebuilt, named, known, console)
    console.print(f"{answered:,} of {attack.questions:,} questions were answered.")
