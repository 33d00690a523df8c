"""Noise on the data, once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deniable.attacks.defences.defence import Guard, Responder, SecretTable
from deniable.attacks.defences.guards.blurred import Blurred


@dataclass(frozen=True, slots=True)
class InputNoise(Guard):
    """Adds uniform noise to every cell, once; all questions are answered from the perturbed table.

    A repeated question brings no fresh noise. But several facts about one person do, and they average out
    (Kargupta, Datta, Wang, Sivakumar 2003).
    """

    name: ClassVar[str] = "input-noise"
    says: ClassVar[str] = "noise on each value, once"

    reach: float = 1.0
    """How far a value is moved at most, in widths of its range."""

    def guard(self, table: SecretTable, chance: np.random.Generator) -> Responder:
        """Perturbed here, and never again. A trait is kept as the number that it has become."""
        reach = self.reach * table.width
        secret = table.secret + chance.uniform(-reach, reach, table.secret.shape)
        return Blurred(SecretTable(secret, table.low - reach, table.high + reach, table.step), lambda exact, _: exact)
