"""What rows should be like, and rows as a field has them: a fine and a coarse bin for each column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deniable.core.grid import IntArray
from deniable.releases.synthetic.measured.bins import Bins
from deniable.releases.synthetic.measured.estimates import Goal, Zeros
from deniable.releases.synthetic.measured.one_way import FloatArray

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
    return np.bincount(one.astype(np.intp) * shape[1] + other, minlength=shape[0] * shape[1]).reshape(shape)


class Particles:
    """Rows of a field: the fine and the coarse bin of each column."""

    def __init__(self, rows: Sequence[IntArray], likeness: Likeness) -> None:
        self.coarse = [own.coarse for own in likeness.bins]
        self.codes = [(column, coarse[column]) for column, coarse in zip(rows, self.coarse, strict=True)]

    @property
    def size(self) -> int:
        """How many rows."""
        return self.codes[0][0].size

    @property
    def rows(self) -> list[IntArray]:
        """The fine bin of each row, in each column."""
        return [fine for fine, _ in self.codes]

    def put(self, place: int, found: IntArray) -> None:
        """A column anew."""
        self.codes[place] = found, self.coarse[place][found]


@dataclass(frozen=True, slots=True)
class GoalSide:
    """A goal, seen from one of its columns."""

    number: int
    """Which goal it is."""
    other: int
    turned: bool
    """Whether it is seen from its second column."""
    level: int
    """Which bins it is on: 0 for fine ones, 1 for coarse ones."""
    shares: Single
    mine: Single
    yours: Single

    @classmethod
    def of(cls, goal: Goal, number: int, place: int) -> GoalSide:
        """A goal and its number, seen from this column."""
        turned = place == goal.pair[1]
        single = np.ascontiguousarray(goal.shares.T if turned else goal.shares, dtype=np.float32)
        return cls(
            number, sum(goal.pair) - place, turned, int(not goal.fine), single, single.sum(axis=1), single.sum(axis=0)
        )

    def seen(self, cells: np.ndarray) -> np.ndarray:
        """What is said of each cell of the goal, from this side."""
        return cells.T if self.turned else cells

    def beside(self, cells: Single, coarse: IntArray) -> Single:
        """What is said of each cell: a line for each bin of the other column, with all fine bins of this one.

        So what is said of a row is one stretch of memory, and many rows are looked up at the speed of copying.
        """
        lines = self.seen(cells).T
        return np.ascontiguousarray(lines if self.level == 0 else lines[:, coarse])

    def cells(self, place: int, particles: Particles) -> IntArray:
        """The cell that each row lies in, counted row by row as seen from this side."""
        mine, yours = particles.codes[place][self.level], particles.codes[self.other][self.level]
        return np.asarray(mine * self.shares.shape[1] + yours, dtype=np.intp)
