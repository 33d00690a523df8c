"""Laplace noise without an account."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deniable.attacks.defences.defence import Guard, Responder, SecretTable
from deniable.attacks.defences.guards.blurred import Blurred


@dataclass(frozen=True, slots=True)
class NaiveLaplace(Guard):
    """Adds fresh Laplace noise to each answer, for ever.

    In the textbook each answer alone is private. Together they are not: nobody counts them, and repeats average out.
    Here not even one is, strictly: the noise is a double from a simulation's generator (Mironov 2012). It promises
    nothing, and is here to be broken.
    """

    name: ClassVar[str] = "laplace"
    says: ClassVar[str] = "fresh Laplace noise, no budget"

    scale: float = 1.0
    """In people."""

    def guard(self, table: SecretTable, chance: np.random.Generator) -> Responder:
        """A draw for each answer."""
        scale = self.scale * table.width
        return Blurred(table, lambda exact, _: exact + chance.laplace(0, scale, exact.size))
