"""Differencing: what all people add up to, minus what all but one add up to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deniable.attacks.attack import AttackOnSums
from deniable.attacks.defences.defence import FloatArray, Guard, QuestionKind, Questions, Responder
from deniable.attacks.on_questions.blood_sugar import HIGH, LOW, PRIOR, blood_sugar, exact_readings
from deniable.attacks.outcome import Outcome
from deniable.attacks.picture import Graph, Mark, dots, line


@dataclass(frozen=True, slots=True)
class Differencing(AttackOnSums):
    """Asks for the mean of everybody, and for the mean of everybody not named X: the difference is X.

    Target:      anything that answers sums or means over large sets of people.
    Finds:       everybody's value.
    Confidence:  certain against exact answers, however large the smallest allowed set is; against noise, the value's
                 nearest point on the public grid.
    Cost:        n + 1 questions for n people.
    Reference:   Denning, Denning, Schwartz 1979; Dwork, Roth 2014, section 1.1.

    Example:
        >>> five = [4.2, 5.9, 5.2, 6.9, 5.7]
        >>> round(difference_of_means(5.58, 5, 5.50, 4), 1)          # the second is Bob's
        5.9
        >>> Differencing(n=50).against_named("query-set-size", 1, np.random.default_rng(1)).value
        1.0
    """

    name: ClassVar[str] = "differencing"
    title: ClassVar[str] = "Two averages are one patient"
    lesson: ClassVar[str] = (
        "Large sets hide nobody: two of them can differ in one person. Exact answers to harmless questions combine "
        "into answers to forbidden ones."
    )
    victim: ClassVar[str] = "query-set-size"

    n: int = 100

    def against(self, defence: Guard, chance: np.random.Generator) -> Outcome:
        """Everybody's blood sugar, read off."""
        truth, readings = self.read(defence, self.n, chance)
        right = int(exact_readings(readings, truth).sum())
        return self.guessed(
            defence,
            measure="patients whose blood sugar was read exactly",
            right=right,
            trials=self.n,
            prior=PRIOR,
            sentence=f"{right} of {self.n} blood sugars are right to the last digit"
            + (f"; {int(np.isnan(readings).sum())} questions were refused." if np.isnan(readings).any() else "."),
            pictures=(_picture(defence, truth, readings),),
        )

    @classmethod
    def read(cls, defence: Guard, n: int, chance: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """The true values of made-up people, and the reading of each."""
        table = blood_sugar(n, chance)
        with defence.guard(table, chance) as responder:
            return table.secret[:, 0], cls.play(responder, n)

    @staticmethod
    def play(responder: Responder, people: int) -> FloatArray:
        """The reading of each person; NaN where a question was refused."""
        everyone = np.ones(people, dtype=bool)
        without = ~np.eye(people, dtype=bool)
        sums = responder.answers(Questions(QuestionKind.SUM, np.vstack([everyone, without])))
        return np.asarray(sums[0] - sums[1:])


def difference_of_means(mean: float, size: int, mean_without: float, size_without: int) -> float:
    """The value of the one who is in the first group and not in the second."""
    return size * mean - size_without * mean_without


def _picture(defence: Guard, truth: FloatArray, readings: FloatArray) -> Graph:
    """True against read: on the diagonal, the patient is read."""
    return Graph(
        f"Blood sugar read through: {defence.says}",
        "true value",
        "value read",
        (line("read exactly", [LOW, HIGH], [LOW, HIGH]), dots("patient", truth, np.clip(readings, LOW - 2, HIGH + 2))),
        (Mark(LOW, "lowest possible"), Mark(HIGH, "highest possible")),
    )
