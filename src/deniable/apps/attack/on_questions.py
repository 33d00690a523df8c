"""`deniable attack`: attacks on whatever answers questions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console

from deniable.apps.attack import target
from deniable.apps.attack.files import columns_of, read_table
from deniable.apps.attack.options import CuratorOptions, MadeUp, On
from deniable.apps.spread import spread
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


@spread
def differencing(
    *,
    n: Annotated[int, typer.Option(help="How many patients.")] = 100,
    made_up: MadeUp,
    on_curator: CuratorOptions,
) -> None:
    """Everybody, minus everybody not named X."""
    if on_curator.curator is None:
        made_up.fight(Differencing(n))
        return
    named, known = target.wanted(on_curator)
    with target.opened(on_curator, named) as responder:
        readings = Differencing.play(responder, responder.people.size)
    target.show_numbers(responder, readings, named, known, Console())


@spread
def pairs(
    *,
    file: Annotated[
        Path | None, typer.Argument(help="A table of people, to search for pairs (CSV or Parquet).")
    ] = None,
    on: On = None,
    n: Annotated[int, typer.Option(help="How many people.")] = 120,
    width: Annotated[int, typer.Option(help="Conditions that a question may join.")] = 2,
    least: Annotated[int, typer.Option(help="The least size of a set that is answered.")] = 10,
    made_up: MadeUp,
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
    made_up.fight(Pairs(n, width, least))


@spread
def averaging(
    *,
    way: Annotated[
        str, typer.Option(help="repeat (same words), respell (other words) or split (other sets).")
    ] = "repeat",
    repeats: Annotated[int, typer.Option(help="How often each difference is asked for.")] = 100,
    made_up: MadeUp,
    on_curator: CuratorOptions,
) -> None:
    """Ask again until the noise is gone."""
    if on_curator.curator is None:
        made_up.fight(Averaging(way=way, repeats=repeats))
        return
    named, known = target.wanted(on_curator)
    with target.opened(on_curator, target.bit(named)) as responder:
        everyone = responder.people.size
        attack = Averaging(everyone, everyone, repeats, way)
        guesses = mean_of_known(attack.play(responder, everyone, np.random.default_rng(made_up.seed))) > 0.5  # noqa: PLR2004 - half way
    target.show_bits(responder, guesses, named, known, Console())


@spread
def singling_out(
    *,
    n: Annotated[int, typer.Option(help="How many patients.")] = 100,
    made_up: MadeUp,
) -> None:
    """Tell who is in the sample, and read them."""
    made_up.fight(SinglingOut(n))


@spread
def months(
    *,
    n: Annotated[int, typer.Option(help="How many people.")] = 30,
    count: Annotated[int, typer.Option("--months", help="How many months.")] = 30,
    made_up: MadeUp,
) -> None:
    """Average one person's many cells."""
    made_up.fight(Months(n, count))


@spread
def max_refusals(
    *,
    n: Annotated[int, typer.Option(help="How many people.")] = 200,
    made_up: MadeUp,
) -> None:
    """Read salaries off refused maxima."""
    made_up.fight(MaxRefusals(n))


@spread
def bit_refusals(
    *,
    n: Annotated[int, typer.Option(help="How many people, at most 20.")] = 16,
    made_up: MadeUp,
) -> None:
    """Read a list of yes and no off refused counts."""
    made_up.fight(BitRefusals(n))


@spread
def reconstruct(
    *,
    n: Annotated[int, typer.Option(help="How many people.")] = 128,
    factor: Annotated[float, typer.Option(help="Questions for each person.")] = 4.0,
    decoder: Annotated[str, typer.Option(help="auto, lp, least-squares or exhaustive (n up to 14).")] = "auto",
    made_up: MadeUp,
    on_curator: CuratorOptions,
) -> None:
    """Rebuild the table from counts of random subsets."""
    if on_curator.curator is None:
        made_up.fight(Reconstruction(n, factor, decoder))
        return
    named, known = target.wanted(on_curator)
    with target.opened(on_curator, target.bit(named)) as responder:
        attack = Reconstruction(responder.people.size, factor, decoder)
        rebuilt, answered = attack.play(responder, responder.people.size, np.random.default_rng(made_up.seed))
    console = Console()
    target.show_bits(responder, rebuilt, named, known, console)
    console.print(f"{answered:,} of {attack.questions:,} questions were answered.")
