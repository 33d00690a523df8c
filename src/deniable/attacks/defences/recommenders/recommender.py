"""Search engines that rank advertisements by what they know of the visitor: what they have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from deniable.attacks.defences.defence import Defence, IntArray

ADS = ("cruise", "garden", "pension", "concert", "skates", "tuition")
RELEVANCE = {0: (10, 20, 10, 40, 50, 30), 1: (40, 30, 50, 20, 10, 10)}
"""How well each advertisement suits visitors of up to 49, and from 50 on."""


class Recommender(Defence):
    """Shows each visitor one advertisement first."""

    ads: ClassVar[Sequence[str]] = ADS

    @abstractmethod
    def first(self, groups: IntArray) -> IntArray:
        """The advertisement (by number) that each visitor sees first, given the visitors' age groups, 0 or 1."""
