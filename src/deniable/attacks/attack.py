"""What an attack is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from deniable.attacks.defences.defence import Defence
from deniable.attacks.outcome import Outcome
from deniable.core.errors import InvalidArgumentError
from deniable.core.number import Number

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
