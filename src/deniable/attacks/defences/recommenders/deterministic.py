"""The best advertisement for the profile, always."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deniable.attacks.defences.defence import IntArray
from deniable.attacks.defences.recommenders.recommender import RELEVANCE, Recommender


@dataclass(frozen=True, slots=True)
class Deterministic(Recommender):
    """Shows the most relevant advertisement. Who clicks on it says which group they are in (Korolova 2010)."""

    name: ClassVar[str] = "deterministic"
    says: ClassVar[str] = "always the best advertisement for the profile"

    def first(self, groups: IntArray) -> IntArray:
        """One for each group."""
        return np.array([np.argmax(RELEVANCE[group]) for group in (0, 1)])[groups]
