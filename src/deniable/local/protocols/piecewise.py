"""The piecewise mechanism: a number near the true one, most likely; the best for large epsilon."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.core.bits import BitSource
from deniable.core.number import Number, exact
from deniable.core.sampling import bernoulli, uniform
from deniable.local.families.mean import FloatArray, OnGrid, rounded
from deniable.local.families.protocol import Law, below, mixed
from deniable.local.odds import truth_chance
from deniable.local.reports import smallest


@dataclass(frozen=True, slots=True, init=False)
class Piecewise(OnGrid):
    """Sends a whole number from a window around the true cell, or one from outside it.

    Input:         a number within public bounds, put at random on one of the two nearest of `cells` + 1 points. The
                   window of point m are the reports m, m + 1, ..., m + window - 1 of cells + window reports.
    Guarantee:     every report is at most e^epsilon times likelier under one number than under another; the probability
                   of the window is rounded down to a multiple of 2^-64.
    Error:         for bounds -1 and 1 the mean's variance is about (x^2 / (t - 1) + (t + 3) / (3 (t - 1)^2)) / n, where
                   t = e^(epsilon/2). A report's expectation is exactly linear in m, so nothing is biased. The
                   interval is guaranteed: Bernstein, or the normal quantile with Berry and Esseen's error.
    Message size:  log2(cells + window) bits: 17 for 65,536 cells.
    Cost:          a few random words per respondent; the collector adds up.
    Reference:     Wang, Xiao, Yang, Zhao, Hui, Shin, Shin, Yu 2019 (continuous; here on a grid).
    Proof:         docs/proofs/local.md

    Example:
        >>> survey = Piecewise(epsilon=4, bounds=(0, 100))
        >>> estimate = survey.estimate(survey.perturb(np.full(4000, 25.0)))
        >>> bool(abs(estimate.value - 25) < 5), survey.window
        (True, 8869)
    """

    low: Fraction
    high: Fraction
    epsilon: Fraction
    cells: int

    @property
    def settings(self) -> Mapping[str, Any]:
        """With the cells."""
        return {
            "protocol": "Piecewise",
            "epsilon": str(self.epsilon),
            "bounds": [str(self.low), str(self.high)],
            "cells": self.cells,
        }

    @property
    def window(self) -> int:
        """How many reports are near; the variance is least for about cells / e^(epsilon/2)."""
        return max(1, round(self.cells * exp(-float(self.epsilon) / 2)))

    @property
    def messages(self) -> int:
        """One window for each point, one step apart."""
        return self.cells + self.window

    @property
    def truth(self) -> Fraction:
        """The chance of the window."""
        return truth_chance(self.epsilon, self.window, self.cells)

    @property
    def slope(self) -> Fraction:
        """By how much a report's expectation grows with m."""
        return self.truth - (1 - self.truth) * Fraction(self.window, self.cells)

    @property
    def start(self) -> Fraction:
        """A report's expectation for m = 0."""
        inside = Fraction(self.window - 1, 2)
        rest = _below(self.messages) - _below(self.window)
        return self.truth * inside + (1 - self.truth) * Fraction(rest, self.cells)

    @property
    def reach(self) -> float:
        """From the last report to the expectation of the first point, or the other way around."""
        slope, start = self.slope, self.start
        return float(max(self.messages - 1 - start, start + slope * self.cells) / (slope * self.cells))

    def inputs(self) -> Sequence[Fraction]:
        """All points."""
        return [self.low + (self.high - self.low) * Fraction(m, self.cells) for m in range(self.cells + 1)]

    def law(self, value: Number) -> Law:
        """Two probabilities, inside the window and outside; between two points, their mixture."""
        place = (exact("value", value) - self.low) / (self.high - self.low) * self.cells
        point = min(place.__floor__(), self.cells - 1)
        rest = place - point
        return mixed([(1 - rest, self._point_law(point)), (rest, self._point_law(point + 1))])

    def _point_law(self, point: int) -> Law:
        near, far = self.truth / self.window, (1 - self.truth) / self.cells
        return {report: near if point <= report < point + self.window else far for report in range(self.messages)}

    def part_variance(self, part: float) -> float:
        """Of a report of the point that lies there, scaled."""
        near, far = self.truth / self.window, (1 - self.truth) / self.cells
        point, window = Fraction(part) * self.cells, self.window
        squares = window * point**2 + point * window * (window - 1) + _squares_below(window)
        second = far * _squares_below(self.messages) + (near - far) * squares
        return float((second - (self.start + self.slope * point) ** 2) / (self.slope * self.cells) ** 2)

    @property
    def grain(self) -> float:
        """Between two points, with a coin of chance f: f (1 - f) / slope above the parabola through all points."""
        return 1 / (4 * float(self.slope) * self.cells**2)

    def scores(self, data: NDArray[Any]) -> FloatArray:
        """The point whose expectation the report is, as a part of the way."""
        return (data - float(self.start)) / float(self.slope * self.cells)

    def _perturb(self, values: ArrayLike, bits: BitSource) -> NDArray[Any]:
        points = rounded(self._parts(values), self.cells, bits)
        honest = bernoulli(self.truth, points.size, bits)
        near = points + uniform(self.window, points.size, bits)
        far = uniform(self.cells, points.size, bits)
        far += np.where(far >= points, self.window, 0)
        return smallest(np.where(honest, near, far), self.messages)

    def _valid(self, data: NDArray[Any]) -> bool:
        return below(data, self.messages)


def _below(bound: int) -> int:
    """0 + 1 + ... + (bound - 1)."""
    return bound * (bound - 1) // 2


def _squares_below(bound: int) -> int:
    """0 + 1 + 4 + ... + (bound - 1)^2."""
    return (bound - 1) * bound * (2 * bound - 1) // 6
