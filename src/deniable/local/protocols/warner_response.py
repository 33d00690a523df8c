"""Warner's randomized response: a yes or no that everybody can deny, and how many to ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log, sqrt
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.core.bits import BitSource
from deniable.core.conversion import log_odds_above
from deniable.core.errors import InvalidArgumentError
from deniable.core.number import Number, exact, positive, surety, whole
from deniable.core.sampling import bernoulli
from deniable.local.domain import AnswerDomain
from deniable.local.estimate import Estimate
from deniable.local.families.protocol import Law, Protocol, below
from deniable.local.intervals import chance_interval, doubt
from deniable.local.odds import asked, truth_chance
from deniable.local.reports import Reports

Bound = Literal["chebyshev", "hoeffding", "exact"]

_HALF = Fraction(1, 2)
_MANY = 10**12


@dataclass(frozen=True, slots=True, init=False)
class WarnerResponse(Protocol):
    """Tells the truth with probability `keep` = 1/2 + gamma, and the opposite otherwise.

    Input:         yes or no: 1 or 0, True or False.
    Guarantee:     a yes is at most e^epsilon times likelier from one truth than from the other, and so is a no;
                   e^epsilon = keep / (1 - keep). From `epsilon`, keep is rounded down to a multiple of 2^-64; from
                   `keep` or `gamma`, epsilon is rounded up.
    Error:         the share of yes is unbiased with variance keep (1 - keep) / ((2 keep - 1)^2 n), whatever the share,
                   so a standard deviation of at most 1 / (4 gamma sqrt n). `error` has bounds with a probability.
    Message size:  1 bit.
    Cost:          eight random bytes per respondent; the collector counts.
    Reference:     Warner 1965.
    Proof:         docs/proofs/local.md

    Example:
        >>> survey = WarnerResponse(keep="3/4")
        >>> round(float(survey.epsilon), 6), survey.gamma, survey.naive_mean(0.1)
        (1.098612, Fraction(1, 4), 0.3)
        >>> answers = np.arange(10_000) % 5 == 0
        >>> survey.estimate(survey.perturb(answers))
        value        estimate
        ...
        yes     0... ± 0.019
        ± at 95% confidence · 10,000 people · ε 1.099 each
        >>> survey.people_for(0.01, bound="hoeffding"), survey.people_for(0.01, bound="exact")
        (73778, 38615)
    """

    keep: Fraction
    epsilon: Fraction

    def __init__(
        self, *, epsilon: Number | None = None, keep: Number | None = None, gamma: Number | None = None
    ) -> None:
        if sum(odds is not None for odds in (epsilon, keep, gamma)) != 1:
            raise InvalidArgumentError("epsilon", "keep and gamma are three ways to say the odds: give just one")
        if epsilon is not None:
            number = asked(epsilon)
            self._set(epsilon=number, keep=truth_chance(number, 1, 1))
            return
        name, said = ("keep", keep) if gamma is None else ("gamma", gamma)
        chance = exact(name, said or 0) + (0 if gamma is None else _HALF)
        if not _HALF < chance < 1:
            ends = "1/2 and 1" if gamma is None else "0 and 1/2"
            raise InvalidArgumentError(name, f"must lie strictly between {ends}, not {said}")
        self._set(keep=chance, epsilon=log_odds_above(chance))

    @classmethod
    def typical(cls, epsilon: Number) -> Self:
        """One question."""
        return cls(epsilon=epsilon)

    @property
    def settings(self) -> Mapping[str, Any]:
        """The chance of the truth, exactly."""
        return {"protocol": "RandomizedResponse", "keep": str(self.keep)}

    @property
    def gamma(self) -> Fraction:
        """The advantage of the truth over a fair coin."""
        return self.keep - _HALF

    def inputs(self) -> Sequence[int]:
        """No, and yes."""
        return (0, 1)

    def law(self, value: int) -> Law:
        """The truth, and the opposite."""
        return {value: self.keep, 1 - value: 1 - self.keep}

    def naive_mean(self, share: float) -> float:
        """What the mean of the reports comes to if this is the true share: 2 gamma share + 1/2 - gamma."""
        return float(2 * self.gamma * exact("share", share) + _HALF - self.gamma)

    def variance(self, people: int) -> float:
        """Of the estimated share around the true one."""
        return float(self.keep * (1 - self.keep) / (2 * self.gamma) ** 2 / whole("people", people))

    def estimate(self, reports: Reports, confidence: Number = 0.95) -> Estimate:
        """The share of yes: (mean - (1/2 - gamma)) / (2 gamma), with Clopper and Pearson's interval."""
        said, people = int(self._read(reports).sum()), len(reports)
        ends = chance_interval([said], people, doubt(confidence))
        low, high = (float(np.clip(self._share(float(end[0])), 0, 1)) for end in ends)
        return Estimate(
            value=self._share(said / people),
            interval=(low, high),
            simultaneous=(low, high),
            confidence=surety(confidence),
            people=people,
            loss=self.loss,
            labels=("yes",),
        )

    def error(self, confidence: Number = 0.95, *, people: int, bound: Bound = "hoeffding") -> float:
        """How far the estimate stays from the true share of so many people, with this probability.

        chebyshev: from the variance, sqrt(variance / beta).
        hoeffding: from the range, sqrt(ln(2 / beta) / (2 n)) / (2 gamma) (Hoeffding 1963).
        exact:     the widest side of the binomial interval, whatever the reports turn out to be.
        """
        beta, number = doubt(confidence), whole("people", people)
        match bound:
            case "chebyshev":
                return sqrt(self.variance(number) / beta)
            case "hoeffding":
                return sqrt(log(2 / beta) / (2 * number)) / float(2 * self.gamma)
            case "exact":
                return _widest_side(number, beta) / float(2 * self.gamma)
        raise InvalidArgumentError("bound", f"must be chebyshev, hoeffding or exact, not {bound!r}")

    def people_for(self, error: Number, confidence: Number = 0.95, *, bound: Bound = "hoeffding") -> int:
        """How many people make the estimate that close, that surely: of the order of 1 / (gamma error)^2."""
        wanted = float(positive("error", error))
        return _least(lambda people: self.error(confidence, people=people, bound=bound) <= wanted)

    def check(self, values: ArrayLike) -> None:
        """Each must be 0 or 1."""
        AnswerDomain(2).places(values)

    def _share(self, mean: float) -> float:
        return (mean - float(_HALF - self.gamma)) / float(2 * self.gamma)

    def _perturb(self, values: ArrayLike, bits: BitSource) -> NDArray[Any]:
        """Exclusive or with a coin that lies."""
        answers = AnswerDomain(2).places(values)
        return (answers ^ bernoulli(1 - self.keep, answers.size, bits)).astype(np.uint8)

    def _valid(self, data: NDArray[Any]) -> bool:
        return below(data, 2)


def _widest_side(people: int, beta: float) -> float:
    """Of all intervals that counts can lead to. The widest sides belong to counts near one half."""
    around = people / 2 + np.linspace(-6, 6, 2001) * sqrt(people)
    counts = np.unique(np.rint(around).clip(0, people))
    low, high = chance_interval(counts, people, beta)
    return float(np.maximum(counts / people - low, high - counts / people).max())


def _least(enough: Callable[[int], bool]) -> int:
    """The least number that is enough, by doubling and halving."""
    high = 1
    while not enough(high):
        high *= 2
        if high > _MANY:
            raise InvalidArgumentError("error", "is so small that more than 1e12 people would have to be asked")
    low = high // 2
    while high - low > 1:
        middle = ceil((low + high) / 2)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
