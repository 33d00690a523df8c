"""Row expressions in DuckDB's SQL. Each is total: no row can make one raise, and none gives NaN.

NaN is NULL for us. Arithmetic may pass it on, as it does in every engine, so it is taken out only where something
else looks at the number: once for a chain of additions, not once for every plus.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, time
from fractions import Fraction

from deniable.core.algebra.expression import Call, Column, Expression, Kind, Literal
from deniable.core.calendar import counted
from deniable.engines.duckdb.columns import Stored, identified, read, read_word
from deniable.engines.duckdb.functions import FUNCTIONS, PASSES_NAN, may_be_nan
from deniable.engines.duckdb.literals import ENDS, TYPES, cast, double, moment, text, whole
from deniable.engines.engine import TooLongError

_LONG = 1 << 63
LONGEST = 1 << 17
"""Guards repeat what they guard, so an expression nested on purpose could grow for ever."""


@dataclass(frozen=True, slots=True)
class Speller:
    """Spells expressions over rows that have these columns."""

    columns: Mapping[str, Stored]

    def spell(self, expression: Expression, kind: Kind | None = None) -> str:
        """The expression, as a value of the kind asked for; never NaN."""
        spelled = self._raw(expression, kind)
        if (kind or expression.kind) is Kind.NUMBER and may_be_nan(expression):
            return _limited(f"CASE WHEN {spelled} <= 'inf'::DOUBLE THEN {spelled} END")
        return spelled

    def identity(self, expression: Expression, kind: Kind | None = None) -> str:
        """The expression as what tells values apart: the same bytes for equal values, others for all others."""
        spelled = self.spell(expression, kind)
        if (kind or expression.kind) is Kind.NUMBER:
            return _limited(f"CASE WHEN {spelled} = 0 THEN {double(Fraction(0))} ELSE {spelled} END")
        return spelled

    def key(self, expression: Expression) -> str:
        """The expression as a key of the answer, where a text has one form however Unicode writes it."""
        if expression.kind is not Kind.TEXT:
            return self.identity(expression)
        if isinstance(expression, Column):
            stored = self._found(expression)
            return f"nfc_normalize({read_word(stored.place, stored.type, expression)})"
        return f"nfc_normalize({self.identity(expression)})"

    def unit(self, name: str) -> str:
        """The column that names the unit, as it is stored; what is equal has equal bytes."""
        return identified(self.columns[name])

    def _raw(self, expression: Expression, kind: Kind | None) -> str:
        """The expression, as a value of the kind asked for; NaN only if `may_be_nan`."""
        if isinstance(expression, Literal):
            return _constant(expression, kind or expression.kind)
        spelled = self._column(expression) if isinstance(expression, Column) else self._call(expression)
        return _limited(cast(spelled, expression.kind, kind or expression.kind))

    def _column(self, column: Column) -> str:
        stored = self._found(column)
        return read(stored.place, stored.type, column)

    def _found(self, column: Column) -> Stored:
        if column.name not in self.columns:
            raise ValueError(f"the table has no column {column.name!r}")
        return self.columns[column.name]

    def _call(self, call: Call) -> str:
        return FUNCTIONS[call.function](call, self._raw if call.function in PASSES_NAN else self.spell)


def _limited(spelled: str) -> str:
    if len(spelled) > LONGEST:
        raise TooLongError("the expression is too long")
    return spelled


def _constant(literal: Literal, kind: Kind) -> str:  # noqa: PLR0911 - one line for each kind
    """A constant of the kind that its place asks for, so that every kind of NULL has a type."""
    match literal.value:
        case None:
            return f"CAST(NULL AS {TYPES[kind]})"
        case bool():
            return cast("TRUE" if literal.value else "FALSE", Kind.BOOLEAN, kind)
        case str():
            return cast(text(literal.value), Kind.TEXT, kind)
        case date() | time() if kind is literal.kind:
            return moment(counted(literal.value), kind)
        case date() if kind is Kind.TIMESTAMP:
            return cast(moment(counted(literal.value), literal.kind), literal.kind, kind)
        case date() | time():
            return _constant(Literal(Fraction(counted(literal.value)), Kind.INTEGER), kind)
        case Fraction() if kind in ENDS:
            return moment(int(literal.value), kind)
        case Fraction() if kind is Kind.INTEGER and abs(literal.value) < _LONG:
            return f"CAST({whole(round(literal.value))} AS BIGINT)"  # a bare one would be computed with in 32 bits
        case Fraction() if kind is Kind.INTEGER:
            return whole(round(literal.value))
        case _:
            return double(literal.value)
