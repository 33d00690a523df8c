"""No defence: exact answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deniable.attacks.defences.defence import Guard, Responder, SecretTable
from deniable.attacks.defences.guards.blurred import Blurred


@dataclass(frozen=True, slots=True)
class Exact(Guard):
    """Answers everything with the truth."""

    name: ClassVar[str] = "exact"
    says: ClassVar[str] = "exact answers"

    def guard(self, table: SecretTable, chance: np.random.Generator) -> Responder:
        """Nothing is changed."""
        del chance
        return Blurred(table, lambda exact, _: exact)
