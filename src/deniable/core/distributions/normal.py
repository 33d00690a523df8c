"""The normal distribution, as far as conversions need it: tails and quantiles, right to the last digits.

SciPy has them too, but loading it takes longer than most questions do; these rest on Python's own erf and erfc.
"""

from __future__ import annotations

from math import erf, erfc, exp, pi, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]

_SWITCH = 2.0
_TERMS = 60
"""Of the continued fraction; from `_SWITCH` on, the rest is below 2^-53."""

_STANDARD = NormalDist()


def scaled_tail(x: float) -> float:
    """exp(x^2) erfc(x), where it is finite: to within 8 units of the last place for x >= -3.

    For large x by Laplace's continued fraction, 1 / (sqrt(pi) (x + (1/2) / (x + 1 / (x + (3/2) / (x + ...))))).

    Example:
        >>> scaled_tail(0), scaled_tail(1e10)
        (1.0, 5.641895835477563e-11)
    """
    if x < _SWITCH:
        return exp(x * x) * erfc(x)
    rest = x
    for term in range(_TERMS, 0, -1):
        rest = x + term / 2 / rest
    return 1 / (sqrt(pi) * rest)


def scaled_tails(x: FloatArray) -> FloatArray:
    """`scaled_tail` of many at once."""
    import numpy as np  # noqa: PLC0415 - a question's price is worked out without it

    small = x < _SWITCH
    large = np.where(small, _SWITCH, x)
    rest = large
    for term in range(_TERMS, 0, -1):
        rest = large + term / 2 / rest
    tails = 1 / (sqrt(pi) * rest)
    tails[small] = [exp(one * one) * erfc(one) for one in x[small].tolist()]
    return tails


def quantile(probability: float) -> float:
    """The z with Pr[N <= z] = probability, to 15 digits (Wichura 1988); accurate for however small a probability."""
    return _STANDARD.inv_cdf(probability)


def quantile_beside_half(excess: float) -> float:
    """The z >= 0 with Pr[|N| <= z] = excess, for an excess below 1/2: as accurate for one that is tiny.

    By Newton's method for erf(x) = excess, which more than doubles the right digits in each step.
    """
    x = excess * sqrt(pi) / 2
    for _ in range(4):
        x -= (erf(x) - excess) * exp(x * x) * sqrt(pi) / 2
    return sqrt(2) * x
