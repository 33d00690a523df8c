"""What a collector learns: numbers with their error."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deniable.core.errors import InvalidArgumentError
from deniable.local import display
from deniable.local.consistent import proportions

if TYPE_CHECKING:
    from rich.table import Table

FloatArray = NDArray[np.float64]
Bounds = tuple[Any, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """An unbiased estimate: a number or an array of them, with intervals that hold at `confidence`.

    The value may leave the range that the truth lies in (a share below zero); that is the price of having no bias.
    Intervals do not leave it. `consistent` gives numbers that look like shares, by post-processing.
    """

    value: Any
    """A float, or an array of one float for each label."""
    interval: Bounds
    """(low, high): each contains its truth with probability at least `confidence`."""
    simultaneous: Bounds
    """(low, high): all contain their truths at once, with probability at least `confidence`."""
    confidence: Fraction
    people: int
    """How many reports the estimate rests on."""
    labels: tuple[str, ...] = ("share",)
    """One name for each number."""
    shares: bool = True
    """Whether these are the shares of all values of a question; a single one is that of yes."""

    @property
    def error(self) -> Any:  # noqa: ANN401 - a float or an array, as the value
        """The farthest that the value lies from an end of its interval."""
        low, high = self.interval
        return np.maximum(self.value - low, high - self.value)

    def consistent(self) -> FloatArray:
        """The nearest non-negative shares that add up to one. Biased, and never farther from the true shares."""
        if not self.shares:
            raise InvalidArgumentError(
                "consistent", "is for the shares of all values; this estimate is of something else"
            )
        if np.ndim(self.value) == 0:
            return np.asarray(np.clip(self.value, 0.0, 1.0))
        return proportions(self.value)

    def __rich__(self) -> Table:
        """A table for the terminal."""
        return display.table(self)

    def _repr_html_(self) -> str:
        """A table for notebooks."""
        return display.html(self)

    def plot(self) -> Any:  # noqa: ANN401 - matplotlib has no types
        """Points with their intervals, as matplotlib axes."""
        return display.plot(self)

    def draw(self, axes: Any) -> None:  # noqa: ANN401 - matplotlib has no types
        """The same on axes that exist already."""
        display.draw(self, axes)

    def __repr__(self) -> str:
        """One line."""
        return display.line(self)
