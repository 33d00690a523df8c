"""A real curator as the target of an attack: what it will cost is said first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import deniable
from deniable.apps.attack.files import read_table
from deniable.apps.attack.options import CuratorOptions
from deniable.attacks.defences import CuratorResponder
from deniable.attacks.outcome import guesses_allowed
from deniable.core.errors import InvalidArgumentError, Refused
from deniable.core.number import positive
from deniable.curator import Curator

_SHOWN = 20
_MOST = 2000


@contextmanager
def opened(options: CuratorOptions, secret: str) -> Iterator[CuratorResponder]:
    """A responder that asks this policy's curator, after the spend was agreed to."""
    where, who = needed("table", options.table), needed("person", options.person)
    numbers, cost = numbers_in(needed("people", options.people)), positive("spend", needed("spend", options.spend))
    policy, analyst = str(options.curator), options.analyst
    with deniable.open(policy) as curator:
        _look(curator, where, who, secret, analyst)
        console = Console(stderr=True)
        console.print(
            f"This asks {policy} as an analyst would, and spends epsilon {float(cost):g} of its budget, for good.",
            soft_wrap=True,
        )
        if not options.yes and not typer.confirm("Go on?", err=True):
            raise typer.Exit(1)
        with console.status("asking ..."):
            yield CuratorResponder(curator, where, who, numbers, [secret], cost, everyone=False, analyst=analyst)


def wanted(options: CuratorOptions) -> tuple[str, NDArray[np.float64] | None]:
    """What is to be found out, and the answers that score the guesses, if there are any."""
    named = needed("secret", options.secret)
    return named, truth_of(options.truth, options.person, named, options.people)


def needed(name: str, value: str | None) -> str:
    """What an attack on a curator cannot do without."""
    if value is None:
        raise InvalidArgumentError(name, "is needed with --curator: see --help")
    return value


def bit(condition: str) -> str:
    """A condition as a number that can be added up."""
    return f"CASE WHEN {condition} THEN 1 ELSE 0 END"


def numbers_in(text: str) -> NDArray[np.int64]:
    """People by number: 1-200, or 3,17,99.

    Example:
        >>> numbers_in("1-4,9").tolist()
        [1, 2, 3, 4, 9]
    """
    found: list[int] = []
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        ends = re.fullmatch(r"(\d{1,15})(?:-(\d{1,15}))?", part)
        if ends is None:
            raise InvalidArgumentError("people", f"must be numbers such as 1-200 or 3,17,99, not {text!r}")
        low, high = int(ends[1]), int(ends[2] or ends[1])
        if high - low >= _MOST:
            raise InvalidArgumentError("people", f"must be at most {_MOST:,}, not {high - low + 1:,}")
        found += range(low, high + 1)
    if not 2 <= len(set(found)) <= _MOST:  # noqa: PLR2004 - somebody, and somebody else
        raise InvalidArgumentError(
            "people", f"must be between 2 and {_MOST:,} different numbers, not {len(set(found))}"
        )
    return np.unique(found).astype(np.int64)


def truth_of(path: Path | None, person: str | None, secret: str, people: str | None) -> NDArray[np.float64] | None:
    """The custodian's own answer sheet, for the scorer alone: NaN for people who are not on it.

    Read before anything is asked, so that a wrong file costs nothing.
    """
    if path is None:
        return None
    table, who = read_table(path, "truth"), needed("person", person)
    for name in (who, secret):
        if name not in table.column_names:
            raise InvalidArgumentError("truth", f"{path} has no column {name!r}")
    words = {"true": "1", "false": "0"}
    known = dict(zip(table[who].to_pylist(), table[secret].to_pylist(), strict=True))
    texts = [known.get(str(number)) or "nan" for number in numbers_in(needed("people", people)).tolist()]
    try:
        return np.array([float(words.get(text.lower(), text)) for text in texts])
    except ValueError:
        raise InvalidArgumentError("truth", f"column {secret!r} must hold numbers or truth values") from None


def show_bits(
    target: CuratorResponder,
    guesses: NDArray[np.bool_],
    secret: str,
    known: NDArray[np.float64] | None,
    console: Console,
) -> None:
    """Claims of yes and no, their score if the truth was told, and what the promise allows."""
    _claims(target, ["yes" if guess else "no" for guess in guesses.tolist()], secret, console)
    if known is not None and (listed := ~np.isnan(known)).any():
        ones = float((known[listed] == 1).mean())
        right = float((guesses[listed] == (known[listed] == 1)).mean())
        console.print(
            f"right: {right:.1%} of {int(listed.sum()):,} people; always saying the same: {max(ones, 1 - ones):.1%}"
        )
    steps = 1 if target.curator.policy.neighbours.value == "replace" else 2  # a removal and an addition
    allowed = guesses_allowed(steps * target.spend, "1/2") or 1.0
    console.print(
        f"[dim]Of traits that are a fair coin to the attacker, at most {allowed:.1%} are right on average, by the "
        "policy's promise at this spend.[/dim]",
        soft_wrap=True,
    )


def show_numbers(
    target: CuratorResponder,
    readings: NDArray[np.float64],
    secret: str,
    known: NDArray[np.float64] | None,
    console: Console,
) -> None:
    """Claimed numbers, and how far off they are if the truth was told."""
    _claims(target, ["refused" if np.isnan(value) else f"{value:,.4g}" for value in readings.tolist()], secret, console)
    if known is not None and (listed := ~np.isnan(known) & ~np.isnan(readings)).any():
        off = float(np.abs(readings[listed] - known[listed]).mean())
        blind = float(np.abs(known[listed] - known[listed].mean()).mean())
        console.print(f"off by {off:,.4g} on average; always saying the mean of all: off by {blind:,.4g}")


def _claims(target: CuratorResponder, claims: Sequence[str], secret: str, console: Console) -> None:
    """The first of them."""
    table = Table(title=f"claimed: {secret}", title_justify="left", header_style="bold")
    for column in ("person", "claim"):
        table.add_column(column, justify="right")
    for number, claim in list(zip(target.people.tolist(), claims, strict=False))[:_SHOWN]:
        table.add_row(str(number), claim)
    console.print(table)
    if len(claims) > _SHOWN:
        console.print(f"[dim]and {len(claims) - _SHOWN:,} more[/dim]")


def _look(curator: Curator, table: str, person: str, secret: str, analyst: str | None) -> None:
    """Ask for the price of one question: what cannot be asked is refused before anything is spent."""
    question = f"SELECT SUM({secret}) FILTER (WHERE {person} IN (1, 2)) AS q0 FROM {table}"  # noqa: S608 - the analyst's own words
    try:
        curator.explain(question, epsilon="0.1", analyst=analyst)
    except Refused as refusal:
        raise InvalidArgumentError("target", f"cannot be asked: {refusal.reason} {refusal.hint}") from None
