"""Columns that nearly determine each other: within a bin, values follow those of the column that says most about them.

Pairs are measured on bins. Two columns whose bins nearly determine each other (distance and duration, an age that is in
two tables) do so within bins as well; values that were spread there at random would lose it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deniable.core.grid import IntArray
from deniable.releases.synthetic.drawn.likeness import Likeness
from deniable.releases.synthetic.measured.bins import sums
from deniable.releases.synthetic.measured.estimates import Goal
from deniable.releases.synthetic.measured.one_way import FloatArray

_NARROW = 0.25
"""A companion's values, given the bin, must be so much less spread than they are altogether."""
_LOOSE = 0.5
"""Of that spread, what is taken to be within bins: the rest is the bins' own width."""
_QUARTERS = (0.25, 0.5, 0.75)


@dataclass(frozen=True, slots=True)
class Companion:
    """The column that a column's values follow."""

    place: int
    rising: bool
    loose: float
    """How far values may be from where the companion's would have them, in the companion's places."""


def companion(place: int, known: Sequence[int], likeness: Likeness, counts: Sequence[FloatArray]) -> Companion | None:
    """The known column that says most about this one, if it says enough."""
    found = [
        _seen(goal, place, likeness, counts)
        for goal in likeness.goals
        if goal.fine and place in goal.pair and sum(goal.pair) - place in known
    ]
    narrow = [(spread, one) for spread, one in found if spread < _NARROW]
    return min(narrow, key=lambda option: option[0])[1] if narrow else None


def _seen(goal: Goal, place: int, likeness: Likeness, counts: Sequence[FloatArray]) -> tuple[float, Companion]:
    """How spread the other column is, given this one's bin, beside how spread it is altogether."""
    other = sum(goal.pair) - place
    table = goal.shares if goal.pair[0] == place else goal.shares.T
    fine = likeness.bins[other].fine
    centre = sums(fine, counts[other] * np.arange(fine.size)) / np.maximum(sums(fine, counts[other]), 1e-12)
    middle, width = np.zeros(len(table)), np.zeros(len(table))
    for number, row in enumerate(table):
        low, middle[number], high = _quarters(row, centre)
        width[number] = high - low
    low, _, high = _quarters(table.sum(axis=0), centre)
    mass = table.sum(axis=1)
    spread = float(np.average(width, weights=mass))
    mine = np.arange(len(table))
    slope = float(np.average((mine - np.average(mine, weights=mass)) * middle, weights=mass))
    return spread / max(high - low, 1e-9), Companion(other, slope >= 0, _LOOSE * spread)


def _quarters(shares: FloatArray, centre: FloatArray) -> tuple[float, float, float]:
    ends = np.cumsum(shares)
    low, middle, high = (
        centre[min(int(np.searchsorted(ends, part * ends[-1])), centre.size - 1)] for part in _QUARTERS
    )
    return float(low), float(middle), float(high)


def order(follow: Companion, values: IntArray, chance: np.random.Generator) -> FloatArray:
    """By what rows are put in order within a bin, so that values which rise follow the companion's."""
    loose = follow.loose * chance.standard_normal(values.size) + 1e-3 * chance.random(values.size)
    return loose + values if follow.rising else loose - values
