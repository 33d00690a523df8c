"""Margins as chances."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def chances(margins: FloatArray) -> FloatArray:
    """Of each class, from the margin of the second of two, or of each of several.

    Example:
        >>> chances(np.array([0.0])).tolist(), chances(np.array([[1.0, 1.0, -800.0]])).tolist()
        ([[0.5, 0.5]], [[0.5, 0.5, 0.0]])
    """
    both = np.stack([np.zeros_like(margins), margins], axis=1) if margins.ndim == 1 else margins
    grown = np.exp(both - both.max(axis=1, keepdims=True))
    return np.asarray(grown / grown.sum(axis=1, keepdims=True))
