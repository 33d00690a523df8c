"""One part of the spend: Gaussian noise for several vectors at once, of which some may be measured more sharply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from math import isqrt

import numpy as np

from deniable.core.algebra.query import WEIGHT
from deniable.core.errors import InvalidArgumentError
from deniable.core.grid import RANGE, IntArray
from deniable.core.sensitivity import Neighbours
from deniable.mechanisms import Gaussian

FINE = 1 << 12
"""Weights are whole numbers, and their squares add up to at most the square of this."""
_LARGEST = RANGE // FINE
"""Beyond this a number is cut, which moves no two apart: 2^29 rows."""


class Vectors(Enum):
    """What a vector holds, which decides how far neighbours' vectors can lie apart in l2, in units of `reach`."""

    COUNTS = "counts"
    """Rows by cell. A unit adds u >= 0 with |u|_1 <= reach, so |u|_2 <= reach; replaced, |u - v|_2^2 <= 2 reach^2."""
    DISTANCES = "distances"
    """One number: the l1 distance of counts from fixed ones. It moves by at most |u|_1 <= reach; replaced, by 2 reach.
    """

    def squared(self, neighbours: Neighbours) -> int:
        """The largest squared distance of neighbours' vectors, for a reach of one."""
        if neighbours is Neighbours.ADD_REMOVE:
            return 1
        return 2 if self is Vectors.COUNTS else 4


@dataclass(frozen=True, slots=True)
class Portion:
    """Adds Gaussian noise to vectors x_1, ..., x_m, each with a whole weight a_1, ..., a_m: to a_j x_j, all alike.

    Input:      vectors of whole numbers, in rows / 2^20, each of which one unit moves by at most s in l2: reach for
                counts and distances (replace: sqrt(2) and 2 times as much).
    Guarantee:  if a_1^2 + ... + a_m^2 <= 2^24, which `measure` sees to, one unit moves the weighed vectors together by
                at most 2^12 s in l2: so the loss is `rho`, whichever vectors and weights were chosen, as long as they
                were chosen from public facts and earlier noisy numbers.
    Rounding:   2^12 s is rounded up to a whole number; the noise is an exact discrete Gaussian.
    Error:      vector j has a standard deviation of `deviation(a_j)` rows in each of its numbers.
    Proof:      docs/proofs/synthetic.md

    Example:
        >>> portion = Portion(Fraction(1, 8), WEIGHT, Vectors.COUNTS, Neighbours.ADD_REMOVE)
        >>> portion.deviation(FINE), portion.deviation(FINE // 4)
        (2.0, 8.0)
    """

    rho: Fraction
    reach: int
    """The most that one unit weighs, in rows / 2^20."""
    kind: Vectors
    neighbours: Neighbours

    @property
    def mechanism(self) -> Gaussian:
        """For all vectors together."""
        square = FINE**2 * self.reach**2 * self.kind.squared(self.neighbours)
        return Gaussian(sensitivity=isqrt(square - 1) + 1, rho=self.rho)

    def deviation(self, weight: int) -> float:
        """Of the noise, in rows."""
        return self.mechanism.sigma / weight / WEIGHT

    def measure(self, vectors: Sequence[IntArray], weights: Sequence[int]) -> IntArray:
        """The weighed vectors with their noise, one behind the other."""
        if min(weights) < 1 or sum(weight**2 for weight in weights) > FINE**2:
            raise InvalidArgumentError("weights", "must be positive, and their squares within what was paid for")
        if self.kind is Vectors.DISTANCES and any(vector.size != 1 for vector in vectors):
            raise InvalidArgumentError("vectors", "of distances have one number each")
        parts = [
            weight * np.clip(vector.reshape(-1), -_LARGEST, _LARGEST)
            for vector, weight in zip(vectors, weights, strict=True)
        ]
        return np.asarray(self.mechanism.release(np.concatenate(parts)), dtype=np.int64)


def weights_for(importance: Sequence[float]) -> list[int]:
    """Whole weights in these proportions, as large as fit; none is zero.

    Example:
        >>> weights_for([1.0, 1.0, 1.0, 1.0]), weights_for([3, 4])
        ([2048, 2048, 2048, 2048], [2457, 3276])
    """
    wanted = np.asarray(importance, dtype=np.float64)
    if wanted.size > FINE:
        raise InvalidArgumentError("importance", f"is of too many vectors: {wanted.size}")
    found = np.maximum(np.floor(wanted / np.sqrt((wanted**2).sum()) * FINE), 1).astype(np.int64)
    while int((found**2).sum()) > FINE**2:
        found[found.argmax()] -= 1
    return [int(weight) for weight in found]


def read(noisy: IntArray, shapes: Sequence[tuple[int, ...]], weights: Sequence[int]) -> list[np.ndarray]:
    """The noisy vectors again, in rows, each in its shape."""
    sizes = np.cumsum([int(np.prod(shape)) for shape in shapes])
    parts = np.split(noisy[: sizes[-1]], sizes[:-1])
    return [
        part.reshape(shape) / (weight * float(WEIGHT))
        for part, shape, weight in zip(parts, shapes, weights, strict=True)
    ]
