"""The laws that samplers promise, from closed forms and mpmath, and a check of draws against them.

Nothing here uses the project's own code. A law is its distribution function, right to `ERROR`; the check allows for
that error, so that its false-alarm rate is a theorem:

- the whole distribution function, by the inequality of Dvoretzky, Kiefer, Wolfowitz with Massart's constant:
  Pr[sup |F_n - F| > sqrt(ln(2 / rate) / (2 n))] <= rate, for discrete laws too;
- single events (cells between quantiles, tails), by exact binomial tails, the rate divided among all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import exp, expm1, log, pi, sinh, sqrt, tanh

import mpmath
import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr
from scipy.stats import binom

RATE = 1e-6
"""Of false alarms, per test."""
ERROR = 1e-12
"""Of every probability in this file."""

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
Below = Callable[[IntArray], FloatArray]
"""k -> Pr[x <= k]"""

_MODULI = (2, 256, 1000, *(1 << places for places in range(16, 56, 8)))
"""Of which a draw's remainders are looked at: a sampler can be right in the bulk and wrong in its low digits."""
_LEVELS = np.sort(np.concatenate([np.arange(1, 32) / 32, *((10.0**-power, 1 - 10.0**-power) for power in range(1, 6))]))


@dataclass(frozen=True)
class Law:
    """A law on whole numbers, and those of the remainders of its draws."""

    below: Below
    remainders: Mapping[int, Below] = field(default_factory=dict)
    symmetric: bool = False

    def quantiles(self) -> IntArray:
        """The least k with Pr[x <= k] >= level, for each level, without repetition."""
        low = np.full(_LEVELS.size, np.iinfo(np.int64).min)
        high = np.full(_LEVELS.size, np.iinfo(np.int64).max)
        while (low < high).any():
            middle = (low & high) + ((low ^ high) >> 1)
            enough = self.below(middle) >= _LEVELS
            low, high = np.where(enough, low, middle + 1), np.where(enough, middle, high)
        return np.unique(low)


@dataclass(frozen=True)
class Event:
    """How often something happened, and how often it should."""

    name: str
    count: int
    trials: int
    probability: float


def misfits(law: Law, drawn: IntArray, rate: float = RATE) -> list[str]:
    """What in these draws contradicts the law. Independent draws from it pass with probability at least 1 - rate."""
    parts = {"value": (law, drawn)}
    if law.symmetric:
        parts["size"] = (Law(lambda k: np.where(k < 0, 0.0, law.below(k) - law.below(-k - 1))), np.abs(drawn))
    for modulus, below in law.remainders.items():
        parts[f"remainder by {modulus}"] = (Law(below), drawn % modulus)
    share = rate / len(parts) / 2
    found = []
    for name, (part, values) in parts.items():
        if (distance := _distance(part.below, values)) > (bound := sqrt(log(2 / share) / (2 * values.size)) + ERROR):
            found.append(f"{name}: distribution function off by {distance:.2g} > {bound:.2g}")
        found += [f"{name} {odd}" for odd in unlikely(_cells(part, values), share)]
    return found


def unlikely(events: Iterable[Event], rate: float = RATE) -> list[str]:
    """The events whose counts are too low or too high: exact binomial tails, at rate / (2 * events) each."""
    events = list(events)
    count, trials = (np.array([getattr(event, name) for event in events]) for name in ("count", "trials"))
    chance = np.array([event.probability for event in events])
    few = binom.cdf(count, trials, np.clip(chance - ERROR, 0, 1))
    many = binom.sf(count - 1, trials, np.clip(chance + ERROR, 0, 1))
    return [
        f"{event.name}: {event.count} of {event.trials}, expected {event.trials * event.probability:.6g}"
        for event, tail in zip(events, np.minimum(few, many), strict=True)
        if tail < rate / (2 * len(events))
    ]


