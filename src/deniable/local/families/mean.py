"""Protocols for means: each respondent holds a number within public bounds."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from math import sqrt
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.core.bits import BitSource, words
from deniable.core.errors import InvalidArgumentError
from deniable.core.number import Number, exact, surety, whole
from deniable.core.sampling import IntArray
from deniable.local.estimate import Estimate
from deniable.local.families.protocol import Protocol
from deniable.local.intervals import doubt, mean_radius
from deniable.local.odds import asked
from deniable.local.reports import Reports

FloatArray = NDArray[np.float64]


class MeanProtocol(Protocol):
    """Each report has a score whose expectation is the respondent's number, as a part of the way from low to high.

    The score's variance depends on that part only by its distance from the middle, and monotonously: so the middle and
    an end have the least and the greatest.
    """

    __slots__ = ()

    low: Fraction
    high: Fraction

    def __init__(self, epsilon: Number, bounds: tuple[Number, Number] = (-1, 1)) -> None:
        low, high = _bounds(bounds)
        self._set(epsilon=asked(epsilon), low=low, high=high)

    @classmethod
    def typical(cls, epsilon: Number) -> Self:
        """Between -1 and 1."""
        return cls(epsilon)

    @property
    def settings(self) -> Mapping[str, Any]:
        """The protocol's name, epsilon, and the bounds."""
        return {
            "protocol": type(self).__name__,
            "epsilon": str(self.epsilon),
            "bounds": [str(self.low), str(self.high)],
        }

    @property
    @abstractmethod
    def messages(self) -> int:
        """How many reports there are."""

    @property
    @abstractmethod
    def reach(self) -> float:
        """The farthest that a score can be from its expectation."""

    @abstractmethod
    def part_variance(self, part: float) -> float:
        """Of the score of a number that lies so far on the way from low to high."""

    @property
    def grain(self) -> float:
        """What rounding to a grid adds to the variance, at most."""
        return 0.0

    @abstractmethod
    def scores(self, data: NDArray[Any]) -> FloatArray:
        """An unbiased part of the way for each report."""

    def variance(self, people: int, value: Number | None = None) -> float:
        """Of the estimated mean, if all numbers are this one; without it, the greatest."""
        if value is None:
            most = max(self.part_variance(0.0), self.part_variance(0.5))
        else:
            most = self.part_variance(float(self._parts([float(exact("value", value))])[0]))
        return most * float(self.high - self.low) ** 2 / whole("people", people)

    def estimate(self, reports: Reports, confidence: Number = 0.95) -> Estimate:
        """The mean of the respondents' numbers, with an interval from `mean_radius`."""
        scores = self.scores(self._read(reports))
        ends = [self.part_variance(part) for part in (0.0, 0.5)]
        least, most = sqrt(min(ends)), sqrt(max(ends) + self.grain)
        radius = mean_radius(scores.size, doubt(confidence), reach=self.reach, least=least, most=most)
        part = float(scores.mean())
        return self._scaled(part, part - radius, part + radius, scores.size, confidence)

    def check(self, values: ArrayLike) -> None:
        """Each must be a number within the bounds."""
        self._parts(values)

    def _scaled(self, part: float, low: float, high: float, people: int, confidence: Number) -> Estimate:
        """From parts of the way to numbers."""
        start, width = float(self.low), float(self.high - self.low)
        ends = (start + width * float(np.clip(low, 0, 1)), start + width * float(np.clip(high, 0, 1)))
        return Estimate(
            value=start + width * part,
            interval=ends,
            simultaneous=ends,
            confidence=surety(confidence),
            people=people,
            loss=self.loss,
            labels=("mean",),
            shares=False,
        )

    def _parts(self, values: ArrayLike) -> FloatArray:
        """Each number as a part of the way; a number outside the bounds is refused."""
        given = np.atleast_1d(np.asarray(values))
        if given.ndim != 1 or given.size == 0 or given.dtype.kind not in "iuf":
            raise InvalidArgumentError("values", "must be one number, or a list with at least one")
        return within(given, self.low, self.high)


class OnGrid(MeanProtocol):
    """A mean of numbers that are first put on one of `cells` + 1 points, at random and without bias."""

    __slots__ = ()

    cells: int

    def __init__(self, epsilon: Number, bounds: tuple[Number, Number] = (-1, 1), cells: int = 1 << 16) -> None:
        MeanProtocol.__init__(self, epsilon, bounds)
        self._set(cells=whole("cells", cells))

    @classmethod
    def typical(cls, epsilon: Number) -> Self:
        """Few cells."""
        return cls(epsilon, cells=8)


def within(given: NDArray[Any], low: Fraction, high: Fraction) -> FloatArray:
    """Numbers as parts of the way from low to high; NaN and what lies outside is refused."""
    numbers = given.astype(np.float64)
    if not ((numbers >= float(low)) & (numbers <= float(high))).all():
        raise InvalidArgumentError("values", f"must lie between {float(low):g} and {float(high):g}")
    return np.clip((numbers - float(low)) / float(high - low), 0.0, 1.0)


def rounded(parts: FloatArray, cells: int, bits: BitSource) -> IntArray:
    """Parts of the way as whole cells, rounded up as often as makes the expectation right."""
    scaled = parts * cells
    floors = np.minimum(np.floor(scaled), cells - 1)
    up = words(bits, parts.size) * 2.0**-64 < scaled - floors
    return floors.astype(np.int64) + up


def _bounds(bounds: tuple[Number, Number]) -> tuple[Fraction, Fraction]:
    try:
        low, high = bounds
    except (TypeError, ValueError):
        raise InvalidArgumentError("bounds", "must be two numbers, the lower one first") from None
    ends = exact("bounds", low), exact("bounds", high)
    if ends[0] >= ends[1] or max(map(abs, ends)) > 10**15:
        raise InvalidArgumentError("bounds", f"must be two numbers up to 1e15, the lower one first, not {bounds}")
    return ends
