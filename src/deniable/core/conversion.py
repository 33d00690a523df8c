"""From one form of loss to another, never overstating privacy.

Each function computes in double precision and rounds to the safe side by `_MARGIN`, far more than the error of
the special functions it uses. Losses are rounded up; what a budget admits is rounded down.

Pure epsilon:  the log-probability of any outcome moves by at most epsilon.
zCDP, rho:     the Renyi divergence of every order a is at most a * rho (Bun, Steinke 2016).
GDP, mu:       telling neighbours apart is no easier than N(0, 1) from N(mu, 1) (Dong, Roth, Su 2022).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import erfc, exp, expm1, inf, log1p, sqrt, tanh
from typing import TYPE_CHECKING

from deniable.core.distributions.normal import quantile, quantile_beside_half, scaled_tail, scaled_tails
from deniable.core.number import above, below

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]

_MARGIN = 1e-10
_UNIT = 2.0**-52
_LEAST = 1e-300
_LIKELY = -4.0
"""Below it delta is close to 1, and the plain difference of the two probabilities is accurate."""
_LARGE = 700
"""An epsilon whose e^-epsilon is about to be too small for a float."""


def rho_from_epsilon(epsilon: Fraction) -> Fraction:
    """Pure epsilon implies zCDP with rho = epsilon^2 / 2 (Bun, Steinke 2016, proposition 3.3). Exact."""
    return epsilon**2 / 2


def mu_squared_from_epsilon(epsilon: Fraction) -> Fraction:
    """Pure epsilon implies GDP with mu = 2 * Phi^-1(e^epsilon / (1 + e^epsilon)). Rounded up.

    The trade-off curve of pure epsilon consists of two straight pieces that meet at a = 1 / (1 + e^epsilon). The
    Gaussian curve with this mu passes through the same three points and is convex, so it lies below. Beyond all
    sensible epsilon, mu^2 = 8 epsilon is enough: Phi(-t) <= e^(-t^2/2) / 2.
    """
    number = float(epsilon)
    if number > _LARGE:
        return 8 * epsilon
    half = quantile_beside_half(tanh(number / 2)) if number < 1 else -quantile(1 / (1 + exp(number)))
    return above(2 * half) ** 2 * (1 + Fraction(1, 10**9))


def rho_from_mu_squared(mu_squared: Fraction) -> Fraction:
    """GDP implies zCDP with rho = mu^2 / 2: the divergence of the two Gaussians, which bounds every other. Exact."""
    return mu_squared / 2


def delta_from_mu(mu: float, epsilon: float) -> float:
    """The delta at `epsilon` of GDP with `mu`: Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu). Rounded up.

    Tight (Balle, Wang 2018, theorem 8; Dong, Roth, Su 2022, corollary 2.13). With phi the normal density and
    R the Mills ratio this is phi(near) * (R(near) - R(far)), near and far being epsilon/mu -+ mu/2; that form
    does not cancel, and the ends are rounded apart. phi(t) R(t) is exp(-t^2/2) scaled_tail(t / sqrt 2) / 2. What is
    below zero follows from what is above, as the two Gaussians may change places:
    delta(-e) = 1 - e^-e + e^-e delta(e).
    """
    if epsilon < 0:
        return min(1.0, (exp(epsilon) * delta_from_mu(mu, -epsilon) - expm1(epsilon)) * (1 + _MARGIN))
    lessened = epsilon - 8 * _UNIT * (epsilon + mu * mu / 2)  # by more than the rounding of near and far
    near, far = lessened / mu - mu / 2, lessened / mu + mu / 2
    below_far = scaled_tail(far / sqrt(2))
    if near < _LIKELY:
        delta = (erfc(near / sqrt(2)) - exp(-near * near / 2) * below_far * (1 - _MARGIN)) / 2
    else:
        gap = scaled_tail(near / sqrt(2)) * (1 + 8 * _UNIT) - below_far * (1 - 8 * _UNIT)
        delta = exp(-near * near / 2) * gap / 2
    return min(1.0, max(delta * (1 + _MARGIN), _LEAST))


def deltas_from_mu(mu: float, epsilons: FloatArray) -> FloatArray:
    """`delta_from_mu` at many places at once."""
    import numpy as np  # noqa: PLC0415 - a question's price is worked out without it

    sizes = np.abs(epsilons)
    lessened = sizes - 8 * _UNIT * (sizes + mu * mu / 2)
    near, far = lessened / mu - mu / 2, lessened / mu + mu / 2
    likely = near < _LIKELY
    deltas, below_far = np.empty_like(sizes), scaled_tails(far / sqrt(2))
    sure = np.array([erfc(one) for one in (near[likely] / sqrt(2)).tolist()])
    deltas[likely] = (sure - np.exp(-(near[likely] ** 2) / 2) * below_far[likely] * (1 - _MARGIN)) / 2
    near, below_far = near[~likely], below_far[~likely]
    gaps = scaled_tails(near / sqrt(2)) * (1 + 8 * _UNIT) - below_far * (1 - 8 * _UNIT)
    deltas[~likely] = np.exp(-near * near / 2) / 2 * gaps
    deltas = np.clip(deltas * (1 + _MARGIN), _LEAST, 1.0)
    turned = np.minimum(epsilons, 0.0)
    return np.minimum(1.0, np.where(epsilons < 0, (np.exp(turned) * deltas - np.expm1(turned)) * (1 + _MARGIN), deltas))


def epsilon_from_mu(mu: float, delta: float) -> float:
    """The least epsilon at which GDP with `mu` has at most this delta. Rounded up."""
    if delta < _LEAST:
        return inf
    return _least(lambda epsilon: delta_from_mu(mu, epsilon) <= delta)


@lru_cache(maxsize=1024)
def mu_for(epsilon: float, delta: float) -> float:
    """The most mu that is (epsilon, delta)-private. Rounded down."""
    return _most(lambda mu: delta_from_mu(mu, epsilon) <= delta)


def delta_from_rho(rho: float, epsilon: float) -> float:
    """The delta at `epsilon` of zCDP with `rho`, by the best Renyi order.

    inf over a > 1 of exp((a - 1)(a rho - epsilon)) / (a - 1) * (1 - 1/a)^a (Canonne, Kamath, Steinke 2020,
    proposition 12 and corollary 13). Every order gives a true bound, so the search need not be exact. The logarithm
    of the bound is convex in a, with the slope (2a - 1) rho - epsilon - ln(1 + 1/(a - 1)).
    """

    def rising(log_excess: float) -> bool:
        excess = exp(log_excess)
        return (1 + 2 * excess) * rho > epsilon + log1p(1 / excess)

    low, high = -12.0, 40.0
    while high - low > 1e-9:  # noqa: PLR2004 - near its least value the bound hardly changes
        middle = (low + high) / 2
        low, high = (low, middle) if rising(middle) else (middle, high)
    excess = exp(high)
    exponent = excess * ((1 + excess) * rho - epsilon) - (1 + excess) * log1p(1 / excess) - high
    return min(1.0, max(exp(min(0.0, exponent)) * (1 + _MARGIN), _LEAST))


def epsilon_from_rho(rho: float, delta: float) -> float:
    """The least epsilon at which zCDP with `rho` is known to have at most this delta. Rounded up."""
    if delta < _LEAST:
        return inf
    return _least(lambda epsilon: delta_from_rho(rho, epsilon) <= delta)


@lru_cache(maxsize=1024)
def rho_for(epsilon: float, delta: float) -> float:
    """The most rho that is known to be (epsilon, delta)-private. Rounded down."""
    return _most(lambda rho: delta_from_rho(rho, epsilon) <= delta)


def group_delta(epsilon: Fraction, delta: Fraction, people: int) -> Fraction:
    """The delta of a group: delta * (e^(k epsilon) - 1) / (e^epsilon - 1), at most 1. Rounded up.

    (epsilon, delta) applied k times along a chain of neighbours: delta (1 + e^epsilon + ... + e^((k-1) epsilon)).
    """
    if delta == 0 or epsilon == 0:
        return min(Fraction(1), people * delta)
    try:
        factor = expm1(people * float(epsilon)) / expm1(float(epsilon))
    except OverflowError:
        return Fraction(1)
    return min(Fraction(1), delta * above(factor))


def log_odds_above(chance: Fraction) -> Fraction:
    """ln(p / (1 - p)), rounded up."""
    return above(log1p(float((2 * chance - 1) / (1 - chance))))


def budget_for_mu_squared(epsilon: Fraction, delta: Fraction) -> Fraction:
    """mu_for, squared, as an exact fraction that is safely below."""
    return below(mu_for(float(epsilon), float(delta))) ** 2


def budget_for_rho(epsilon: Fraction, delta: Fraction) -> Fraction:
    """rho_for as an exact fraction that is safely below."""
    return below(rho_for(float(epsilon), float(delta)))


def _least(holds: Callable[[float], bool]) -> float:
    """The least x >= 0 from which on `holds`, to 13 digits; the value returned holds."""
    if holds(0.0):
        return 0.0
    high = 1.0
    while not holds(high):
        high *= 2
        if high == inf:
            return inf
    return _bisect(0.0, high, holds)[1]


def _most(holds: Callable[[float], bool]) -> float:
    """The most x > 0 up to which `holds`, to 13 digits; the value returned holds."""
    low = 1.0
    while not holds(low):
        low /= 2
        if low < _LEAST:
            return 0.0
    high = 2 * low
    while holds(high):
        low, high = high, 2 * high
    return _bisect(low, high, lambda x: not holds(x))[0]


def _bisect(low: float, high: float, turned: Callable[[float], bool]) -> tuple[float, float]:
    """Narrow the place where `turned` becomes true."""
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (low, middle) if turned(middle) else (middle, high)
    return low, high
