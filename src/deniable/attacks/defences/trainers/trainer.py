"""Training a model that will be published: what all ways have in common."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from deniable.attacks.defences.defence import Defence, FloatArray


class Trainer(Defence):
    """Fits a logistic regression: features of -1 and 1, labels of -1 and 1, one weight per feature."""

    @property
    def delta(self) -> float:
        """The part outside epsilon."""
        return 0.0

    @abstractmethod
    def train(self, features: FloatArray, labels: FloatArray) -> FloatArray:
        """The weights, which will be published."""


def gradients(weights: FloatArray, features: FloatArray, labels: FloatArray) -> FloatArray:
    """The gradient of each person's loss, one per row."""
    slope = -1 / (1 + np.exp(np.clip(margins(weights, features, labels), -500, 500)))
    return features * (labels * slope)[:, None]


def margins(weights: FloatArray, features: FloatArray, labels: FloatArray) -> FloatArray:
    """How far each person is on the right side."""
    return labels * (features @ weights)


def losses(weights: FloatArray, features: FloatArray, labels: FloatArray) -> FloatArray:
    """The loss of each person: ln(1 + e^-margin)."""
    return np.logaddexp(0, -margins(weights, features, labels))
