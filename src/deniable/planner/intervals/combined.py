"""How far noises reach of which there are many: those of answers that were reconciled with each other.

The characteristic function of a sum of independent noises is known, and is inverted once a little smooth noise is
added: no more than is taken off again. For given factors that is done with the discrete noises as they are; where
factors are only known not to exceed something, with continuous laws that are less peaked. docs/proofs/consistent.md
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import exp, expm1, log, log1p, pi, sqrt, tanh

import numpy as np
from numpy.typing import NDArray

from deniable.core.distributions.normal import quantile
from deniable.planner.intervals.added import AddedNoise

FloatArray = NDArray[np.float64]
_FEW_WAVES, _MANY_WAVES = 1 << 10, 1 << 14
"""Terms of Fourier's series: for many combinations at once, and for one."""
_MOST_TERMS, _AT_ONCE = 1 << 26, 64
"""Of all series together, before Chernoff's bound must do; and so many series at once, so that memory stays small."""
_MOST_WIDTHS = 8
"""So many different scales are told apart where there are many combinations; closer ones become the larger."""
_ASIDE = 1e-3
"""Of the doubt, for what lies beyond the circle, and for the terms that are left out."""
_MOVED = Fraction(1, 50)
"""Of the doubt, for how far uniform draws move a sum, where that is less than they could."""
_LEAST_DOUBT = 1e-7
"""Below that, doubles would have to be looked at more closely: Chernoff's bound must do."""


@dataclass(frozen=True, slots=True)
class CombinedNoise:
    """What is in a statistic that was reconciled with others: many independent noises, each with its factor."""

    worth: Fraction
    """Of a step of the statistic's grid, in the answer's unit."""
    gaussian: bool
    parts: tuple[tuple[float, float, int], ...]
    """A step in the answer's unit, the scale (or standard deviation) in steps, and how many noises are like that."""

    @classmethod
    def of(cls, worth: Fraction, parts: Sequence[tuple[AddedNoise, float, int]]) -> CombinedNoise:
        """Of noises, their factors, and how many there are of each; those that are alike, together."""
        found: dict[tuple[float, float], int] = {}
        for noise, factor, times in parts:
            step = float(f"{noise.step * abs(factor):.11e}")  # as doubles they may differ in their last digits
            if step:
                found[step, noise.scale] = found.get((step, noise.scale), 0) + times
        gaussian = any(noise.gaussian for noise, _, _ in parts)
        return cls(worth, gaussian, tuple((*alike, times) for alike, times in sorted(found.items())))

    @property
    def step(self) -> float:
        """The scale is in the answer's unit."""
        return 1.0

    @property
    def scale(self) -> float:
        """Of one noise that spreads as far."""
        return sqrt(sum(times * (step * scale) ** 2 for step, scale, times in self.parts))

    def radius(self, doubt: Fraction) -> float:
        """What it exceeds with probability at most `doubt`."""
        return exact_radius([self], [1.0], doubt)


Noise = AddedNoise | CombinedNoise


def exact_radius(noises: Sequence[Noise], factors: Sequence[float], doubt: Fraction) -> float:
    """What the absolute value of one combination exceeds with probability at most `doubt`.

    Guarantee:  Pr[|sum c_i X_i| > radius] <= doubt, for independent X_i, each one discrete noise or a sum of many.
    Rounding:   upward, by about a hundredth of the noise's scale: by what smooths its law, and a step of the grid on
                which that is looked at.
    Reference:  Canonne, Kamath, Steinke 2020 (moments of discrete Gaussian noise).
    Proof:      docs/proofs/consistent.md

    Example:
        >>> from deniable.mechanisms import Laplace
        >>> noise = AddedNoise(Laplace(sensitivity=1, epsilon=1), Fraction(1))
        >>> mean = CombinedNoise.of(Fraction(1), [(noise, 0.01, 100)])
        >>> round(mean.radius(Fraction(1, 20)), 2)  # by the normal law: 1.96 times 0.136
        0.27
    """
    return _exact(tuple(noises), tuple(factors), doubt)


@lru_cache(maxsize=256)
def _exact(noises: tuple[Noise, ...], factors: tuple[float, ...], doubt: Fraction) -> float:
    """The same for every row of an answer, and every time that it is looked at."""
    held = [(_parts(noise), abs(factor)) for noise, factor in zip(noises, factors, strict=True)]
    alike = [(step * factor, scale, times) for parts, factor in held for step, scale, times in parts if step * factor]
    if not alike:
        return 0.0
    steps, scales = (np.array([one[place] for one in alike], dtype=np.float64) for place in (0, 1))
    times = np.array([one[2] for one in alike], dtype=np.float64)
    law: _Law = (_DiscreteGaussian if noises[0].gaussian else _DiscreteLaplace)(times, scales)
    return float(law.radius(steps[:, None], float(doubt), _MANY_WAVES)[0])