def _distance(below: Below, drawn: IntArray) -> float:
    """The supremum of |F_n - F|: F_n is flat between draws, so it is reached at a draw or just before one."""
    values, counts = np.unique(drawn, return_counts=True)
    reached = np.cumsum(counts) / drawn.size
    at, before = below(values), below(values - 1)
    return float(max(np.abs(reached - at).max(), np.abs(reached - counts / drawn.size - before).max()))


def _cells(law: Law, drawn: IntArray) -> list[Event]:
    """Up to each quantile, and between each two."""
    edges = law.quantiles()
    reached = np.searchsorted(np.sort(drawn), edges, side="right")
    chances = law.below(edges)
    cells = zip(edges, np.diff(reached, prepend=0), np.diff(chances, prepend=0.0), strict=True)
    return [
        *(Event(f"<= {k}", int(n), drawn.size, float(p)) for k, n, p in zip(edges, reached, chances, strict=True)),
        *(Event(f"in the cell up to {k}", int(n), drawn.size, float(p)) for k, n, p in cells),
    ]


def coin(probability: float) -> Law:
    """1 with this probability, else 0."""
    return Law(lambda k: np.where(k < 0, 0.0, np.where(k < 1, 1 - probability, 1.0)))


def uniform(bound: int) -> Law:
    """0, 1, ..., bound - 1, all alike."""

    def remainder(modulus: int) -> Below:
        # of the numbers below `bound`, every residue has bound // modulus, and the first bound % modulus one more
        whole, rest = divmod(bound, modulus)
        return lambda r: np.where(r < 0, 0.0, (_up(r) * whole + np.minimum(_up(r), rest)) / bound)

    moduli = [modulus for modulus in _MODULI if modulus < bound]
    return Law(
        lambda k: np.clip(_up(k) / bound, 0, 1), {modulus: _within(modulus, remainder(modulus)) for modulus in moduli}
    )


def geometric(scale: Fraction) -> Law:
    """0, 1, 2, ... with probability proportional to q^x, q = exp(-1 / scale): Pr[x <= k] = 1 - q^(k+1)."""
    s = float(scale)

    def remainder(modulus: int) -> Below:
        return lambda r: np.expm1(-_up(r) / s) / expm1(-modulus / s)

    return Law(
        lambda k: -np.expm1(-np.maximum(_up(k), 0) / s),
        {modulus: _within(modulus, remainder(modulus)) for modulus in _MODULI if modulus <= scale},
    )


def laplace(scale: Fraction) -> Law:
    """Probability (1 - q) / (1 + q) * q^|x|, q = exp(-1 / scale)."""
    s = float(scale)
    q = exp(-1 / s)

    def below(k: IntArray) -> FloatArray:
        tail = np.exp(-np.where(k < 0, -k.astype(np.float64), _up(k)) / s) / (1 + q)
        return np.where(k < 0, tail, 1 - tail)

    def remainder(modulus: int) -> Below:
        # r itself, and r - modulus on the other side: proportional to q^r + q^(modulus - r)
        return lambda r: np.expm1(-_up(r) / s) / expm1(-modulus / s) * (1 + np.exp((r - modulus) / s)) / (1 + q)

    return Law(
        below,
        {modulus: _within(modulus, remainder(modulus)) for modulus in _MODULI if modulus <= scale},
        symmetric=True,
    )


