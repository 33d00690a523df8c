"""Singling out: whoever is in the sample is exposed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deniable.attacks.attack import Attack
from deniable.attacks.defences.defence import FloatArray, Guard
from deniable.attacks.defences.families import guards
from deniable.attacks.on_questions.blood_sugar import LOW, STEP, VALUES, blood_sugar, on_grid
from deniable.attacks.on_questions.differencing import Differencing
from deniable.attacks.outcome import Outcome, guesses_allowed
from deniable.attacks.picture import Graph, Mark, dots
from deniable.core.number import Number


@dataclass(frozen=True, slots=True)
class SinglingOut(Attack[Guard]):
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

    @staticmethod
    def defences(epsilon: Number) -> Mapping[str, Guard]:
        """All that answer sums."""
        return guards(epsilon)

    def against(self, defence: Guard, chance: np.random.Generator) -> Outcome:
        """A claim about everybody whose difference can be a blood sugar."""
        table = blood_sugar(self.n, chance)
        with defence.guard(table, chance) as responder:
            readings = Differencing.play(responder, self.n)
        truth = table.secret[:, 0]
        claimed = np.abs(np.nan_to_num(readings)) >= LOW - STEP
        right = int((np.abs(on_grid(readings) - truth) < 1e-6)[claimed].sum())  # noqa: PLR2004 - the grid is 0.1
        claims = int(claimed.sum())
        return Outcome(
            attack=self.name,
            defence=defence.name,
            measure="claims about single people that are right",
            value=right / claims if claims else 0.0,
            chance=1 / VALUES,
            trials=claims,
            epsilon=defence.promise,
            bound=guesses_allowed(defence.promise, f"1/{VALUES}"),
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
