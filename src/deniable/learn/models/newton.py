"""Newton's method on noisy sums: one noisy matrix bounds the curvature, then clipped, noisy gradients.

The Hessian of a logistic loss is at most X'X / 4 (Boehning, Lindsay 1988; of several classes, at most X'X / 2), so
steps of 4 (X'X)^-1 never overshoot, and steps of up to twice that still descend; where X'X is no larger than its
noise, a ridge of the noise's size keeps steps short. How many steps there are has to be said before the first is paid,
so where noise is small, which is known once X'X is, they are longer.

Rows are turned by M = (X'X + ridge)^-1/2 before their gradients are clipped and get their noise. In the direction in
which rows differ little, a step divides by little: noise that is the same in all directions would be largest there.
Turned rows are about as long in every direction, and so is the noise in the margins that follow from them.

Nothing of it depends on the data but through noisy sums: shares, steps and their number are public.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from deniable.core.vectors.batch import Matrix
from deniable.core.vectors.design import GRID, VectorDesign
from deniable.core.vectors.gram import DIAGONAL, OTHERS, Gram
from deniable.core.vectors.residuals import TURN, Residuals, rounded, turned
from deniable.learn.learner import NoisySum, PaidSum

FloatArray = NDArray[np.float64]

FOR_CURVATURE = Fraction(1, 5)
"""Of the spend."""
STEPS = 16
_CLIP = Fraction(1, 2)
"""The longest gradient, as a part of the longest row: a model that is sure of the right class has less."""
_LATE = 0.7
"""By what steps of the second half are shorter, so that their noise is averaged."""
_QUIET = 0.25
"""How far noise may move a margin in a step, times the step's length: with less, steps are longer, up to
`STRETCHED`."""
STRETCHED = 2.0
"""The longest step that still descends, where the shortest is one that never overshoots."""
_RIDGE = 0.5
"""As a part of the noise's norm, which is about the noise of a product times the root of the coordinates."""


@dataclass(frozen=True, slots=True)
class Curvature:
    """X'X as its noise lets it be known: what rows are turned by, and what turns a gradient of them into a step."""

    turn: Matrix
    step: FloatArray
    """M^-1 (X'X + ridge)^-1, with M as it was rounded."""
    spread: float
    """How far a noise of one in each number of a gradient moves the margin of a row that is as long as rows may be."""

    @classmethod
    def of(cls, gram: Gram, measured: NoisySum) -> Curvature:
        """From the noisy matrix, whose eigenvalues below 0 are none."""
        matrix = gram.matrix(measured.values)
        noise = float(measured.deviation[0]) * DIAGONAL / OTHERS
        values, directions = np.linalg.eigh(matrix)
        lifted = np.maximum(values, 0) + max(_RIDGE * noise * np.sqrt(len(matrix)), 1e-9)
        known = _with_sum(values, max(float(np.trace(matrix)), noise, 1e-9))
        scale = np.sqrt(known.sum() / (known / lifted).sum())
        turn = turned((directions / np.sqrt(lifted) * scale) @ directions.T)
        step = np.linalg.pinv(np.array(turn) / TURN) @ (directions / lifted) @ directions.T
        along = ((step @ directions) ** 2).sum(axis=0)
        spread = float(np.sqrt(along @ known / known.sum() * gram.design.square)) / GRID
        return cls(turn, step, spread)

    def length(self, noise: float, longest: float) -> float:
        """Of a step, when each number of its gradient has so much noise."""
        return min(max(_QUIET / max(noise * self.spread, 1e-9), 1.0), longest)


def descended(design: VectorDesign, rows: int, longest: float = 1.0) -> Generator[PaidSum, NoisySum, FloatArray]:
    """The coefficients of a logistic model: one row of them for two classes, or one for each class.

    Where there is little noise, steps are up to `longest` times as long as is surely safe.
    """
    gram = Gram(design)
    curvature = Curvature.of(gram, (yield PaidSum(gram, FOR_CURVATURE)))
    bound = 4.0 if rows == 1 else 2.0
    clip = int(_CLIP * design.radius)
    each = (1 - FOR_CURVATURE) / STEPS
    found = np.zeros((rows, design.size))
    before = found
    for step in range(STEPS):
        measured = yield PaidSum(Residuals(design, rounded(found), clip, curvature.turn), each)
        gradient = measured.values.reshape(rows, design.size)
        length = curvature.length(bound * float(measured.deviation[0]), longest)
        before = found
        found = found - bound * length * (gradient @ curvature.step) * (1.0 if step < STEPS // 2 else _LATE)
    return (before + found) / 2


def _with_sum(values: FloatArray, total: float) -> FloatArray:
    """The nearest numbers that are not below 0 and add up to `total`.

    A noisy matrix has its trace about right, and its eigenvalues too far apart; so rows that are turned by it stay
    about as long as they were.
    """
    falling = np.sort(values)[::-1]
    excess = (np.cumsum(falling) - total) / np.arange(1, len(values) + 1)
    return np.asarray(np.maximum(values - excess[np.flatnonzero(falling > excess)[-1]], 0))
