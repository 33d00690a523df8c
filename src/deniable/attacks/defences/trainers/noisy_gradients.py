"""A model trained under a budget: this project's own."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from deniable.attacks.defences.defence import FloatArray
from deniable.attacks.defences.trainers.trainer import Trainer
from deniable.core.algebra.query import WEIGHT
from deniable.core.conversion import budget_for_rho
from deniable.core.number import Number, positive, probability
from deniable.core.vectors.batch import batch_of
from deniable.core.vectors.design import GRID, Classes, NumberFeature, VectorDesign
from deniable.learn.learner import NoisySum
from deniable.learn.models.logistic_regression import LogisticRegression
from deniable.mechanisms import Gaussian


@dataclass(frozen=True, slots=True, init=False)
class NoisyGradients(Trainer):
    """`deniable.learn.LogisticRegression`: its own steps, on its own sums over people, each with its own noise.

    Guarantee:  (epsilon, delta)-private for adding or removing a person: the model's theorem, with the rho that
                (epsilon, delta) allows (docs/proofs/gram.md). There is no account here, as these people are made up.
    """

    name: ClassVar[str] = "noisy-gradients"
    says: ClassVar[str] = "trained by this project's logistic regression, with noise on every sum"

    epsilon: Fraction
    part: Fraction

    def __init__(self, epsilon: Number = 1, delta: Number = "1e-9") -> None:
        object.__setattr__(self, "epsilon", positive("epsilon", epsilon))
        object.__setattr__(self, "part", probability("delta", delta))

    @property
    def promise(self) -> Fraction | None:
        """For the whole training."""
        return self.epsilon

    @property
    def delta(self) -> float:
        """The part outside epsilon."""
        return float(self.part)

    def train(self, features: FloatArray, labels: FloatArray) -> FloatArray:
        """The model's weights for features of -1 and 1."""
        encoding = LogisticRegression.encoding
        columns = tuple(
            NumberFeature(f"x{place}", Fraction(-1), Fraction(1), Fraction(1, 2)) for place in range(features.shape[1])
        )
        constant = int(encoding.constant * GRID)
        design = VectorDesign(columns, Classes("label", (-1, 1)), constant, encoding.square(columns) + constant**2)
        fields = [*(features.T * (GRID // 2)), (labels > 0).astype(np.float64)]
        people = [batch_of(design, fields, np.full(len(labels), float(WEIGHT)))]
        rho = budget_for_rho(self.epsilon, self.part)
        training = LogisticRegression().training(design)
        try:
            asked = next(training)
            while True:
                noise = Gaussian(sensitivity=asked.kernel.sensitivity, rho=rho * asked.share)
                worth = asked.kernel.worth
                noisy = np.asarray(noise.release(asked.kernel.total(people)))
                asked = training.send(NoisySum(noisy * worth, noise.sigma * worth))
        except StopIteration as end:
            return np.asarray(end.value["coef_"][0])