def combined_radius(noises: Sequence[Noise], sizes: FloatArray, doubt: Fraction) -> FloatArray:
    """The radius of each column of `sizes`, and of every combination whose factors are no larger than these.

    Rounding:   upward, by what turns discrete noises into less peaked continuous ones: of m noises, half a step for
                each (one and a half, if they are Gaussian), or about 2 (or 6) sqrt(m) steps, if that is less.
    """
    held = [_parts(noise) for noise in noises]
    steps = np.concatenate(
        [np.outer([one for one, _, _ in parts], size) for parts, size in zip(held, sizes, strict=True)]
    )
    times = np.array([many for parts in held for _, _, many in parts], dtype=np.float64)
    nothing = steps.max(axis=0) == 0
    steps = np.where(nothing, 1.0, steps)
    each = 1.5 if noises[0].gaussian else 0.5
    surely = each * (times @ steps)
    likely = 2 * each * np.sqrt(times @ steps**2 * log(4 / float(doubt * _MOVED)) / 2)
    found = np.minimum(
        _continuous(noises, sizes, doubt, nothing) + surely,
        _continuous(noises, sizes, doubt * (1 - _MOVED), nothing) + likely,
    )
    return np.where(nothing, 0.0, found)


def _continuous(noises: Sequence[Noise], sizes: FloatArray, doubt: Fraction, nothing: NDArray[np.bool_]) -> FloatArray:
    """Of the continuous laws alone."""
    if noises[0].gaussian:
        squares = np.array([noise.step * noise.scale for noise in noises]) ** 2 @ sizes**2
        normal: FloatArray = -quantile(float(doubt) / 2) * np.sqrt(squares)
        return normal
    held = [_few([(step * smooth_scale(scale), times) for step, scale, times in _parts(noise)]) for noise in noises]
    scales = np.concatenate(
        [np.outer([one for one, _ in parts], size) for parts, size in zip(held, sizes, strict=True)]
    )
    times = np.array([many for parts in held for _, many in parts], dtype=np.float64)
    return _Laplace(times).radius(np.where(nothing, 1.0, scales), float(doubt), _FEW_WAVES)


def _parts(noise: Noise) -> tuple[tuple[float, float, int], ...]:
    return noise.parts if isinstance(noise, CombinedNoise) else ((noise.step, noise.scale, 1),)


def smooth_scale(scale: float) -> float:
    """A Laplace scale at which the law is less peaked than that of X + U: 1 / (2 tanh(1 / (2 scale))), a little above.

    With q = exp(-1/scale), Pr[|X + U| > m + u] = q^m (1 - 2 u tanh(1/(2 scale))) for |u| <= 1/2, at most
    exp(-m / scale - 2 u tanh) <= exp(-2 (m + u) tanh), as 2 tanh(1/(2 scale)) <= 1/scale.
    """
    return 1 / (2 * tanh(1 / (2 * scale)))


def _few(widths: Sequence[tuple[float, int]]) -> list[tuple[float, int]]:
    """At most a few different scales: of neighbours, those become the larger one that add least to the variance."""
    found = sorted(widths)
    sizes, times = np.array([one for one, _ in found]), np.array([many for _, many in found])
    while sizes.size > _MOST_WIDTHS:
        place = int(np.argmin(times[:-1] * np.diff(sizes**2)))
        times[place + 1] += times[place]
        sizes, times = np.delete(sizes, place), np.delete(times, place)
    return list(zip(sizes.tolist(), times.tolist(), strict=True))


