"""A real curator as the target of an attack: what it will cost is said first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import deniable
from deniable.apps.attack.files import read_table
from deniable.attacks.defences import CuratorResponder
from deniable.attacks.outcome import guesses_allowed
from deniable.core.errors import InvalidArgumentError, Refused
from deniable.core.number import positive
from deniable.curator import Curator

_SHOWN = 20
_MOST = 2000


@contextmanager
def opened(
    policy: Path,
    table: str | None,
    person: str | None,
    secret: str,
    people: str | None,
    spend: str | None,
    analyst: str | None,
    *,
    agreed: bool,
) -> Iterator[CuratorResponder]:
    """A responder that asks this policy's curator, after the spend was agreed to."""
    for name, value in {"table": table, "person": person, "people": people, "spend": spend}.items():
        if value is None:
            raise InvalidArgumentError(name, "is needed with --curator: see deniable attack reconstruct --help")
    numbers = numbers_in(people or "")
    cost = positive("spend", spend or "")
    with deniable.open(policy) as curator:
        _look(curator, table or "", person or "", secret)
        Console(stderr=True).print(
            f"This asks {policy} as an analyst would, and spends epsilon {float(cost):g} of its budget, for good.",
            soft_wrap=True,
        )
        if not agreed and not typer.confirm("Go on?", err=True):
            raise typer.Exit(1)
        yield CuratorResponder(
            curator, table or "", person or "", numbers, [secret], cost, everyone=False, analyst=analyst
        )


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


def truth_in(path: Path, person: str, secret: str, people: NDArray[np.int64]) -> NDArray[np.float64]:
    """The custodian's own answer sheet, for the scorer alone: NaN for people who are not on it."""
    table = read_table(path, "truth")
    for name in (person, secret):
        if name not in table.column_names:
            raise InvalidArgumentError("truth", f"{path} has no column {name!r}")
    words = {"true": "1", "false": "0"}
    known = dict(zip(table[person].to_pylist(), table[secret].to_pylist(), strict=True))
    texts = [known.get(str(number)) or "nan" for number in people.tolist()]
    try:
        return np.array([float(words.get(text.lower(), text)) for text in texts])
    except ValueError:
        raise InvalidArgumentError("truth", f"column {secret!r} must hold numbers or truth values") from None


def allowed_for(curator: Curator, spend: Fraction) -> float:
    """Right guesses that the policy's promise allows: exchanging a person is removing one and adding another."""
    steps = 1 if curator.policy.neighbours.value == "replace" else 2
    return guesses_allowed(steps * spend, "1/2") or 1.0


def show_claims(people: Sequence[int], claims: Sequence[str], title: str, console: Console) -> None:
    """The first claims of an attack whose truth nobody told."""
    table = Table(title=title, title_justify="left", header_style="bold")
    for column in ("person", "claim"):
        table.add_column(column, justify="right")
    for number, claim in list(zip(people, claims, strict=True))[:_SHOWN]:
        table.add_row(str(number), claim)
    console.print(table)
    if len(people) > _SHOWN:
        console.print(f"[dim]and {len(people) - _SHOWN:,} more[/dim]")


def _look(curator: Curator, table: str, person: str, secret: str) -> None:
    """Ask for the price of one question: what cannot be asked is refused before anything is spent."""
    question = f"SELECT SUM({secret}) FILTER (WHERE {person} IN (1, 2)) AS q0 FROM {table}"  # noqa: S608 - the analyst's own words
    try:
        curator.explain(question, epsilon="0.1", analyst=next(iter(curator.policy.analysts), None))
    except Refused as refusal:
        raise InvalidArgumentError("target", f"cannot be asked: {refusal.reason} {refusal.hint}") from None
