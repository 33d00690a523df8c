"""What an attack is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from deniable.attacks.defences.defence import Defence, Guard
from deniable.attacks.defences.families import guards, publishers
from deniable.attacks.defences.publishers.publisher import Publisher
from deniable.attacks.outcome import Outcome, guesses_allowed
from deniable.attacks.picture import Picture
from deniable.core.errors import InvalidArgumentError
from deniable.core.number import Number, exact

Target = TypeVar("Target", bound=Defence)


class Attack(ABC, Generic[Target]):
    """A program that wins or fails against a defence, and says by how much.

    It sees what an analyst or a reader of the release sees. The truth is used by the scorer alone, after the guesses
    are made.
    """

    name: ClassVar[str]
    """On the command line."""
    title: ClassVar[str]
    lesson: ClassVar[str]
    """What to remember of it, in a sentence or two."""
    victim: ClassVar[str]
    """The classic defence that falls to it."""
    saviour: ClassVar[str] = "curator"
    """The defence that stops it."""

    @staticmethod
    @abstractmethod
    def defences(epsilon: Number) -> Mapping[str, Any]:
        """Every defence that it can be run against, by name; those that promise something promise `epsilon`."""

    @abstractmethod
    def against(self, defence: Target, chance: np.random.Generator) -> Outcome:
        """Made-up people behind this defence, attacked."""

    def against_named(self, name: str, epsilon: Number, chance: np.random.Generator) -> Outcome:
        """The same, with the defence looked up."""
        known = self.defences(epsilon)
        if name not in known:
            raise InvalidArgumentError("defence", f"must be one of {', '.join(known)}, not {name!r}")
        return self.against(known[name], chance)

    def guessed(
        self,
        defence: Target,
        *,
        measure: str,
        right: int,
        trials: int,
        prior: Number,
        sentence: str,
        pictures: tuple[Picture, ...],
        tables: int = 1,
    ) -> Outcome:
        """So many guesses were right, each of which is right with chance `prior` if nothing was seen.

        What a defence promises for each of several tables adds up.
        """
        promise = None if defence.promise is None else tables * defence.promise
        return Outcome(
            attack=self.name,
            defence=defence.name,
            measure=measure,
            right=right,
            trials=trials,
            chance=float(exact("prior", prior)),
            epsilon=promise,
            bound=guesses_allowed(promise, prior),
            sentence=sentence,
            pictures=pictures,
        )


class AttackOnSums(Attack[Guard]):
    """An attack on whatever answers counts and sums."""

    @staticmethod
    def defences(epsilon: Number) -> Mapping[str, Guard]:
        """All that answer sums."""
        return guards(epsilon)


class AttackOnTables(Attack[Publisher]):
    """An attack on a table that was published."""

    @staticmethod
    def defences(epsilon: Number) -> Mapping[str, Publisher]:
        """All that publish a table."""
        return publishers(epsilon)
