"""What an analyst gets: a table, its error bars, its price, and what that means."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.core.expression import Column, Expression, Kind, names
from deniable.core.guarantee import Guarantee
from deniable.core.loss import Loss
from deniable.core.number import Number, probability
from deniable.engines import TYPES
from deniable.planner import Plan
from deniable.planner.expressions.evaluate import Band, Result, Truth, evaluate, truth_of
from deniable.planner.plan import Output

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl


@dataclass(frozen=True, slots=True)
class Answer:
    """A noisy answer. Everything in it is public: compute with it whatever you like."""

    plan: Plan = field(repr=False)
    noisy: pa.Table = field(repr=False)
    """The noisy statistics that the columns are computed from, in whole numbers."""
    loss: Loss
    """What was paid for it when it was first asked."""
    free: bool
    """Whether it was recorded earlier, and cost nothing now."""
    delta: Fraction
    """The policy's delta, at which `meaning` speaks."""

    @property
    def table(self) -> pa.Table:
        """The answer."""
        columns = self._columns(self.plan.quote.confidence)
        return pa.table({output.name: _arrow(output, columns[output.name]) for output in self.plan.bound.outputs})

    @property
    def intervals(self) -> pa.Table:
        """Low and high of each noisy column, row by row, at the confidence that was asked for (95% unless told)."""
        return self.intervals_at(self.plan.quote.confidence)

    def intervals_at(self, confidence: Number) -> pa.Table:
        """Low and high of each noisy column, row by row: each holds the exact value at least so surely.

        The exact value is the one that the same question gives without noise, with rows clamped to the policy's bounds
        and units scaled to its contribution; what clamping and scaling take away is not noise, and not in the interval.
        What the grid rounds is in it, as far as the question counts the rows: docs/proofs/weighing.md
        """
        columns = self._columns(probability("confidence", confidence))
        bands = {output.name: columns[output.name] for output in self._noisy_outputs}
        return pa.table(
            {
                f"{name}_{side}": pa.array(getattr(band, side), from_pandas=True)
                for name, band in bands.items()
                if isinstance(band, Band)
                for side in ("low", "high")
            }
        )

    @property
    def guarantee(self) -> Guarantee:
        """What this answer alone costs, as (epsilon, delta)."""
        return self.loss.at(0 if self.loss.epsilon is not None and not self.loss.delta else self.delta)

    @property
    def meaning(self) -> str:
        """The guarantee in words."""
        guarantee = self.guarantee
        low, high = guarantee.posterior(Fraction(1, 2))
        part = f", except with probability {float(guarantee.delta):.2g}" if guarantee.delta else ""
        return (
            f"Whatever this answer lets anyone conclude about one {self._unit}, its odds change by at most a factor "
            f"{guarantee.odds_factor:.3g} because that {self._unit} is in the data{part}: an even guess stays between "
            f"{low:.0%} and {high:.0%}."
        )

    def to_pandas(self) -> pd.DataFrame:
        """The answer as a pandas frame."""
        return self.table.to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """The answer as a Polars frame."""
        import polars as pl  # noqa: PLC0415 - an extra

        frame = pl.from_arrow(self.table)
        if not isinstance(frame, pl.DataFrame):
            raise TypeError("not a table")
        return frame

    def plot(self, column: str | None = None) -> Any:  # noqa: ANN401 - matplotlib has no types
        """Bars with error bars, of one noisy column (the first, unless named). Returns matplotlib's axes."""
        from deniable.curator.display import plot  # noqa: PLC0415 - drawing is needed only here

        return plot(self, column)

    def __rich__(self) -> Any:  # noqa: ANN401 - what rich draws
        """For terminals."""
        from deniable.curator.display import rich_table  # noqa: PLC0415 - same

        return rich_table(self)

    def _repr_html_(self) -> str:
        """For notebooks."""
        from deniable.curator.display import html  # noqa: PLC0415 - same

        return html(self)

    @property
    def _unit(self) -> str:
        return "person" if self.plan.bound.person else "row"

    @property
    def _noisy_outputs(self) -> list[Output]:
        noisy = {line.column for line in self.plan.quote.lines}
        return [output for output in self.plan.bound.outputs if output.name in noisy]

    def _columns(self, confidence: Fraction) -> dict[str, Result]:
        """Every output for the rows that HAVING, ORDER BY, LIMIT and OFFSET leave, in that order."""
        bound = self.plan.bound
        used = {output.name: self._statistics(output.value, confidence) for output in bound.outputs}
        plain = self._statistics(None, confidence)
        kept = np.arange(self.noisy.num_rows)
        if bound.having is not None:
            kept = np.flatnonzero(truth_of(evaluate(bound.having, plain, self.noisy.num_rows)).value)
        for order in reversed(bound.order):
            ranks = _ranks(evaluate(order.value, plain, self.noisy.num_rows), descending=order.descending)
            kept = kept[np.argsort(ranks[kept], kind="stable")]
        end = None if bound.limit is None else bound.offset + bound.limit
        kept = kept[bound.offset : end]
        keys = {key.name for key in bound.keys}
        return {
            output.name: np.array(self.noisy[output.value.name].to_pylist(), dtype=object)[kept]
            if isinstance(output.value, Column) and output.value.name in keys  # as it is, not through a double
            else _taken(evaluate(output.value, used[output.name], self.noisy.num_rows), kept)
            for output in bound.outputs
        }

    def _statistics(self, expression: Expression | None, confidence: Fraction) -> dict[str, Result]:
        """Keys, and statistics with intervals wide enough that all that one column rests on hold together."""
        held = [part.names if expression is None else part.names & names(expression) for part in self.plan.noise]
        share = 1 - (1 - confidence) / max(1, sum(len(each) for each in held))
        columns: dict[str, Result] = {}
        for key in self.plan.bound.keys:
            columns[key.name] = _key(self.noisy[key.name], key.value.kind)
        keys = {key.name for key in self.plan.bound.keys}
        recorded = {name: self.noisy[name].to_numpy() for name in self.noisy.column_names if name not in keys}
        for part in self.plan.noise:
            columns |= part.results(recorded, share)
        return columns


