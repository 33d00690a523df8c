"""Quantiles of the beta and of Student's law: what intervals for counts, and for coefficients, rest on.

SciPy has them too, but it would be a quarter of an installation. Both laws are smooth, so a few dozen points of Gauss
and Legendre's rule integrate them to twelve digits, whatever the parameters.
"""

from __future__ import annotations

from math import asin, exp, floor, lgamma, log, pi, sin, sqrt, tan

import numpy as np
from numpy.typing import NDArray

from deniable.core.distributions.normal import quantile

FloatArray = NDArray[np.float64]

_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(64)
_DEPTH = 40.0
"""Where a density is e^-40 of what it was, it adds nothing any more."""
_FREEST = 10**9
"""More degrees of freedom hardly change Student's law."""
_STEPS = 200
"""Of Newton's method; it takes about five."""
_CLOSE = 1e-11
_LAST = 1e-15
_SERIES = 15
"""From here on Stirling's series is right to the last digits."""


def beta_quantile(chance: float, first: FloatArray, second: FloatArray) -> FloatArray:
    """The place below which X ~ Beta(first, second) is with this chance, at most 1/2; parameters from 1. Rounded down.

    Rounding:  the chance is first lessened by one part in 10^9, more than it is computed wrongly by for parameters up
               to 10^9, and the place at last by one in 10^14.

    In u = log x the density is proportional to x^first (1 - x)^(second - 1), whose logarithm is concave; so is
    log Pr[X <= e^u], and Newton's method goes up to its root from the left, without passing it. A step from the right
    ends on the left.

    Example:
        >>> beta_quantile(0.025, np.array([1.0, 50.0]), np.array([100.0, 51.0])).round(6).tolist()
        [0.000253, 0.398321]
    """
    wanted = log(chance) + log(1 - 1e-9)
    u = np.log(_wilson(chance, first, first + second - 1))
    for _ in range(_STEPS):
        x = np.exp(u)
        share = _before(x, first, second)  # of the density here, what is before it
        step = (wanted - _log_density(x, first, second) - np.log(share)) * share
        u = np.minimum(u + step, -_LAST)
        if np.all(np.abs(step) <= _CLOSE * np.abs(u) + _LAST):
            break
    return np.asarray(np.exp(u) * (1 - 8 * _LAST))


def student_radius(doubt: float, freedom: float) -> float:
    """What the size of a Student variable exceeds with probability at most `doubt`; degrees of freedom rounded down.

    Rounding:  the doubt is first lessened by one part in 10^9, more than it is computed wrongly by.

    With T = sqrt(freedom) / tan(B), the angle B has a density proportional to sin(B)^(freedom - 1), up to pi/2.

    Example:
        >>> round(student_radius(0.05, 10), 6), round(student_radius(0.05, 1e7), 4)
        (2.228139, 1.96)
    """
    whole = max(1, floor(min(freedom, _FREEST)))
    wanted = log(doubt) + log(1 - 1e-9) + _log_angles(pi / 2, whole)
    low, high = 0.0, pi / 2
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if _log_angles(middle, whole) <= wanted else (low, middle)
    return sqrt(whole) / tan(low)


def _log_angles(most: float, freedom: int) -> float:
    """The logarithm of the weight of the angles up to this one: of those that are not too deep below it."""
    if freedom == 1:
        return log(most)
    first = asin(sin(most) * exp(-_DEPTH / (freedom - 1)))
    places, top = first + (most - first) / 2 * (_POINTS + 1), _log_sine(np.array(most))
    weight = (_WEIGHTS * np.exp((freedom - 1) * (_log_sine(places) - top))).sum() * (most - first) / 2
    return log(float(weight)) + (freedom - 1) * float(top)


def _log_sine(angle: FloatArray) -> FloatArray:
    """As exact near a right angle, where the sine is nearly 1."""
    return np.where(angle < 1, np.log(np.sin(angle)), np.log1p(-(np.cos(np.maximum(angle, 1)) ** 2)) / 2)


def _before(x: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
    """The integral of the density over u up to log x, beside its value there."""
    odds = x / (1 - x)

    def beside(v: FloatArray) -> FloatArray:
        return np.asarray(first * v + (second - 1) * np.log1p(-odds * np.expm1(v)))

    depth = _DEPTH / first
    while (short := beside(-depth) > -_DEPTH).any():
        depth = np.where(short, 2 * depth, depth)
    places = np.multiply.outer(_POINTS + 1, depth / 2)
    return np.asarray(np.tensordot(_WEIGHTS, np.exp(beside(-places)), axes=1) * depth / 2)


def _log_density(x: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """The logarithm of x^a (1 - x)^(b - 1) / B(a, b), without cancellation (Loader 2000)."""
    n = a + b
    stirling = _stirling(n) - _stirling(a) - _stirling(b)
    deviance = _deviance(a, n * x) + _deviance(b, n * (1 - x))
    return np.asarray(stirling - deviance + np.log(a * b / n / (2 * pi)) / 2 - np.log1p(-x))


def _deviance(x: FloatArray, mean: FloatArray) -> FloatArray:
    """By how much a count is unlike its mean: x log(x / mean) + mean - x."""
    excess = (x - mean) / mean
    return mean * ((1 + excess) * np.log1p(excess) - excess)


def _stirling(n: FloatArray) -> FloatArray:
    """By how much log Gamma(n + 1) exceeds (n + 1/2) log n - n + log(2 pi) / 2."""
    inverse = 1 / np.maximum(n, _SERIES)
    square = inverse**2
    series = inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188))))
    small = n < _SERIES
    series[small] = [lgamma(one + 1) - (one + 0.5) * log(one) + one - log(2 * pi) / 2 for one in n[small].tolist()]
    return np.asarray(series)


def _wilson(chance: float, hits: FloatArray, trials: FloatArray) -> FloatArray:
    """About the same by the normal law (Wilson 1927), strictly between 0 and 1: where to begin."""
    z = quantile(chance)
    spread = np.sqrt(hits * (trials - hits) / trials + z * z / 4)
    return np.clip((hits + z * z / 2 + z * spread) / (trials + z * z), chance / trials / 2, 1 - 1e-9)
