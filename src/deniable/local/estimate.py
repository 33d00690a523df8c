"""What a collector learns: numbers with their error."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.core.errors import InvalidArgumentError
from deniable.core.loss import Loss
from deniable.core.shown import percent
from deniable.display import Sheet, SheetColumn, Tabular
from deniable.display.frames import beside, to_rows
from deniable.display.sheet import MOST_ROWS
from deniable.local.consistent import proportions

FloatArray = NDArray[np.float64]
Bounds = tuple[Any, Any]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Estimate(Tabular):
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
    loss: Loss
    """What each respondent's report gave away, to everybody who sees it."""
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

    @property
    def table(self) -> pa.Table:
        """A row for each number: what it is of, and the estimate."""
        return pa.table({"value": pa.array(self.labels, pa.string()), "estimate": np.ravel(self.value)})

    @property
    def intervals(self) -> pa.Table:
        """Low and high of each estimate, row by row; each holds by itself, at `confidence`."""
        low, high = (np.ravel(end) for end in self.interval)
        return pa.table({"estimate_low": low, "estimate_high": high})

    @property
    def with_intervals(self) -> pa.Table:
        """The estimates, and behind them low and high."""
        return beside(self.table, self.intervals)

    @property
    def notes(self) -> tuple[str, ...]:
        """What has to be known to read it rightly."""
        if self.shares and np.size(self.value) and np.min(self.value) < 0:
            return ("a share below zero is noise; `consistent` gives the nearest shares that could be true",)
        return ()

    def sheet(self) -> Sheet:
        """What is shown of it; the largest first if they are too many to show."""
        value, low, high = (np.ravel(part) for part in (self.value, *self.interval))
        order = np.arange(value.size) if value.size <= MOST_ROWS else np.argsort(-value, kind="stable")[:MOST_ROWS]
        columns = (
            SheetColumn.keys("value", [self.labels[place] for place in order]),
            SheetColumn.noisy("estimate", *(part[order].tolist() for part in (value, low, high))),
        )
        price = f"± at {percent(self.confidence)} confidence · {self.people:,} people · {self.loss} each"
        more = value.size - order.size
        rest = (f"{more:,} smaller ones are not shown",) if more else ()
        return Sheet(columns, price, (*rest, *self.notes))

    def to_dict(self) -> dict[str, object]:
        """All of it in values that JSON can say, for front ends: rows with their intervals, people, price, notes."""
        return {
            "rows": to_rows(self.with_intervals),
            "confidence": float(self.confidence),
            "people": self.people,
            "loss": self.loss.to_dict(),
            "notes": list(self.notes),
        }

    def plot(self) -> Any:  # noqa: ANN401 - matplotlib has no types
        """Points with their intervals, as matplotlib axes."""
        from deniable.local.display import plot  # noqa: PLC0415 - drawing is needed only here

        return plot(self)

    def draw(self, axes: Any) -> None:  # noqa: ANN401 - matplotlib has no types
        """The same on axes that exist already."""
        from deniable.local.display import draw  # noqa: PLC0415 - same

        draw(self, axes)
