"""Made-up rows from the curator of this project."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pyarrow as pa

from deniable.attacks.defences.defence import IntArray
from deniable.attacks.defences.synthesizers.synthesizer import Synthesizer
from deniable.core.number import Number, positive, probability
from deniable.curator import protect

_ALMOST = 1 - Fraction(1, 10**8)
"""Of what is left: whole-numbered noise loses a little more than continuous noise."""


@dataclass(frozen=True, slots=True, init=False)
class CuratorTables(Synthesizer):
    """Asks the curator for a synthetic table: noisy counts of columns and pairs, and rows that are made of these alone.

    Guarantee:  (epsilon, delta)-private for adding or removing a person.
    """

    name: ClassVar[str] = "curator"
    says: ClassVar[str] = "this project's curator, a synthetic table"

    epsilon: Fraction
    part: Fraction

    def __init__(self, epsilon: Number = 1, delta: Number = "1e-9") -> None:
        object.__setattr__(self, "epsilon", positive("epsilon", epsilon))
        object.__setattr__(self, "part", probability("delta", delta))

    @property
    def promise(self) -> Fraction | None:
        """The whole budget, spent on one table."""
        return self.epsilon

    @property
    def delta(self) -> float:
        """The part outside epsilon."""
        return float(self.part)

    def make_up(self, people: IntArray, answers: int, chance: np.random.Generator) -> IntArray:
        """About as many rows as there are people; which answers there are is public."""
        del chance
        names = [f"answer {number}" for number in range(people.shape[1])]
        private = pa.table({name: pa.array(column) for name, column in zip(names, people.T, strict=True)})
        with protect(
            private, epsilon=self.epsilon, delta=self.part, values={name: range(answers) for name in names}
        ) as curator:
            remaining = curator.budget().remaining.mu_squared or Fraction(0)
            made = curator.synthesize(rho=remaining / 2 * _ALMOST).table
        return np.column_stack([made[name].fill_null(0).to_numpy() for name in names]).astype(np.int64)
