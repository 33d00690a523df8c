"""How far combinations of independent noises reach: the quantiles of their convolution, never below the true ones.

The noise of a statistic is discrete: X steps of its grid. A uniform draw within half a step turns it into a symmetric
law with one peak, X + U, that is more peaked than a continuous one which is easy to add up; and sums of more peaked
laws are more peaked (Birnbaum 1948). What U moves is added again: half a step for each noise. docs/proofs/intervals.md
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import ceil, erfc, log, sqrt

import numpy as np
from numpy.typing import NDArray

from deniable.core.distributions.normal import quantile
from deniable.planner.intervals.added import AddedNoise
from deniable.planner.intervals.combined import Noise, combined_radius, smooth_scale

FloatArray = NDArray[np.float64]

_ON_A_LATTICE = 64
"""AddedNoise of at most so many steps is added up exactly, where all of it lies on one grid."""
_LEAST_DOUBT = Fraction(1, 10**9)
"""Below that, what doubles lose of a law that is added up exactly would matter."""
_MOST_ADDED = 6
"""So many Laplace noises are added up by partial fractions; of more, as if all were the largest, or by Chernoff."""
_NEWTON_STEPS = 7
INVERTED = 2048
"""For so many combinations at once the characteristic function is inverted; for more, that takes too long."""
_WAVES, _CIRCLE = 1024, 40.0
"""So many terms of Fourier's series, on a circle that reaches so many of the largest scales to both sides."""


def radius(noises: Sequence[Noise], coefficients: FloatArray, doubt: Fraction) -> FloatArray:
    """What the absolute value of a combination exceeds with probability at most `doubt`.

    Guarantee:  for every column c of `coefficients` and independent noises X_i, Pr[|sum c_i X_i| > radius] <= doubt;
                and so for every c' whose entries are no larger in size.
    Rounding:   upward: half a step for each Laplace noise, one and a half for each Gaussian one, unless it is alone or
                on one grid with the others, where the law is added up exactly.
    Reference:  Birnbaum 1948 (sums of peaked laws); Anderson 1955.
    Proof:      docs/proofs/intervals.md

    Example:
        >>> from deniable.mechanisms import Laplace
        >>> noise = AddedNoise(Laplace(sensitivity=1, epsilon="0.001"), Fraction(1))
        >>> one, two = (radius([noise] * many, np.ones((many, 1)), Fraction(1, 20))[0] for many in (1, 2))
        >>> round(one), round(two)
        (2996, 4122)
    """
    sizes = np.abs(coefficients)
    used = [place for place, row in enumerate(sizes) if row.any()]
    noises, sizes = [noises[place] for place in used], sizes[used]
    if not noises:
        return np.zeros(coefficients.shape[1])
    plain = [noise for noise in noises if isinstance(noise, AddedNoise)]
    if len(plain) < len(noises):
        return combined_radius(noises, sizes, doubt)
    if len(plain) == 1:
        alone: FloatArray = sizes[0] * plain[0].radius(doubt)
        return alone
    if (exact := _on_a_lattice(plain, sizes, doubt)) is not None:
        return exact
    smoothed = _smoothed(plain, sizes, doubt)
    if min(noise.scale for noise in plain) > _ON_A_LATTICE:
        return smoothed
    worst = np.array([noise.radius(doubt / len(plain)) for noise in plain]) @ sizes
    least: FloatArray = np.minimum(worst, smoothed)  # of a few coarse steps, the worst case of each may be less
    return least


def _smoothed(noises: Sequence[AddedNoise], sizes: FloatArray, doubt: Fraction) -> FloatArray:
    """By continuous laws that are less peaked than X + U, and what was moved to get there."""
    steps = sizes * np.array([[noise.step] for noise in noises])
    if noises[0].gaussian:  # X + U is more peaked than a normal draw, rounded, plus U: within a step of that draw
        sigmas = steps * np.array([[noise.scale] for noise in noises])
        normal: FloatArray = -quantile(float(doubt) / 2) * np.sqrt((sigmas**2).sum(axis=0)) + 1.5 * steps.sum(axis=0)
        return normal
    scales = steps * np.array([[smooth_scale(noise.scale)] for noise in noises])
    smooth: FloatArray = laplace_radius(scales, float(doubt)) + steps.sum(axis=0) / 2
    return smooth


