"""Made-up rows that are real ones, a little changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deniable.attacks.defences.defence import IntArray
from deniable.attacks.defences.synthesizers.synthesizer import Synthesizer


@dataclass(frozen=True, slots=True)
class CopiedRows(Synthesizer):
    """Draws people again and changes one answer in ten, as a generator does that has learned its people by heart.

    Every statistic of the table is nearly right, and so is every person (Stadler, Oprisanu, Troncoso 2022).
    """

    name: ClassVar[str] = "copied-rows"
    says: ClassVar[str] = "made up from single people: one answer in ten is changed"

    changed: float = 0.1

    def make_up(self, people: IntArray, answers: int, chance: np.random.Generator) -> IntArray:
        """Everybody once, in another order."""
        rows = chance.permutation(people)
        return np.where(chance.random(rows.shape) < self.changed, chance.integers(0, answers, rows.shape), rows)
