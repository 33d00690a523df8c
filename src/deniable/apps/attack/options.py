"""Options that several attacks share: groups of them are written once, as dataclasses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

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


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """A command for Typer, in which every parameter that is a dataclass of options stands for all of them."""
    hints = get_type_hints(command, include_extras=True)
    groups = {name: hints[name] for name in signature(command).parameters if is_dataclass(hints[name])}
    parameters = [
        shown
        for name, parameter in signature(command).parameters.items()
        for shown in (_options(groups[name]) if name in groups else [parameter.replace(annotation=hints[name])])
    ]

    @wraps(command)
    def called(**given: Any) -> None:  # noqa: ANN401 - what Typer read
        parts = {
            name: group(**{each.name: given.pop(each.name) for each in fields(group)}) for name, group in groups.items()
        }
        command(**given, **parts)

    called.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {shown.name: shown.annotation for shown in parameters}
    return called


def _options(group: Any) -> list[Parameter]:  # noqa: ANN401 - a dataclass
    hints = get_type_hints(group, include_extras=True)
    return [
        Parameter(
            each.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if each.default is MISSING else each.default,
            annotation=hints[each.name],
        )
        for each in fields(group)
    ]
