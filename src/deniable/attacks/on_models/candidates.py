"""Who of some candidates was in the data: what attacks on membership have in common."""

from __future__ import annotations

from typing import Generic

import numpy as np

from deniable.attacks.attack import Attack, Target
from deniable.attacks.defences.defence import BoolArray
from deniable.attacks.outcome import Outcome, Scale
from deniable.attacks.picture import Picture
from deniable.core.errors import InvalidArgumentError

_FEWEST = 4
"""On average two of each."""


class AttackOnMembership(Attack[Target], Generic[Target]):
    """Every candidate is in by a fair coin, and each is guessed to be in or out."""

    candidates: int

    def __post_init__(self) -> None:
        """Somebody in, somebody out."""
        if self.candidates < _FEWEST:
            raise InvalidArgumentError("candidates", f"must be at least {_FEWEST}, not {self.candidates}")

    def drawn(self, chance: np.random.Generator) -> BoolArray:
        """Who is in: two at least, and one at least is not."""
        inside = np.zeros(self.candidates, dtype=bool)
        while not 1 < inside.sum() < self.candidates:
            inside = chance.integers(0, 2, self.candidates) == 1
        return inside

    def told_apart(
        self,
        defence: Target,
        *,
        measure: str,
        guesses: BoolArray,
        inside: BoolArray,
        bound: float | None,
        source: str,
        picture: Picture,
    ) -> Outcome:
        """What came out of guesses."""
        right = int((guesses == inside).sum())
        return Outcome(
            attack=self.name,
            defence=defence.name,
            measure=measure,
            right=right,
            trials=self.candidates,
            chance=0.0,
            epsilon=defence.promise,
            bound=bound,
            sentence=f"{right} of {self.candidates} candidates are rightly told to be in or out, from {source}.",
            pictures=(picture,),
            scale=Scale.ADVANTAGE,
        )
