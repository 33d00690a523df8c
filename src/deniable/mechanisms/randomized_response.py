"""Randomized response: a yes or no that everybody can deny."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, log, sqrt, tanh
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.core.bits import BitSource, OperatingSystem
from deniable.core.conversion import log_odds_above
from deniable.core.errors import InvalidArgumentError
from deniable.core.loss import Loss
from deniable.core.number import Number, exact, positive, probability, whole
from deniable.core.sampling import IntArray, coin
from deniable.core.sampling.digits import Digits, logistic, rational
from deniable.mechanisms.mechanism import Mechanism, one_or_many

_HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True, init=False)
class RandomizedResponse(Mechanism):
    """Tells the truth with probability 1/2 + gamma, and the opposite otherwise.

    Input:      bits (0 or 1, False or True); neighbours differ in one person's bit.
    Guarantee:  pure differential privacy with epsilon = ln((1/2 + gamma) / (1/2 - gamma)), even against the collector.
    Rounding:   none in the draw: e^epsilon / (1 + e^epsilon) is sampled exactly. From `keep`, epsilon is rounded up.
    Error:      the unbiased estimate of a fraction, from n people, is within sqrt(ln(2/beta) / (2n)) / (2 gamma) of
                the truth with probability 1 - beta (Hoeffding); its standard deviation is at most 1 / (4 gamma sqrt n).
    Cost:       eight random bytes per person.
    Caution:    the naive mean of the answers is biased towards 1/2; use `estimate`.
    Reference:  Warner 1965.
    Proof:      docs/proofs/randomized_response.md

    Example:
        >>> survey = RandomizedResponse.from_gamma("1/4")
        >>> survey.keep_probability, round(float(survey.loss.epsilon), 6)
        (0.75, 1.098612)
        >>> survey.estimate([1, 1, 1, 0])
        1.0
    """

    epsilon: Fraction | None
    keep: Fraction | None

    def __init__(self, *, epsilon: Number | None = None, keep: Number | None = None) -> None:
        if (epsilon is None) == (keep is None):
            raise InvalidArgumentError("epsilon", "is one way to say the odds, keep the other: give just one")
        self._set(
            epsilon=None if epsilon is None else positive("epsilon", epsilon),
            keep=None if keep is None else probability("keep", keep),
        )
        if self.keep is not None and self.keep <= _HALF:
            raise InvalidArgumentError("keep", f"must be above 1/2, not {keep}")

    @classmethod
    def from_gamma(cls, gamma: Number) -> Self:
        """By the advantage of the truth: keep = 1/2 + gamma."""
        advantage = exact("gamma", gamma)
        if not 0 < advantage < _HALF:
            raise InvalidArgumentError("gamma", f"must lie strictly between 0 and 1/2, not {gamma}")
        return cls(keep=_HALF + advantage)

    @classmethod
    def typical(cls, epsilon: Number) -> Self:
        """One question."""
        return cls(epsilon=epsilon)

    @property
    def keep_probability(self) -> float:
        """Of telling the truth: e^epsilon / (1 + e^epsilon)."""
        return float(self.keep) if self.keep is not None else 1 / (1 + exp(-float(self.epsilon or 0)))

    @property
    def gamma(self) -> float:
        """The advantage of the truth over a fair coin."""
        return float(self.keep - _HALF) if self.keep is not None else tanh(float(self.epsilon or 0) / 2) / 2

    @property
    def loss(self) -> Loss:
        """Each answer is at most keep / (1 - keep) times likelier under one bit than under the other."""
        return Loss.pure(self.epsilon or log_odds_above(self.keep or _HALF))

    def release(self, answers: ArrayLike) -> Any:  # noqa: ANN401 - a bit in, a bit out; arrays likewise
        """The answers (0 or 1), each turned around by its own coin."""
        return one_or_many(answers, self._release(_bits(answers), OperatingSystem()))

    def estimate(self, responses: ArrayLike) -> float:
        """The unbiased estimate of the true fraction of ones: (mean - (1/2 - gamma)) / (2 gamma).

        A response is 1 with probability 2 gamma x + (1/2 - gamma) for a true bit x. May fall outside [0, 1].
        """
        return float((np.mean(_bits(responses)) - (0.5 - self.gamma)) / (2 * self.gamma))

    def error(self, confidence: Number = 0.95, *, people: int) -> float:
        """How far the estimate from so many people stays from their true fraction, with this probability."""
        beta = float(1 - probability("confidence", confidence))
        return sqrt(log(2 / beta) / (2 * whole("people", people))) / (2 * self.gamma)

    def people_for(self, error: Number, confidence: Number = 0.95) -> int:
        """How many people make the estimate that close, that surely: about 1 / (gamma error)^2."""
        beta = float(1 - probability("confidence", confidence))
        return ceil(log(2 / beta) / 2 / (2 * self.gamma * float(positive("error", error))) ** 2)

    def neighbours(self) -> tuple[int, int]:
        """No, and yes."""
        return 0, 1

    def sample(self, data: int, count: int) -> NDArray[np.int64]:
        """One person asked `count` times."""
        return self._release(np.repeat(_bits(data), count), OperatingSystem())

    def _release(self, answers: IntArray, bits: BitSource) -> IntArray:
        """Release with randomness passed in: exclusive or with a coin that lies."""
        return answers ^ coin(self._lie, answers.size, bits)

    @property
    def _lie(self) -> Digits:
        """1 - keep, digit by digit."""
        return logistic(self.epsilon) if self.epsilon is not None else rational(1 - (self.keep or _HALF))


def _bits(answers: ArrayLike) -> IntArray:
    """Zeros and ones as a vector."""
    numbers = np.atleast_1d(np.asarray(answers))
    if numbers.ndim != 1 or numbers.size == 0 or not np.isin(numbers, (0, 1)).all():
        raise InvalidArgumentError("answers", "must be zeros and ones, at least one of them")
    return numbers.astype(np.int64)
