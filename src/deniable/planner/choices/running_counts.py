"""Several quantiles of the same values at once: from noisy running counts, for one spend."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import floor

import numpy as np
from numpy.typing import NDArray

from deniable.core.event import Event
from deniable.core.loss import Loss
from deniable.core.number import root_above
from deniable.core.sensitivity import Neighbours
from deniable.mechanisms import Gaussian, Laplace
from deniable.mechanisms.running_counts import CountTree, FloatArray
from deniable.planner.choices.histogram import CellHistogram, Quantile
from deniable.planner.choices.price import Places, band
from deniable.planner.expressions.evaluate import Band, Result


@dataclass(frozen=True)
class Counted:
    """Quantiles that share a histogram, and the noise on its running counts."""

    quantiles: tuple[Quantile, ...]
    tree: CountTree
    mechanism: Laplace | Gaussian
    confidence: Fraction
    """With which each interval holds."""

    @property
    def histogram(self) -> CellHistogram:
        """The one that all share."""
        return self.quantiles[0].histogram

    @property
    def names(self) -> frozenset[str]:
        """What the answer's algebra calls the quantiles."""
        return frozenset(quantile.name for quantile in self.quantiles)

    @property
    def label(self) -> str:
        """For people."""
        return f"running counts for {len(self.quantiles)} quantiles"

    @property
    def loss(self) -> Loss:
        """One, however many quantiles."""
        return self.mechanism.loss

    @property
    def events(self) -> tuple[Event, ...]:
        """For the ledger."""
        return (self.mechanism.event,)

    @property
    def sensitivity(self) -> float:
        """How far one unit moves the sums together, in rows."""
        return float(self.mechanism.sensitivity) / self.histogram.row

    @property
    def scale(self) -> float:
        """Of the noise on each sum, in rows."""
        return self._scale / self.histogram.row

    def margins(self, quantile: Quantile) -> FloatArray:
        """How far a rank may be off at each cell, one row for interpolation included, times the denominator."""
        noise = self.tree.margins(quantile.quantile, self._scale, self._doubt, gaussian=self._gaussian)
        return noise + quantile.quantile.denominator * self.histogram.row

    def ranks(self, quantile: Quantile) -> float:
        """The margin of a typical cell, in rows."""
        noise = self.tree.typical(quantile.quantile, self._scale, self._doubt, gaussian=self._gaussian)
        return noise / quantile.quantile.denominator / self.histogram.row + 1

    def error(self, confidence: Fraction, rows: int) -> float:
        """Half the width of the widest interval, in a group of so many rows spread evenly between the bounds."""
        cells = self.quantiles[0].cells
        width = float(cells.high - cells.low)
        if confidence > self.confidence:
            return width / 2
        return min(width / 2, width * self._widest / rows + float(cells.step) / 2)

    def results(self, recorded: Mapping[str, Places], confidence: Fraction) -> dict[str, Result]:
        """The columns of the answer's algebra, with intervals of this confidence; beyond its own, the bounds."""
        sure = confidence <= self.confidence
        return {quantile.name: band(quantile, recorded, sure=sure) for quantile in self.quantiles}

    def expected(self, confidence: Fraction, rows: int, fractions: NDArray[np.float64]) -> dict[str, Result]:
        """What `results` may look like for groups of so many rows; once for each of the fractions."""
        cells = self.quantiles[0].cells
        middle, error = np.full(fractions.size, float(cells.low + cells.high) / 2), self.error(confidence, rows)
        return {quantile.name: Band.around(middle, error) for quantile in self.quantiles}

    @property
    def _gaussian(self) -> bool:
        return isinstance(self.mechanism, Gaussian)

    @property
    def _doubt(self) -> float:
        """Of each end of an interval."""
        return float(1 - self.confidence) / 2

    @cached_property
    def _widest(self) -> float:
        """The ranks of the quantile that is known least."""
        return max(self.ranks(quantile) for quantile in self.quantiles)

    @cached_property
    def _scale(self) -> float:
        return float(self.mechanism.scale) if isinstance(self.mechanism, Laplace) else self.mechanism.sigma


def counted(
    quantiles: tuple[Quantile, ...],
    spend: tuple[Fraction | None, Fraction | None],
    confidence: Fraction,
    neighbours: Neighbours,
) -> Counted:
    """For this epsilon or rho, whichever is given. A unit is in one sum of each level for each of its rows."""
    epsilon, rho = spend
    cells, reach = quantiles[0].cells.number, quantiles[0].histogram.reach
    moved = 1 if neighbours is Neighbours.ADD_REMOVE else 2
    if rho is not None:
        tree = CountTree.over(cells, power=1)
        distance = -floor(-root_above(Fraction(moved * tree.levels)) * reach)
        return Counted(quantiles, tree, Gaussian(sensitivity=distance, rho=rho), confidence)
    tree = CountTree.over(cells, power=2)
    mechanism = Laplace(sensitivity=moved * tree.levels * reach, epsilon=epsilon or Fraction(0))
    return Counted(quantiles, tree, mechanism, confidence)
