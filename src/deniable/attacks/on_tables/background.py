"""Background knowledge: what is known about a person rules diseases out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from deniable.attacks.attack import AttackOnTables
from deniable.attacks.defences.defence import BoolArray
from deniable.attacks.defences.publishers.k_anonymous import KAnonymous
from deniable.attacks.defences.publishers.publisher import Publisher
from deniable.attacks.on_tables.guessing import Beliefs, beliefs_about
from deniable.attacks.outcome import Outcome
from deniable.attacks.picture import Picture
from deniable.attacks.population import DISEASES, SENSITIVE, population
from deniable.attacks.textbook import FOUR_ANONYMOUS, sheet
from deniable.core.errors import InvalidArgumentError


@dataclass(frozen=True, slots=True)
class Background(AttackOnTables):
    """Strikes out the diseases that a person is known not to have, and reads what is left of the class.

    Target:      a k-anonymous or l-diverse table: how diverse a class is depends on what the reader knows.
    Finds:       the sensitive value of people about whom something is known.
    Confidence:  certain where one value is left; else its share among what is left.
    Cost:        one grouping, one join.
    Reference:   Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam 2007 (heart disease is rare in Japan).

    Example:
        >>> Background(n=400).against_named("l-diverse", 1, np.random.default_rng(1)).value > 0.4
        True
    """

    name: ClassVar[str] = "background"
    title: ClassVar[str] = "What the neighbour knows"
    lesson: ClassVar[str] = (
        "Any definition that limits what the attacker knows will meet an attacker who knows more. Differential privacy "
        "bounds what is added, whatever was known before."
    )
    victim: ClassVar[str] = "l-diverse"

    n: int = 1000
    known: int = 6
    """How many of the diseases that a person does not have the attacker can rule out."""

    def __post_init__(self) -> None:
        """Something must be left to guess."""
        if not 0 <= self.known <= len(DISEASES) - 2:
            raise InvalidArgumentError("known", f"must be between 0 and {len(DISEASES) - 2}, not {self.known}")

    def against(self, defence: Publisher, chance: np.random.Generator) -> Outcome:
        """Each person's ruled-out diseases are chosen at random; what is left is equally likely beforehand."""
        people = population(self.n, chance)
        beliefs = beliefs_about(defence.publish(people), people)
        possible = self._possible(beliefs, people, chance)
        left = beliefs.weighed(np.where(possible, beliefs.weights, 0))
        # where the class has none of them, any that is possible
        right = beliefs.weighed(np.where(possible, beliefs.weights + 1e-9, 0)).right(people)
        return self.guessed(
            defence,
            measure=f"diseases guessed right, {self.known} ruled out beforehand",
            right=right,
            trials=self.n,
            prior=f"1/{len(DISEASES) - self.known}",
            sentence=f"{right} of {self.n} diseases are right; for {left.certain} people only one is left.",
            pictures=(*_textbook(defence), left.picture(defence.says)),
        )

    def _possible(self, beliefs: Beliefs, people: pa.Table, chance: np.random.Generator) -> BoolArray:
        """What the attacker knew before: for each person, which diseases they may have."""
        own = np.array(beliefs.values)[None, :] == people[SENSITIVE].to_numpy(zero_copy_only=False)[:, None]
        order = np.where(own, 2.0, chance.random(own.shape)).argsort(axis=1).argsort(axis=1)
        return np.asarray(order >= self.known)


def _textbook(defence: Publisher) -> tuple[Picture, ...]:
    """Umeko, 21, from 13068, is Japanese."""
    if not isinstance(defence, KAnonymous):
        return ()
    title = "Umeko, 21, from 13068, is in the first class, and heart disease is rare in Japan"
    return (sheet(FOUR_ANONYMOUS, title, frozenset({(2, 3), (3, 3)})),)
