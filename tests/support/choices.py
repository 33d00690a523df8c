"""Exact laws of choices among a few candidates, by enumeration in mpmath. Nothing here uses the project's own code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import permutations

import mpmath
import numpy as np
from numpy.typing import NDArray

from tests.support.laws import Event, unlikely

DIGITS = 40


def exponential(scores: Sequence[int], rate: Fraction) -> list[mpmath.mpf]:
    """Proportional to exp(rate * score)."""
    with mpmath.workdps(DIGITS):
        weights = [mpmath.exp(_real(rate) * (score - max(scores))) for score in scores]
        return [weight / mpmath.fsum(weights) for weight in weights]


def permute_and_flip(scores: Sequence[int], rate: Fraction) -> list[mpmath.mpf]:
    """Over all orders: the first whose coin, exp(-rate * gap), shows heads."""
    with mpmath.workdps(DIGITS):
        heads = [mpmath.exp(_real(rate) * (score - max(scores))) for score in scores]
        chances = [mpmath.mpf(0)] * len(scores)
        orders = list(permutations(range(len(scores))))
        for order in orders:
            reached = mpmath.mpf(1) / len(orders)
            for place in order:
                chances[place] += reached * heads[place]
                reached *= 1 - heads[place]
        return chances


def noisy_max(scores: Sequence[int], rate: Fraction) -> list[mpmath.mpf]:
    """The largest score + noise, Pr[noise = g] = (1 - q) q^g; ties are broken evenly.

    Over the winner's noisy score: each other one lies below (probability b) or ties (t), so the winner of the tie is
    this one with probability the integral over u in [0, 1] of the product of b + t u.
    """
    with mpmath.workdps(DIGITS):
        q = mpmath.exp(-_real(rate))

        def below(gap: int) -> mpmath.mpf:
            return 1 - q**gap if gap > 0 else mpmath.mpf(0)

        most = max(scores) + int(mpmath.ceil(60 / _real(rate)))  # beyond, less than exp(-60) per candidate
        chances = []
        for place, score in enumerate(scores):
            others = [other for index, other in enumerate(scores) if index != place]
            total = mpmath.mpf(0)
            for noisy in range(max(scores), most):
                polynomial = [mpmath.mpf(1)]
                for other in others:
                    lower = below(noisy - other)
                    polynomial = _times(polynomial, [lower, below(noisy - other + 1) - lower])
                share = mpmath.fsum(part / (power + 1) for power, part in enumerate(polynomial))
                total += (1 - q) * q ** (noisy - score) * share
            chances.append(total)
        return chances


def top_k(scores: Sequence[int], rate: Fraction, k: int) -> dict[tuple[int, ...], mpmath.mpf]:
    """The exponential mechanism again and again, without those taken."""
    chances = {}
    for ranking in permutations(range(len(scores)), k):
        chance = mpmath.mpf(1)
        left = list(range(len(scores)))
        for place in ranking:
            law = exponential([scores[index] for index in left], rate)
            chance *= law[left.index(place)]
            left.remove(place)
        chances[ranking] = chance
    return chances


def expected(scores: Sequence[int], chances: Iterable[mpmath.mpf]) -> mpmath.mpf:
    """The mean score of a choice."""
    with mpmath.workdps(DIGITS):
        return mpmath.fsum(score * chance for score, chance in zip(scores, chances, strict=True))


def misfits(chosen: NDArray[np.int64], chances: Sequence[mpmath.mpf]) -> list[str]:
    """Candidates chosen too rarely or too often; independent choices pass with probability at least 1 - 1e-6."""
    counts = np.bincount(chosen, minlength=len(chances))
    return unlikely(
        Event(f"candidate {place}", int(count), chosen.size, float(chance))
        for place, (count, chance) in enumerate(zip(counts, chances, strict=True))
    )


def _times(one: list[mpmath.mpf], other: list[mpmath.mpf]) -> list[mpmath.mpf]:
    """The product of two polynomials."""
    product = [mpmath.mpf(0)] * (len(one) + len(other) - 1)
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            product[i + j] += a * b
    return product


def _real(value: Fraction) -> mpmath.mpf:
    return mpmath.mpf(value.numerator) / value.denominator
