"""Margins: weighted sums by which classes are told apart, and the chances that they stand for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.learn.learner import Classifier

FloatArray = NDArray[np.float64]


class MarginClassifier(Classifier):
    """A classifier whose margins are sums of a row's coordinates, each times a weight."""

    weights_: FloatArray
    """In the vectors' own unit: a row for the second of two classes, or for each of several."""

    @property
    def margins_(self) -> FloatArray:
        """The weights."""
        return self.weights_

    def decision_function(self, X: Any) -> FloatArray:  # noqa: ANN401, N803 - scikit-learn's names
        """The margin of the second of two classes, or of each of several."""
        margins = self.vectors(X) @ self.weights_.T
        return np.asarray(margins[:, 0] if margins.shape[1] == 1 else margins)

    def predict_proba(self, X: Any) -> FloatArray:  # noqa: ANN401, N803 - same
        """The chance of each class."""
        return chances(self.decision_function(X))


def chances(margins: FloatArray) -> FloatArray:
    """The chance of each class, from the margin of the second of two, or of each of several.

    Example:
        >>> chances(np.array([0.0])).tolist(), chances(np.array([[1.0, 1.0, -800.0]])).tolist()
        ([[0.5, 0.5]], [[0.5, 0.5, 0.0]])
    """
    both = np.stack([np.zeros_like(margins), margins], axis=1) if margins.ndim == 1 else margins
    grown = np.exp(both - both.max(axis=1, keepdims=True))
    return np.asarray(grown / grown.sum(axis=1, keepdims=True))
