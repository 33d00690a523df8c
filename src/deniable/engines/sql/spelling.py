"""Row expressions in an engine's SQL. Each is total: no row can make one raise, and none gives NaN.

NaN is NULL for us. Arithmetic may pass it on, as it does in every engine, so it is taken out only where something
else looks at the number: once for a chain of additions, not once for every plus.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, time
from fractions import Fraction

from deniable.core.algebra.certain import PASSES_NAN, may_be_nan
from deniable.core.algebra.expression import Call, Column, Expression, Kind, Literal
from deniable.core.calendar import counted
from deniable.engines.engine import TooLongError
from deniable.engines.sql.columns import identified, read, read_word
from deniable.engines.sql.dialect import Dialect, Stored
from deniable.engines.sql.functions import FUNCTIONS
from deniable.engines.sql.literals import ENDS, double, whole

_LONG = 1 << 63
LONGEST = 1 << 17
"""Guards repeat what they guard, so an expression nested on purpose could grow for ever."""


@dataclass(frozen=True, slots=True)
class Speller:
    """Spells expressions over rows that have these columns."""

    columns: Mapping[str, Stored]
    dialect: Dialect
    ready: Mapping[Expression, str] = field(default_factory=dict)
    """Whole numbers that the rows have already, because a step before has computed them."""

    def spell(self, expression: Expression, kind: Kind | None = None) -> str:
        """The expression, as a value of the kind asked for; never NaN."""
        spelled = self._raw(expression, kind)
        if (kind or expression.kind) is Kind.NUMBER and may_be_nan(expression):
            return _limited(f"CASE WHEN {self.dialect.is_number(spelled)} THEN {spelled} END")
        return spelled

    def identity(self, expression: Expression, kind: Kind | None = None) -> str:
        """The expression as what tells values apart: the same bytes for equal values, others for all others."""
        spelled = self.spell(expression, kind)
        if (kind or expression.kind) is Kind.NUMBER:
            return _limited(f"CASE WHEN {spelled} = 0 THEN {double(Fraction(0), self.dialect)} ELSE {spelled} END")
        return spelled

    def key(self, expression: Expression) -> str:
        """The expression as a key of the answer, where a text has one form however Unicode writes it."""
        return self.normal(self.early_key(expression), expression)

    def early_key(self, expression: Expression) -> str:
        """A key that is not yet in its one form: what is grouped by it is grouped again by `normal`."""
        if isinstance(expression, Column) and expression.kind is Kind.TEXT:
            return read_word(self._found(expression), expression, self.dialect)
        return self.identity(expression)

    def normal(self, spelled: str, expression: Expression) -> str:
        """A key in its one form."""
        return self.dialect.primitive("normal", spelled) if expression.kind is Kind.TEXT else spelled

    def unit(self, name: str) -> str:
        """The column that names the unit, as it is stored; what is equal has equal bytes."""
        return identified(self.columns[name], self.dialect)

    def unit_text(self, name: str) -> str:
        """The unit as a text, for hashes: the same whatever the type that it is stored in."""
        return f"CAST({self.unit(name)} AS {self.dialect.types[Kind.TEXT]})"

    def _raw(self, expression: Expression, kind: Kind | None) -> str:
        """The expression, as a value of the kind asked for; NaN only if `may_be_nan`."""
        if isinstance(expression, Literal):
            return constant(expression, kind or expression.kind, self.dialect)
        if expression in self.ready:
            spelled = self.ready[expression]
        else:
            spelled = self._column(expression) if isinstance(expression, Column) else self._call(expression)
        return _limited(self.dialect.cast(spelled, expression.kind, kind or expression.kind))

    def _column(self, column: Column) -> str:
        return read(self._found(column), column, self.dialect)

    def _found(self, column: Column) -> Stored:
        if column.name not in self.columns:
            raise ValueError(f"the table has no column {column.name!r}")
        return self.columns[column.name]

    def _call(self, call: Call) -> str:
        say = self._raw if call.function in PASSES_NAN else self.spell
        return FUNCTIONS[call.function](call, say, self.dialect)


def _limited(spelled: str) -> str:
    if len(spelled) > LONGEST:
        raise TooLongError("the expression is too long")
    return spelled


def constant(literal: Literal, kind: Kind, dialect: Dialect) -> str:  # noqa: PLR0911 - one line for each kind
    """A constant of the kind that its place asks for, so that every kind of NULL has a type."""
    match literal.value:
        case None:
            return f"CAST(NULL AS {dialect.types[kind]})"
        case bool():
            return dialect.cast("TRUE" if literal.value else "FALSE", Kind.BOOLEAN, kind)
        case str():
            return dialect.cast(dialect.text(literal.value), Kind.TEXT, kind)
        case date() | time() if kind is literal.kind:
            return dialect.moment(counted(literal.value), kind)
        case date() if kind is Kind.TIMESTAMP:
            return dialect.cast(dialect.moment(counted(literal.value), literal.kind), literal.kind, kind)
        case date() | time():
            return constant(Literal(Fraction(counted(literal.value)), Kind.INTEGER), kind, dialect)
        case Fraction() if kind in ENDS:
            return dialect.moment(int(literal.value), kind)
        case Fraction() if kind is Kind.INTEGER and abs(literal.value) < _LONG:
            number = whole(round(literal.value), dialect)
            return f"CAST({number} AS {dialect.types[kind]})"  # a bare one would be computed with in 32 bits
        case Fraction() if kind is Kind.INTEGER:
            return whole(round(literal.value), dialect)
        case _:
            return double(literal.value, dialect)
