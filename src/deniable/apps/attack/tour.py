"""All attacks against all defences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from deniable.apps.attack.lecture import CHAPTERS, Chapter, Stop
from deniable.attacks import Outcome
from deniable.attacks.outcome import pooled
from deniable.core.number import Number, whole

TRIALS = 200
"""Guesses behind each number, at least."""
_ROUNDS = 20
"""For attacks that hardly ever make a guess."""


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


def travel(epsilon: Number, seed: int | None, progress: Callable[[str, str], None], trials: int = TRIALS) -> Tour:
    """Run every attack against every defence that it fits; `progress` hears of each beforehand.

    An attack is repeated, on new people, until it has made `trials` guesses. The same seed makes the same people and
    the same victims; the curator's noise is always fresh.
    """

    def visit(stop: Stop) -> Visited:
        outcomes = {}
        for name, defence in stop.attack.defences(epsilon).items():
            progress(stop.label, name)
            rounds: list[Outcome] = []
            while len(rounds) < _ROUNDS and sum(each.trials for each in rounds) < trials:
                rounds.append(stop.attack.against(defence, _chance(seed, len(rounds))))
            outcomes[name] = pooled(rounds)
        return Visited(stop, outcomes)

    whole("trials", trials)
    return Tour(epsilon, tuple((chapter, tuple(visit(stop) for stop in chapter.stops)) for chapter in CHAPTERS))


def _chance(seed: int | None, number: int) -> np.random.Generator:
    """The first round has the seed itself, so that it is the one that a single attack with this seed would be."""
    return np.random.default_rng(seed if seed is None or number == 0 else (seed, number))


def kept(tour: Tour) -> tuple[list[Outcome], list[Outcome]]:
    """All outcomes that have a bound; and those of them that are above it by more than chance explains."""
    bound = [
        outcome
        for _, visited in tour.chapters
        for each in visited
        for outcome in each.outcomes.values()
        if outcome.kept is not None
    ]
    return bound, [outcome for outcome in bound if not outcome.kept]


def verdict(tour: Tour) -> str:
    """Whether the promises were kept, in a sentence."""
    bound, broken = kept(tour)
    names = ", ".join(f"{outcome.attack} against {outcome.defence}" for outcome in broken)
    found = (
        f"{len(broken)} of them {'is' if len(broken) == 1 else 'are'} above it by more than chance explains: {names}"
        if broken
        else "none of them is above it by more than chance explains"
    )
    return f"{len(bound)} of these numbers have a bound, from the epsilon that their defence promises; {found}."
