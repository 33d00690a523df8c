"""What an analyst gets: a table, its error bars, its price, and what that means."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.core.algebra.expression import Column, Expression, Kind, names
from deniable.core.guarantee import Guarantee
from deniable.core.loss import Loss
from deniable.core.number import Number, probability
from deniable.core.shown import percent
from deniable.display import Sheet, SheetColumn, Tabular
from deniable.display.frames import beside, to_rows
from deniable.display.sheet import MOST_ROWS
from deniable.engines import TYPES
from deniable.planner import Plan
from deniable.planner.expressions.evaluate import Band, Result, Truth, evaluate, truth_of
from deniable.planner.plan import Output


@dataclass(frozen=True, repr=False)
class Answer(Tabular):
    """A noisy answer. Everything in it is public: compute with it whatever you like."""

    plan: Plan
    noisy: pa.Table
    """The noisy statistics that the columns are computed from, in whole numbers."""
    loss: Loss
    """What was paid for it when it was first asked."""
    free: bool
    """Whether it was recorded earlier, and cost nothing now."""
    delta: Fraction
    """The policy's delta, at which `meaning` speaks."""

    @cached_property
    def table(self) -> pa.Table:
        """The answer."""
        columns = self._evaluated
        return pa.table({output.name: _arrow(output, columns[output.name]) for output in self.plan.bound.outputs})

    @cached_property
    def intervals(self) -> pa.Table:
        """Low and high of each noisy column, row by row, at the confidence that was asked for (95% unless told)."""
        return self._ends(self._evaluated)

    @property
    def with_intervals(self) -> pa.Table:
        """The answer, and behind it low and high of each noisy column."""
        return beside(self.table, self.intervals)

    @property
    def confidence(self) -> Fraction:
        """Of the intervals."""
        return self.plan.quote.confidence

    @property
    def notes(self) -> tuple[str, ...]:
        """What the answer leaves out besides noise: bias, which no interval covers."""
        return self.plan.quote.notes

    def intervals_at(self, confidence: Number) -> pa.Table:
        """Low and high of each noisy column, row by row: each holds the exact value at least so surely.

        The exact value is the one that the same question gives without noise, with rows clamped to the policy's bounds
        and units scaled to its contribution; what clamping and scaling take away is not noise, and not in the interval.
        What the grid rounds is in it, as far as the question counts the rows: docs/proofs/weighing.md
        """
        return self._ends(self._columns(probability("confidence", confidence)))

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

    def plot(self, column: str | None = None) -> Any:  # noqa: ANN401 - matplotlib has no types
        """Bars with error bars, of one noisy column (the first, unless named). Returns matplotlib's axes.

        One key stands along the axis; with several, the first does, and the others are series beside each other.
        """
        from deniable.display.picture import plotted  # noqa: PLC0415 - drawing is needed only here

        return plotted(self.table, self.intervals, column, self.confidence)

    def sheet(self) -> Sheet:
        """What is shown of it."""
        shown, ends = self.table.slice(0, MOST_ROWS), self.intervals.slice(0, MOST_ROWS)
        columns, keys = [], set(self.table.column_names) - {line.column for line in self.plan.quote.lines}
        for name, values in zip(shown.column_names, shown.columns, strict=True):
            if name in self._bands:
                low, high = (ends[f"{name}_{side}"].to_pylist() for side in ("low", "high"))
                if pa.types.is_temporal(values.type):
                    columns.append(SheetColumn.moments(name, values.to_pylist(), low, high))
                    continue
                whole = pa.types.is_integer(values.type)
                columns.append(SheetColumn.noisy(name, values.to_pylist(), low, high, whole=whole))
            else:
                columns.append(replace(SheetColumn.keys(name, values.to_pylist()), key=name in keys))
        paid = "free, because it was asked before" if self.free else f"paid {self.loss}"
        price = f"± at {percent(self.confidence)} confidence · {paid}"
        return Sheet(tuple(columns), price, self.notes, more=max(0, self.table.num_rows - MOST_ROWS))

    def to_dict(self) -> dict[str, object]:
        """All of it in values that JSON can say, for front ends: rows with their intervals, price, meaning, notes."""
        return {
            "rows": to_rows(self.with_intervals),
            "confidence": float(self.confidence),
            "loss": self.loss.to_dict(),
            "free": self.free,
            "meaning": self.meaning,
            "notes": list(self.notes),
        }

    @property
    def _unit(self) -> str:
        return "person" if self.plan.bound.person else "row"

    @cached_property
    def _evaluated(self) -> dict[str, Result]:
        """Every output at the confidence that was asked for: looked at often, worked out once."""
        return self._columns(self.confidence)

    @property
    def _bands(self) -> list[str]:
        """The columns that have an interval."""
        noisy = {line.column for line in self.plan.quote.lines}
        return [name for name, column in self._evaluated.items() if name in noisy and isinstance(column, Band)]

    def _ends(self, columns: dict[str, Result]) -> pa.Table:
        """Both ends of every interval."""
        kinds = {output.name: output.value.kind for output in self.plan.bound.outputs}
        ends = {(name, side): getattr(columns[name], side) for name in self._bands for side in ("low", "high")}
        return pa.table(
            {
                f"{name}_{side}": _typed(end, kinds[name] if kinds[name] in COUNTED else Kind.NUMBER)
                for (name, side), end in ends.items()
            }
        )

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
    """Numbers, and what a calendar or a clock counts, as numbers; everything else as labels."""
    if kind in COUNTED:
        column = column.cast(COUNTED[kind])
    if kind in (Kind.INTEGER, Kind.NUMBER, *COUNTED):
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


COUNTED = {Kind.DATE: pa.int32(), Kind.TIMESTAMP: pa.int64(), Kind.TIME: pa.int64()}
"""The whole numbers that stand for days, moments and times of day."""


def _typed(values: NDArray[np.float64], kind: Kind) -> pa.Array:
    """Numbers in the type of their kind; NaN is NULL, and so is an infinity where nothing can be infinite."""
    if kind is Kind.NUMBER:
        return pa.array(values, from_pandas=True)
    finite = np.where(np.isfinite(values), values, np.nan) if kind in COUNTED else values
    whole = pa.array(np.rint(finite), from_pandas=True)
    return whole.cast(COUNTED[kind]).cast(TYPES[kind]) if kind in COUNTED else whole.cast(TYPES[kind])


def _arrow(output: Output, result: Result) -> pa.Array:
    """A column of the answer in the type of its kind; NaN is NULL."""
    kind = TYPES[output.value.kind]
    if isinstance(result, Band):
        return _typed(result.value, output.value.kind)
    if isinstance(result, Truth):
        return pa.array(result.value, type=kind, mask=result.null)
    return pa.array(result.tolist(), type=kind)
