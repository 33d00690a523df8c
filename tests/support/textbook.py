"""Formulas of the textbooks, worked out once more."""

from __future__ import annotations

from math import exp, log, sqrt


def laplace_radius(scale: float, beta: float) -> int:
    """The least m with Pr[|x| > m] = 2 q^(m+1) / (1 + q) <= beta, q = e^(-1/scale)."""
    ratio, radius = exp(-1 / scale), 0
    while 2 * ratio ** (radius + 1) / (1 + ratio) > beta:
        radius += 1
    return radius


def response_error(people: int, epsilon: float, beta: float) -> float:
    """Hoeffding: sqrt(ln(2/beta) / (2n)) / (2 gamma)."""
    gamma = exp(epsilon) / (1 + exp(epsilon)) - 0.5
    return sqrt(log(2 / beta) / (2 * people)) / (2 * gamma)
