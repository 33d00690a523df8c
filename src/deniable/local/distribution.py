"""From noisy reports to the distribution that explains them best: expectation-maximization."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

_ROUNDS = 2_000
_STILL = 1e-9


def most_likely(
    counts: FloatArray,
    spread: Callable[[FloatArray], FloatArray],
    gather: Callable[[FloatArray], FloatArray],
    values: int,
) -> FloatArray:
    """The shares that make the counted reports likeliest.

    spread: shares of the values -> chances of the reports; gather: its transpose. Each round replaces every share by
    the average, over all reports, of the chance that the report came from its value: the likelihood never falls
    (Dempster, Laird, Rubin 1977), and as it is concave here the rounds approach its maximum (Agrawal, Aggarwal 2001,
    for noisy values). Post-processing: it costs no privacy. The result is non-negative and sums to 1.

    Example:
        >>> channel = np.array([[0.75, 0.25], [0.25, 0.75]])
        >>> most_likely(np.array([40.0, 60.0]), lambda f: channel @ f, lambda w: channel.T @ w, 2).round(4).tolist()
        [0.3, 0.7]
    """
    people = counts.sum()
    shares = np.full(values, 1 / values)
    for _ in range(_ROUNDS):
        chances = spread(shares)
        renewed = shares * gather(np.divide(counts, chances, out=np.zeros_like(counts), where=counts > 0)) / people
        renewed /= renewed.sum()
        moved = np.abs(renewed - shares).sum()
        shares = renewed
        if moved < _STILL:
            break
    return shares