def _key(column: pa.ChunkedArray, kind: Kind) -> Result:
    """Numbers as numbers; everything else as labels."""
    if kind in (Kind.INTEGER, Kind.NUMBER):
        return Band.exactly(column.cast(pa.float64(), safe=False).to_numpy())
    return np.array(column.to_pylist(), dtype=object)


def _taken(result: Result, rows: NDArray[np.int64]) -> Result:
    """These rows, in this order."""
    if isinstance(result, Band):
        return Band(result.value[rows], result.low[rows], result.high[rows])
    if isinstance(result, Truth):
        return Truth(result.value[rows], result.possible[rows], result.certain[rows], result.null[rows])
    return result[rows]


def _ranks(result: Result, *, descending: bool) -> NDArray[np.float64]:
    """Numbers to sort by; NULL is last."""
    if isinstance(result, Band):
        values = result.value
    elif isinstance(result, Truth):
        values = np.where(result.null, np.nan, result.value)
    else:
        there = sorted({entry for entry in result if entry is not None})
        places = {entry: place for place, entry in enumerate(there)}
        values = np.array([np.nan if entry is None else places[entry] for entry in result])
    return np.where(np.isnan(values), np.inf, -values if descending else values)


def _arrow(output: Output, result: Result) -> pa.Array:
    """A column of the answer in the type of its kind; NaN is NULL."""
    kind = TYPES[output.value.kind]
    if isinstance(result, Band):
        whole = output.value.kind is Kind.INTEGER
        return pa.array(np.rint(result.value) if whole else result.value, from_pandas=True).cast(kind)
    if isinstance(result, Truth):
        return pa.array(result.value, type=kind, mask=result.null)
    return pa.array(result.tolist(), type=kind)
