"""Post-processing: the nearest proportions to an unbiased estimate."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def proportions(values: ArrayLike) -> NDArray[np.float64]:
    """The vector of non-negative numbers with sum 1 that lies nearest: subtract one number from all, cut at zero.

    It is the projection onto the simplex (Duchi, Shalev-Shwartz, Singer, Chandra 2008), which local protocols know as
    norm-sub (Wang, Lopuhaa-Zwakenberg, Li, Skoric, Li 2020). Never farther from the truth, in squared error, than what
    it was given, because the truth lies in the simplex. It is biased: small shares are pulled to zero.

    Example:
        >>> proportions([0.5, 0.7, -0.1]).round(6).tolist()
        [0.4, 0.6, 0.0]
    """
    given = np.asarray(values, dtype=np.float64)
    flat = given.ravel()
    ordered = np.sort(flat)[::-1]
    excess = (np.cumsum(ordered) - 1) / np.arange(1, flat.size + 1)
    shift = excess[np.flatnonzero(ordered > excess)[-1]]
    nearest: NDArray[np.float64] = np.maximum(flat - shift, 0.0).reshape(given.shape)
    return nearest
