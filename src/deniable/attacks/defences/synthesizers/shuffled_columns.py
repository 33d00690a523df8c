"""Made-up rows whose columns have nothing to do with each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deniable.attacks.defences.defence import IntArray
from deniable.attacks.defences.synthesizers.synthesizer import Synthesizer


@dataclass(frozen=True, slots=True)
class ShuffledColumns(Synthesizer):
    """Puts each column in another order, so that no row belongs to anybody.

    Counts of single columns are exact, so nothing is promised: with many columns they give people away (the attack
    `membership` reads them), and nothing is left of what columns have to do with each other.
    """

    name: ClassVar[str] = "shuffled-columns"
    says: ClassVar[str] = "every column put in another order"

    def make_up(self, people: IntArray, answers: int, chance: np.random.Generator) -> IntArray:
        """As many rows as there are people."""
        del answers
        return chance.permuted(people, axis=0)
