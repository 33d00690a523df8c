"""How well a model does on private rows: a paid answer, with the interval of its noise."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from deniable.core.distributions.normal import quantile
from deniable.core.errors import InvalidArgumentError
from deniable.core.vectors.design import VectorDesign
from deniable.core.vectors.hits import Hits, SquaredErrors
from deniable.core.vectors.kernel import Kernel
from deniable.core.vectors.residuals import rounded

if TYPE_CHECKING:
    from deniable.learn.learner import Learner, NoisySum, PaidSum


@dataclass(frozen=True, slots=True)
class PaidScore:
    """The part of rows whose class is right, or of a target's variance that is explained."""

    value: float
    low: float
    high: float
    """Between these it lies, as far as noise goes, so surely as was asked."""
    rows: float
    """How many rows there are, with noise; people with many rows count as their contribution."""
    loss: Mapping[str, Any]
    free: bool

    def __float__(self) -> float:
        """The score alone."""
        return self.value


def kernel_of(learner: Learner, design: VectorDesign) -> Kernel:
    """What is summed to score a model."""
    if learner.target == "number":
        return SquaredErrors(design, rounded(np.asarray(learner.weights_)))  # type: ignore[attr-defined]  # a regression
    if learner.target == "classes":
        return Hits(design, rounded(learner.margins_))  # type: ignore[attr-defined]  # a classifier
    raise InvalidArgumentError(type(learner).__name__, "has no score on private rows")


def scoring(kernel: Kernel, confidence: Fraction) -> Generator[PaidSum, NoisySum, dict[str, float]]:
    """The sum that scores a model, and what it says."""
    from deniable.learn.learner import PaidSum as Paid  # noqa: PLC0415 - models know of scores

    measured = yield Paid(kernel, Fraction(1))
    far = -quantile(float(1 - confidence) / 2 / kernel.size) * measured.deviation
    low, high = measured.values - far, measured.values + far
    value, rows = _score(kernel, measured.values), float(measured.values[-1])
    ends = [_score(kernel, _corner(kernel, low, high, best=best)) for best in (False, True)]
    return {"value": value, "low": min(ends[0], value), "high": max(ends[1], value), "rows": rows}


def _score(kernel: Kernel, values: np.ndarray[Any, Any]) -> float:
    rows = max(float(values[-1]), 1.0)
    if isinstance(kernel, Hits):
        return float(np.clip(values[0] / rows, 0, 1))
    spread = max(float(values[1] - values[2] ** 2 / rows), 1e-9 * rows)
    return float(1 - values[0] / spread)


def _corner(
    kernel: Kernel, low: np.ndarray[Any, Any], high: np.ndarray[Any, Any], *, best: bool
) -> np.ndarray[Any, Any]:
    """The sums within their noise that give the best score, or the worst."""
    if isinstance(kernel, Hits):
        return np.array([high[0], low[1]] if best else [low[0], high[1]])
    errors, squares = (low[0], high[1]) if best else (high[0], low[1])
    ends = (low[2], high[2])
    nearest = 0.0 if ends[0] <= 0 <= ends[1] else min(ends, key=abs)
    return np.array([max(errors, 0.0), squares, nearest if best else max(ends, key=abs), (low[3] + high[3]) / 2])
