"""What counts prove: about a probability, and about epsilon."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.core.distributions.binomial import least_probability, most_probability

FloatArray = NDArray[np.float64]

_MARGIN = 1e-9
"""Taken off every proven epsilon: more than the special functions are wrong by."""


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
