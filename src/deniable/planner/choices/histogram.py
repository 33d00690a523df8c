"""Aggregates that are chosen and not computed: quantiles, extremes, most common values.

Each rests on a histogram that the engine counts: how many rows of a group lie in each of a few public cells. A unit's
rows weigh at most its contribution together, over all groups and cells. One cell is then chosen privately per group.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from deniable.core.algebra.expression import Column, Expression, Kind, Range
from deniable.core.algebra.query import Key, Source, Sums, Total
from deniable.planner.expressions.functions import call, number
from deniable.planner.expressions.keys import Domain, GroupKey

CELL = "cell"
"""The key of a histogram that says which cell."""
_NATURAL_CELLS = 1 << 16
"""So many values of their own are kept apart, if whole numbers or declared steps have no more."""
_CELLS = 1 << 12
"""So many cells there are otherwise."""
_FINE_TOGETHER = 1 << 20
"""So many of the former all groups may have together, before the latter have to do."""
MOST_TOGETHER = 1 << 24
"""Cells of all groups together, at most."""


ROW = 1 << 10
"""What a row counts as that is a unit of its own: an extreme is looked for within a fraction of a row from its end."""


@dataclass(frozen=True, slots=True)
class CellHistogram:
    """Rows of each group, counted by cell."""

    name: str
    cell: Expression
    where: Expression | None
    row: int
    """What a row weighs that is not scaled down."""
    reach: int
    """What a unit's rows weigh at most, over all groups and cells."""

    def query(self, source: Source, keys: tuple[Key, ...]) -> Sums:
        """For the engine."""
        row = self.row if source.unit is None else 1  # those of units are weighed besides
        return Sums(source, (*keys, Key(CELL, self.cell)), (Total(self.name, number(row), self.where, row, 0),))


def most_cells(groups: int) -> int:
    """How many values of their own are kept apart in each of so many groups."""
    return min(_NATURAL_CELLS, _FINE_TOGETHER // max(1, groups))


@dataclass(frozen=True, slots=True)
class EqualCells:
    """Cells of equal width between public bounds: cell i holds what lies nearest to centre + i * step."""

    centre: Fraction
    step: Fraction
    low: Fraction
    high: Fraction
    whole: bool
    """Whether values are whole numbers."""
    coarse: bool
    """Whether values that differ by their own step can share a cell."""

    @classmethod
    def over(cls, low: Fraction, high: Fraction, natural: Fraction | None, groups: int, *, whole: bool) -> EqualCells:
        """As fine as the values' natural step if that is not too many; never so many that all groups' are too many."""
        room = MOST_TOGETHER // max(1, groups)
        fits = natural is not None and (high - low) / natural < most_cells(groups)
        step = natural if natural is not None and fits else _coarser(high - low, natural, min(_CELLS, room) - 1)
        return cls(step * floor((low + high) / 2 / step), step, low, high, whole, step != natural)

    @property
    def first(self) -> int:
        """The cell of the lower bound."""
        return floor((self.low - self.centre) / self.step + Fraction(1, 2))

    @property
    def number(self) -> int:
        """How many cells there are."""
        return floor((self.high - self.centre) / self.step + Fraction(1, 2)) - self.first + 1

    def of(self, value: Expression) -> Expression:
        """The cell that a row's value lies in."""
        reach = max(1, ceil(max(self.high - self.centre, self.centre - self.low) / self.step))
        return call("grid", value, number(self.centre), number(self.step), number(reach))

    def values(self, places: NDArray[np.int64], side: int = 0) -> NDArray[np.float64]:
        """The middle of cells, counted from the first; or their lower (-1) or upper (1) end. Within the bounds."""
        exact = self.whole and not self.coarse
        aside = Fraction(0) if exact else side * self.step / 2
        start = float(self.centre + self.first * self.step + aside)
        return np.clip(start + places * float(self.step), float(self.low), float(self.high))


@dataclass(frozen=True, slots=True)
class Quantile:
    """The value of one rank, and values that surely lie on both sides of it."""

    name: str
    label: str
    histogram: CellHistogram
    cells: EqualCells
    quantile: Fraction
    sides: tuple[int, ...]
    """What is found: 0 the value itself, -1 and 1 the ends of its interval. An extreme has its one end alone."""
    kind: Kind
    """What the value is; those of a calendar and a clock are chosen by their numbers."""

    @property
    def column(self) -> Column:
        """As a column of the answer's algebra."""
        return Column(self.name, self.kind, Range(self.cells.low, self.cells.high), nullable=False)

    @property
    def names(self) -> frozenset[str]:
        """What the answer's algebra calls it."""
        return frozenset({self.name})

    @property
    def uses(self) -> int:
        """How many choices it takes: the value, or an extreme's one end. Other ends are counted, not chosen."""
        return 1

    @property
    def candidates(self) -> int:
        """Among how many cells the choice is made."""
        return self.cells.number

    def recorded(self, side: int) -> str:
        """Where a chosen cell is kept."""
        return self.name + {-1: "_low", 0: "", 1: "_high"}[side]


@dataclass(frozen=True, slots=True)
class Mode:
    """The most common values, in order."""

    name: str
    label: str
    histogram: CellHistogram
    key: GroupKey
    """The values themselves, as a key whose values are known."""
    places: int

    def column(self, place: int) -> Column:
        """The value at a place, from 1 on, as a column of the answer's algebra."""
        return Column(self.recorded(place), self.key.value.kind, self.key.range, nullable=False)

    @property
    def names(self) -> frozenset[str]:
        """What the answer's algebra calls its places."""
        return frozenset(self.recorded(place) for place in range(1, self.places + 1))

    @property
    def uses(self) -> int:
        """How many choices it takes."""
        return self.places

    @property
    def values(self) -> Domain:
        """What can be chosen."""
        return self.key.domain or ()

    @property
    def candidates(self) -> int:
        """Among how many values the first choice is made."""
        return len(self.values)

    def recorded(self, place: int) -> str:
        """Where a chosen value is kept, as its position."""
        return f"{self.name}_{place}"


Choice = Quantile | Mode


def _coarser(width: Fraction, natural: Fraction | None, most: int) -> Fraction:
    """The least multiple of the natural step, or power of two, that cuts the width into at most so many parts."""
    if natural is not None:
        return natural * ceil(width / natural / most)
    step = Fraction(1)
    while step * most < width:
        step *= 2
    while step * most / 2 >= width:
        step /= 2
    return step
