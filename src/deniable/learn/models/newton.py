"""Newton's method on noisy sums: one noisy matrix bounds the curvature, then clipped, noisy gradients.

The Hessian of a logistic loss is at most X'X / 4 (Boehning, Lindsay 1988; of several classes, at most X'X / 2), so
steps of 4 (X'X)^-1 never overshoot; where X'X is no larger than its noise, a ridge of the noise's size keeps steps
short. Nothing of it depends on the data but through noisy sums: shares, steps and their number are public.
"""

from __future__ import annotations

from collections.abc import Generator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from deniable.core.vectors.design import VectorDesign
from deniable.core.vectors.gram import DIAGONAL, OTHERS, Gram
from deniable.core.vectors.residuals import Residuals, rounded
from deniable.learn.learner import NoisySum, PaidSum

FloatArray = NDArray[np.float64]

FOR_CURVATURE = Fraction(1, 5)
"""Of the spend."""
STEPS = 16
_CLIP = Fraction(1, 2)
"""The longest gradient, as a part of the longest row: a model that is sure of the right class has less."""
_LATE = 0.7
"""By what steps of the second half are shorter, so that their noise is averaged."""


def descended(design: VectorDesign, rows: int) -> Generator[PaidSum, NoisySum, FloatArray]:
    """The coefficients of a logistic model: one row of them for two classes, or one for each class."""
    gram = Gram(design)
    inverse = _inverse(gram, (yield PaidSum(gram, FOR_CURVATURE)))
    curvature = 4.0 if rows == 1 else 2.0
    clip = int(_CLIP * design.radius)
    each = (1 - FOR_CURVATURE) / STEPS
    found = np.zeros((rows, design.size))
    before = found
    for step in range(STEPS):
        measured = yield PaidSum(Residuals(design, rounded(found), clip), each)
        gradient = measured.values.reshape(rows, design.size)
        before = found
        found = found - curvature * (gradient @ inverse) * (1.0 if step < STEPS // 2 else _LATE)
    return (before + found) / 2


def _inverse(gram: Gram, measured: NoisySum) -> FloatArray:
    """(X'X + ridge)^-1, from the noisy matrix: eigenvalues below 0 are none."""
    matrix = gram.matrix(measured.values)
    noise = float(measured.deviation[0]) * DIAGONAL / OTHERS
    values, directions = np.linalg.eigh(matrix)
    ridge = max(noise * np.sqrt(len(matrix)), 1e-9)
    return np.asarray((directions / (np.maximum(values, 0) + ridge)) @ directions.T)
