"""Laplace noise: the default for counts and sums under pure differential privacy."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from deniable.core.bits import BitSource
from deniable.core.errors import InvalidArgumentError
from deniable.core.loss import Loss
from deniable.core.number import Number, amount, least_decimal, positive, positive_amount, whole
from deniable.core.sampling import IntArray, discrete_laplace, discrete_laplace_radius
from deniable.mechanisms.additive import Additive


@dataclass(frozen=True, slots=True, init=False)
class Laplace(Additive):
    """Adds to each value x steps of the grid, drawn with probability proportional to exp(-|x| / scale).

    Input:      numbers or vectors; neighbours lie at most `sensitivity` apart in l1 norm.
    Guarantee:  pure differential privacy with `epsilon`, for the whole vector.
    Rounding:   values go to the grid, halves upward; the sensitivity in steps is rounded up, with one step more for
                each further real coordinate. Scale and loss are exact fractions, the draw is an exact sampler.
    Error:      at most m steps with probability 1 - 2 q^(m+1) / (1 + q), q = exp(-1/scale), which is at least the
                textbook's 1 - exp(-m/scale); all of k answers within ceil(scale * ln(k/beta)) steps with 1 - beta.
    Cost:       a few random bytes per value; millions of values a second.
    Caution:    a value past 2^61 steps raises an error; put data into public bounds first.
    Reference:  Dwork, McSherry, Nissim, Smith 2006; Ghosh, Roughgarden, Sundararajan 2012 (the discrete law).
    Proof:      docs/proofs/laplace.md

    Example:
        >>> mechanism = Laplace(sensitivity=1, epsilon=0.5)
        >>> mechanism.scale, mechanism.error(confidence=0.95), mechanism.loss.epsilon
        (Fraction(2, 1), 6, Fraction(1, 2))
        >>> isinstance(mechanism.release(42), int)
        True
        >>> Laplace.for_error(5, confidence=0.95, sensitivity=1).epsilon
        Fraction(21527, 40000)
    """

    sensitivity: Fraction
    epsilon: Fraction
    step: Fraction
    coordinates: int

    def __init__(self, *, sensitivity: Number, epsilon: Number, step: Number = 1, coordinates: int = 1) -> None:
        self._set(
            sensitivity=positive_amount("sensitivity", sensitivity),
            epsilon=positive("epsilon", epsilon),
            step=positive_amount("step", step),
            coordinates=whole("coordinates", coordinates),
        )
        self._check_scale(self.scale)

    @classmethod
    def for_error(
        cls, error: Number, *, confidence: Number = 0.95, sensitivity: Number, answers: int = 1, step: Number = 1
    ) -> Self:
        """The least epsilon (to six digits) with which all of `answers` values are that close, that surely."""
        wanted = amount("error", error)
        if wanted < 0:
            raise InvalidArgumentError("error", f"must not be negative, not {error}")

        def enough(epsilon: Fraction) -> bool:
            mechanism = cls(sensitivity=sensitivity, epsilon=epsilon, step=step)
            return mechanism._steps(confidence, answers) * mechanism.step <= wanted

        return cls(sensitivity=sensitivity, epsilon=least_decimal(enough), step=step)

    @classmethod
    def typical(cls, epsilon: Number) -> Self:
        """The noise of a count."""
        return cls(sensitivity=1, epsilon=epsilon)

    @property
    def distance(self) -> Fraction:
        """Each coordinate lands at most ceil(|difference| / step) apart, so k of them at most sensitivity/step + k."""
        return Fraction(self._grid.distance(self.sensitivity) + self.coordinates - 1)

    @property
    def scale(self) -> Fraction:
        """Of the noise, in steps."""
        return self.distance / self.epsilon

    @property
    def loss(self) -> Loss:
        """One step of l1 distance moves the log-probability of any outcome by at most 1 / scale."""
        return Loss.pure(self.epsilon)

    def _noise(self, size: int, bits: BitSource) -> IntArray:
        return discrete_laplace(self.scale, size, bits)

    def _radius(self, beta: Fraction) -> int:
        return discrete_laplace_radius(self.scale, beta)
