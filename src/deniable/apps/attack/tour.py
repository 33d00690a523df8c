"""All attacks against all defences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from deniable.apps.attack.lecture import CHAPTERS, Chapter, Stop
from deniable.attacks import Outcome
from deniable.core.number import Number


@dataclass(frozen=True, slots=True)
class Visited:
    """A stop with what came out, by defence."""

    stop: Stop
    outcomes: Mapping[str, Outcome]


@dataclass(frozen=True, slots=True)
class Tour:
    """Everything that happened."""

    epsilon: Number
    chapters: tuple[tuple[Chapter, tuple[Visited, ...]], ...]


def defences_of(visited: Sequence[Visited]) -> list[str]:
    """Every defence of a chapter once, this project's curator last."""
    names = dict.fromkeys(name for each in visited for name in each.outcomes)
    return sorted(names, key=lambda name: name == "curator")


def length(epsilon: Number) -> int:
    """How many fights there will be."""
    return sum(len(stop.attack.defences(epsilon)) for chapter in CHAPTERS for stop in chapter.stops)


def travel(epsilon: Number, seed: int | None, progress: Callable[[str, str], None]) -> Tour:
    """Run every attack against every defence that it fits; `progress` hears of each beforehand.

    The same seed makes the same people and the same victims; the curator's noise is always fresh.
    """

    def visit(stop: Stop) -> Visited:
        outcomes = {}
        for name, defence in stop.attack.defences(epsilon).items():
            progress(stop.label, name)
            outcomes[name] = stop.attack.against(defence, np.random.default_rng(seed))
        return Visited(stop, outcomes)

    return Tour(epsilon, tuple((chapter, tuple(visit(stop) for stop in chapter.stops)) for chapter in CHAPTERS))