@dataclass(frozen=True)
class _Law:
    """The law of a sum of noises; the columns of `widths` say how wide they are, `times` how many of each there are."""

    times: FloatArray

    def radius(self, widths: FloatArray, doubt: float, waves: int) -> FloatArray:
        if doubt < _LEAST_DOUBT or widths.size * waves > _MOST_TERMS:
            return self.beyond(widths, doubt)
        parts = range(0, widths.shape[1], _AT_ONCE)
        found = np.concatenate([self._inverted(widths[:, at : at + _AT_ONCE], doubt, waves) for at in parts])
        return found * (1 + 1e-9)

    def _inverted(self, widths: FloatArray, doubt: float, waves: int) -> FloatArray:
        """From the characteristic function.

        V, the sum of four uniform draws, is within h of zero, so Pr[|X| > t + h] <= Pr[|X + V| > t]. X + V is wrapped
        around a circle of length 2 L, L so large that X hardly ever exceeds it; terms are left out where the factor of
        V, at most (4 / (w h))^4, makes them small.
        """
        circle = self.beyond(widths, doubt * _ASIDE)
        smooth = 4 * circle / (pi * (waves - 1)) / (2 * pi * doubt * _ASIDE) ** 0.25
        frequencies = pi / circle[:, None] * np.arange(1, waves)
        terms = np.zeros((widths.shape[1], 2 * waves))
        factor = np.sinc(frequencies * smooth[:, None] / (4 * pi)) ** 4
        terms[:, 1:waves] = factor * np.exp(self.logarithm(widths, frequencies)) / np.arange(1, waves)
        grid = np.arange(waves) / waves
        within = grid - 2 / pi * np.fft.rfft(terms, axis=1).imag[:, :waves]
        inside = grid * circle[:, None] <= (circle - smooth)[:, None]
        enough = inside & (1 - within + 2 * _ASIDE * doubt + 1e-11 <= doubt)
        found = enough.argmax(axis=1) / waves * circle + smooth
        return np.where(enough.any(axis=1), np.minimum(found, circle), circle)

    def beyond(self, widths: FloatArray, doubt: float) -> FloatArray:
        """By Chernoff's bound, the least of a few: Pr[|X| > t] <= 2 exp(-a t) E[exp(a X)]."""
        most, best = self.steepest(widths), np.full(widths.shape[1], np.inf)
        for share in (0.002, 0.005, 0.01, *np.linspace(0.02, 0.98, 49)):
            best = np.minimum(best, (log(2 / doubt) + self.moment(share * most * widths)) / (share * most))
        return best

    def steepest(self, widths: FloatArray) -> FloatArray:
        """The a at which E[exp(a X)] is infinite."""
        found: FloatArray = 1 / widths.max(axis=0)
        return found

    def moment(self, widths: FloatArray) -> FloatArray:
        """The logarithm of E[exp(X)]."""
        raise NotImplementedError

    def logarithm(self, widths: FloatArray, frequencies: FloatArray) -> FloatArray:
        """Of the characteristic function, which is positive: a row for each combination."""
        raise NotImplementedError


@dataclass(frozen=True)
class _Laplace(_Law):
    """The law of a sum of continuous Laplace noises with these scales."""

    def moment(self, widths: FloatArray) -> FloatArray:
        grown: FloatArray = -self.times @ np.log1p(-(widths**2))
        return grown

    def logarithm(self, widths: FloatArray, frequencies: FloatArray) -> FloatArray:
        found = np.zeros_like(frequencies)
        for scale, times in zip(widths, self.times, strict=True):
            found -= times * np.log1p((scale[:, None] * frequencies) ** 2)
        return found


@dataclass(frozen=True)
class _DiscreteLaplace(_Law):
    """The law of a sum of discrete Laplace noises; each has the transform 1 / (1 + v (1 - cos w)), v its variance."""

    scales: FloatArray

    def steepest(self, widths: FloatArray) -> FloatArray:
        found: FloatArray = 1 / (widths * self.scales[:, None]).max(axis=0)
        return found

    def moment(self, widths: FloatArray) -> FloatArray:
        grown: FloatArray = -self.times @ np.log1p(-self._variances[:, None] * 2 * np.sinh(widths / 2) ** 2)
        return grown

    def logarithm(self, widths: FloatArray, frequencies: FloatArray) -> FloatArray:
        found = np.zeros_like(frequencies)
        for step, variance, times in zip(widths, self._variances, self.times, strict=True):
            found -= times * np.log1p(variance * 2 * np.sin(step[:, None] * frequencies / 2) ** 2)
        return found

    @property
    def _variances(self) -> FloatArray:
        """In squared steps: 2 q / (1 - q)^2, q = exp(-1 / scale)."""
        return np.array([2 * exp(-1 / scale) / expm1(-1 / scale) ** 2 for scale in self.scales])


@dataclass(frozen=True)
class _DiscreteGaussian(_Law):
    """The law of a sum of discrete Gaussian noises with these deviations, in steps of these widths."""

    scales: FloatArray

    def radius(self, widths: FloatArray, doubt: float, waves: int) -> FloatArray:
        coarse = self.scales.min() < 1
        return self.beyond(widths, doubt) if coarse else _Law.radius(self, widths, doubt, waves)

    def beyond(self, widths: FloatArray, doubt: float) -> FloatArray:
        """E[exp(a X)] is at most that of normal noise with the same deviation."""
        normal: FloatArray = np.sqrt(2 * log(2 / doubt) * (self.times @ (widths * self.scales[:, None]) ** 2))
        return normal

    def logarithm(self, widths: FloatArray, frequencies: FloatArray) -> FloatArray:
        """By Poisson's summation: the sum of exp(-s^2 (w - 2 pi k)^2 / 2) over all k, over the same at w = 0.

        With w within pi of zero, all terms but the nearest three are less than exp(-39 s^2) in size, so they are left
        out; and nothing is said here of deviations of less than a step.
        """
        found = np.zeros_like(frequencies)
        for step, scale, times in zip(widths, self.scales, self.times, strict=True):
            near = np.abs((step[:, None] * frequencies + pi) % (2 * pi) - pi)
            beside = (np.exp(-2 * pi * scale**2 * (pi + side * near)) for side in (-1, 1))
            found += times * (np.log1p(sum(beside)) - log1p(2 * exp(-2 * (pi * scale) ** 2)) - (scale * near) ** 2 / 2)
        return found
