"""What comes out: answers to all queries of a workload, their errors, and answers to further ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.core.errors import InvalidArgumentError
from deniable.core.grid import IntArray
from deniable.core.loss import Loss
from deniable.core.number import Number, probability
from deniable.releases.linear.design import Design
from deniable.releases.linear.matrices.factors import FloatArray
from deniable.releases.linear.nonnegative import tidied
from deniable.releases.linear.reader import sums_of
from deniable.releases.linear.tables import queries, stacked, title
from deniable.releases.linear.task import ListedQueries, Piece, Task

if TYPE_CHECKING:
    import pandas as pd

SUREST = Fraction(1, 10**12)
"""No interval is surer than but for this."""

Resolve = Callable[[str], tuple[tuple[int, ...], NDArray[np.bool_]]]
"""The attributes that a condition is about, and which of their cells satisfy it."""


@dataclass(frozen=True, slots=True)
class QueryEstimate:
    """One answer."""

    count: float
    low: float
    high: float
    deviation: float
    """The standard deviation of the noise in it."""


@dataclass(frozen=True)
class Release:
    """Answers to a workload. Everything in it is public: compute with it whatever you like.

    All answers of a strategy that measures cells, or spaces of them, agree with each other: they are sums of one
    estimate. They may be negative and need not be whole; `tidy` makes them so.
    """

    design: Design = field(repr=False)
    noisy: IntArray = field(repr=False)
    """The noisy measurements that everything is computed from, in whole numbers."""
    resolve: Resolve = field(repr=False)
    loss: Loss
    """Of the release itself; values that were selected first are charged by themselves."""
    free: bool
    """Whether it was recorded earlier, and cost nothing now."""
    confidence: Fraction

    @property
    def task(self) -> Task:
        """The queries."""
        return self.design.task

    @property
    def table(self) -> pa.Table:
        """A row for each query: what it counts, and how many."""
        return self._table(lambda piece: {"count": pa.array(self.design.answers(self.solution, piece))})

    @property
    def errors(self) -> pa.Table:
        """The rows of `table` again, with the standard deviation of each answer and its interval."""
        return self.errors_at(self.confidence)

    def errors_at(self, confidence: Number) -> pa.Table:
        """The same at another confidence. An interval holds the exact answer so surely, each by itself.

        The exact answer is the one without noise, with units scaled to their contribution.
        """
        level = _level(confidence)

        def columns(piece: Piece) -> dict[str, pa.Array]:
            answers = self.design.answers(self.solution, piece)
            radius = self.design.radius(self.solution, piece, level)
            deviations = self.design.deviations(self.solution, piece)
            return {
                "deviation": pa.array(deviations, from_pandas=True),
                "low": pa.array(answers - radius),
                "high": pa.array(answers + radius),
            }

        return self._table(columns)

    def query(self, condition: str, confidence: Number | None = None) -> QueryEstimate:
        """How many rows satisfy a condition on the released attributes, with its own interval. Costs nothing.

        Raises:
            Refused: the condition needs something that the release does not tell apart.
        """
        axes, cells = self.resolve(condition)
        piece = ListedQueries(axes, cells[None], 1.0)
        level = _level(self.confidence if confidence is None else confidence)
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
        return self._table(lambda piece: {"count": pa.array(sums_of(cells, piece)).cast(kind)})

    @cached_property
    def solution(self) -> Any:  # noqa: ANN401 - the design's own
        """What the measurements say about the cells."""
        return self.design.solve(self.noisy)

    def part(self, place: int) -> tuple[str, dict[str, pa.Array], FloatArray, FloatArray]:
        """For pictures: a part's name, what tells its queries apart, their answers and how far off these may be."""
        piece = self.task.pieces[place]
        radius = self.design.radius(self.solution, piece, float(self.confidence))
        return title(self.task, piece), queries(self.task, piece), self.design.answers(self.solution, piece), radius

    def to_pandas(self) -> pd.DataFrame:
        """The answers as a pandas frame."""
        return self.table.to_pandas()

    def _table(self, columns: Callable[[Piece], dict[str, pa.Array]]) -> pa.Table:
        return stacked(self.task, [queries(self.task, piece) | columns(piece) for piece in self.task.pieces])


def _level(confidence: Number) -> float:
    """As a float that is still below 1."""
    level = probability("confidence", confidence)
    if 1 - level < SUREST:
        raise InvalidArgumentError("confidence", f"must be at most 1 - {float(SUREST)}, not {confidence}")
    return float(level)
