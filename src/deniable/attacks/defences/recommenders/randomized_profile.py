"""The best advertisement for a profile that may be a lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deniable.attacks.defences.defence import IntArray
from deniable.attacks.defences.recommenders.deterministic import Deterministic
from deniable.attacks.defences.recommenders.recommender import RandomizedRecommender
from deniable.mechanisms import RandomizedResponse


@dataclass(frozen=True, slots=True, init=False)
class RandomizedProfile(RandomizedRecommender):
    """Ranks by the answer of a randomized response to the question for the group.

    Guarantee:  epsilon-private for the visitor's group, at each visit (Warner 1965).
    """

    name: ClassVar[str] = "randomized-response"
    says: ClassVar[str] = "the best advertisement for a randomized profile"

    def first(self, groups: IntArray) -> IntArray:
        """What follows from a private answer is private."""
        return Deterministic().first(np.asarray(RandomizedResponse(epsilon=self.epsilon).release(groups)))
