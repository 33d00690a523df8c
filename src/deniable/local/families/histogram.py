"""Protocols for shares: how many respondents hold each value of a question."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.core.errors import InvalidArgumentError
from deniable.core.number import Number, exact, surety, whole
from deniable.core.sampling import IntArray
from deniable.local.domain import AnswerDomain, Values
from deniable.local.estimate import Estimate
from deniable.local.families.protocol import Protocol
from deniable.local.intervals import doubt, share_interval
from deniable.local.odds import asked
from deniable.local.reports import Reports

FloatArray = NDArray[np.float64]


class HistogramProtocol(Protocol):
    """A report supports some values. It supports the true one with chance `truth`, any other one with chance `lie`.

    Both chances are exact fractions and the same for all values (a *pure* protocol; Wang, Blocki, Li, Jha 2017), so the
    number of reports that support a value, less what lies alone would give, is an unbiased count of those who hold it.
    """

    __slots__ = ()

    domain: AnswerDomain

    def __init__(self, domain: Values, epsilon: Number) -> None:
        self._set(domain=AnswerDomain.of(domain), epsilon=asked(epsilon))
        if self.truth <= self.lie:
            raise InvalidArgumentError("epsilon", f"is too small for {self.domain.size:,} values")

    @classmethod
    def typical(cls, epsilon: Number) -> Self:
        """Four values."""
        return cls(4, epsilon)

    @property
    def settings(self) -> Mapping[str, Any]:
        """The protocol's name, the values in their order, and epsilon."""
        return {"protocol": type(self).__name__, "domain": self.domain.spelled, "epsilon": str(self.epsilon)}

    @property
    @abstractmethod
    def truth(self) -> Fraction:
        """The chance that a report supports the value it was made from."""

    @property
    @abstractmethod
    def lie(self) -> Fraction:
        """The chance that a report supports some other value; the same for each."""

    def inputs(self) -> Sequence[Any]:
        """All values."""
        return self.domain.names or range(self.domain.size)

    def variance(self, people: int, share: Number = 0) -> float:
        """Of the estimated share, around the true one. Exact; the noise is all that is random."""
        number = float(exact("share", share))
        if not 0 <= number <= 1:
            raise InvalidArgumentError("share", f"must lie between 0 and 1, not {share}")
        truth, lie = float(self.truth), float(self.lie)
        spread = number * truth * (1 - truth) + (1 - number) * lie * (1 - lie)
        return spread / (whole("people", people) * (truth - lie) ** 2)

    def support(self, reports: Reports) -> IntArray:
        """How many reports support each value."""
        return self._support(self._read(reports))

    def estimate(self, reports: Reports, confidence: Number = 0.95) -> Estimate:
        """The share of each value: (supported / n - lie) / (truth - lie), with exact binomial intervals."""
        return self._judge(self.support(reports), len(reports), confidence)

    def check(self, values: ArrayLike) -> None:
        """Each must be a value of the domain."""
        self.domain.places(values)

    @abstractmethod
    def _support(self, data: NDArray[Any]) -> IntArray:
        """Support of rows that were checked."""

    def _judge(self, support: IntArray, people: int, confidence: Number) -> Estimate:
        """Shares and intervals from support; see docs/proofs/local.md."""
        alpha = doubt(confidence)
        truth, lie = float(self.truth), float(self.lie)
        return Estimate(
            value=(support / people - lie) / (truth - lie),
            interval=share_interval(support, people, alpha, self.truth, self.lie),
            simultaneous=share_interval(support, people, alpha / support.size, self.truth, self.lie),
            confidence=surety(confidence),
            people=people,
            loss=self.loss,
            labels=self.domain.labels,
        )