def laplace_radius(scales: FloatArray, doubt: float) -> FloatArray:
    """The quantile of |sum of Laplace draws|, for each column of scales, from above.

    By partial fractions: Pr[|sum| > t] = sum of w_i exp(-t / b_i), w_i = product over j of b_i^2 / (b_i^2 - b_j^2).
    Scales that are too close for that are drawn apart, upward. The law is log-concave, so the logarithm of its tail is
    concave, and Newton's method ends above the quantile from wherever it starts.
    """
    nothing = scales.max(axis=0) == 0
    if nothing.any():
        return np.where(nothing, 0, laplace_radius(np.where(nothing, 1, scales), doubt))
    if len(scales) > _MOST_ADDED:
        least: FloatArray = np.minimum(scales.max(axis=0) * _alike(len(scales), doubt), _chernoff(scales, doubt))
        return np.fmin(least, inverted(scales, doubt)) if scales.shape[1] <= INVERTED else least
    unit = scales.max(axis=0)
    apart = _apart(scales / unit)
    ratios = apart[:, None] ** 2 - apart[None] ** 2
    places = np.arange(len(apart))
    ratios[places, places] = apart**2
    weights = (apart[:, None] ** 2 / ratios).prod(axis=1)
    lost = 1e-15 * np.abs(weights).sum(axis=0)
    reachable = lost < doubt / 100
    aim = np.log(np.where(reachable, doubt - lost, doubt))
    found = np.zeros(apart.shape[1])
    for _ in range(_NEWTON_STEPS):
        terms = weights * np.exp(-found / apart)
        tail = terms.sum(axis=0)
        slope = (terms / apart).sum(axis=0)
        with np.errstate(all="ignore"):
            further = found + (np.log(tail) - aim) * tail / slope
        found = np.where((tail > 0) & (slope > 0), further, found)
    with np.errstate(all="ignore"):
        held = reachable & ((weights * np.exp(-found / apart)).sum(axis=0) <= np.exp(aim) * (1 + 1e-9))
    return found * unit if held.all() else np.where(held, found * unit, _chernoff(scales, doubt))


def _apart(scales: FloatArray) -> FloatArray:
    """Sorted, each larger than the one before by so much that partial fractions keep their digits; never smaller."""
    gap = 1.004 if len(scales) < 4 else 1.02  # noqa: PLR2004 - each further noise costs two digits, or one
    ordered = np.sort(scales, axis=0)
    ordered[0] = np.maximum(ordered[0], 1e-3 * ordered[-1])
    for place in range(1, len(ordered)):
        ordered[place] = np.maximum(ordered[place], gap * ordered[place - 1])
    return ordered


def inverted(scales: FloatArray, doubt: float) -> FloatArray:
    """`laplace_radius` from the characteristic function, for each column of scales; infinite where that is too coarse.

    X is wrapped around a circle of length 2 L. There, by Fourier's series,
    S(t) = t/L + (2/pi) sum over n >= 1 of sin(n pi t/L)/n f(n pi/L), f(w) = product of 1/(1 + b_i^2 w^2), is the
    probability of lying within t. What the circle adds to Pr[|X| <= t] is at most Pr[|X| > 2 L - t], by Chernoff's
    bound; the terms from N on, with f(w) <= (b_1 ... b_m w^m)^-2 for the m largest scales, add up to at most
    (2/pi) / (2 m (b_1 ... b_m)^2 W^2m), W = (N - 1) pi/L. Both, and what doubles may lose, are taken off.
    """
    found = [_inverted(scales[:, start : start + 128], doubt) for start in range(0, scales.shape[1], 128)]
    return np.concatenate(found)


