"""A model trained under a budget."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from deniable.attacks.defences.defence import FloatArray
from deniable.attacks.defences.trainers.trainer import Trainer, gradients
from deniable.core.conversion import budget_for_rho
from deniable.core.number import Number, positive, probability
from deniable.mechanisms import Gaussian

_GRID = 1 << 20


@dataclass(frozen=True, slots=True, init=False)
class NoisyGradients(Trainer):
    """Gradient descent in which every sum of gradients gets Gaussian noise.

    Guarantee:  (epsilon, delta)-private for adding or removing a person: each person's gradient is shrunk to norm 1 and
                cut to a grid towards 0, so the sums are whole numbers that one person moves by at most 2^20 in l2; the
                steps' rhos add up to what (epsilon, delta) allows (Abadi and others 2016; Bun, Steinke 2016).
    """

    name: ClassVar[str] = "noisy-gradients"
    says: ClassVar[str] = "trained with this project's Gaussian noise on every gradient"

    epsilon: Fraction
    part: Fraction
    steps: int

    def __init__(self, epsilon: Number = 1, delta: Number = "1e-9", steps: int = 20) -> None:
        object.__setattr__(self, "epsilon", positive("epsilon", epsilon))
        object.__setattr__(self, "part", probability("delta", delta))
        object.__setattr__(self, "steps", steps)

    @property
    def promise(self) -> Fraction | None:
        """For the whole training."""
        return self.epsilon

    @property
    def delta(self) -> float:
        """The part outside epsilon."""
        return float(self.part)

    @property
    def mechanism(self) -> Gaussian:
        """Of one step."""
        return Gaussian(sensitivity=_GRID, rho=budget_for_rho(self.epsilon, self.part) / self.steps)

    def train(self, features: FloatArray, labels: FloatArray) -> FloatArray:
        """Divided by a public guess at the number of people: their true number is private."""
        weights = np.zeros(features.shape[1])
        rate, people = 4 / np.sqrt(features.shape[1]), 100
        for _ in range(self.steps):
            each = gradients(weights, features, labels)
            each /= np.maximum(1, np.linalg.norm(each, axis=1, keepdims=True))
            whole = np.trunc(each * (_GRID - 1)).astype(np.int64).sum(axis=0)  # one less: floats may exceed a norm of 1
            weights -= rate * np.asarray(self.mechanism.release(whole)) / _GRID / people
        return weights
