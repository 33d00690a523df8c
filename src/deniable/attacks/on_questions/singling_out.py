"""Singling out: whoever is in the sample is exposed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deniable.attacks.attack import AttackOnSums
from deniable.attacks.defences.defence import FloatArray, Guard
from deniable.attacks.on_questions.blood_sugar import LOW, PRIOR, STEP, exact_readings
from deniable.attacks.on_questions.differencing import Differencing
from deniable.attacks.outcome import Outcome
from deniable.attacks.picture import Graph, Mark, dots


@dataclass(frozen=True, slots=True)
class SinglingOut(AttackOnSums):
    """Asks who is in the sample by differencing: a difference of 0 means out, any other is the value.

    Target:      statistics of a random sample, which most people are not in.
    Finds:       who was sampled, and their values.
    Confidence:  the share of its claims that are right: all of them, against a sample that is answered exactly.
    Cost:        n + 1 questions.
    Reference:   Dwork, Roth 2014, section 1.1; Dwork, Smith, Steinke, Ullman 2017.

    Example:
        >>> SinglingOut().against_named("subsample", 1, np.random.default_rng(1)).value
        1.0
    """

    name: ClassVar[str] = "singling-out"
    title: ClassVar[str] = "Just a sample, they said"
    lesson: ClassVar[str] = (
        "A sample protects those who are not in it. Those who are have no protection at all, and can be told apart. "
        "A promise to most people is not a promise to anybody."
    )
    victim: ClassVar[str] = "subsample"

    n: int = 100

    def against(self, defence: Guard, chance: np.random.Generator) -> Outcome:
        """A claim about everybody whose difference can be a blood sugar."""
        truth, readings = Differencing.read(defence, self.n, chance)
        claimed = np.abs(np.nan_to_num(readings)) >= LOW - STEP
        right, claims = int(exact_readings(readings, truth)[claimed].sum()), int(claimed.sum())
        return self.guessed(
            defence,
            measure="claims about single people that are right",
            right=right,
            trials=claims,
            prior=PRIOR,
            sentence=f"{claims} of {self.n} people are claimed to be in the sample; {right} values are right.",
            pictures=(_picture(defence, readings),),
        )


def _picture(defence: Guard, readings: FloatArray) -> Graph:
    """Each person's difference: nothing, or a value."""
    return Graph(
        f"What each person adds to the sum, through: {defence.says}",
        "person",
        "difference",
        (dots("person", np.arange(readings.size, dtype=np.float64), np.clip(readings, -12, 12)),),
        (Mark(0, "not in the sample"), Mark(LOW, "lowest possible value")),
    )
