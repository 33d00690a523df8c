"""How many numbers the noise of a question takes: bounded by public facts, before anything is charged."""

from __future__ import annotations

from collections.abc import Iterable

from deniable.core.errors import Refused
from deniable.planner.choices.price import Chosen
from deniable.planner.plan import Noisy, Part, Single, singly

MOST_DRAWN = 1 << 27
"""Cells that are scored, or numbers that get noise, in all groups together: less than a minute on two cores."""
_EACH_COUNT = 3
"""Running counts of one cell take about as long as so many choices."""


def check_effort(noise: Iterable[Part], groups: int) -> None:
    """Refuse what would take too long to choose from.

    Raises:
        Refused: so many choices, in so many groups.
    """
    drawn = groups * sum(map(_drawn, singly(noise)))
    if drawn > MOST_DRAWN:
        reason = f"The noise of this answer would take {drawn:,} draws, in {groups:,} groups."
        hint = f"Ask for fewer columns at once, or group by coarser keys: {MOST_DRAWN:,} are answered."
        raise Refused("too-many-groups", reason, hint)


def _drawn(part: Single) -> int:
    """In each group."""
    if isinstance(part, Noisy):
        return 1
    if isinstance(part, Chosen):
        beside = 0 if part.around is None else part.around.summed.cells
        return part.choice.candidates * part.choice.uses + beside * _EACH_COUNT
    return part.tree.cells * _EACH_COUNT
