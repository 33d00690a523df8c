"""The price of a release before paying, from public facts alone."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from fractions import Fraction
from math import inf, isfinite, isinf
from typing import ClassVar

import pyarrow as pa

from deniable.core.loss import Loss
from deniable.core.shown import error, plain
from deniable.display import Sheet, SheetColumn
from deniable.display.sheet import MOST_ROWS
from deniable.releases.linear.design import Design
from deniable.releases.linear.measurement import Noise
from deniable.releases.linear.strategies import choose
from deniable.releases.linear.tables import title
from deniable.releases.quoted import QuotedLines


@dataclass(frozen=True, slots=True)
class ReleaseLine:
    """One part of a workload."""

    part: str
    queries: int
    error: float
    """The expected root-mean-square error of its queries, in rows."""
    plain: float
    """The same, had each query been answered alone for the same spend."""


_LINES = pa.schema(
    [("part", pa.string()), ("queries", pa.int64()), *((name, pa.float64()) for name in ("error", "plain"))]
)


@dataclass(frozen=True, slots=True, repr=False)
class ReleaseQuote(QuotedLines):
    """What a release would cost and how far off it would be. Reads no data, spends nothing."""

    schema: ClassVar[pa.Schema] = _LINES

    strategy: str
    loss: Loss
    lines: tuple[ReleaseLine, ...]
    error: float
    """The expected root-mean-square error of all queries, by weight."""
    bound: float | None
    """No strategy with this kind of noise has a smaller one; None: not known."""
    plain: float | None
    """How many times this spend the queries would cost, each answered alone, for the same error; None: not known."""
    cells: int
    numbers: int
    """How many noisy numbers everything is read from."""
    confidence: Fraction
    notes: tuple[str, ...]
    """What the answers leave out besides noise: bias, which no interval covers."""

    @classmethod
    def of(cls, design: Design, noise: Noise, confidence: Fraction, notes: tuple[str, ...]) -> ReleaseQuote:
        """Beside the textbook's baseline."""
        task = design.task
        alone = choose("alone", task, noise)
        ratio = alone.total / design.total if design.total else inf  # no cell counts in any query
        return cls(
            strategy=design.name,
            loss=design.loss,
            lines=tuple(
                ReleaseLine(title(task, piece), piece.rows, design.error(piece), alone.error(piece))
                for piece in task.pieces
            ),
            error=design.total,
            bound=design.bound,
            plain=None if isinf(design.total) or isinf(ratio) else ratio if noise.pure else ratio**2,
            cells=task.domain.cells,
            numbers=design.numbers,
            confidence=confidence,
            notes=notes,
        )

    def sheet(self) -> Sheet:
        """What is shown of it."""
        lines = self.lines[:MOST_ROWS]
        columns = (
            SheetColumn.texts("part", [line.part for line in lines]),
            SheetColumn.numbers("queries", [line.queries for line in lines]),
            SheetColumn.errors("expected error", [line.error for line in lines]),
            SheetColumn.errors("each alone", [line.plain for line in lines]),
        )
        price = f"price {self.loss} · {self.numbers:,} noisy numbers · {self.cells:,} cells"
        title = f"Strategy {self.strategy}"
        return Sheet(columns, price, (*self._compared, *self.notes), title, max(0, len(self.lines) - MOST_ROWS))

    def to_dict(self) -> dict[str, object]:
        """All of it in values that JSON can say, for front ends."""
        return {
            "strategy": self.strategy,
            "parts": [{name: _said(value) for name, value in asdict(line).items()} for line in self.lines],
            "error": _said(self.error),
            "bound": _said(self.bound),
            "plain": _said(self.plain),
            "cells": self.cells,
            "numbers": self.numbers,
            "confidence": float(self.confidence),
            "loss": self.loss.to_dict(),
            "notes": list(self.notes),
        }

    @property
    def _compared(self) -> tuple[str, ...]:
        """How good the strategy is."""
        texts = []
        if self.bound is not None:
            texts.append(f"over all queries {error(self.error)}; no strategy errs by less than {error(self.bound)}")
        if self.plain is not None:
            texts.append(f"each query alone, as accurately, would cost {plain(self.plain)} times as much")
        return tuple(texts)


def _said(value: object) -> object:
    return None if isinstance(value, float) and not isfinite(value) else value
