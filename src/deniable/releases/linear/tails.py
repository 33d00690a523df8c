"""How many standard deviations an estimate stays within, with a wanted probability."""

from __future__ import annotations

from functools import lru_cache
from math import exp, log, sqrt

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(200)


def normal(confidence: float) -> float:
    """For any sum of Gaussian noise."""
    return float(-ndtri((1 - confidence) / 2))


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
    return float(brentq(lambda t: log(_exceeds(t)) - log(doubt), 1e-3, 2 + 2 * log(2 / doubt)))


def _exceeds(t: float) -> float:
    """E[f(E)]."""
    bend = t * t / 3
    half = bend / 2
    places = half * (_POINTS + 1)
    inside = float((_WEIGHTS * 2 * ndtr(-t / np.sqrt(places)) * np.exp(-places)).sum()) * half
    slope = exp(-t * t / (2 * bend)) / sqrt(2 * np.pi) * t / bend**1.5
    return float(inside + exp(-bend) * (2 * float(ndtr(-t / sqrt(bend))) + slope))
