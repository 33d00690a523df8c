"""The last step to the goals: a few rows are moved, each to the bin where it is missed most.

Rows that are drawn from a field meet its pairs as closely as chance allows. With little noise that chance would be the
largest error of all. Here it is taken out: of the rows in cells that hold too many, some get another bin, if that
brings all their pairs together closer to the goals, and if the field finds it likely; so what no pair says stays as it
was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from deniable.core.grid import IntArray
from deniable.releases.synthetic.drawn.likeness import GoalSide, Particles, Single
from deniable.releases.synthetic.measured.one_way import FloatArray

_SWEEPS = 10
_AFTER = 3
"""Sweeps over a part that comes after many rows: of so many, chance is a small part of the error."""
_MANY = 1 << 16
_CONSIDERED = 0.1
"""The part of rows that a sweep looks at, in each column: those that lie in the fullest cells."""
_MOVED = 0.7
"""How many of those that could be moved are, at most, before cells are counted again."""
_LIKELY = 1.5
"""How much a row that moves must gain, for each unit of log-odds that it loses."""


@dataclass
class Settling:
    """Moves rows of one table, part after part: what one part has too few of, the next one gets."""

    shares: Sequence[Single]
    """Of rows, in each bin of each column."""
    sides: Sequence[Sequence[GoalSide]]
    """The goals of each column."""
    never: Sequence[Sequence[tuple[int, Single]]]
    """For each column, the others beside which it cannot have every fine bin, and what it loses there by their bin."""
    free: Sequence[int]
    """Columns that are not given."""
    owed: dict[int, FloatArray] = field(default_factory=dict)
    """For each goal, how many rows the parts before had too few, by cell."""
    settled: int = 0
    """How many rows the parts before had."""

    def settle(
        self, particles: Particles, terms: Sequence[Single], own: Sequence[Single], chance: np.random.Generator
    ) -> None:
        """Move what should be moved. The field's terms say which rows are likely."""
        likely = [_LIKELY * one for one in terms]
        for _ in range(_SWEEPS if self.settled < _MANY else _AFTER):
            for place in chance.permutation(self.free):
                self._sweep(place, particles, likely, _LIKELY * own[place], chance)
        for place, sides in enumerate(self.sides):
            for side in sides:
                if not side.turned:
                    self.owed[side.number] = self._excess(side, side.cells(place, particles)) * -1.0
        self.settled += particles.size

    def _sweep(
        self,
        place: int,
        particles: Particles,
        likely: Sequence[Single],
        own: Single,
        chance: np.random.Generator,
    ) -> None:
        """One column: what each row would lose by going, what it would gain by coming elsewhere, and who moves."""
        bins, size = particles.codes[place][0], particles.size
        shares = self.shares[place].astype(np.float64)
        excess = np.asarray(np.bincount(bins, minlength=shares.size) - shares * size, dtype=np.float64)
        going, cells = _leaves(excess)[bins], []
        for side in self.sides[place]:
            at = side.cells(place, particles)
            apart = self._excess(side, at)
            going += _leaves(apart).reshape(-1)[at]
            cells.append((side, apart, at))
        count = max(1, int(_CONSIDERED * size))
        rows = np.argpartition(going, count - 1)[:count]
        rows = rows[going[rows] < 0]
        if rows.size == 0 or not cells:
            return
        now, cost = own[bins[rows]], np.repeat((_enters(excess) - own)[None, :], rows.size, axis=0)
        for side, apart, at in cells:
            terms = likely[side.number]
            now += side.seen(terms).reshape(-1)[at[rows]]
            gained = side.beside(side.seen(_enters(apart)) - terms, particles.coarse[place])
            cost += gained[at[rows] % apart.shape[1]]
        for other, never in self.never[place]:
            lost = _LIKELY * never[particles.codes[other][0][rows]]
            now += lost[np.arange(rows.size), bins[rows]]
            cost -= lost
        best = cost.argmin(axis=1)
        better = cost[np.arange(rows.size), best] + now + going[rows] < 0
        better &= best != bins[rows]
        movable, target = rows[better], best[better]
        moves = chance.random(movable.size) < _MOVED * _room(cells, movable, (target, particles.coarse[place][target]))
        found = bins.copy()
        found[movable[moves]] = target[moves]
        particles.put(place, found)

    def _excess(self, side: GoalSide, at: IntArray) -> FloatArray:
        """How many rows each cell of a goal has too many."""
        counts = np.bincount(at, minlength=side.shares.size).reshape(side.shares.shape)
        found = np.asarray(counts - side.shares.astype(np.float64) * at.size, dtype=np.float64)
        owed = self.owed.get(side.number)
        return found if owed is None else found - side.seen(owed)


def _leaves(excess: FloatArray) -> Single:
    """By how much a cell is farther from its goal with one row less."""
    return np.asarray(np.abs(excess - 1) - np.abs(excess), dtype=np.float32)


def _enters(excess: FloatArray) -> Single:
    """By how much a cell is farther from its goal with one row more."""
    return np.asarray(np.abs(excess + 1) - np.abs(excess), dtype=np.float32)


def _room(
    cells: Sequence[tuple[GoalSide, FloatArray, IntArray]], rows: IntArray, targets: Sequence[IntArray]
) -> FloatArray:
    """For each row that would move, the part of such rows for which there is room: all go at once, and would overshoot.

    The mean over its cells: of those it leaves, how much is too much for how many leave; of those it comes to, how much
    is missing for how many come. `targets` are the bins it comes to, fine and coarse.
    """
    found = np.zeros(rows.size)
    for side, apart, at in cells:
        excess, width = apart.reshape(-1), apart.shape[1]
        left, entered = at[rows], targets[side.level] * width + at[rows] % width
        leaving, coming = (np.maximum(np.bincount(where, minlength=excess.size), 1) for where in (left, entered))
        found += np.clip(excess / leaving, 0, 1)[left] + np.clip(-excess / coming, 0, 1)[entered]
    return found / (2 * len(cells))
