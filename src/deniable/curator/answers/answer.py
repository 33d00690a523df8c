"""The answer to one question: its columns, computed from noisy statistics, and their intervals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.core.algebra.expression import Column, Kind
from deniable.core.errors import InvalidArgumentError
from deniable.core.loss import Loss
from deniable.core.number import Number, surety
from deniable.curator.answers.noisy_answer import NoisyAnswer
from deniable.curator.groups import side_by_side
from deniable.files.arrow import TYPES
from deniable.planner import Plan, Quote
from deniable.planner.after import processed, taken
from deniable.planner.consistent import Changed
from deniable.planner.expressions.evaluate import Band, Result, Truth, evaluate, labelled, labels, truth_of
from deniable.planner.intervals.columns import Material, difference, with_intervals
from deniable.planner.plan import Output, each, material


@dataclass(frozen=True, repr=False)
class Answer(NoisyAnswer):
    """The answer to one question about private rows."""

    plan: Plan
    noisy: pa.Table
    """The noisy statistics that the columns are computed from, in whole numbers."""
    loss: Loss
    """What was paid for it when it was first asked."""
    free: bool
    """Whether it was recorded earlier, and nobody has paid now."""
    delta: Fraction
    """The policy's delta, at which `meaning` speaks."""
    changed: Changed | None = None
    """What it rests on since it was reconciled with the other answers of its statement, if it was."""
    share: bool = False
    """Whether the analyst's share alone has paid: it was recorded earlier, and this analyst had not seen it."""

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
    def quote(self) -> Quote:
        """The plan's own."""
        return self.plan.quote

    @cached_property
    def keys(self) -> frozenset[str]:
        """The columns that no noise is in."""
        return frozenset(self.table.column_names) - {line.column for line in self.quote.lines}

    def intervals_at(self, confidence: Number) -> pa.Table:
        """Low and high of each noisy column, row by row: each holds the exact value at least so surely.

        The exact value is the one that the same question gives without noise, with rows clamped to the policy's bounds
        and units scaled to its contribution; what clamping and scaling take away is not noise, and not in the interval.
        What the grid rounds is in it, as far as the question counts the rows: docs/proofs/weighing.md
        """
        return self._ends(self._columns(surety(confidence)))

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
        plain = {**self._material.values, **self._material.chosen(confidence)}
        shown = np.ones(self.noisy.num_rows, dtype=np.bool_)
        for names, rows in bound.possible:
            shown &= side_by_side(self.noisy, names, rows)
        if bound.having is not None:
            shown &= truth_of(evaluate(bound.having, plain, self.noisy.num_rows)).value
        kept = np.flatnonzero(shown)
        for order in reversed(bound.order):
            ranks = _ranks(evaluate(order.value, plain, self.noisy.num_rows), descending=order.descending)
            kept = kept[np.argsort(ranks[kept], kind="stable")]
        end = None if bound.limit is None else bound.offset + bound.limit
        kept = kept[bound.offset : end]
        keys = {key.name for key in bound.keys}
        one = each(confidence, self.noisy.num_rows * len(self.quote.lines)) if self.quote.simultaneous else confidence
        found = {
            output.name: np.array(self.noisy[output.value.name].to_pylist(), dtype=object)[kept]
            if isinstance(output.value, Column) and output.value.name in keys  # as it is, not through a double
            else taken(self._shown(output.name, with_intervals(output.value, self._material, one)), kept)
            for output in bound.outputs
        }
        return processed(found, bound, [line.column for line in self.quote.lines], self.quote.after)

    def _shown(self, name: str, result: Result) -> Result:
        """The same; of what was reconciled, the value whose sums agree exactly, within its interval."""
        if self.changed is None or name not in self.changed.shown or not isinstance(result, Band):
            return result
        value = self.changed.shown[name]
        return Band(value, np.minimum(result.low, value), np.maximum(result.high, value))

    def compare(self, one: object, other: object) -> pa.Table:
        """The first group less the second, by the value of the first key: each noisy column with its interval.

        Noise of groups is independent. Of counts, sums and what they add up to, the interval follows from the law of
        the noise of both; of averages and the like, each is known twice as surely, and the worst cases are subtracted.
        """
        key = self.plan.bound.keys[0].name if self.plan.bound.keys else None
        values = [] if key is None else self.noisy[key].to_pylist()
        if one not in values or other not in values:
            raise InvalidArgumentError("one", f"and other must be values of the first key, not {one!r} and {other!r}")
        places = np.array([values.index(one), values.index(other)])
        noisy = {line.column for line in self.plan.quote.lines}
        rows = []
        for output in self.plan.bound.outputs:
            if output.name in noisy:
                low, value, high = difference(output.value, self._material, places, 1 - self.confidence)
                rows.append({"column": output.name, "difference": value, "low": low, "high": high})
        return pa.Table.from_pylist(rows)

    @cached_property
    def _material(self) -> Material:
        """Keys and noisy statistics, whose noise has a law that intervals follow from: docs/proofs/intervals.md."""
        keys = {key.name: _key(self.noisy[key.name], key.value.kind) for key in self.plan.bound.keys}
        recorded = {name: self.noisy[name].to_numpy() for name in self.noisy.column_names if name not in keys}
        found = material(self.plan.noise, lambda part, at: part.results(recorded, at), keys, self.noisy.num_rows)
        if self.changed is None:
            return found
        values = {name: Band.exactly(column) for name, column in self.changed.values.items()}
        return replace(found, values={**found.values, **values}, noises={**found.noises, **self.changed.noises})


