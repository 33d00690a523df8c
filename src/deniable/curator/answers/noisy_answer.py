"""What an analyst gets: a table, its error bars, its price, and what that means."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pyarrow as pa

from deniable.core.guarantee import Guarantee
from deniable.core.loss import Loss
from deniable.core.paid import Paid
from deniable.core.shown import percent, plain
from deniable.display import Sheet, SheetColumn, Tabular
from deniable.display.frames import beside, to_rows
from deniable.display.sheet import MOST_ROWS
from deniable.planner import Quote

_MOST_DIGITS = 9


class NoisyAnswer(Tabular):
    """An answer that was paid for. Everything in it is public: compute with it whatever you like."""

    loss: Loss
    free: bool
    delta: Fraction
    share: bool

    @property
    @abstractmethod
    def table(self) -> pa.Table:
        """The answer."""

    @property
    @abstractmethod
    def intervals(self) -> pa.Table:
        """Low and high of each column that has an interval, row by row, at the confidence that was asked for."""

    @property
    @abstractmethod
    def quote(self) -> Quote:
        """The price as it was told before."""

    @property
    @abstractmethod
    def keys(self) -> frozenset[str]:
        """The columns that are not noisy at all."""

    @property
    def with_intervals(self) -> pa.Table:
        """The answer, and behind it low and high of each noisy column."""
        return beside(self.table, self.intervals)

    @property
    def confidence(self) -> Fraction:
        """Of the intervals."""
        return self.quote.confidence

    @property
    def notes(self) -> tuple[str, ...]:
        """What the answer leaves out besides noise: bias, which no interval covers."""
        return self.quote.notes

    @property
    def guarantee(self) -> Guarantee:
        """What this answer alone costs, as (epsilon, delta)."""
        return self.loss.at(0 if self.loss.epsilon is not None and not self.loss.delta else self.delta)

    @property
    def paid(self) -> str:
        """What was paid for it now, and by whom, in words."""
        return (Paid.BEFORE if self.free else Paid.SHARE if self.share else Paid.NOW).words(self.loss)

    @property
    def meaning(self) -> str:
        """The guarantee in words."""
        guarantee, unit = self.guarantee, "person" if self.quote.person else "row"
        low, high = guarantee.posterior(Fraction(1, 2))
        part = f", except with probability {plain(guarantee.delta)}" if guarantee.delta else ""
        return (
            f"Whatever this answer lets anyone conclude about one {unit}, its odds change by at most a factor "
            f"{_unlike('1', guarantee.odds_factor, '.{}g', 3)} because that {unit} is in the data{part}: an even guess "
            f"stays between {_unlike('50', 100 * low, '.{}f')}% and {_unlike('50', 100 * high, '.{}f')}%."
        )

    def plot(self, column: str | None = None) -> Any:  # noqa: ANN401 - matplotlib has no types
        """Bars with error bars, of one noisy column (the first, unless named). Returns matplotlib's axes.

        One key stands along the axis; with several, the first does, and the others are series beside each other.
        """
        from deniable.display.picture import plotted  # noqa: PLC0415 - drawing is needed only here

        return plotted(self.table, self.intervals, column, self.confidence)

    def sheet(self) -> Sheet:
        """What is shown of it."""
        shown, ends = self.table.slice(0, MOST_ROWS), self.intervals.slice(0, MOST_ROWS)
        columns = []
        for name, values in zip(shown.column_names, shown.columns, strict=True):
            if f"{name}_low" in ends.column_names:
                low, high = (ends[f"{name}_{side}"].to_pylist() for side in ("low", "high"))
                if pa.types.is_temporal(values.type):
                    columns.append(SheetColumn.moments(name, values.to_pylist(), low, high))
                    continue
                whole = pa.types.is_integer(values.type)
                columns.append(SheetColumn.noisy(name, values.to_pylist(), low, high, whole=whole))
            else:
                columns.append(replace(SheetColumn.keys(name, values.to_pylist()), key=name in self.keys))
        noisy = (
            f"± noise, {percent(self.confidence)} confidence{' all at once' * self.quote.simultaneous} · {self.paid}"
        )
        price = "exact · free" if self.loss == Loss.zero() else noisy
        return Sheet(tuple(columns), price, self.notes, more=max(0, self.table.num_rows - MOST_ROWS))

    def to_dict(self) -> dict[str, object]:
        """All of it in values that JSON can say, for front ends: rows with their intervals, price, meaning, notes."""
        return {
            "rows": to_rows(self.with_intervals),
            "confidence": float(self.confidence),
            "loss": self.loss.to_dict(),
            "free": self.free,
            "share": self.share,
            "meaning": self.meaning,
            "notes": list(self.notes),
        }


def _unlike(same: str, number: float, form: str, digits: int = 0) -> str:
    """With as few digits as say that it is not the same: a small loss is a loss.

    Example:
        >>> _unlike("50", 51.2, ".{}f"), _unlike("50", 50.125, ".{}f"), _unlike("1", 1.0001, ".{}g", 3)
        ('51', '50.1', '1.0001')
    """
    texts = (format(float(number), form.format(each)) for each in range(digits, _MOST_DIGITS))
    return next((text for text in texts if float(text) != float(same)), same)
