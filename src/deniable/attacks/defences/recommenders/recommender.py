"""Recommenders, which rank advertisements by what they know of the visitor: what they have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from deniable.attacks.defences.defence import Defence, IntArray
from deniable.core.number import Number, positive

ADS = ("cruise", "garden", "pension", "concert", "skates", "tuition")
RELEVANCE = {0: (10, 20, 10, 40, 50, 30), 1: (40, 30, 50, 20, 10, 10)}
"""How well each advertisement suits visitors of up to 49, and from 50 on."""


class Recommender(Defence):
    """Shows each visitor one advertisement first."""

    ads: ClassVar[Sequence[str]] = ADS

    @abstractmethod
    def first(self, groups: IntArray) -> IntArray:
        """The advertisement (by number) that each visitor sees first, given the visitors' age groups, 0 or 1."""


@dataclass(frozen=True, slots=True, init=False)
class RandomizedRecommender(Recommender):
    """One that keeps an epsilon for the visitor's group, at each visit."""

    epsilon: Fraction

    def __init__(self, epsilon: Number = 1) -> None:
        object.__setattr__(self, "epsilon", positive("epsilon", epsilon))

    @property
    def promise(self) -> Fraction | None:
        """For each visit."""
        return self.epsilon
