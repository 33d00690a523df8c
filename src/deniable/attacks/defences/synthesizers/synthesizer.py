"""Making up rows that will be published: what all ways have in common."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from deniable.attacks.defences.defence import Defence, IntArray


class Synthesizer(Defence):
    """Makes up rows that look like those of people: a row for each person, answers from 0 to `answers` - 1."""

    @property
    def delta(self) -> float:
        """The part outside epsilon."""
        return 0.0

    @abstractmethod
    def make_up(self, people: IntArray, answers: int, chance: np.random.Generator) -> IntArray:
        """The rows, which will be published."""
