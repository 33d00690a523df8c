"""The hybrid mechanism: sometimes Duchi's bit, sometimes the piecewise mechanism; good at every epsilon."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.core.bits import BitSource
from deniable.core.number import Number
from deniable.core.sampling import bernoulli
from deniable.local.families.mean import FloatArray, OnGrid
from deniable.local.families.protocol import Law, below, mixed
from deniable.local.protocols.duchi import Duchi
from deniable.local.protocols.piecewise import Piecewise
from deniable.local.reports import smallest

_SMALL = 0.61
"""Up to this epsilon the bit alone is better."""


@dataclass(frozen=True, slots=True, init=False)
class Hybrid(OnGrid):
    """Tosses a public coin between Duchi's bit and the piecewise mechanism, both with the whole epsilon.

    Input:         a number within public bounds.
    Guarantee:     every report is at most e^epsilon times likelier under one number than under another: the coin does
                   not look at the number, and each branch keeps the bound.
    Error:         for epsilon above 0.61 the variance does not depend on the number, and its worst case is the least
                   of the three. The interval is guaranteed: Bernstein, or the normal quantile with its error.
    Message size:  log2(cells + window + 2) bits: 17 for 65,536 cells.
    Cost:          that of both branches.
    Reference:     Wang, Xiao, Yang, Zhao, Hui, Shin, Shin, Yu 2019.
    Proof:         docs/proofs/local.md

    Example:
        >>> survey = Hybrid(epsilon=2, bounds=(0, 100))
        >>> estimate = survey.estimate(survey.perturb(np.full(4000, 25.0)))
        >>> bool(abs(estimate.value - 25) < 20), round(float(survey.piecewise_chance), 3)
        (True, 0.632)
    """

    low: Fraction
    high: Fraction
    epsilon: Fraction
    cells: int

    @property
    def settings(self) -> Mapping[str, Any]:
        """Those of the piecewise branch, under this name."""
        return {**self.piecewise.settings, "protocol": "Hybrid"}

    @property
    def bit(self) -> Duchi:
        """One branch."""
        return Duchi(self.epsilon, (self.low, self.high))

    @property
    def piecewise(self) -> Piecewise:
        """The other branch."""
        return Piecewise(self.epsilon, (self.low, self.high), self.cells)

    @property
    def piecewise_chance(self) -> Fraction:
        """1 - e^(-epsilon/2), to sixteen bits; any chance is private."""
        epsilon = float(self.epsilon)
        return Fraction(round((1 - exp(-epsilon / 2)) * 65536), 65536) if epsilon > _SMALL else Fraction(0)

    @property
    def messages(self) -> int:
        """Two for the bit, then those of the other branch."""
        return 2 + self.piecewise.messages

    @property
    def reach(self) -> float:
        """The farther one."""
        return max(self.bit.reach, self.piecewise.reach)

    def inputs(self) -> Sequence[Fraction]:
        """All points of the grid."""
        return self.piecewise.inputs()

    def law(self, value: Number) -> Law:
        """The mixture."""
        chance = self.piecewise_chance
        shifted = {report + 2: part for report, part in self.piecewise.law(value).items()}
        return mixed([(1 - chance, self.bit.law(value)), (chance, shifted)])

    def part_variance(self, part: float) -> float:
        """Both branches have the same expectation, so their variances mix."""
        chance = float(self.piecewise_chance)
        return (1 - chance) * self.bit.part_variance(part) + chance * self.piecewise.part_variance(part)

    @property
    def grain(self) -> float:
        """Of the branch that has a grid."""
        return float(self.piecewise_chance) * self.piecewise.grain

    def scores(self, data: NDArray[Any]) -> FloatArray:
        """By branch."""
        reports = data.astype(np.int64)
        return np.where(reports < 2, self.bit.scores(reports), self.piecewise.scores(reports - 2))  # noqa: PLR2004

    def _perturb(self, values: ArrayLike, bits: BitSource) -> NDArray[Any]:
        self._parts(values)
        bit = self.bit._perturb(values, bits).astype(np.int64)  # noqa: SLF001 - its own part
        number = 2 + self.piecewise._perturb(values, bits).astype(np.int64)  # noqa: SLF001 - its own part
        return smallest(np.where(bernoulli(self.piecewise_chance, bit.size, bits), number, bit), self.messages)

    def _valid(self, data: NDArray[Any]) -> bool:
        return below(data, self.messages)
