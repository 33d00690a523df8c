"""Noise on the data, averaged out over several facts about one person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deniable.attacks.attack import AttackOnSums
from deniable.attacks.defences.defence import (
    FloatArray,
    Guard,
    IntArray,
    QuestionKind,
    Questions,
    Responder,
    SecretTable,
)
from deniable.attacks.on_questions.averaging import PAID, mean_of_known
from deniable.attacks.on_questions.blood_sugar import traits
from deniable.attacks.outcome import Outcome
from deniable.attacks.picture import Graph, Mark, line
from deniable.core.number import whole


@dataclass(frozen=True, slots=True)
class Months(AttackOnSums):
    """Reads the same fact of one person in many months, each with its own noise, and averages.

    Target:      input perturbation: every cell got its noise once, so repeating a question is useless.
    Finds:       a trait that shows in every month of a person.
    Confidence:  with noise of standard deviation s per cell, the average of m months errs by s / sqrt(m).
    Cost:        (n + 1) m questions for n people.
    Reference:   Kargupta, Datta, Wang, Sivakumar 2003.

    Example:
        >>> Months().against_named("input-noise", 1, np.random.default_rng(1)).value
        1.0
    """

    name: ClassVar[str] = "months"
    title: ClassVar[str] = "Noise on every cell, and many cells"
    lesson: ClassVar[str] = (
        "Noise once per cell survives repeated questions, and falls to repeated facts: a person's cells say the same "
        "thing again and again. What must be protected is the person, with everything they have in the table."
    )
    victim: ClassVar[str] = "input-noise"

    n: int = 30
    months: int = 30

    def against(self, defence: Guard, chance: np.random.Generator) -> Outcome:
        """One trait per person, the same in every month."""
        truth = traits(self.n, chance).secret
        table = SecretTable(np.repeat(truth, whole("months", self.months), axis=1), 0, 1, 1)
        with defence.guard(table, chance) as responder:
            readings = self.play(responder, self.n)
        right = int(((mean_of_known(readings) > 0.5) == truth[:, 0]).sum())  # noqa: PLR2004 - half way between no and yes
        return self.guessed(
            defence,
            measure="traits guessed right",
            right=right,
            trials=self.n,
            prior="1/2",
            sentence=f"{right} of {self.n} traits are right, each from {readings.shape[1]} months.",
            pictures=(self._picture(defence, readings, truth[:, 0]),),
        )

    def play(self, responder: Responder, people: int) -> FloatArray:
        """A row of readings per person, one for each month, by differencing within the month."""
        months = min(self.months, PAID) if responder.paid else self.months
        everyone = np.ones((months, people), dtype=bool)
        without = np.repeat(~np.eye(people, dtype=bool), months, axis=0)
        columns: IntArray = np.tile(np.arange(months), people + 1)
        sums = responder.answers(Questions(QuestionKind.COUNT, np.vstack([everyone, without]), columns=columns))
        totals, rest = sums[:months], sums[months:].reshape(people, months)
        return np.asarray(totals - rest)

    def _picture(self, defence: Guard, readings: FloatArray, truth: FloatArray) -> Graph:
        """How many traits are right after so many months."""
        known = np.nancumsum(readings, axis=1) / np.maximum(np.cumsum(~np.isnan(readings), axis=1), 1)
        right = ((known > 0.5) == truth[:, None]).mean(axis=0)  # noqa: PLR2004 - half way between no and yes
        return Graph(
            f"Traits right after so many months, through: {defence.says}",
            "months averaged",
            "share of people",
            (line("right", np.arange(1, right.size + 1), right),),
            (Mark(0.5, "guessing"), Mark(1, "everybody")),
        )
