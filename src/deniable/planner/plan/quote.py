"""The price before paying, and how it is shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Self

import pyarrow as pa

from deniable.core.loss import Loss
from deniable.core.shown import percent
from deniable.display import Sheet, SheetColumn, Tabular


@dataclass(frozen=True, slots=True)
class Priced:
    """One line of a quote."""

    column: str
    mechanism: str
    sensitivity: float
    """How far one unit can move it."""
    scale: float
    """The width of the noise."""
    error: float
    """At the quote's confidence."""


@dataclass(frozen=True, slots=True)
class Preview:
    """A column in a group of so many rows, if its values lay in the middle: a number, and the error it would have."""

    column: str
    rows: int
    value: float
    error: float


@dataclass(frozen=True, slots=True, repr=False)
class Quote(Tabular):
    """The price before paying. Follows from public facts alone."""

    loss: Loss
    lines: tuple[Priced, ...]
    groups: int | None
    """How many rows the answer has before HAVING and LIMIT; None if only the data knows."""
    shown_from: int | None
    """For private keys: the number of units from which on a key is shown at least half of the time."""
    confidence: Fraction
    notes: tuple[str, ...]
    """What the answer leaves out besides noise: bias, which no interval covers."""
    person: bool = False
    """Whether the protected unit is a person, and not a row."""
    rows: int | None = None
    """For how many rows in a group the errors are said, if that was given."""
    sizes: tuple[str, ...] = ()
    """The errors of averages and their like, for groups of a few sizes."""
    previews: tuple[Preview, ...] = ()
    """The first columns in groups of these sizes, to be drawn."""
    simultaneous: bool = False
    """Whether all intervals of the answer hold at once, and not each by itself."""
    after: tuple[str, ...] = ()
    """What is made of the answer after the noise."""
    outer: tuple[str, ...] = ()
    """The columns that are computed from the noisy ones, where the answer is an outer query's; else nothing."""

    @property
    def table(self) -> pa.Table:
        """A row for each noisy column: its noise, how far one unit moves it, the noise's scale, the error."""
        return pa.Table.from_pylist([asdict(line) for line in self.lines], schema=_PRICED)

    def with_notes(self, notes: Iterable[str]) -> Self:
        """The same quote, with more to be said: what the account makes of it."""
        return replace(self, notes=(*self.notes, *notes))

    def sheet(self) -> Sheet:
        """What is shown of it."""
        lines, unit = self.lines, "person" if self.person else "row"
        columns = (
            SheetColumn.texts("column", [line.column for line in lines]),
            SheetColumn.texts("noise", [line.mechanism for line in lines]),
            SheetColumn.numbers(f"one {unit} moves it by", [line.sensitivity for line in lines]),
            SheetColumn.numbers("noise scale", [line.scale for line in lines]),
            SheetColumn.errors("error", [line.error for line in lines]),
        )
        size = f"{self.rows or 1000:,}"
        title = f"Errors at {percent(self.confidence)} confidence (of averages and ratios: for a group of {size})"
        return Sheet(columns, f"price {self.loss} · {self._size}", (*self.sizes, *self._hidden, *self.notes), title)

    def to_dict(self) -> dict[str, object]:
        """All of it in values that JSON can say, for front ends."""
        return {
            "columns": [asdict(line) for line in self.lines],
            "confidence": float(self.confidence),
            "loss": self.loss.to_dict(),
            "groups": self.groups,
            "shown_from": self.shown_from,
            "notes": list(self.notes),
            **({"sizes": list(self.sizes)} if self.sizes else {}),
            **({"outer": list(self.outer)} if self.outer else {}),
        }

    @property
    def _size(self) -> str:
        """How many rows to expect."""
        if self.outer:
            return f"then, for nothing, the columns {', '.join(self.outer)}"
        if self.groups is None:
            return "one row for each group that is shown"
        return f"{self.groups:,} group{'s' * (self.groups != 1)}"

    @property
    def _hidden(self) -> tuple[str, ...]:
        """What private keys mean for small groups."""
        if self.shown_from is None:
            return ()
        unit = "people" if self.person else "rows"
        shown = f"a group of {self.shown_from:,} or more {unit} is shown at least half of the time"
        return (f"{shown}; smaller groups are usually hidden",)


_PRICED = pa.schema(
    [
        ("column", pa.string()),
        ("mechanism", pa.string()),
        *((name, pa.float64()) for name in ("sensitivity", "scale", "error")),
    ]
)
