"""Options that several attacks share: groups of them are written once, as dataclasses (apps/spread.py)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from deniable.apps.attack.show import fight
from deniable.attacks import Attack

Epsilon = Annotated[str, typer.Option(help="What the defences that promise something promise.")]
Seed = Annotated[int | None, typer.Option(help="For the made-up people and the old defences; fresh without it.")]
On = Annotated[str | None, typer.Option(help="The columns to match on, with commas; all that both have, without it.")]
Sensitive = Annotated[
    str | None, typer.Option(help="The sensitive column; the last one that is not matched on, without it.")
]


@dataclass(frozen=True, slots=True)
class MadeUp:
    """An attack on made-up people: against what, and how to show it."""

    defence: Annotated[str | None, typer.Option(help="Only against this one; without it, against all that fit.")] = None
    epsilon: Epsilon = "1"
    seed: Seed = None
    plot: Annotated[Path | None, typer.Option(help="Draw the picture into this file (svg); needs --defence.")] = None

    def fight(self, attack: Attack[Any]) -> None:
        """Run it, and show what came out."""
        fight(attack, self.defence, self.epsilon, self.seed, self.plot)


@dataclass(frozen=True, slots=True)
class PublicList:
    """A list of people with names, to look for in a release."""

    public: Annotated[Path | None, typer.Option(help="A public list of people (CSV or Parquet).")] = None
    name: Annotated[str, typer.Option(help="The public list's column with the names.")] = "name"
    show: Annotated[int, typer.Option(help="How many people to list.")] = 10


@dataclass(frozen=True, slots=True)
class CuratorOptions:
    """An attack on a real curator: where it is, whom to attack, and what it may cost."""

    curator: Annotated[Path | None, typer.Option(help="Attack this policy's curator instead of made-up people.")] = None
    table: Annotated[str | None, typer.Option(help="With --curator: the table.")] = None
    person: Annotated[
        str | None, typer.Option(help="With --curator: the whole-numbered column that names a person.")
    ] = None
    secret: Annotated[
        str | None,
        typer.Option(help="With --curator: a condition, such as smoker; for differencing a number, such as cost."),
    ] = None
    people: Annotated[str | None, typer.Option(help="With --curator: whom to attack, such as 1-200.")] = None
    spend: Annotated[str | None, typer.Option(help="With --curator: how much epsilon to spend on it.")] = None
    truth: Annotated[Path | None, typer.Option(help="With --curator: the custodian's file, to score the guesses.")] = (
        None
    )
    analyst: Annotated[str | None, typer.Option(help="With --curator: who asks.")] = None
    yes: Annotated[bool, typer.Option("--yes", help="With --curator: spend without asking.")] = False
