"""The answer to a question that is about public tables alone: exact, and free."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import pyarrow as pa

from deniable.core.loss import Loss
from deniable.display import Sheet, SheetColumn, Tabular
from deniable.display.frames import to_rows
from deniable.display.sheet import MOST_ROWS


@dataclass(frozen=True, repr=False)
class PublicAnswer(Tabular):
    """An exact answer about public tables alone. It says nothing about anybody, and cost nothing."""

    answer: pa.Table
    loss: Loss = Loss.zero()  # noqa: RUF009 - a constant
    free: bool = True
    share: bool = False
    confidence: Fraction = Fraction(1)
    """There is nothing to be unsure of."""
    notes: tuple[str, ...] = ("This is exact: only public tables were asked.",)
    meaning: str = "This answer says nothing about any one person: only public tables were asked."

    @property
    def table(self) -> pa.Table:
        """The answer."""
        return self.answer

    @property
    def intervals(self) -> pa.Table:
        """None: nothing is noisy."""
        return self.answer.select([])

    @property
    def with_intervals(self) -> pa.Table:
        """The answer, which has none."""
        return self.answer

    def sheet(self) -> Sheet:
        """What is shown of it."""
        first = self.answer.slice(0, MOST_ROWS)
        columns = [SheetColumn.keys(name, first[name].to_pylist()) for name in first.column_names]
        return Sheet(tuple(columns), "exact · free", self.notes, more=max(0, self.answer.num_rows - MOST_ROWS))

    def to_dict(self) -> dict[str, object]:
        """All of it in values that JSON can say, for front ends."""
        return {
            "rows": to_rows(self.answer),
            "confidence": float(self.confidence),
            "loss": self.loss.to_dict(),
            "free": self.free,
            "share": self.share,
            "meaning": self.meaning,
            "notes": list(self.notes),
        }
