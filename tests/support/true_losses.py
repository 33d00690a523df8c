"""What a batch truly loses: sums of binomials for randomized responses, the closed form for Gaussian noise."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product

import mpmath

from deniable.core.loss import Loss

Law = list[tuple[mpmath.mpf, mpmath.mpf]]
"""(loss, chance)"""


def mp(number: Fraction) -> mpmath.mpf:
    return mpmath.mpf(number.numerator) / number.denominator


@dataclass(frozen=True)
class Batch:
    """So many responses of each epsilon, so many outright truths, and Gaussian noise."""

    responses: tuple[tuple[Fraction, int], ...] = ()
    leaks: tuple[tuple[Fraction, int], ...] = ()
    mu_squared: Fraction = Fraction(0)

    @property
    def losses(self) -> list[Loss]:
        pure = [loss for epsilon, count in self.responses for loss in [Loss.pure(epsilon)] * count]
        leaks = [loss for delta, count in self.leaks for loss in [Loss.approximate("1e-250", delta)] * count]
        noise = [Loss.concentrated(self.mu_squared / 6, self.mu_squared / 3)] * 3 if self.mu_squared else []
        return pure + leaks + noise

    def delta(self, epsilon: Fraction) -> mpmath.mpf:
        """The true one, to thirty digits and more: the mean of (1 - e^(epsilon - loss))+."""
        safe = mpmath.mpf(1)
        for leak, count in self.leaks:
            safe *= (1 - mp(leak)) ** count
        excess = mpmath.mpf(0)
        for several in product(*(binomial(each, count) for each, count in self.responses)):
            gap = mp(epsilon) - sum(loss for loss, _ in several)
            if gap < 0 or self.mu_squared:
                excess += mpmath.fprod(chance for _, chance in several) * self.beyond(gap)
        return 1 - safe + safe * excess

    def beyond(self, gap: mpmath.mpf) -> mpmath.mpf:
        """Of the Gaussian part alone, whose epsilon may be negative."""
        if not self.mu_squared:
            return -mpmath.expm1(gap)
        mu = mpmath.sqrt(mp(self.mu_squared))
        return mpmath.ncdf(mu / 2 - gap / mu) - mpmath.exp(gap) * mpmath.ncdf(-mu / 2 - gap / mu)


@cache
def binomial(epsilon: Fraction, count: int) -> Law:
    """The loss of so many randomized responses: (2 j - count) epsilon, where j of them told the truth."""
    ratio = mpmath.exp(mp(epsilon))
    chance, law = (1 + ratio) ** -count, []
    for truths in range(count + 1):
        law.append((mp((2 * truths - count) * epsilon), chance))
        chance *= ratio * (count - truths) / (truths + 1)
    return law