def _key(column: pa.ChunkedArray, kind: Kind) -> Result:
    """Numbers, and what a calendar or a clock counts, as numbers; everything else as labels."""
    if kind in COUNTED:
        column = column.cast(COUNTED[kind])
    if kind in (Kind.NUMBER, *COUNTED) or (kind is Kind.INTEGER and _all_held(column)):
        return Band.exactly(column.cast(pa.float64(), safe=False).to_numpy())
    return labels(column.to_pylist())


def _all_held(column: pa.ChunkedArray) -> bool:
    """Whether doubles hold all of these whole numbers."""
    import pyarrow.compute as pc  # noqa: PLC0415 - slow to load, and most answers do without

    ends = pc.min_max(column).as_py()
    return not labelled([ends["min"], ends["max"]], Kind.INTEGER)


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


_LAST = 253_402_300_799_999_999
"""The last microsecond of the calendar; the double next to it is the first that no calendar has."""
COUNTED = {Kind.DATE: pa.int32(), Kind.TIMESTAMP: pa.int64(), Kind.TIME: pa.int64()}
"""The whole numbers that stand for days, moments and times of day."""


def _typed(values: NDArray[np.float64], kind: Kind) -> pa.Array:
    """Numbers in the type of their kind; NaN is NULL, and so is an infinity where nothing can be infinite."""
    if kind is Kind.NUMBER:
        return pa.array(values, from_pandas=True)
    finite = np.where(np.isfinite(values), values, np.nan) if kind in COUNTED else values
    whole = pa.array(np.rint(finite), from_pandas=True)
    if kind not in COUNTED:
        return whole.cast(TYPES[kind])
    counted = whole.cast(COUNTED[kind])
    if kind is Kind.TIMESTAMP:
        import pyarrow.compute as pc  # noqa: PLC0415 - slow to load, and most answers do without

        counted = pc.min_element_wise(counted, _LAST, skip_nulls=False)
    return counted.cast(TYPES[kind])


def _arrow(output: Output, result: Result) -> pa.Array:
    """A column of the answer in the type of its kind; NaN is NULL."""
    kind = TYPES[output.value.kind]
    if isinstance(result, Band):
        return _typed(result.value, output.value.kind)
    if isinstance(result, Truth):
        return pa.array(result.value, type=kind, mask=result.null)
    return pa.array(result.tolist(), type=kind)
