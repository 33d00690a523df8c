"""A price before paying, line by line: what quotes of all releases have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import pyarrow as pa

from deniable.display import Tabular

if TYPE_CHECKING:
    from deniable.core.loss import Loss


class QuotedLines(Tabular):
    """What something would cost, with a line for each of its parts. Every quote is a frozen dataclass of these."""

    schema: ClassVar[pa.Schema]
    loss: Loss
    lines: tuple[Any, ...]
    notes: tuple[str, ...]

    @property
    def table(self) -> pa.Table:
        """A row for each line."""
        return pa.Table.from_pylist([asdict(line) for line in self.lines], schema=self.schema)

    def with_notes(self, notes: Iterable[str]) -> Self:
        """The same quote, with more to be said: what the account makes of it."""
        return replace(self, notes=(*self.notes, *notes))  # type: ignore[type-var] # a dataclass, as said above

    def after(self, first: Sequence[Loss]) -> Self:
        """The same quote, with the price of the questions that come first: charges of their own."""
        return replace(self, loss=sum(first, start=self.loss)) if first else self  # type: ignore[type-var] # same
