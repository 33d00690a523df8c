"""What a count of hits says about their probability: the exact interval of Clopper and Pearson."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.core.distributions.quantiles import beta_quantile

FloatArray = NDArray[np.float64]


def least_probability(hits: ArrayLike, trials: float, alpha: float) -> FloatArray:
    """The least probability with which so many hits, or more, would still happen with probability alpha.

    Guarantee:  at most the true probability, except with probability alpha (Clopper, Pearson 1934). It is the
                alpha-quantile of Beta(hits, trials - hits + 1), and 0 if there was no hit.

    Example:
        >>> least_probability([0, 50, 100], 100, 0.025).round(4).tolist()
        [0.0, 0.3983, 0.9638]
    """
    seen = np.asarray(hits, dtype=np.float64)
    some = np.maximum(np.atleast_1d(seen), 1.0)
    bound = beta_quantile(alpha, some, trials - some + 1).reshape(seen.shape)
    return np.where(seen > 0, bound, 0.0)


def most_probability(hits: ArrayLike, trials: float, alpha: float) -> FloatArray:
    """The largest probability with which so few hits, or fewer, would still happen with probability alpha.

    Guarantee:  at least the true probability, except with probability alpha (Clopper, Pearson 1934). It is the
                (1 - alpha)-quantile of Beta(hits + 1, trials - hits), and 1 if every trial was a hit: what the trials
                that were no hits say of theirs, the other way round.

    Example:
        >>> most_probability([0, 50, 100], 100, 0.025).round(4).tolist()
        [0.0362, 0.6017, 1.0]
    """
    return np.asarray(1 - least_probability(trials - np.asarray(hits, dtype=np.float64), trials, alpha))
