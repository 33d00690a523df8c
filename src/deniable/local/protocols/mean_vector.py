"""Means of many numbers at once: each respondent speaks about a few of them, and the collector about all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product
from math import prod, sqrt
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.core.bits import BitSource, words
from deniable.core.errors import InvalidArgumentError
from deniable.core.number import Number, surety, whole
from deniable.core.sampling import IntArray, uniform
from deniable.local.estimate import Estimate
from deniable.local.families.mean import within
from deniable.local.families.protocol import Law, Protocol
from deniable.local.intervals import doubt, mean_radius
from deniable.local.odds import asked
from deniable.local.protocols.hybrid import Hybrid
from deniable.local.reports import Reports, smallest

_EACH = Fraction(5, 2)


@dataclass(frozen=True, slots=True, init=False)
class MeanVector(Protocol):
    """Picks a few coordinates at random and sends each by the hybrid mechanism with an equal part of epsilon.

    Input:         vectors of `dimensions` numbers, all within the same public bounds.
    Guarantee:     every report is at most e^epsilon times likelier under one vector than under another: which
                   coordinates are sent does not depend on the vector, and the parts of epsilon add up.
    Error:         each mean's variance is about d / s times that of the hybrid mechanism at epsilon / s, where
                   s = max(1, min(d, epsilon / 2.5)) coordinates are sent. Intervals are guaranteed as there.
    Message size:  s (log2(d) + 17) bits, at most.
    Cost:          that of s numbers per respondent.
    Reference:     Wang, Xiao, Yang, Zhao, Hui, Shin, Shin, Yu 2019.
    Proof:         docs/proofs/local.md

    Example:
        >>> survey = MeanVector(3, epsilon=1, bounds=(0, 1))
        >>> estimate = survey.estimate(survey.perturb(np.tile([0.1, 0.5, 0.9], (5000, 1))))
        >>> estimate.value.shape, survey.sent
        ((3,), 1)
    """

    dimensions: int
    epsilon: Fraction
    each: Hybrid

    def __init__(
        self, dimensions: int, epsilon: Number, bounds: tuple[Number, Number] = (-1, 1), cells: int = 1 << 16
    ) -> None:
        number = asked(epsilon)
        self._set(dimensions=whole("dimensions", dimensions), epsilon=number)
        self._set(each=Hybrid(number / self.sent, bounds, cells))

    @classmethod
    def typical(cls, epsilon: Number) -> Self:
        """Two numbers, few cells."""
        return cls(2, epsilon, cells=2)

    @property
    def settings(self) -> Mapping[str, Any]:
        """Of each coordinate, and how many there are."""
        return {
            **self.each.settings,
            "protocol": "MeanVector",
            "epsilon": str(self.epsilon),
            "dimensions": self.dimensions,
        }

    @property
    def sent(self) -> int:
        """How many coordinates a respondent sends."""
        return max(1, min(self.dimensions, int(self.epsilon / _EACH)))

    def inputs(self) -> Sequence[Any]:
        """All vectors of points of the grid."""
        return list(product(self.each.inputs(), repeat=self.dimensions))

    def law(self, value: Sequence[Number]) -> Law:
        """Every order of coordinates is as likely; then a product."""
        orders = list(permutations(range(self.dimensions), self.sent))
        laws = [self.each.law(number) for number in value]
        law: dict[Any, Fraction] = {}
        for order in orders:
            for reports in product(range(self.each.messages), repeat=self.sent):
                pairs = list(zip(order, reports, strict=True))
                key = tuple(place * self.each.messages + report for place, report in pairs)
                law[key] = Fraction(prod(laws[place].get(report, 0) for place, report in pairs)) / len(orders)
        return law

    def estimate(self, reports: Reports, confidence: Number = 0.95) -> Estimate:
        """Each mean: the middle plus d/s times what the reports about it say beyond the middle, over all people."""
        data = self._read(reports).astype(np.int64)
        people, weight = len(data), self.dimensions / self.sent
        places, said = np.divmod(data, self.each.messages)
        beyond = np.bincount(places.ravel(), weights=self.each.scores(said.ravel()) - 0.5, minlength=self.dimensions)
        parts = 0.5 + weight * beyond / people
        alpha = doubt(confidence)
        return Estimate(
            value=self._numbers(parts),
            interval=self._around(parts, people, alpha),
            simultaneous=self._around(parts, people, alpha / self.dimensions),
            confidence=surety(confidence),
            people=people,
            loss=self.loss,
            labels=tuple(map(str, range(self.dimensions))),
            shares=False,
        )

    def variance(self, people: int, part: float = 0.5) -> float:
        """Of one mean, if everyone's number lies so far on the way from low to high."""
        return self._part_variance(part) * float(self.each.high - self.each.low) ** 2 / whole("people", people)

    def check(self, values: ArrayLike) -> None:
        """Each must be a row of numbers within the bounds."""
        self._rows(values)

    def _part_variance(self, part: float) -> float:
        """A coordinate is sent with chance s/d and then weighs d/s."""
        beyond = (part - 0.5) ** 2
        return self.dimensions / self.sent * (self.each.part_variance(part) + beyond) - beyond

    def _around(self, parts: NDArray[np.float64], people: int, alpha: float) -> tuple[Any, Any]:
        ends = [self._part_variance(part) for part in (0.0, 0.5)]
        grain = self.dimensions / self.sent * self.each.grain
        reach = self.dimensions / self.sent * (self.each.reach + 0.5) + 0.5
        radius = mean_radius(people, alpha, reach=reach, least=sqrt(min(ends)), most=sqrt(max(ends) + grain))
        low, high = (self._numbers(np.clip(parts + side, 0.0, 1.0)) for side in (-radius, radius))
        return low, high

    def _numbers(self, parts: NDArray[np.float64]) -> NDArray[np.float64]:
        return float(self.each.low) + float(self.each.high - self.each.low) * parts

    def _perturb(self, values: ArrayLike, bits: BitSource) -> NDArray[Any]:
        given = self._rows(values)
        places = self._places(len(given), bits)
        chosen = np.take_along_axis(given, places, axis=1)
        reports = self.each._perturb(chosen.ravel(), bits).reshape(chosen.shape)  # noqa: SLF001 - its own part
        return smallest(places * self.each.messages + reports, self.dimensions * self.each.messages)

    def _rows(self, values: ArrayLike) -> NDArray[Any]:
        """One row of numbers for each respondent."""
        given = np.atleast_2d(np.asarray(values))
        if given.ndim != 2 or given.dtype.kind not in "iuf" or given.shape[1] != self.dimensions or not len(given):  # noqa: PLR2004
            raise InvalidArgumentError("values", f"must be rows of {self.dimensions} numbers")
        within(given, self.each.low, self.each.high)
        return given

    def _places(self, people: int, bits: BitSource) -> IntArray:
        """For each respondent, `sent` coordinates in random order."""
        if self.sent == 1:
            return uniform(self.dimensions, people, bits)[:, None]
        keys = words(bits, people * self.dimensions).reshape(people, self.dimensions)
        return np.argsort(keys, axis=1)[:, : self.sent]

    def _valid(self, data: NDArray[Any]) -> bool:
        if data.ndim != 2 or data.dtype.kind != "u" or data.shape[1] != self.sent:  # noqa: PLR2004 - rows
            return False
        places = np.sort(data.astype(np.int64) // self.each.messages, axis=1)
        return bool((places < self.dimensions).all() and (np.diff(places, axis=1) > 0).all())
