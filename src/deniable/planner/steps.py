"""What can be asked for after the noise: the names of the steps, and the notes that they leave."""

from __future__ import annotations

import re
from collections.abc import Sequence

from deniable.core.errors import Refused

CONSISTENT = "consistent"
"""The one step that is about several answers at once: planner/consistent.py."""
STEPS = {
    "nonnegative": "what cannot be negative, and came out below zero, is shown as zero",
    "whole": "counts and sums are rounded to whole numbers, and their intervals outward",
    CONSISTENT: "counts and sums by several sets of keys are changed by least squares, so that totals are the sums of "
    "their parts; averages and the like follow, and intervals are those of the noise of all sets together",
    "nonzero": "groups are left out if the interval of their first noisy column includes zero; those that are left "
    "were picked by their noise, so their intervals hold less often, unless they are simultaneous",
}
"""What can be asked for, and the note that it leaves."""


def steps(given: object) -> tuple[str, ...]:
    """Their names, as people write them: one, several with commas or plus signs between them, or a list."""
    parts = [given] if isinstance(given, str) else list(given) if isinstance(given, Sequence) else [given]
    found = [name for part in parts for name in re.split(r"[\s,+]+", str(part).strip().lower()) if name]
    unknown = next((name for name in found if name not in STEPS), None)
    if unknown is not None:
        raise Refused(
            "bad-spend", f"Nothing called {unknown!r} is done after the noise.", f"There are: {', '.join(STEPS)}."
        )
    return tuple(name for name in STEPS if name in found)


def notes(wanted: Sequence[str]) -> list[str]:
    """What an answer says of each step that was done."""
    return [f"{name}, after the noise: {STEPS[name]}" for name in wanted]
