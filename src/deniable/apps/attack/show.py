"""Outcomes on the terminal and in files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from deniable.apps.attack.page import interval_words, percent, reached
from deniable.apps.attack.svg import draw
from deniable.apps.attack.tour import Tour, Visited, defences_of
from deniable.attacks import Attack, Outcome
from deniable.attacks.outcome import CONFIDENCE
from deniable.core.errors import InvalidArgumentError
from deniable.files.atomic import write


def fight(attack: Attack[Any], defence: str | None, epsilon: str, seed: int | None, plot: Path | None) -> None:
    """Run an attack against one defence, or against all that it fits, and show what came out."""
    console = Console()
    names = [defence] if defence is not None else list(attack.defences(epsilon))
    outcomes = []
    with Console(stderr=True).status("attacking ...") as status:
        for name in names:
            status.update(f"{attack.name} against {name} ...")
            outcomes.append(attack.against_named(name, epsilon, np.random.default_rng(seed)))
    if plot is not None:
        save_picture(outcomes, plot)
    show_outcomes(attack, outcomes, console)
    if plot is not None:
        console.print(Text(f"picture: {plot}", style="dim"), soft_wrap=True)


def show_outcomes(attack: Attack[Any], outcomes: Sequence[Outcome], console: Console) -> None:
    """A row for each defence, and the lesson."""
    table = Table(
        title=f"{attack.title} ({attack.name})", title_justify="left", title_style="bold", header_style="bold"
    )
    for column in ("defence", "reached", "interval", "guessing", "allowed", "what happened"):
        table.add_column(column, justify="left" if column in ("defence", "what happened") else "right")
    for outcome in outcomes:
        allowed = "" if outcome.bound is None else f"{percent(outcome.bound)}{'' if outcome.kept else ' broken'}"
        table.add_row(
            outcome.defence,
            shaded(outcome),
            interval_words(outcome),
            percent(outcome.chance),
            allowed,
            outcome.sentence,
        )
    console.print(table)
    console.print(
        f"[dim]reached: {outcomes[0].measure}; interval: where it would lie with very many guesses, "
        f"at {CONFIDENCE:.1%} confidence; allowed: on average[/dim]",
        soft_wrap=True,
    )
    console.print(f"[dim]{attack.lesson}[/dim]", soft_wrap=True)


def shaded(outcome: Outcome) -> Text:
    """The number, red where the attack took most of what there was."""
    style = "red" if outcome.gain > 0.5 else "yellow" if outcome.gain > 0.1 else "green"  # noqa: PLR2004 - most, some
    return Text(reached(outcome), style=style)


def show_matrix(tour: Tour, console: Console) -> None:
    """Defences down, attacks across, which fits a narrow terminal; one block for each kind of defence."""
    for chapter, visited in tour.chapters:
        table = Table(
            title=chapter.title, title_justify="left", title_style="bold", header_style="bold", padding=(0, 0)
        )
        table.add_column("", no_wrap=True)
        for each in visited:
            table.add_column(each.stop.label, justify="right", overflow="fold")
        table.add_row(
            "guessing", *(Text(percent(_any(each).chance), style="dim") for each in visited), end_section=True
        )
        for name in defences_of(visited):
            outcomes = [each.outcomes.get(name) for each in visited]
            table.add_row(name, *(Text("") if outcome is None else shaded(outcome) for outcome in outcomes))
        console.print(table)


def _any(visited: Visited) -> Outcome:
    return next(iter(visited.outcomes.values()))


def show_counts(title: str, lines: dict[str, tuple[int, int | None]], console: Console) -> None:
    """What was counted, each with its share of a total."""
    table = Table(title=title, title_justify="left", show_header=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_column(justify="right")
    for label, (count, total) in lines.items():
        table.add_row(label, f"{count:,}", "" if total is None else f"{count / total:.1%}")
    console.print(table)


def show_people(found: list[tuple[str, str]], column: str, console: Console) -> None:
    """Who was found, and what about them."""
    if not found:
        return
    table = Table(header_style="bold")
    table.add_column("who")
    table.add_column(column)
    for who, value in found:
        table.add_row(who, value)
    console.print(table)


def save_picture(outcomes: Sequence[Outcome], path: Path) -> None:
    """The pictures of one outcome: one file, or several that are numbered."""
    if path.suffix != ".svg":
        raise InvalidArgumentError("plot", f"must end in .svg, not be {str(path)!r}")
    if len(outcomes) != 1:
        raise InvalidArgumentError("plot", "needs one defence: name it with --defence")
    drawn = [draw(picture) for picture in outcomes[0].pictures]
    for number, text in enumerate(drawn):
        write(path if number == 0 else path.with_stem(f"{path.stem}-{number + 1}"), text, "plot")
