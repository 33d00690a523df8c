"""What counts prove: about a probability, and about epsilon."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainccinv, betaincinv

FloatArray = NDArray[np.float64]

_MARGIN = 1e-9
"""Taken off every proven epsilon: more than the special functions are wrong by."""


def least_probability(hits: ArrayLike, trials: float, alpha: float) -> FloatArray:
    """The least probability with which so many hits, or more, would still happen with probability alpha.

    Guarantee:  at most the true probability, except with probability alpha (Clopper, Pearson 1934). It is the
                alpha-quantile of Beta(hits, trials - hits + 1), and 0 if there was no hit.

    Example:
        >>> least_probability([0, 50, 100], 100, 0.025).round(4).tolist()
        [0.0, 0.3983, 0.9638]
    """
    seen = np.asarray(hits, dtype=np.float64)
    bound = betaincinv(np.maximum(seen, _MARGIN), trials - seen + 1, alpha)
    return np.where(seen > 0, bound, 0.0)


def most_probability(hits: ArrayLike, trials: float, alpha: float) -> FloatArray:
    """The largest probability with which so few hits, or fewer, would still happen with probability alpha.

    Guarantee:  at least the true probability, except with probability alpha (Clopper, Pearson 1934). It is the
                (1 - alpha)-quantile of Beta(hits + 1, trials - hits), and 1 if every trial was a hit.

    Example:
        >>> most_probability([0, 50, 100], 100, 0.025).round(4).tolist()
        [0.0362, 0.6017, 1.0]
    """
    seen = np.asarray(hits, dtype=np.float64)
    bound = betainccinv(seen + 1, np.maximum(trials - seen, _MARGIN), alpha)
    return np.where(seen < trials, bound, 1.0)


def proven_epsilon(likely: ArrayLike, unlikely: ArrayLike, trials: float, delta: float, alpha: float) -> FloatArray:
    """What every epsilon must be at least, given how often an event was seen on each of two neighbours.

    Guarantee:  at most the true epsilon at this delta, except with probability alpha, if the event was fixed before
                the trials. Pr[event | one] <= e^epsilon Pr[event | other] + delta, so
                epsilon >= ln((p - delta) / q); p is bounded from below and q from above, each with half of alpha.
    Reference:  Ding, Wang, Wang, Zhang, Kifer 2018; Jagielski, Ullman, Oprea 2020.

    Example:
        >>> proven_epsilon(7500, 2500, 10_000, delta=0, alpha=0.05).round(3).item(), round(np.log(3), 3).item()
        (1.053, 1.099)
    """
    excess = least_probability(likely, trials, alpha / 2) - delta
    rest = most_probability(unlikely, trials, alpha / 2)
    ratio = np.maximum(excess / rest, 1.0)  # an epsilon of 0 needs no proof
    return np.maximum(np.log(ratio) - _MARGIN, 0.0)
