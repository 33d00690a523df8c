"""Gaussian noise: for many answers at once, measured in l2."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log, sqrt
from typing import Self

from deniable.core.bits import BitSource
from deniable.core.conversion import budget_for_mu_squared, budget_for_rho
from deniable.core.distributions.normal import quantile
from deniable.core.errors import InvalidArgumentError
from deniable.core.loss import Loss
from deniable.core.number import Number, exact, least_decimal, positive, positive_amount, probability, root_above, whole
from deniable.core.sampling import IntArray, discrete_gaussian
from deniable.mechanisms.additive import Additive

_SMOOTHING = 5
"""Variance, in squared steps, that turns a continuous Gaussian into a discrete one; see docs/proofs/gaussian.md."""

_WAY_BACK = Fraction(1, 10**11)
"""Left unspent, so that the loss at delta, which is rounded up, does not exceed the epsilon that was asked for."""


@dataclass(frozen=True, slots=True, init=False)
class Gaussian(Additive):
    """Adds to each value x steps of the grid, drawn with probability proportional to exp(-x^2 / (2 variance)).

    Input:      numbers or vectors; neighbours lie at most `sensitivity` apart in l2 norm.
    Guarantee:  zCDP with rho = distance^2 / (2 variance), distance being the sensitivity in steps; and, if the
                variance is above 5, GDP with mu^2 = distance^2 / (variance - 5), up to a factor exp(2^-138) per draw.
                From (epsilon, delta): the least variance that either of the two shows to be enough.
    Rounding:   values go to the grid, halves upward; the sensitivity in steps is rounded up, or, for k > 1 real
                coordinates, gets sqrt(k) more. Variance and rho are exact fractions, the draw is an exact sampler.
    Error:      at most ceil(sigma * z) steps with probability 1 - beta, z the normal quantile of 1 - beta/2.
    Cost:       a few dozen random bytes per value; millions of values a second.
    Caution:    no finite pure epsilon. A value past 2^61 steps raises an error.
    Reference:  Canonne, Kamath, Steinke 2020 (discrete law, zCDP); Balle, Wang 2018 (analytic calibration);
                Dwork, Roth 2014, theorem A.1 (classic formula, see `classic_sigma`).
    Proof:      docs/proofs/gaussian.md

    Example:
        >>> Gaussian(sensitivity=1, rho="0.01").variance
        Fraction(50, 1)
        >>> mechanism = Gaussian(sensitivity=1, epsilon=0.5, delta=1e-6)
        >>> round(mechanism.sigma, 2), float(mechanism.loss.at(1e-6).epsilon) <= 0.5
        (8.36, True)
    """

    sensitivity: Fraction
    rho: Fraction
    step: Fraction
    coordinates: int

    def __init__(
        self,
        *,
        sensitivity: Number,
        rho: Number | None = None,
        epsilon: Number | None = None,
        delta: Number | None = None,
        step: Number = 1,
        coordinates: int = 1,
    ) -> None:
        self._set(
            sensitivity=positive_amount("sensitivity", sensitivity),
            step=positive_amount("step", step),
            coordinates=whole("coordinates", coordinates),
        )
        if rho is not None and epsilon is None and delta is None:
            self._set(rho=positive("rho", rho))
        elif rho is None and epsilon is not None and delta is not None:
            self._set(rho=self._rho_for(positive("epsilon", epsilon), probability("delta", delta)))
        else:
            raise InvalidArgumentError("rho", "is one way to say the loss, epsilon with delta the other: give just one")
        self._check_scale(Fraction(ceil(root_above(self.variance))))

    @classmethod
    def for_error(
        cls, error: Number, *, confidence: Number = 0.95, sensitivity: Number, answers: int = 1, step: Number = 1
    ) -> Self:
        """The least rho (to six digits) with which all of `answers` values are that close, that surely."""
        wanted = positive_amount("error", error)
        if wanted < positive_amount("step", step):
            raise InvalidArgumentError("error", f"must be at least one step ({step}), not {error}: no bound is finer")

        def enough(rho: Fraction) -> bool:
            mechanism = cls(sensitivity=sensitivity, rho=rho, step=step)
            return mechanism._steps(confidence, answers) * mechanism.step <= wanted

        return cls(sensitivity=sensitivity, rho=least_decimal(enough), step=step)

    @classmethod
    def typical(cls, epsilon: Number) -> Self:
        """The noise of a count that is (epsilon, 1e-6)-private."""
        return cls(sensitivity=1, epsilon=epsilon, delta="1e-6")

    @property
    def distance(self) -> Fraction:
        """Rounding moves each of k coordinates by less than one more step, so the l2 norm by less than sqrt(k)."""
        if self.coordinates == 1:
            return Fraction(self._grid.distance(self.sensitivity))
        return self.sensitivity / self.step + root_above(Fraction(self.coordinates))

    @property
    def variance(self) -> Fraction:
        """Of the noise, in squared steps (the parameter; the true variance is never above it)."""
        return self.distance**2 / (2 * self.rho)

    @property
    def sigma(self) -> float:
        """The standard deviation, in the value's unit."""
        return sqrt(self.variance) * float(self.step)

    @property
    def loss(self) -> Loss:
        """The noise is N(0, variance - 5) followed by a random rounding that adds the last 5."""
        rest = self.variance - _SMOOTHING
        return Loss.concentrated(self.rho, self.distance**2 / rest if rest > 0 else None)

    def _rho_for(self, epsilon: Fraction, delta: Fraction) -> Fraction:
        """The larger of what zCDP and GDP show to be (epsilon, delta)-private."""
        epsilon *= 1 - _WAY_BACK
        mu_squared = budget_for_mu_squared(epsilon, delta)
        by_mu = self.distance**2 / (2 * (self.distance**2 / mu_squared + _SMOOTHING)) if mu_squared else Fraction(0)
        rho = max(by_mu, budget_for_rho(epsilon, delta))
        if rho <= 0:
            raise InvalidArgumentError("epsilon", f"must be larger: {float(epsilon)} needs noise beyond all bounds")
        return rho

    def _noise(self, size: int, bits: BitSource) -> IntArray:
        return discrete_gaussian(self.variance, size, bits)

    def _radius(self, beta: Fraction) -> int:
        """Discrete tails are within one step of continuous ones: Pr[x >= m] <= Pr[N >= m - 1] (CKS 2020, prop. 25)."""
        return ceil(-sqrt(self.variance) * quantile(float(beta) / 2))


def classic_sigma(*, sensitivity: Number, epsilon: Number, delta: Number) -> float:
    """The textbook's calibration, sensitivity * sqrt(2 ln(1.25 / delta)) / epsilon, proven only for epsilon <= 1.

    Kept for comparison: `Gaussian` needs less noise for the same promise.

    Example:
        >>> round(classic_sigma(sensitivity=1, epsilon=0.5, delta=1e-6), 2)
        10.6
    """
    if positive("epsilon", epsilon) > 1:
        raise InvalidArgumentError("epsilon", f"must be at most 1 for the classic formula, not {epsilon}")
    chance = float(probability("delta", delta))
    return (
        float(positive_amount("sensitivity", sensitivity))
        * sqrt(2 * log(1.25 / chance))
        / float(exact("epsilon", epsilon))
    )
