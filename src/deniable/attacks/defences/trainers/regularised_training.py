"""A model held back from fitting too well."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from deniable.attacks.defences.trainers.plain_training import PlainTraining


@dataclass(frozen=True, slots=True)
class RegularisedTraining(PlainTraining):
    """A strong penalty on the weights: less overfitting, less leakage, and no promise (Yeom and others 2018)."""

    name: ClassVar[str] = "regularised"
    says: ClassVar[str] = "trained with a strong penalty"

    penalty: float = 100.0
