"""Rounded answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deniable.attacks.defences.defence import Guard, Responder, SecretTable
from deniable.attacks.defences.guards.blurred import Blurred
from deniable.core.errors import InvalidArgumentError


@dataclass(frozen=True, slots=True)
class Rounding(Guard):
    """Rounds each answer to the nearest multiple of `to` people.

    Repeats give the same answer; but one person pushes some sums over the edge, and others not.
    """

    name: ClassVar[str] = "rounding"
    says: ClassVar[str] = "answers rounded"

    to: float = 5.0

    def __post_init__(self) -> None:
        """There must be multiples to round to."""
        if not self.to > 0:
            raise InvalidArgumentError("to", f"must be positive, not {self.to}")

    def guard(self, table: SecretTable, chance: np.random.Generator) -> Responder:
        """The same for the same sum, always."""
        del chance
        to = self.to * table.width
        return Blurred(table, lambda exact, _: np.rint(exact / to) * to)
