"""Inside a subquery with one row per unit: aggregates of the unit's own rows, which are exact and stay inside.

Each is a function of the unit's rows as a set, not of their order: sums are of whole steps of a public grid.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil

from sqlglot import exp

from deniable.core.algebra.expression import Column, Expression, Kind, Range
from deniable.core.algebra.relation import Measure, Measured
from deniable.core.errors import Refused
from deniable.planner.aggregates.statistics import bounds, placed, step_of
from deniable.planner.expressions.allow_list import longest
from deniable.planner.expressions.functions import call, number
from deniable.planner.expressions.translate import translate
from deniable.planner.parse import position
from deniable.planner.relations.scopes import GroupScope, condition

_MANY = Range(Fraction(0))
_FINEST = 1 << 40
"""Steps to the bounds of a number that has no step of its own; 2^21 rows of them fit what is kept of a sum."""


@dataclass(slots=True)
class UnitScope(GroupScope):
    """Around aggregates and in HAVING of a subquery: one unit (and one value of the other keys)."""

    measures: dict[Measure, str] = field(default_factory=dict)

    def aggregate(self, node: exp.Expression) -> Expression:
        """An aggregate as an expression over measures, which are shared."""
        where = condition(node.expression.this, self.row) if isinstance(node, exp.Filter) else None
        inner: exp.Expression = node.this if isinstance(node, exp.Filter) else node
        extra = [name for name, value in inner.args.items() if value and name not in ("this", "big_int")]
        if type(inner) not in _KNOWN or extra:
            reason = f"{inner.key.upper()} is not supported inside a subquery."
            raise Refused("unknown-aggregate", reason, "Use COUNT, SUM, AVG, MIN or MAX there.", position(node))
        if isinstance(inner.this, exp.Distinct):
            return self._distinct(inner, where)
        if isinstance(inner, exp.Count):
            value = number(1) if isinstance(inner.this, exp.Star) else translate(inner.this, self.row)
            return self._measured(Measured.COUNT, value, where, Kind.INTEGER, _MANY, nullable=False)
        value = translate(inner.this, self.row)
        if isinstance(inner, exp.Sum):
            return self._sum(value, where)
        if isinstance(inner, exp.Avg):
            many = self._measured(Measured.COUNT, value, where, Kind.INTEGER, _MANY, nullable=False)
            return _within(call("divide", self._sum(value, where), many), value.range)
        function = Measured.LEAST if isinstance(inner, exp.Min | exp.LogicalAnd) else Measured.GREATEST
        maybe = value.nullable or where is not None
        return self._measured(function, value, where, value.kind, value.range, nullable=maybe)

    def _distinct(self, node: exp.Expression, where: Expression | None) -> Expression:
        values = node.this.expressions
        if not isinstance(node, exp.Count) or len(values) != 1:
            raise Refused("distinct", "Only COUNT takes DISTINCT.", "Use COUNT(DISTINCT x).", position(node))
        value = translate(values[0], self.row)
        return self._measured(Measured.DISTINCT, value, where, Kind.INTEGER, _MANY, nullable=False)

    def _sum(self, value: Expression, where: Expression | None) -> Expression:
        """Whole numbers are added as they are; others in whole steps, as far as their bounds reach.

        No noise is added to these steps, so without a declared step they are far finer than those of a noisy sum: what
        the rows of a person lose lies within what the interval of that sum has to spare (docs/proofs/weighing.md).
        """
        low, high = value.range.low, value.range.high
        sign = Range(Fraction(0) if low is not None and low >= 0 else None, Fraction(0) if high == 0 else None)
        maybe = value.nullable or where is not None
        if value.kind is Kind.INTEGER:
            return self._measured(Measured.SUM, value, where, Kind.INTEGER, sign, nullable=maybe)
        extent = max(abs(end) for end in bounds(value))
        step = step_of(value, extent, self.row.origin.steps, finest=_FINEST)
        steps = placed(value, Fraction(0), step, ceil(extent / step))
        total = self._measured(Measured.SUM, steps, where, Kind.INTEGER, sign, nullable=maybe)
        return call("multiply", total, number(step))

    def _measured(
        self,
        function: Measured,
        value: Expression,
        where: Expression | None,
        kind: Kind,
        within: Range,
        *,
        nullable: bool,
    ) -> Column:
        measure = Measure("", function, value, where)
        name = self.measures.setdefault(measure, f"m{len(self.measures)}")
        return Column(name, kind, within, nullable, longest(value) if kind is Kind.TEXT else None)


def _within(value: Expression, bounds: Range) -> Expression:
    """A mean lies between the bounds of what it is taken of; NULL stays NULL, which LEAST would overlook."""
    if bounds.low is None or bounds.high is None:
        return value
    inside = call("least", call("greatest", value, number(bounds.low)), number(bounds.high))
    return call("case", call("not", call("is_null", value)), inside)


_KNOWN = (exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max, exp.LogicalAnd, exp.LogicalOr)
