"""Vectors over a prime field: their numbering, and sums over all vectors that are orthogonal to a given one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import exp

import numpy as np
from numpy.typing import NDArray

from deniable.core.sampling import IntArray

FloatArray = NDArray[np.float64]

LARGEST = 1 << 22
"""Spaces with more vectors than this are not used: the collector's transform would take seconds."""
_FAR = 2_000


@dataclass(frozen=True, slots=True)
class Space:
    """All vectors of `dimension` digits below a prime `base`, numbered by reading the digits as a number."""

    base: int
    dimension: int

    @property
    def size(self) -> int:
        """How many vectors."""
        return int(self.base**self.dimension)

    @property
    def powers(self) -> IntArray:
        """What each digit is worth, the first one most."""
        return self.base ** np.arange(self.dimension - 1, -1, -1, dtype=np.int64)

    def digits(self, codes: IntArray) -> IntArray:
        """One row of digits for each number."""
        return codes[:, None] // self.powers % self.base

    def codes(self, digits: IntArray) -> IntArray:
        """The numbers of rows of digits."""
        return digits @ self.powers

    def orthogonal_sums(self, weights: FloatArray, codes: IntArray) -> FloatArray:
        """For each vector v, named by its code: the sum of the weights of all vectors u with u . v = 0.

        The mean over c of w^(c t), w a primitive root of unity, is 1 if t = 0 and else 0. So the sum
        is the mean over c of the Fourier transform of the weights at c v. Errors of floats are below 1e-9 of the total.
        """
        transform = np.fft.fftn(weights.reshape((self.base,) * self.dimension)).ravel()
        digits = self.digits(codes)
        total = np.full(codes.size, transform[0].real)
        for factor in range(1, self.base):
            total += transform[self.codes(digits * factor % self.base)].real
        return total / self.base


@lru_cache(maxsize=64)
def best_space(epsilon: Fraction, values: int, room: Callable[[int, int], int], extra: int) -> Space:
    """The space in which a protocol that prefers one report in `base` has the least variance.

    room: (base, dimension) -> how many values have a place. Among primes near e^epsilon + 1, where the variance of
    local hashing is least, and for which the space (with `extra` dimensions) is not too large.
    """
    wanted = exp(min(float(epsilon), 20.0)) + 1
    spaces = [_least_space(prime, values, room) for prime in _primes(int(min(4 * wanted, _FAR)) + 3)]
    possible = [space for space in spaces if space.base ** (space.dimension + extra) <= LARGEST] or spaces[:1]
    return min(possible, key=lambda space: _variance(space.base, wanted - 1))


def _least_space(prime: int, values: int, room: Callable[[int, int], int]) -> Space:
    dimension = 2
    while room(prime, dimension) < values:
        dimension += 1
    return Space(prime, dimension)


def _variance(base: int, odds: float) -> float:
    """Of local hashing into `base` cells, times n: q (1 - q) / (p - q)^2, q = 1/base, p = odds/(odds + base - 1)."""
    lie, truth = 1 / base, odds / (odds + base - 1)
    return lie * (1 - lie) / (truth - lie) ** 2


def _primes(most: int) -> list[int]:
    """All primes up to `most`."""
    return [number for number in range(2, most + 1) if all(number % part for part in range(2, int(number**0.5) + 1))]
