"""A good advertisement, chosen by the exponential mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deniable.attacks.defences.defence import IntArray
from deniable.attacks.defences.recommenders.recommender import RELEVANCE, RandomizedRecommender
from deniable.mechanisms import Exponential


@dataclass(frozen=True, slots=True, init=False)
class ExponentialChoice(RandomizedRecommender):
    """Shows each advertisement with probability proportional to exp(epsilon relevance / (2 sensitivity)).

    Guarantee:  epsilon-private for the visitor's group, at each visit (McSherry, Talwar 2007); the sensitivity is how
                far the group moves any advertisement's relevance.
    """

    name: ClassVar[str] = "exponential"
    says: ClassVar[str] = "a good advertisement, by the exponential mechanism"

    def first(self, groups: IntArray) -> IntArray:
        """All visitors of a group at once."""
        sensitivity = max(abs(one - other) for one, other in zip(RELEVANCE[0], RELEVANCE[1], strict=True))
        mechanism = Exponential(sensitivity=sensitivity, epsilon=self.epsilon)
        shown = np.zeros(groups.size, dtype=np.int64)
        for group, relevance in RELEVANCE.items():
            members = np.flatnonzero(groups == group)
            if members.size:
                shown[members] = mechanism.sample(relevance, members.size)
        return shown
