"""What rows should be like, and rows as a field has them: a bin for each column, and a one in the place of each bin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deniable.core.grid import IntArray
from deniable.releases.synthetic.bins import Bins
from deniable.releases.synthetic.estimates import Goal, Zeros
from deniable.releases.synthetic.one_way import FloatArray

Single = NDArray[np.float32]


@dataclass(frozen=True)
class Likeness:
    """What the rows should be like."""

    bins: tuple[Bins, ...]
    shares: tuple[FloatArray, ...]
    """Of rows, in each fine bin of each column."""
    goals: tuple[Goal, ...]
    zeros: Zeros

    def distance(self, rows: Sequence[IntArray]) -> float:
        """The mean total variation between the rows' pairs and their goals."""
        if not self.goals:
            return 0.0
        return float(np.mean([0.5 * np.abs(self._pair(rows, goal) - goal.shares).sum() for goal in self.goals]))

    def _pair(self, rows: Sequence[IntArray], goal: Goal) -> FloatArray:
        codes = [rows[place] if goal.fine else self.bins[place].coarse[rows[place]] for place in goal.pair]
        return counts_of(codes[0], codes[1], goal.shares.shape) / codes[0].size


def counts_of(one: IntArray, other: IntArray, shape: tuple[int, ...]) -> IntArray:
    """How many rows lie in each cell.

    Example:
        >>> counts_of(np.array([0, 1, 1]), np.array([0, 1, 1]), (2, 2)).tolist()
        [[1, 0], [0, 2]]
    """
    return np.bincount(one * shape[1] + other, minlength=shape[0] * shape[1]).reshape(shape)


@dataclass(slots=True)
class Particles:
    """Rows, as bins and as ones: a line of `hot` for each bin of each column."""

    rows: list[IntArray]
    hot: Single
    blocks: Sequence[slice]
    """Which lines are those of each column."""

    @classmethod
    def of(cls, rows: Sequence[IntArray], blocks: Sequence[slice]) -> Particles:
        """These rows."""
        hot = np.zeros((blocks[-1].stop, rows[0].size), dtype=np.float32)
        for block, column in zip(blocks, rows, strict=True):
            hot[block.start + column, np.arange(column.size)] = 1
        return cls(list(rows), hot, blocks)

    def put(self, place: int, found: IntArray) -> None:
        """A column anew."""
        moved = np.flatnonzero(self.rows[place] != found)
        start = self.blocks[place].start
        self.hot[start + self.rows[place][moved], moved] = 0
        self.hot[start + found[moved], moved] = 1
        self.rows[place] = found


@dataclass(frozen=True, slots=True)
class GoalSide:
    """A goal, seen from one of its columns."""

    number: int
    """Which goal it is."""
    other: int
    turned: bool
    """Whether it is seen from its second column."""
    shares: Single
    mine: Single
    yours: Single
    coarse: tuple[IntArray, IntArray] | None
    """The coarse bin of every fine one, in both columns; None: the goal is on fine bins."""

    @classmethod
    def of(cls, likeness: Likeness, number: int, place: int) -> GoalSide:
        """The goal of this number, seen from this column."""
        goal = likeness.goals[number]
        turned = place == goal.pair[1]
        other = goal.pair[0] if turned else goal.pair[1]
        coarse = None if goal.fine else (likeness.bins[place].coarse, likeness.bins[other].coarse)
        single = (goal.shares.T if turned else goal.shares).astype(np.float32)
        return cls(number, other, turned, single, single.sum(axis=1), single.sum(axis=0), coarse)

    def code(self, rows: IntArray, *, own: bool) -> IntArray:
        """The bins that the goal tells apart."""
        return rows if self.coarse is None else self.coarse[0 if own else 1][rows]

    def spread(self, cells: Single) -> Single:
        """What is said of each cell of the goal, for each pair of fine bins."""
        return cells if self.coarse is None else cells[np.ix_(*self.coarse)]
