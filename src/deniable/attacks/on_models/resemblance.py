"""Membership inference against made-up rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deniable.attacks.defences.defence import BoolArray, FloatArray, IntArray
from deniable.attacks.defences.families import synthesizers
from deniable.attacks.defences.synthesizers.synthesizer import Synthesizer
from deniable.attacks.on_models.candidates import AttackOnMembership
from deniable.attacks.on_models.model import threshold_between
from deniable.attacks.outcome import Outcome, advantage_allowed
from deniable.attacks.picture import Mark, two_histograms
from deniable.core.number import Number, whole


def nearest(people: IntArray, rows: IntArray) -> FloatArray:
    """In how many answers each person differs from the made-up row that is most like them.

    Example:
        >>> nearest(np.array([[0, 1, 2], [2, 2, 2]]), np.array([[0, 1, 1], [0, 0, 2]])).tolist()
        [1.0, 2.0]
    """
    away = np.full(len(people), people.shape[1], dtype=np.int64)
    for row in rows:
        np.minimum(away, (people != row).sum(axis=1), out=away)
    return away.astype(np.float64)


@dataclass(frozen=True, slots=True)
class Resemblance(AttackOnMembership[Synthesizer]):
    """Tells from the made-up row that is most like a person whether the person was in the data.

    Target:      a table of made-up rows.
    Finds:       for each candidate, in or out; half of the candidates are in.
    Confidence:  the advantage is what distances to the nearest row differ by between members and strangers. The
                 threshold comes from a table of the attacker's own, made up in the same way from other people.
    Cost:        one comparison of each candidate with each row.
    Reference:   Stadler, Oprisanu, Troncoso 2022; Chen, Yu, Zhang, Fritz 2020 (distance to the nearest row).

    Example:
        >>> Resemblance().against_named("copied-rows", 1, np.random.default_rng(1)).value > 0.9
        True
    """

    name: ClassVar[str] = "resemblance"
    title: ClassVar[str] = "The made-up row that is you"
    lesson: ClassVar[str] = (
        "Made-up rows are safe if they were made of something safe. To call rows synthetic promises nothing: a "
        "generator that has learned its people by heart publishes them."
    )
    victim: ClassVar[str] = "copied-rows"

    candidates: int = 200
    questions: int = 16
    answers: int = 4

    def __post_init__(self) -> None:
        """Somebody in, somebody out, and something known of them."""
        AttackOnMembership.__post_init__(self)
        whole("questions", self.questions)
        whole("answers", self.answers)

    @staticmethod
    def defences(epsilon: Number) -> Mapping[str, Synthesizer]:
        """All that make up rows."""
        return synthesizers(epsilon)

    def against(self, defence: Synthesizer, chance: np.random.Generator) -> Outcome:
        """Every candidate is in by a fair coin; the attacker's own table decides the threshold."""
        away, inside = self._world(defence, chance)
        own, known = self._world(defence, chance)
        threshold = threshold_between(own[known], own[~known])
        return self.told_apart(
            defence,
            measure="advantage in telling whom rows were made up from",
            guesses=away < threshold,
            inside=inside,
            bound=advantage_allowed(defence.promise, str(defence.delta)),
            source="the made-up row that is most like them",
            picture=two_histograms(
                f"Answers that differ from the nearest row, of: {defence.says}",
                "answers that differ",
                {"in the data": away[inside], "not in the data": away[~inside]},
                (0, self.questions),
                Mark(threshold, "guess: in", upright=True),
            ),
        )

    def _world(self, defence: Synthesizer, chance: np.random.Generator) -> tuple[FloatArray, BoolArray]:
        """New people, rows made up from some of them, how far everybody is from these, and who was in."""
        people = chance.integers(0, self.answers, (self.candidates, self.questions))
        inside = self.drawn(chance)
        return nearest(people, defence.make_up(people[inside], self.answers, chance)), inside
