"""A model fitted until it knows its people by heart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deniable.attacks.defences.defence import FloatArray
from deniable.attacks.defences.trainers.trainer import Trainer, gradients


@dataclass(frozen=True, slots=True)
class PlainTraining(Trainer):
    """Gradient descent for many steps, with a penalty on the weights or none.

    With more features than people the loss of each of them goes to 0, and that of nobody else.
    """

    name: ClassVar[str] = "exact"
    says: ClassVar[str] = "trained as usual"

    steps: int = 500
    penalty: float = 0.0

    def train(self, features: FloatArray, labels: FloatArray) -> FloatArray:
        """The rate is below one over the curvature, which is at most a quarter of the features' number."""
        weights = np.zeros(features.shape[1])
        rate = 4 / (features.shape[1] + 4 * self.penalty)
        for _ in range(self.steps):
            weights -= rate * (gradients(weights, features, labels).mean(axis=0) + self.penalty * weights)
        return weights
