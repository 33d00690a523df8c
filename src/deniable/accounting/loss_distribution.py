"""How large the privacy loss of a batch is, and how likely: a distribution on cells, never below the true one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from math import ceil, exp, log, sqrt

import numpy as np
from numpy.typing import NDArray

from deniable.core.conversion import deltas_from_mu

FloatArray = NDArray[np.float64]

PLACES = 20
"""Losses of single responses are whole multiples of 2^-20 cells."""
UNIT = 2.0**-52
"""Twice what one rounding to a double can change."""
_STEP = 1 << PLACES
_LEAST = 1e-290
"""Stands for weights that would leave the range of doubles, and for all products that did."""
_SPARSE = 16
"""A distribution with so few cells in use, of all, is added up cell by cell."""


@dataclass(frozen=True, slots=True)
class LossDistribution:
    """A loss of `first + i` cells has chance `masses[i]`, and an infinite one `beyond`; each at least the true chance.

    Guarantee:  for every function of the loss that is nonnegative and, in x = e^-loss, convex and falling, its mean
                under the true law is at most (1 + roundings * 2^-52) times its sum over `masses`, plus `beyond` times
                its largest value. delta(epsilon) = E[(1 - e^(epsilon - loss))+] is such a mean.
    Rounding:   to the side of more loss: chances up, losses apart; floating-point errors are counted in `roundings`.
    Proof:      docs/proofs/pld.md
    """

    cell: float
    first: int
    masses: FloatArray
    beyond: float = 0.0
    roundings: int = 0

    def __add__(self, other: LossDistribution) -> LossDistribution:
        """Of the sum of two independent losses. A sum of products of positive numbers: no digit cancels."""
        small, large = sorted((self.masses, other.masses), key=lambda masses: masses.size)
        used = np.flatnonzero(small)
        if _SPARSE * used.size > small.size:
            masses = np.convolve(large, small)
        else:
            masses = np.zeros(small.size + large.size - 1)
            for place in used:
                masses[place : place + large.size] += small[place] * large
        return LossDistribution(
            self.cell,
            self.first + other.first,
            masses,
            (self.beyond + other.beyond) * (1 + UNIT),
            self.roundings + other.roundings + small.size + 1,
        )

    def without_tails(self, cut: float) -> LossDistribution:
        """At most `cut` of the largest losses becomes infinite, and as much of the smallest the least that stays."""
        below = int(np.searchsorted(np.cumsum(self.masses), cut))
        above = int(np.searchsorted(np.cumsum(self.masses[::-1]), cut))
        last = max(below + 1, self.masses.size - above)
        kept = self.masses[below:last].copy()
        kept[0] += self.masses[:below].sum()
        roundings = self.roundings + self.masses.size
        lost = float(self.masses[last:].sum()) * (1 + roundings * UNIT)
        return LossDistribution(self.cell, self.first + below, kept, (self.beyond + lost) * (1 + UNIT), roundings)

    def delta(self, epsilon: float, mu: float = 0.0) -> float:
        """At most so much probability exceeds e^epsilon times the other's, if a Gaussian loss with `mu` is added too.

        Epsilon is first lessened by more than the losses of cells are rounded by, and by more than a discrete Gaussian
        may lose beyond a continuous one.
        """
        used = np.flatnonzero(self.masses)
        farthest = epsilon + self.cell * max(abs(self.first), abs(self.first + self.masses.size))
        lessened = epsilon - 16 * UNIT * farthest - (4 * UNIT if mu else 0.0)
        gaps = lessened - (self.first + used).astype(np.float64) * self.cell
        deltas = deltas_from_mu(mu, gaps) if mu else -np.expm1(np.minimum(gaps, 0.0))
        roundings = self.roundings + self.masses.size + 64
        return float((self.masses[used] * deltas).sum()) * (1 + roundings * UNIT) + self.beyond + _LEAST


NO_LOSS = LossDistribution(1.0, 0, np.ones(1))


def responses(steps: int, cell: float, count: int, cut: float) -> LossDistribution:
    """`count` randomized responses with epsilon = steps * 2^-20 cells; each tail that is left out is below `cut`.

    With j truths, as likely as in Binomial(count, 1 / (1 + e^-epsilon)), the loss is (2 j - count) epsilon. Hoeffding
    1963 bounds the tails. Where that falls between two cells, it is divided so that the means of 1 and of e^-loss stay:
    merging the two gives the response back, so they lose at least as much (Doroshenko and others 2022).
    """
    epsilon = steps * cell / _STEP
    middle = min(count, round(count / (1 + exp(-epsilon))))
    reach = ceil(sqrt(count * log(1 / cut) / 2)) + 2
    low, high = max(0, middle - reach), min(count, middle + reach)
    rising, falling = np.arange(middle, high), np.arange(middle, low, -1)
    weights = np.concatenate(
        [
            np.cumprod(falling / (count - falling + 1.0) * exp(-epsilon))[::-1],
            np.ones(1),
            np.cumprod((count - rising) / (rising + 1.0) * exp(epsilon)),
        ]
    )
    weights = np.maximum(weights, _LEAST)
    masses = weights / weights.sum()  # of those that are kept: not below the chances of all
    masses[0] += cut if low else 0.0
    cells, rest = np.divmod(steps * (2 * np.arange(low, high + 1) - count), _STEP)
    between = rest / _STEP
    upper = np.expm1(-between * cell) / np.expm1(-cell)
    lower = np.exp(-between * cell) * np.expm1((between - 1) * cell) / np.expm1(-cell)
    first = int(cells[0])
    size = int(cells[-1]) - first + 2
    spread = np.zeros(size)
    np.add.at(spread, cells - first, masses * lower)
    np.add.at(spread, cells - first + 1, masses * upper)
    roundings = masses.size * (4 * ceil(epsilon) + 16) + 64
    return LossDistribution(cell, first, spread, cut if high < count else 0.0, roundings)


def total(parts: Sequence[LossDistribution], cut: float) -> LossDistribution:
    """All parts together, the smallest first; each tail that is left out on the way is at most `cut`."""
    heap = [(part.masses.size, place, part) for place, part in enumerate(parts)]
    heapify(heap)
    for place in range(len(parts), 2 * len(parts) - 1):
        sum_of_two = (heappop(heap)[2] + heappop(heap)[2]).without_tails(cut)
        heappush(heap, (sum_of_two.masses.size, place, sum_of_two))
    return heap[0][2] if heap else NO_LOSS
