"""Large query sets only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deniable.attacks.defences.defence import FloatArray, Guard, Questions, Responder, SecretTable, exact_answers


@dataclass(frozen=True, slots=True)
class QuerySetSize(Guard):
    """Refuses questions about fewer than `least` people, and answers all others with the truth.

    Falls to two large sets that differ in one person (Denning, Denning, Schwartz 1979).
    """

    name: ClassVar[str] = "query-set-size"
    says: ClassVar[str] = "large query sets only"

    least: int = 10

    def guard(self, table: SecretTable, chance: np.random.Generator) -> Responder:
        """The size is all that is looked at."""
        del chance
        return _LargeOnly(table, self.least)


@dataclass(frozen=True, slots=True)
class _LargeOnly(Responder):
    table: SecretTable
    least: int

    def answers(self, questions: Questions) -> FloatArray:
        """Exact, or refused."""
        return np.where(questions.sizes() >= self.least, exact_answers(self.table, questions), np.nan)