def gaussian(variance: Fraction) -> Law:
    """Probability proportional to exp(-x^2 / (2 variance)): a table, or Euler and Maclaurin's formula where it is long.

    sum over x <= k of f(x) is the integral up to k + 1/2, minus f'(k + 1/2) / 24, and so on; the next term is of
    order sigma^-4. By Poisson's formula the sum over all x is sigma * sqrt(2 pi), up to exp(-2 pi^2 variance).
    """
    sigma = sqrt(variance)
    if sigma < 500:  # from here on, sigma^-4 / 800 is below 1e-12
        with mpmath.workdps(30):
            exponent = -mpmath.mpf(variance.denominator) / (2 * variance.numerator)
            half = [mpmath.exp(exponent * x * x) for x in range(int(12 * sigma) + 3)]
            table = [*half[:0:-1], *half]
            total = mpmath.fsum(table)
            chances = np.array([float(weight / total) for weight in table])
        return Law(_table(chances, -len(half) + 1), _flat_remainders(sigma), symmetric=True)

    def below(k: IntArray) -> FloatArray:
        t = (k.astype(np.float64) + 0.5) / sigma
        return ndtr(t) + t * np.exp(-t * t / 2) / (24 * sqrt(2 * pi) * sigma**2)

    return Law(below, _flat_remainders(sigma), symmetric=True)


def student(scale: Fraction) -> Law:
    """Probability proportional to 1 / (scale^2 + x^2)^2: a table up to 10^4, beyond it the integral from k + 1/2.

    With f = 1 / (s^2 + x^2)^2, the sum over x > k is the integral from k + 1/2, plus f'(k + 1/2) / 24, up to a
    relative (k^2 + s^2)^-2; the sum over all x is pi / (2 s^3) * (coth(pi s) + pi s / sinh(pi s)^2).
    """
    s = float(scale)
    last = 10**4
    spread = pi * s
    swing = 0.0 if spread > 300 else spread / sinh(spread) ** 2  # below exp(-590)
    total = pi / 2 * (1 / tanh(spread) + swing)  # times s^-3
    inner = np.array([s**3 / (s * s + x * x) ** 2 / total for x in range(last + 1)])
    sums = 0.5 - inner[0] / 2 + np.cumsum(inner)

    def above(size: FloatArray) -> FloatArray:
        edge = (size + 0.5) / s
        integral = (np.arctan(1 / edge) - edge / (1 + edge**2)) / 2
        return (integral - edge / (6 * s * s) / (1 + edge**2) ** 3) / total

    def upper(size: FloatArray) -> FloatArray:
        """Pr[x <= size], for size >= 0."""
        near = sums[np.minimum(size, last).astype(np.int64)]
        return np.where(size <= last, near, 1 - above(np.maximum(size, last)))

    def below(k: IntArray) -> FloatArray:
        size = k.astype(np.float64)
        return np.where(k >= 0, upper(np.maximum(size, 0)), 1 - upper(np.maximum(-size - 1, 0)))

    return Law(below, _flat_remainders(s), symmetric=True)


def reciprocal() -> Law:
    """Pr[x >= n] = 1 / n."""
    return Law(lambda k: np.where(k < 1, 0.0, 1 - 1 / np.maximum(_up(k), 1)))


def _flat_remainders(scale: float) -> dict[int, Below]:
    """Remainders of a bell-shaped law, where they are uniform by Poisson's formula.

    Up to exp(-2 pi^2 (scale / m)^2) for Gaussians and (1 + 2 pi scale / m) exp(-2 pi scale / m) for Student's law:
    with scale / m >= 8 below 1e-19.
    """
    moduli = [modulus for modulus in _MODULI if 8 * modulus <= scale]
    return {modulus: (lambda r, m=modulus: np.clip(_up(r) / m, 0, 1)) for modulus in moduli}


def _table(chances: FloatArray, first: int) -> Below:
    """The distribution function of a law that gives these chances to first, first + 1, ..."""
    sums = np.concatenate([[0.0], np.cumsum(chances)])
    return lambda k: sums[np.clip(k, first - 1, first + chances.size - 1) - first + 1]


def _within(modulus: int, below: Below) -> Below:
    """The distribution function of a remainder: 0 before 0, 1 from modulus - 1 on."""
    return lambda r: np.where(r < 0, 0.0, np.where(r >= modulus - 1, 1.0, below(np.clip(r, 0, modulus - 1))))


def _up(k: IntArray) -> FloatArray:
    """k + 1, without overflow."""
    return k.astype(np.float64) + 1
