"""Running counts of cells from a tree of noisy sums: all ranks at once, for one spend."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, log

import numpy as np
from numpy.typing import NDArray

from deniable.core.grid import RANGE
from deniable.core.sampling import IntArray

FloatArray = NDArray[np.float64]

_DEEPEST = 16
_RATES = np.linspace(0.02, 0.98, 49)
"""Exponents that the tail bound tries, as parts of the largest."""


@dataclass(frozen=True, slots=True)
class CountTree:
    """Cells under sums of `branches` neighbours, under sums of these, and so on: `levels` noisy numbers hold each row.

    Input:      counts per cell, in rows of groups; a unit's counts add up to R, over all groups and cells.
    Guarantee:  the sums of all levels move by levels * R in l1 and by sqrt(levels) * R in l2 when a unit comes or goes,
                by 2 levels * R and sqrt(2 levels) * R when it is replaced. So that is what their noise must hide.
    Error:      see `margins`.
    Reference:  Hay, Rastogi, Miklau, Suciu 2010; Chan, Shi, Song 2011; Qardaji, Yang, Li 2013 (many branches).
    Proof:      docs/proofs/quantiles.md

    Example:
        >>> CountTree.over(4096, power=2)
        CountTree(cells=4096, branches=16, levels=3)
        >>> tree = CountTree(cells=9, branches=3, levels=2)
        >>> tree.sums(np.array([[1, 0, 2, 0, 0, 0, 0, 4, 0]]))
        array([[3, 0, 4, 1, 0, 2, 0, 0, 0, 0, 4, 0]])
        >>> tree.running(tree.sums(np.array([[1, 0, 2, 0, 0, 0, 0, 4, 0]])))
        (array([[0., 1., 1., 3., 3., 3., 3., 3., 7.]]), array([7.]))
    """

    cells: int
    branches: int
    levels: int

    @classmethod
    def over(cls, cells: int, power: int) -> CountTree:
        """The one with the least variance, where that of one sum grows with this power of the levels."""
        best = min(range(1, _DEEPEST + 1), key=lambda levels: levels ** (power + 1) * (_root(cells, levels) - 1))
        return cls(cells, _root(cells, best), best)

    @property
    def widths(self) -> list[int]:
        """How many cells a sum has, level by level; the last has one."""
        return [self.branches ** (self.levels - level - 1) for level in range(self.levels)]

    def sums(self, counts: IntArray) -> IntArray:
        """The exact sums, level after level."""
        parts = [np.add.reduceat(counts, np.arange(0, self.cells, width), axis=1) for width in self.widths]
        return np.asarray(np.clip(np.concatenate(parts, axis=1), -RANGE, RANGE), dtype=np.int64)

    def running(self, sums: IntArray) -> tuple[FloatArray, FloatArray]:
        """For each cell the rows below it, and all rows, from sums that are noisy."""
        below, start = np.zeros((len(sums), self.cells)), 0
        everyone = sums[:, : ceil(self.cells / self.widths[0])].sum(axis=1, dtype=np.float64)
        for width in self.widths:
            number = ceil(self.cells / width)
            level = sums[:, start : start + number].astype(np.float64)
            before = np.cumsum(level, axis=1) - level
            first = np.arange(number) // self.branches * self.branches
            below += (before - before[:, first])[:, np.arange(self.cells) // width]
            start += number
        return below, everyone

    def margins(self, quantile: Fraction, scale: float, beta: float, *, gaussian: bool) -> FloatArray:
        """How far the noise moves d * below - p * everyone up, at most, for each cell: with probability 1 - beta.

        The same holds downward. By Chernoff's bound: noise of scale s has moments E[e^(x z)] <= 1 / (1 - (x s)^2) if
        it is Laplace's, and <= e^((x s)^2 / 2) if Gaussian. `quantile` is p/d.
        """
        return _margins(self, quantile, scale, beta, gaussian)

    def typical(self, quantile: Fraction, scale: float, beta: float, *, gaussian: bool) -> float:
        """The margin of an average cell."""
        return _typical(self, quantile, scale, beta, gaussian)

    def parts(self) -> tuple[IntArray, IntArray]:
        """Of how many sums each running count consists: of the top level, and of deeper ones."""
        cells = np.arange(self.cells)
        deeper = [cells // width % self.branches for width in self.widths[1:]]
        return cells // self.widths[0], np.sum(deeper, axis=0, dtype=np.int64) if deeper else np.zeros_like(cells)


@lru_cache(maxsize=256)
def _margins(tree: CountTree, quantile: Fraction, scale: float, beta: float, gaussian: bool) -> FloatArray:  # noqa: FBT001
    """Cells whose running counts consist of as many sums have the same margin: there are few kinds of them."""
    top, deeper = tree.parts()
    several = int(deeper.max()) + 1
    kinds, kind = np.unique(top * several + deeper, return_inverse=True)
    first, later = np.divmod(kinds, several)
    counts = np.stack([first, ceil(tree.cells / tree.widths[0]) - first, later])[:, :, None]
    share, whole = quantile.numerator, quantile.denominator
    sizes = (np.array([whole - share, share, whole]) * scale)[:, None, None]
    doubt = -log(beta)
    if gaussian:
        margins = np.sqrt(2 * doubt * (counts * sizes**2).sum(axis=(0, 2)))
    else:
        largest = np.where(counts > 0, sizes, 0).max(axis=0)
        rates = _RATES / np.where(largest > 0, largest, 1)
        moments = -np.where(counts > 0, counts * np.log1p(-(np.minimum(rates * sizes, _RATES[-1]) ** 2)), 0).sum(axis=0)
        margins = ((doubt + moments) / rates).min(axis=1)
    found: FloatArray = margins[kind]
    found.setflags(write=False)
    return found


@lru_cache(maxsize=1024)
def _typical(tree: CountTree, quantile: Fraction, scale: float, beta: float, gaussian: bool) -> float:  # noqa: FBT001
    return float(_margins(tree, quantile, scale, beta, gaussian).mean())


def _root(cells: int, levels: int) -> int:
    """The least number whose power holds all cells."""
    branches = max(2, int(cells ** (1 / levels)) - 1)
    while branches**levels < cells:
        branches += 1
    return branches  # started below it, as a root may be rounded
