"""Intervals that hold at every number of respondents, from the exact binomial law or from proven tail bounds.

The proofs are in docs/proofs/local.md. None of them is a normal approximation without its error.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf, log, sqrt

import numpy as np
from numpy.typing import ArrayLike

from deniable.core.distributions.binomial import FloatArray, least_probability, most_probability
from deniable.core.distributions.normal import quantile
from deniable.core.errors import InvalidArgumentError
from deniable.core.number import Number, surety

_BERRY_ESSEEN = 0.56


def doubt(confidence: Number) -> float:
    """How often an interval may fail: 1 - confidence, at most one half."""
    level = surety(confidence)
    if level < Fraction(1, 2):
        raise InvalidArgumentError("confidence", f"must be at least 1/2, not {confidence}")
    return float(1 - level)


def chance_interval(hits: ArrayLike, trials: int, alpha: float) -> tuple[FloatArray, FloatArray]:
    """An interval for the average of `trials` chances, from how many of the independent trials were hits.

    Guarantee:  each end fails with probability at most alpha / 2 <= 1/4, whether all chances are alike (the respondents
                are a random sample) or fixed and different (only the noise is random). The first is Clopper and
                Pearson's theorem; the second follows, for two hits or more, from Hoeffding 1956 (theorem 4) with
                Greenberg, Mohri 2014, and for a single hit from the union bound, which is why that end is alpha/(2n).

    Example:
        >>> low, high = chance_interval([1, 50], 100, 0.05)
        >>> low.round(5).tolist(), high.round(4).tolist()
        ([0.00025, 0.39832], [0.0545, 0.6017])
    """
    distinct, inverse = np.unique(np.asarray(hits), return_inverse=True)
    low = least_probability(distinct, trials, alpha / 2)
    high = most_probability(distinct, trials, alpha / 2)
    low[distinct == 1] = alpha / 2 / trials
    high[distinct == trials - 1] = 1 - alpha / 2 / trials
    return low[inverse], high[inverse]


def share_interval(
    support: ArrayLike, people: int, alpha: float, truth: Fraction, lie: Fraction
) -> tuple[FloatArray, FloatArray]:
    """An interval for the share of people with a value: their reports support it with chance `truth`, others `lie`.

    Example:
        >>> low, high = share_interval([50], 100, 0.05, Fraction(3, 4), Fraction(1, 4))
        >>> low.round(4).tolist(), high.round(4).tolist()
        ([0.2966], [0.7034])
    """
    least, most = float(lie), float(truth)
    low, high = (np.clip((end - least) / (most - least), 0.0, 1.0) for end in chance_interval(support, people, alpha))
    return low, high


def mean_radius(people: int, alpha: float, *, reach: float, least: float, most: float) -> float:
    """How far the mean of independent numbers stays from its expectation, except with probability alpha.

    reach: no number is farther from its own expectation; least, most: each has a standard deviation between these.

    Guarantee:  the smaller of two proven radii. Bernstein's is good for few people; the normal quantile with its whole
                error (Berry and Esseen's inequality, constant 0.56, Shevtsova 2010) is good for many. Which one is
                taken depends on public numbers only, so taking the smaller costs nothing.

    Example:
        >>> few, many = (mean_radius(n, 0.05, reach=2, least=1, most=1) * sqrt(n) for n in (100, 10**8))
        >>> round(few, 2), round(many, 2)
        (2.97, 1.96)
    """
    logarithm = log(2 / alpha)
    third = reach * logarithm / 3
    bernstein = (third + sqrt(third**2 + 2 * people * logarithm * most**2)) / people
    tail = alpha / 2 - _BERRY_ESSEEN * reach / (least * sqrt(people)) if least > 0 else 0.0
    normal = -quantile(tail) * most / sqrt(people) if tail > 0 else inf
    return min(bernstein, normal)