def _inverted(scales: FloatArray, doubt: float) -> FloatArray:
    unit = scales.max(axis=0)
    ordered = np.sort(scales / unit, axis=0)[::-1]
    waves = np.pi / _CIRCLE * np.arange(1, _WAVES)
    falling = np.ones((scales.shape[1], _WAVES - 1))
    for scale in ordered:
        falling *= 1 + (scale[:, None] * waves) ** 2
    terms = np.zeros((scales.shape[1], 2 * _WAVES))
    terms[:, 1:_WAVES] = 1 / (falling * np.arange(1, _WAVES))
    places = np.arange(_WAVES)
    within = places / _WAVES - 2 / np.pi * np.fft.rfft(terms, axis=1).imag[:, :_WAVES]
    many = np.arange(1, len(ordered) + 1)[:, None]
    with np.errstate(all="ignore"):
        left = np.exp(-2 * np.cumsum(np.log(ordered * waves[-1]), axis=0)) / (np.pi * many)
    beyond = 2 * np.exp(-0.9 * _CIRCLE * (2 - places / _WAVES)) / np.prod(1 - (0.9 * ordered) ** 2, axis=0)[:, None]
    enough = 1 - within + beyond + np.min(left, axis=0)[:, None] + 1e-11 <= doubt
    found = enough.argmax(axis=1) * (_CIRCLE / _WAVES) * unit
    return np.where(enough.any(axis=1), found, np.inf)


@lru_cache(maxsize=256)
def _alike(many: int, doubt: float) -> float:
    """The quantile of |sum of so many Laplace draws of scale 1|, from above.

    A Laplace draw is a normal one whose variance is drawn: twice an exponential. So the sum is normal with twice an
    Erlang draw G as variance, and Pr[|sum| > t] = E[erfc(t / (2 sqrt(G)))], which rises with G: between two points of a
    grid, it is at most what it is at the upper one. Beyond the last, it is at most 1.
    """
    points = np.linspace(0, many + 12 * sqrt(many) + 2 * log(1 / doubt) + 20, 600)[1:]
    terms = np.arange(many)
    factorials = np.concatenate([[0.0], np.cumsum(np.log(terms[1:]))])
    tails = np.exp(-points[:, None] + terms * np.log(points[:, None]) - factorials).sum(axis=1)
    masses, roots = -np.diff(np.concatenate([[1.0], tails])), 2 * np.sqrt(points)

    def wrong(far: float) -> float:
        reached = np.array([erfc(far / root) for root in roots])
        return float(masses @ reached + tails[-1]) * (1 + 1e-9)

    low, high = 0.0, 4 * sqrt(many) * log(2 / doubt)
    while high - low > 1e-4 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if wrong(middle) > doubt else (low, middle)
    return high


def _chernoff(scales: FloatArray, doubt: float) -> FloatArray:
    """The least of a few bounds, all true: Pr[|sum| > t] <= 2 exp(-a t) product of 1 / (1 - a^2 b^2)."""
    best = np.full(scales.shape[1], np.inf)
    relative = scales / scales.max(axis=0)
    for share in np.linspace(0.02, 0.98, 49):
        best = np.minimum(best, (log(2 / doubt) - np.log1p(-((share * relative) ** 2)).sum(axis=0)) / share)
    bounded: FloatArray = best * scales.max(axis=0)
    return bounded


def _on_a_lattice(noises: Sequence[AddedNoise], sizes: FloatArray, doubt: Fraction) -> FloatArray | None:
    """The least whole number of steps, where every noise counts the same steps, and not too many of them."""
    steps = np.unique(sizes * np.array([[noise.step] for noise in noises]))
    coarse = steps.size == 1 and sizes.shape[1] == 1 and max(noise.scale for noise in noises) <= _ON_A_LATTICE
    if not coarse or doubt < _LEAST_DOUBT:
        return None
    law = np.ones(1)
    for noise in noises:
        law = np.convolve(law, _probabilities(noise))
    middle = law.size // 2
    outside = 1 - law[middle] - 2 * np.concatenate([[0.0], np.cumsum(law[middle + 1 :])])
    return np.array([int(np.argmax(outside <= float(doubt) - 1e-12)) * steps[0]])


def _probabilities(noise: AddedNoise) -> FloatArray:
    """Of each number of steps, as far as they are above 1e-18."""
    far = np.arange(ceil((9.2 if noise.gaussian else 42) * noise.scale) + 1, dtype=np.float64)
    side = np.exp(-((far / noise.scale) ** 2) / 2) if noise.gaussian else np.exp(-far / noise.scale)
    law = np.concatenate([side[:0:-1], side])
    probabilities: FloatArray = law / law.sum()
    return probabilities
