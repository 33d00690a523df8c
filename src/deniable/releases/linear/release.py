"""What comes out: answers to all queries of a workload, their errors, and answers to further ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.core.errors import InvalidArgumentError
from deniable.core.grid import IntArray
from deniable.core.loss import Loss
from deniable.core.number import Number, surety
from deniable.core.shown import percent
from deniable.display import Sheet, SheetColumn, Tabular
from deniable.display.frames import beside, to_rows
from deniable.display.sheet import MOST_ROWS
from deniable.releases.linear.design import Design
from deniable.releases.linear.matrices.factors import FloatArray
from deniable.releases.linear.nonnegative import tidied
from deniable.releases.linear.query_estimate import QueryEstimate
from deniable.releases.linear.reader import sums_of
from deniable.releases.linear.tables import described, queries, stacked, title
from deniable.releases.linear.task import ListedQueries, Task

_FEWEST_ROWS = 3
"""Of each part that is shown."""

Resolve = Callable[[str], tuple[tuple[int, ...], NDArray[np.bool_]]]
"""The attributes that a condition is about, and which of their cells satisfy it."""


@dataclass(frozen=True, repr=False)
class Release(Tabular):
    """Answers to a workload. Everything in it is public: compute with it whatever you like.

    All answers of a strategy that measures cells, or spaces of them, agree with each other: they are sums of one
    estimate. They may be negative and need not be whole; `tidy` makes them so.
    """

    design: Design
    noisy: IntArray
    """The noisy measurements that everything is computed from, in whole numbers."""
    resolve: Resolve
    loss: Loss
    """Of the release, and of the questions that selected values first."""
    free: bool
    """Whether it was recorded earlier, and cost nothing now."""
    confidence: Fraction
    notes: tuple[str, ...] = ()
    """What the answers leave out besides noise: bias, which no interval covers."""

    @property
    def task(self) -> Task:
        """The queries."""
        return self.design.task

    @cached_property
    def table(self) -> pa.Table:
        """A row for each query: what it counts, and how many."""
        return self._table([{"count": pa.array(answers)} for answers, _ in self._evaluated])

    @cached_property
    def intervals(self) -> pa.Table:
        """Low and high of each count, row by row, at the confidence that was asked for (95% unless told)."""
        answers, radius = (np.concatenate(parts) for parts in zip(*self._evaluated, strict=True))
        return pa.table({"count_low": answers - radius, "count_high": answers + radius})

    @property
    def with_intervals(self) -> pa.Table:
        """The answers, and behind them low and high."""
        return beside(self.table, self.intervals)

    @property
    def errors(self) -> pa.Table:
        """The rows of `table` again, with the standard deviation of each answer and its interval."""
        return self.errors_at(self.confidence)

    def errors_at(self, confidence: Number) -> pa.Table:
        """The same at another confidence. An interval holds the exact answer so surely, each by itself.

        The exact answer is the one without noise, with units scaled to their contribution.
        """
        level = float(surety(confidence))
        columns = []
        for piece, (answers, known) in zip(self.task.pieces, self._evaluated, strict=True):
            radius = known if level == float(self.confidence) else self.design.radius(self.solution, piece, level)
            deviations = pa.array(self.design.deviations(self.solution, piece), from_pandas=True)
            ends = {"low": pa.array(answers - radius), "high": pa.array(answers + radius)}
            columns.append({"deviation": deviations, **ends})
        return self._table(columns)

    def query(self, condition: str, confidence: Number | None = None) -> QueryEstimate:
        """How many rows satisfy a condition on the released attributes, with its own interval. Costs nothing.

        Raises:
            Refused: the condition needs something that the release does not tell apart.
        """
        axes, cells = self.resolve(condition)
        piece = ListedQueries(axes, cells[None], 1.0)
        level = float(surety(self.confidence if confidence is None else confidence))
        count = float(self.design.answers(self.solution, piece)[0])
        radius = float(self.design.radius(self.solution, piece, level)[0])
        deviation = float(self.design.deviations(self.solution, piece)[0])
        return QueryEstimate(count, count - radius, count + radius, deviation)

    def tidy(self, *, nonnegative: bool = True, whole: bool = True) -> pa.Table:
        """The rows of `table`, from cells that are not negative, whole, or both: so all sums agree, exactly.

        Post-processing, so it costs nothing. It is biased where counts are small; the intervals of `errors` still hold
        the exact answers.
        """
        cells = tidied(self.design.cells(self.solution), nonnegative=nonnegative, whole=whole)
        kind = pa.int64() if whole else pa.float64()
        return self._table([{"count": pa.array(sums_of(cells, piece)).cast(kind)} for piece in self.task.pieces])

    @cached_property
    def solution(self) -> Any:  # noqa: ANN401 - the design's own
        """What the measurements say about the cells."""
        return self.design.solve(self.noisy)

    def part(self, place: int) -> tuple[str, dict[str, pa.Array], FloatArray, FloatArray]:
        """For pictures: a part's name, what tells its queries apart, their answers and how far off these may be."""
        piece = self.task.pieces[place]
        return title(self.task, piece), queries(self.task, piece), *self._evaluated[place]

    def plot(self, part: int = 0) -> Any:  # noqa: ANN401 - matplotlib has no types
        """Bars with error bars, of one part of the workload (the first, unless told). Returns matplotlib's axes."""
        from deniable.display.picture import plotted  # noqa: PLC0415 - drawing is needed only here

        if not 0 <= part < len(self.task.pieces):
            raise InvalidArgumentError("part", f"must lie between 0 and {len(self.task.pieces) - 1}, not {part}")
        name, columns, answers, radius = self.part(part)
        ends = pa.table({"count_low": answers - radius, "count_high": answers + radius})
        axes = plotted(pa.table({**columns, "count": answers}), ends, "count", self.confidence)
        axes.set_title(f"{name}, with {percent(self.confidence)} intervals")
        return axes

    def sheet(self) -> Sheet:
        """What is shown of it: the first answers of each part."""
        most = max(_FEWEST_ROWS, MOST_ROWS // len(self.task.pieces))
        parts = [self.part(place) for place in range(min(len(self.task.pieces), MOST_ROWS // most))]
        shown = [(answers[:most], radius[:most]) for _, _, answers, radius in parts]
        answers, radius = (np.concatenate(each) for each in zip(*shown, strict=True))
        if len(self.task.pieces) == 1:
            told = [SheetColumn.keys(name, keys.slice(0, most).to_pylist()) for name, keys in parts[0][1].items()]
        else:
            names = [name for (name, *_), (some, _) in zip(parts, shown, strict=True) for _ in some]
            told = [SheetColumn.texts("part", names)]
            told.append(SheetColumn.texts("rows", [text for _, keys, *_ in parts for text in described(keys, most)]))
        counts = SheetColumn.noisy("count", answers.tolist(), (answers - radius).tolist(), (answers + radius).tolist())
        paid = "free, because it was asked before" if self.free else f"paid {self.loss}"
        rows = sum(piece.rows for piece in self.task.pieces)
        price = (
            f"± noise, {percent(self.confidence)} confidence · {paid} · {rows:,} answers by strategy {self.design.name}"
        )
        return Sheet((*told, counts), price, self.notes, more=rows - len(answers))

    def to_dict(self) -> dict[str, object]:
        """All of it in values that JSON can say, for front ends: rows with their intervals, price, notes."""
        return {
            "rows": to_rows(self.with_intervals),
            "confidence": float(self.confidence),
            "loss": self.loss.to_dict(),
            "free": self.free,
            "strategy": self.design.name,
            "notes": list(self.notes),
        }

    @cached_property
    def _evaluated(self) -> list[tuple[FloatArray, FloatArray]]:
        """The answers of each part, and how far off they may be: looked at often, worked out once."""
        level = float(self.confidence)
        return [
            (self.design.answers(self.solution, piece), self.design.radius(self.solution, piece, level))
            for piece in self.task.pieces
        ]

    def _table(self, columns: Sequence[dict[str, pa.Array]]) -> pa.Table:
        told = [queries(self.task, piece) for piece in self.task.pieces]
        return stacked(self.task, [keys | numbers for keys, numbers in zip(told, columns, strict=True)])
