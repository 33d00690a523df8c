"""The median, or any quantile, with noise that follows the data as closely as privacy allows."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, log
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.core.bits import BitSource, OperatingSystem
from deniable.core.errors import InvalidArgumentError
from deniable.core.grid import Grid
from deniable.core.loss import Loss
from deniable.core.number import Number, above, amount, exact, positive, positive_amount, probability
from deniable.core.sampling import LARGEST_SCALE, IntArray, discrete_laplace, discrete_student
from deniable.mechanisms.mechanism import Mechanism

_UNIT = 1 << 28
"""Weights are whole multiples of 2^-28."""
_WIDEST = 1 << 33
"""Steps between the bounds: a weight times a distance fits 64 bits."""
_FARTHEST = 1 << 13
"""How many changes are looked at one by one; beyond, the distance is taken to be the whole range."""


@dataclass(frozen=True, slots=True, init=False)
class SmoothMedian(Mechanism):
    """The order statistic of rank ceil(quantile * n), with noise scaled by its smooth sensitivity.

    Input:      a list of numbers, clamped to the public bounds. Neighbours: one number replaced, or one more or less.
    Guarantee:  without delta, pure differential privacy with `epsilon` (Student's t noise); with delta,
                (epsilon, delta)-differential privacy (Laplace noise, lighter tails).
    Rounding:   values go to the grid; the smooth sensitivity is computed in integers, rounded up so that it stays
                smooth. Draws are exact. The noisy value is clamped to the bounds, which is post-processing.
    Error:      with S the smooth sensitivity: pure, within 7.4 S/epsilon with probability 0.95; with delta, within
                2 S/epsilon * ln(1/beta) with probability 1 - beta; both rounded up to whole steps. S is private: no
                interval is released.
    Cost:       one sort, and up to 2^13 passes over as many order statistics around the quantile.
    Caution:    local sensitivity itself would not do: see docs/local_sensitivity.md
    Reference:  Nissim, Raskhodnikova, Smith 2007; Bun, Steinke 2019 (Student's t noise).
    Proof:      docs/proofs/smooth_median.md

    Example:
        >>> ages = [40] * 500 + list(range(100))
        >>> mechanism = SmoothMedian(lower=0, upper=100, epsilon=2.0)
        >>> round(mechanism.smooth_sensitivity(ages), 6)
        1e-06
        >>> mechanism.release(ages)
        40
    """

    lower: Fraction
    upper: Fraction
    epsilon: Fraction
    delta: Fraction | None
    quantile: Fraction
    step: Fraction

    def __init__(
        self,
        *,
        lower: Number,
        upper: Number,
        epsilon: Number,
        delta: Number | None = None,
        quantile: Number = Fraction(1, 2),
        step: Number = 1,
    ) -> None:
        self._set(
            lower=amount("lower", lower),
            upper=amount("upper", upper),
            epsilon=positive("epsilon", epsilon),
            delta=None if delta is None else probability("delta", delta),
            quantile=exact("quantile", quantile),
            step=positive_amount("step", step),
        )
        if self.lower >= self.upper:
            raise InvalidArgumentError("upper", f"must be above lower, but {upper} <= {lower}")
        if not 0 <= self.quantile <= 1:
            raise InvalidArgumentError("quantile", f"must lie between 0 and 1, not {quantile}")
        if not 0 < self._high - self._low <= _WIDEST:
            raise InvalidArgumentError("step", "must be coarser: there may be at most 2^33 steps between the bounds")
        if 4 * (self._high - self._low) / self.epsilon > LARGEST_SCALE:
            raise InvalidArgumentError("step", "must be coarser: the noise would not fit 64 bits")

    @property
    def loss(self) -> Loss:
        """Half pays for moving the centre by at most S, half for a scale that neighbours see a factor e^beta apart."""
        return Loss.pure(self.epsilon) if self.delta is None else Loss.approximate(self.epsilon, self.delta)

    def release(self, values: ArrayLike) -> int | float:
        """The noisy order statistic."""
        number: int | float = self._release(self._sorted(values), 1, OperatingSystem())[0].item()
        return number

    def smooth_sensitivity(self, values: ArrayLike) -> float:
        """The beta-smooth sensitivity of these values. It is as private as they are: never release it."""
        return float(self._smooth(self._sorted(values)) * self.step)

    @classmethod
    def typical(cls, epsilon: Number) -> Self:
        """A median of percentages."""
        return cls(lower=0, upper=100, epsilon=epsilon)

    def neighbours(self) -> tuple[list[float], list[float]]:
        """One answer replaced turns the median from one end of the range to the other."""
        low, high = self._grid.values(np.array([self._low, self._high])).tolist()
        return [low] * 6 + [high] * 5, [low] * 5 + [high] * 6

    def sample(self, data: ArrayLike, count: int) -> NDArray[Any]:
        """`count` noisy order statistics of the same values."""
        return self._release(self._sorted(data), count, OperatingSystem())

    @property
    def _grid(self) -> Grid:
        return Grid(self.step)

    @property
    def _low(self) -> int:
        return int(self._grid.indices("lower", self.lower)[0])

    @property
    def _high(self) -> int:
        return int(self._grid.indices("upper", self.upper)[0])

    @property
    def _growth(self) -> Fraction:
        """At most e^beta - 1: how much faster than its neighbour's the smooth sensitivity may grow.

        Pure: beta = epsilon / 8, and e^beta - 1 >= beta. With delta: (epsilon/2) / (ln(2/delta) + epsilon/2).
        """
        if self.delta is None:
            return self.epsilon / 8
        half = self.epsilon / 2
        return half / (above(log(2 / self.delta)) + half)

    def _sorted(self, values: ArrayLike) -> IntArray:
        """Indices between the bounds, ascending."""
        if np.size(values) == 0:
            return np.empty(0, dtype=np.int64)
        numbers = np.asarray(values)
        if np.issubdtype(numbers.dtype, np.number):  # far outside, even infinity, is at the bound
            numbers = np.clip(numbers, floor(self.lower - self.step), ceil(self.upper + self.step))
        return np.sort(np.clip(self._grid.indices("values", numbers), self._low, self._high))

    def _release(self, values: IntArray, count: int, bits: BitSource) -> NDArray[Any]:
        """With randomness passed in. The scale is S / (epsilon/4) for Student's t, S / (epsilon/2) for Laplace."""
        rank = ceil(self.quantile * values.size)
        centre = int(values[rank - 1]) if rank else self._low
        smooth = self._smooth(values)
        if self.delta is None:
            noise = discrete_student(4 * smooth / self.epsilon, count, bits)
        else:
            noise = discrete_laplace(2 * smooth / self.epsilon, count, bits)
        return self._grid.values(np.clip(centre + noise, self._low, self._high))

    def _smooth(self, values: IntArray) -> Fraction:
        """The max over k of weight(k) * A(k), in steps, where A(k) is how far the statistic can jump after k changes.

        A(k) = max over i in [m-k-1, m] of x(i+k+1) - x(i), values beyond the list's ends being the bounds. Then
        A(k) of one table is at most A(k+1) of its neighbour, for both neighbouring relations; and as
        weight(k) <= e^beta weight(k+1), the maximum is at most e^beta times the neighbour's.
        """
        width = self._high - self._low
        weights = _weights(self._growth)
        farthest = len(weights) - 2
        rank = ceil(self.quantile * values.size)  # 1-based
        around = np.arange(
            rank - farthest - 2, rank + farthest + 1
        )  # of x(rank-farthest-1) to x(rank+farthest+1), 0-based
        padded = np.where(around < 0, self._low, self._high)
        inside = (around >= 0) & (around < values.size)
        padded[inside] = values[around[inside]]
        centre = farthest + 1
        jumps = [
            int((padded[centre : centre + k + 2] - padded[centre - k - 1 : centre + 1]).max())
            for k in range(farthest + 1)
        ]
        most = max(weight * jump for weight, jump in zip(weights, [*jumps, width], strict=True))
        return Fraction(most, _UNIT)


def _weights(growth: Fraction) -> list[int]:
    """1, then each at least 1 / (1 + growth) of the last, in units of 2^-28, until rounding up stops the fall."""
    weights = [_UNIT]
    while len(weights) <= _FARTHEST:
        weights.append(ceil(weights[-1] / (1 + growth)))
        if weights[-1] == weights[-2]:
            break
    return weights
