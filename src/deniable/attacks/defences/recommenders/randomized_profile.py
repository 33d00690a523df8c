"""The best advertisement for a profile that may be a lie."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from deniable.attacks.defences.defence import IntArray
from deniable.attacks.defences.recommenders.deterministic import Deterministic
from deniable.attacks.defences.recommenders.recommender import Recommender
from deniable.core.number import Number, positive
from deniable.mechanisms import RandomizedResponse


@dataclass(frozen=True, slots=True, init=False)
class RandomizedProfile(Recommender):
    """Ranks by the answer of a randomized response to the question for the group.

    Guarantee:  epsilon-private for the visitor's group, at each visit (Warner 1965).
    """

    name: ClassVar[str] = "randomized-response"
    says: ClassVar[str] = "the best advertisement for a randomized profile"

    epsilon: Fraction

    def __init__(self, epsilon: Number = 1) -> None:
        object.__setattr__(self, "epsilon", positive("epsilon", epsilon))

    @property
    def promise(self) -> Fraction | None:
        """For each visit."""
        return self.epsilon

    def first(self, groups: IntArray) -> IntArray:
        """What follows from a private answer is private."""
        return Deterministic().first(np.asarray(RandomizedResponse(epsilon=self.epsilon).release(groups)))
