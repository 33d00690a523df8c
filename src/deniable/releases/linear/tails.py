"""How many standard deviations an estimate stays within, with a wanted probability."""

from __future__ import annotations

from functools import lru_cache
from math import erfc, exp, log, sqrt

import numpy as np

from deniable.core.distributions.normal import quantile

_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(200)


def normal(confidence: float) -> float:
    """How many deviations hold any sum of Gaussian noise."""
    return -quantile((1 - confidence) / 2)


@lru_cache(maxsize=64)
def laplace(confidence: float) -> float:
    """For any weighted sum of independent Laplace noise, whatever the weights.

    Laplace noise is Gaussian noise whose variance was drawn from an exponential law. So a weighted sum of variance 1 is
    Gaussian with a random variance V = sum of w_j E_j, where the w_j add up to 1, and exceeds t with probability
    E[h(V)], h(V) = 2 Phi(-t / sqrt V). Up to V = t^2 / 3, h is convex; past it, h lies below its tangent there. Let f
    be h up to that point and the tangent from there on: f is convex and at least h, so by Jensen's inequality
    E[h(V)] <= E[f(V)] <= sum of w_j E[f(E_j)] = E[f(E)], E exponential. Proof: docs/proofs/linear.md

    Example:
        >>> round(laplace(0.95), 3), round(normal(0.95), 3)
        (2.161, 1.96)
    """
    doubt = 1 - confidence
    low, high = 1e-3, 2 + 2 * log(2 / doubt)
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if _exceeds(middle) > doubt else (low, middle)
    return high


def _exceeds(t: float) -> float:
    """E[f(E)]."""
    bend = t * t / 3
    half = bend / 2
    places = half * (_POINTS + 1)
    beyond = np.array([erfc(t / sqrt(2 * place)) for place in places.tolist()])
    inside = float((_WEIGHTS * beyond * np.exp(-places)).sum()) * half
    slope = exp(-t * t / (2 * bend)) / sqrt(2 * np.pi) * t / bend**1.5
    return float(inside + exp(-bend) * (erfc(t / sqrt(2 * bend)) + slope))
