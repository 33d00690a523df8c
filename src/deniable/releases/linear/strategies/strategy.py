"""What a strategy is: a way to choose what is measured, from public facts alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import ClassVar

from deniable.releases.linear.design import Design
from deniable.releases.linear.measurement import Noise
from deniable.releases.linear.task import Task

MOST_CELLS = 1 << 22
"""More cells than this are not listed."""
WHOLE = Fraction(1)


class Strategy(ABC):
    """Knows the queries and the spend, and never the data."""

    name: ClassVar[str]

    @abstractmethod
    def refusal(self, task: Task) -> str | None:
        """Why this strategy cannot answer these queries; None: it can."""

    @abstractmethod
    def design(self, task: Task, noise: Noise) -> Design:
        """What to measure, within the spend."""


def too_many_cells(task: Task) -> str | None:
    """A strategy that measures every cell needs few of them."""
    cells = task.domain.cells
    return f"there would be {cells:,} cells, and {MOST_CELLS:,} are the most" if cells > MOST_CELLS else None
