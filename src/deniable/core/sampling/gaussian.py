"""Discrete Gaussian noise: whole numbers with a bell-shaped law."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

import numpy as np

from deniable.core.bits import BitSource
from deniable.core.sampling.batches import IntArray, in_pieces, until_full
from deniable.core.sampling.bernoulli import exponential_coins
from deniable.core.sampling.laplace import discrete_laplace


def discrete_gaussian(variance: Fraction, size: int, bits: BitSource) -> IntArray:
    """Draws x with probability proportional to exp(-x^2 / (2 * variance)), exactly.

    Rejection from discrete Laplace noise of scale t = floor(sigma) + 1: a proposal y is accepted with probability
    exp(-(|y| - variance / t)^2 / (2 * variance)) (Canonne, Kamath, Steinke 2020, algorithm 3). Whether a proposal is
    accepted says nothing about how long it took, so neither does the time of the whole draw.
    """
    scale = isqrt(variance.numerator // variance.denominator) + 1
    centre = variance / scale
    near_centre, doubled = float(centre), float(2 * variance)

    def accepted(count: int) -> IntArray:
        proposals = discrete_laplace(Fraction(scale), count, bits)
        sizes = np.abs(proposals)
        floats = sizes.astype(np.float64)
        exponents = (floats - near_centre) ** 2 / doubled
        # each operation is within 2^-53; the difference is off by at most (|y| + centre) * 2^-52
        errors = (floats + near_centre) ** 2 * (2.0**-48 / doubled)
        kept = exponential_coins(
            exponents, errors, lambda index: (int(sizes[index]) - centre) ** 2 / (2 * variance), bits
        )
        return proposals[kept]

    return in_pieces(size, lambda count: until_full(count, accepted))
