"""Bounded noise on each answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deniable.attacks.defences.defence import Guard, Responder, SecretTable
from deniable.attacks.defences.guards.blurred import Blurred
from deniable.core.errors import InvalidArgumentError


@dataclass(frozen=True, slots=True)
class UniformNoise(Guard):
    """Adds to each answer a number between -error and error, afresh; `error` is in people.

    With error far below sqrt(n), about n questions rebuild the table (Dinur, Nissim 2003).
    """

    name: ClassVar[str] = "uniform-noise"
    says: ClassVar[str] = "bounded noise on each answer"

    error: float = 3.0

    def __post_init__(self) -> None:
        """An error is a distance."""
        if not self.error >= 0:
            raise InvalidArgumentError("error", f"must not be negative, not {self.error}")

    def guard(self, table: SecretTable, chance: np.random.Generator) -> Responder:
        """A draw for each answer."""
        reach = self.error * table.width
        return Blurred(table, lambda exact, _: exact + chance.uniform(-reach, reach, exact.size))
