"""Outer queries: what is computed from noisy answers, in an empty database that has nothing else.

Whatever happens here is post-processing. It sees noisy tables that are recorded already, and public ones; so nothing
that it does, and nothing that becomes of it (an error, a long time), says more about anybody than they do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import pyarrow as pa

from deniable.core.algebra.expression import Kind
from deniable.core.errors import Failed, Refused
from deniable.core.loss import Loss
from deniable.core.paid import Paid
from deniable.curator.answers.answer import COUNTED, Answer
from deniable.curator.answers.noisy_answer import NoisyAnswer
from deniable.curator.answers.rejected import in_words
from deniable.curator.public.tables import PublicTables
from deniable.engines import Calculator
from deniable.engines.duckdb.calculator import RejectedError
from deniable.engines.engine import Broken
from deniable.files.arrow import TYPES
from deniable.planner import OutputColumn, PricedStatement, Quote
from deniable.planner.bind import apart
from deniable.planner.consistent import Totals
from deniable.planner.outer import OuterQuery
from deniable.planner.outer.carry import Carried
from deniable.planner.outer.rows import end_name, ranged
from deniable.planner.outer.statement import noisy_name, public_name
from deniable.planner.parse import QUESTION
from deniable.policy import Policy

_SECONDS = 10.0
_CELLS = 1 << 22
"""Of what is computed: rows times columns."""


@dataclass(frozen=True, repr=False)
class OuterAnswer(NoisyAnswer):
    """What an outer query has made of noisy answers."""

    asked: PricedStatement
    computed: pa.Table
    inner: tuple[Answer, ...]
    """The answers that it was made of."""
    loss: Loss
    free: bool
    delta: Fraction
    share: bool = False

    @property
    def table(self) -> pa.Table:
        """The answer."""
        return self.computed.select([column.name for column in self.asked.columns])

    @cached_property
    def intervals(self) -> pa.Table:
        """Of the columns that are computed row by row; the notes name the others."""
        return self.computed.select(self.computed.column_names[len(self.asked.columns) :])

    @property
    def quote(self) -> Quote:
        """The price of the questions inside."""
        return self.asked.quote

    @property
    def notes(self) -> tuple[str, ...]:
        """Those of the questions inside, and which columns have no interval."""
        columns = self.asked.columns
        lost = [column.name for column in columns if not column.noisy and column.name not in self.keys]
        if not lost:
            return self.quote.notes
        names = ", ".join(lost)
        return (*self.quote.notes, f"no interval for {names}: none follows from the intervals inside")

    @property
    def keys(self) -> frozenset[str]:
        """The columns that no noise is in."""
        exact = self.asked.outer.carried.exact if self.asked.outer is not None else ()
        return frozenset(self.asked.columns[place].name for place in exact)


class OuterQueries:
    """Checks outer queries before their questions are charged, and computes them afterwards."""

    def __init__(self, policy: Policy, public: PublicTables) -> None:
        self._public, self._cells = public, min(policy.limits.answer_size, _CELLS)
        self._calculator = Calculator(min(policy.engine.seconds, _SECONDS))

    def checked(self, asked: PricedStatement) -> PricedStatement:
        """With the columns that it will have, found on empty tables of the right types.

        Raises:
            Refused: it cannot be computed; nothing is charged yet.
        """
        outer = asked.outer
        if outer is None:
            return asked
        try:
            schema = self._columns(outer.sql, asked, ())
        except RejectedError as error:
            refusal = in_words(str(error), outer.tree, outer.first)
        except Broken:
            reason = "What is computed around the noisy answers takes too long, or too much memory."
            refusal = Refused("too-complex", reason, "Compute less around them.")
        else:
            carried = self._fitting(asked, outer.carried, schema)
            names = apart([field.name for field in schema])
            computed = tuple(
                OutputColumn(name, _kind(field, outer), place in carried.bands)
                for place, (name, field) in enumerate(zip(names, schema, strict=True))
            )
            return replace(asked, outer=replace(outer, carried=carried), computed=computed)
        raise refusal  # out here, so that it carries no trace of the cause

    def _fitting(self, asked: PricedStatement, carried: Carried, schema: pa.Schema) -> Carried:
        """The intervals, if computing them beside the columns leaves the columns as they are; else none."""
        if carried.sql is None:
            return carried
        try:
            found = self._columns(carried.sql, asked, carried.levels)
        except (RejectedError, Broken):
            return Carried()
        same = len(found) == len(schema) + 2 * len(carried.bands) and list(found)[: len(schema)] == list(schema)
        return carried if same else Carried()

    def _columns(self, sql: str, asked: PricedStatement, levels: Sequence[int]) -> pa.Schema:
        tables = {noisy_name(number): _schema(asked, number, levels) for number in range(len(asked.plans))}
        public = asked.outer.public if asked.outer is not None else ()
        tables |= {public_name(name): self._public.rows(name).schema for name in public}
        return self._calculator.columns(sql, tables, self._cells)

    def answer(self, asked: PricedStatement, inner: Sequence[Answer], *, paid: Paid, delta: Fraction) -> NoisyAnswer:
        """What is made of the answers to the questions inside.

        Raises:
            Failed: it cannot be computed from these numbers. They are recorded, so another outer query is free.
        """
        outer = asked.outer
        if outer is None:
            (only,) = inner
            return only
        if asked.after:
            changed = Totals.of(asked.plans).reconciled({one.plan.bound: one.noisy for one in inner})
            inner = [replace(one, changed=changed[one.plan.bound]) for one in inner]
        levels = outer.carried.levels
        tables = {noisy_name(number): _with_ends(one, levels) for number, one in enumerate(inner)}
        tables |= {public_name(name): self._public.rows(name) for name in outer.public}
        try:
            found = self._calculator.run(outer.carried.sql or outer.sql, tables, self._cells)
            shaped = _shaped(found, asked.columns, outer)
        except (Broken, pa.ArrowInvalid):
            shaped = None
        if shaped is None:
            raise Failed
        return OuterAnswer(asked, shaped, tuple(inner), asked.quote.loss, paid.free, delta, paid is Paid.SHARE)

    def close(self) -> None:
        """End the process."""
        self._calculator.close()


def _schema(asked: PricedStatement, number: int, levels: Sequence[int]) -> pa.Schema:
    """The columns of a noisy table, with the ends of intervals behind them."""
    bound = asked.plans[number].bound
    fields = [(output.name, TYPES[output.value.kind]) for output in bound.outputs]
    for level in levels:
        for output in ranged(bound):
            kind = output.value.kind
            ends = TYPES[kind] if kind in COUNTED else pa.float64()
            fields += [(end_name(output.name, side, level), ends) for side in ("low", "high")]
    return pa.schema(fields)


def _with_ends(answer: Answer, levels: Sequence[int]) -> pa.Table:
    """The table with the ends of its intervals, for each number of noisy values that must hold together."""
    table = answer.table
    for level in levels:
        ends = answer.intervals_at(1 - (1 - answer.confidence) / level)
        for output in ranged(answer.plan.bound):
            for side in ("low", "high"):
                table = table.append_column(end_name(output.name, side, level), ends[f"{output.name}_{side}"])
    return table


def _shaped(found: pa.Table, columns: Sequence[OutputColumn], outer: OuterQuery) -> pa.Table:
    """Columns in the types of their kinds, and behind them the ends of intervals, by their names."""
    taken = [TYPES[column.kind] for column in columns]
    names = [column.name for column in columns]
    arrays = [one.cast(kind) for one, kind in zip(found.columns, taken, strict=False)]
    for number, place in enumerate(outer.carried.bands):
        for offset, side in enumerate(("low", "high")):
            end = found.column(len(columns) + 2 * number + offset)
            counted = columns[place].kind in COUNTED
            arrays.append(end if counted else _open_ended(end.cast(pa.float64()), arrays[place], side))
            names.append(f"{columns[place].name}_{side}")
    return pa.table(arrays, names=names)


def _open_ended(end: pa.ChunkedArray, value: pa.ChunkedArray, side: str) -> pa.ChunkedArray:
    """An end that nobody knows is infinite; where there is no value, there is no end."""
    import pyarrow.compute as pc  # noqa: PLC0415 - slow to load, and most questions do without

    known = pc.and_kleene(pc.is_valid(end), pc.invert(pc.is_nan(end)))
    open_end = pa.scalar(float("inf") if side == "high" else float("-inf"))
    ends = pc.if_else(pc.fill_null(known, fill_value=False), end, open_end)
    return pc.if_else(pc.is_valid(value), ends, pa.scalar(None, pa.float64()))


def _kind(field: pa.Field, outer: OuterQuery) -> Kind:
    """What a column of DuckDB's is in an answer; whole numbers of any width are whole numbers."""
    kind = field.type
    if pa.types.is_decimal(kind):
        return Kind.INTEGER if kind.scale == 0 else Kind.NUMBER
    for fits, found in _KINDS:
        if fits(kind):
            return found
    reason = f"The column {field.name!r} would be of a type that answers do not have."
    raise Refused(
        "unsupported-output",
        reason,
        "Write CAST(... AS VARCHAR), or leave it out.",
        None,
        outer.tree.meta.get(QUESTION, ""),
    )


_KINDS = (
    (pa.types.is_integer, Kind.INTEGER),
    (pa.types.is_floating, Kind.NUMBER),
    (pa.types.is_boolean, Kind.BOOLEAN),
    (pa.types.is_string, Kind.TEXT),
    (pa.types.is_null, Kind.TEXT),
    (pa.types.is_date32, Kind.DATE),
    (lambda kind: pa.types.is_timestamp(kind) and kind.tz is None, Kind.TIMESTAMP),
    (pa.types.is_time64, Kind.TIME),
)
