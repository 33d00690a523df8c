"""Noise that is added to a number or a vector: what Laplace and Gaussian have in common."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from math import floor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.core.bits import BitSource, OperatingSystem
from deniable.core.errors import InvalidArgumentError
from deniable.core.grid import RANGE, Grid
from deniable.core.number import Number, probability, whole
from deniable.core.sampling import LARGEST_SCALE, IntArray
from deniable.mechanisms.mechanism import Mechanism, one_or_many


class Interval(NamedTuple):
    """From low to high, both included."""

    low: float
    high: float


class Additive(Mechanism):
    """A value is put on the grid, whole-numbered noise is added, and the sum goes back to the value's unit.

    The sum is clamped to the grid's public range, plus or minus 2^61 steps, which is post-processing.
    """

    __slots__ = ()

    sensitivity: Fraction
    """How far neighbours' values can lie apart, in the mechanism's norm."""
    step: Fraction
    """The grid: values are rounded to multiples of it, and noise is a multiple of it."""
    coordinates: int
    """How many real numbers are released together; each may cross a rounding edge, which the noise must hide."""

    @property
    @abstractmethod
    def distance(self) -> Fraction:
        """The sensitivity in steps of the grid, rounding included."""

    @abstractmethod
    def _noise(self, size: int, bits: BitSource) -> IntArray:
        """Independent draws, in steps."""

    @abstractmethod
    def _radius(self, beta: Fraction) -> int:
        """The least number of steps that one draw exceeds with probability at most beta."""

    def release(self, values: ArrayLike | Fraction) -> Any:  # noqa: ANN401 - a number in, a number out; arrays likewise
        """The value, or each value of a vector, with its own draw. Whole numbers if the step is whole, else floats."""
        return one_or_many(values, self._release(self._indices(values), OperatingSystem()))

    def error(self, confidence: Number = 0.95, *, answers: int = 1) -> Any:  # noqa: ANN401 - an int on a whole grid
        """How far all of `answers` noisy values stay from the values on the grid, with this probability.

        Noise of each is independent; the union bound gives every one a share of the doubt. (A real number lies within
        half a step of its place on the grid.)
        """
        return self._grid.values(np.array([self._steps(confidence, answers)]))[0].item()

    def interval(self, noisy: float, confidence: Number = 0.95, *, answers: int = 1) -> Interval:
        """Where the value on the grid is, so surely, given the noisy one (a real number lies half a step farther)."""
        error = self.error(confidence, answers=answers)
        return Interval(noisy - error, noisy + error)

    def neighbours(self) -> tuple[float, float]:
        """Zero, and the farthest value on the grid."""
        return 0, self._grid.values(np.array([floor(self.distance)]))[0].item()

    def sample(self, data: float, count: int) -> NDArray[Any]:
        """`count` noisy versions of one number."""
        return self._release(np.repeat(self._indices(data), count), OperatingSystem())

    @property
    def _grid(self) -> Grid:
        return Grid(self.step)

    def _steps(self, confidence: Number, answers: int) -> int:
        """The error in steps of the grid."""
        return self._radius((1 - probability("confidence", confidence)) / whole("answers", answers))

    def _release(self, indices: IntArray, bits: BitSource) -> NDArray[Any]:
        """Noisy values of these indices, with randomness passed in."""
        return self._grid.values(np.clip(indices + self._noise(indices.size, bits), -RANGE, RANGE))

    def _indices(self, values: ArrayLike | Fraction) -> IntArray:
        """The grid's indices; real vectors must not be longer than the rounding that was paid for."""
        indices = self._grid.indices("values", values)
        if indices.size > self.coordinates and self._grid.rounds(np.asarray(values)):
            raise InvalidArgumentError(
                "coordinates",
                f"must be at least {indices.size} to release {indices.size} real numbers at once: "
                "each of them is rounded, and neighbours may round apart in all of them",
            )
        return indices

    def _check_scale(self, scale: Fraction) -> None:
        """The noise must fit 64 bits."""
        if scale > LARGEST_SCALE:
            raise InvalidArgumentError("step", f"must be coarser: the noise would be {float(scale):.3g} steps wide")
