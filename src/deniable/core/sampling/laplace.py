"""Discrete Laplace noise: whole numbers on both sides of zero, falling by exp(-1/scale) at each step."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, exp, log

from deniable.core.bits import BitSource
from deniable.core.sampling.batches import IntArray
from deniable.core.sampling.geometric import geometric


def discrete_laplace(scale: Fraction, size: int, bits: BitSource) -> IntArray:
    """Draws x with probability proportional to exp(-|x| / scale), exactly: the difference of two geometric draws."""
    noise = geometric(scale, size, bits)
    noise -= geometric(scale, size, bits)
    return noise


def discrete_laplace_radius(scale: Fraction, beta: Fraction) -> int:
    """The least m that |x| exceeds with probability at most beta: Pr[|x| > m] = 2 q^(m+1) / (1 + q), q = exp(-1/scale).

    Never above the textbook's ceil(scale * ln(1/beta)), since 2 q / (1 + q) <= 1.
    """
    return max(0, ceil(float(scale) * log(2 / (1 + exp(-float(1 / scale))) / float(beta)) - 1))
