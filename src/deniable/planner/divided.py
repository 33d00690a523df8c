"""Count and sum of the same rows for one price: each row is divided between the two ends of its bounds.

A row in the middle of the bounds counts half at the lower end and half at the upper one; a row at a bound counts there
alone. Both parts of a row add up to one, so noise that hides a row hides both of its parts: two totals for the price of
one. Count, sum and average follow from them. Laplace noise on count and sum apart, for half of the spend each, is
sqrt(2) times as large in each of the three. Proof: docs/proofs/parallel.md
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from deniable.core.algebra.expression import Call, Column, Expression, names
from deniable.core.sensitivity import Neighbours
from deniable.planner.aggregates.statistics import Statistic, Statistics, present
from deniable.planner.expressions.evaluate import MOMENTS, ROUNDED
from deniable.planner.expressions.functions import call, number
from deniable.planner.plan import Bound, OrderTerm, Output

LABEL = "count and sum for one price"


def divided(bound: Bound, statistics: Statistics) -> Bound:
    """The question with both ends in the place of a count and a sum of the same rows, if it has such.

    Only where a unit comes or goes: who is replaced can move both ends at once.
    """
    if bound.neighbours is not Neighbours.ADD_REMOVE:
        return bound
    pair = next(_pairs(bound), None)
    if pair is None:
        return bound
    many, distances = pair
    low, high, half = _ends(many, distances, statistics)
    swap = _Swap(
        many.name,
        (low.column, high.column),
        {
            many.name: call("add", low.column, high.column),
            distances.name: call("multiply", number(half), call("subtract", high.column, low.column)),
        },
    )
    kept = [base for base in bound.statistics if base.name not in swap.meaning]
    return replace(
        bound,
        statistics=tuple(sorted((*kept, low, high), key=lambda base: base.name)),
        shared=(*bound.shared, low.names | high.names),
        divided=low.names | high.names,
        outputs=tuple(Output(output.name, swap.of(output.value)) for output in bound.outputs),
        having=None if bound.having is None else swap.of(bound.having),
        order=tuple(OrderTerm(swap.of(order.value), order.descending) for order in bound.order),
    )


def _pairs(bound: Bound) -> Iterator[tuple[Statistic, Statistic]]:
    """Counts, each with a sum of distances over the rows that it counts; none of which anything else rests on."""
    values = [output.value for output in bound.outputs] + [order.value for order in bound.order]
    taken = frozenset[str]().union(*bound.shared, *map(_in_moments, values))
    taken |= frozenset() if bound.having is None else _in_moments(bound.having)
    free = [base for base in bound.statistics if isinstance(base, Statistic) and base.name not in taken]
    for many in free:
        if many.total is not None and many.label == "count":
            yield from ((many, other) for other in free if _goes_with(many, other))


def _goes_with(many: Statistic, other: Statistic) -> bool:
    """Whether the other is the sum of distances from the middle of the bounds, over the same rows."""
    match other.total.row if other.total is not None else None:
        case Call(function="grid", arguments=(value, *_)) if other.label == "sum" and many.total is not None:
            return many.total.where == present(other.total.where if other.total is not None else None, value)
        case _:
            return False


def _ends(many: Statistic, distances: Statistic, statistics: Statistics) -> tuple[Statistic, Statistic, Fraction]:
    """What counts at the lower end, what at the upper one, and half the width of the bounds, in the answer's unit.

    A row reaches r steps to both sides of the middle. At place p, it adds r - p to the lower end and r + p to the upper
    one, of 2 r together. A value that has no place counts as the middle, as it does in the sum.
    """
    if many.total is None or distances.total is None:
        raise TypeError("not sums of rows")
    reach, place = distances.total.reach, call("coalesce", distances.total.row, number(0))
    scratch = Statistics(statistics.source, statistics.steps, statistics.grouped)
    rows = (call("subtract", number(reach), place), call("add", number(reach), place))
    found = [scratch.end(LABEL, row, many.total.where, 2 * reach) for row in rows]
    step = distances.worth / many.worth * Fraction(1, 1 << distances.total.shift)
    return found[0], found[1], step * reach


def _in_moments(expression: Expression) -> frozenset[str]:
    """The statistics of variances and their like, which have intervals of their own that rest on count and sum."""
    if not isinstance(expression, Call):
        return frozenset()
    if expression.function == MOMENTS:
        return names(expression)
    return frozenset[str]().union(*map(_in_moments, expression.arguments))


@dataclass(frozen=True, slots=True)
class _Swap:
    """Expressions over count and sum, in terms of both ends."""

    many: str
    ends: tuple[Column, Column]
    meaning: Mapping[str, Expression]
    _known: dict[int, Expression] = field(default_factory=dict)

    def of(self, expression: Expression) -> Expression:
        """Parts that occur in several places are looked at once."""
        if id(expression) not in self._known:
            self._known[id(expression)] = self._swapped(expression)
        return self._known[id(expression)]

    def _swapped(self, expression: Expression) -> Expression:
        if isinstance(expression, Column):
            return self.meaning.get(expression.name, expression)
        if not isinstance(expression, Call):
            return expression
        if expression.function == ROUNDED and _names_one(expression.arguments[2], self.many):
            inner, most, _ = (
                expression.arguments
            )  # for each row of the count: for each row at one end, and at the other
            once = replace(expression, arguments=(self.of(inner), most, self.ends[0]))
            return replace(expression, arguments=(once, most, self.ends[1]))
        return replace(expression, arguments=self._all(expression.arguments))

    def _all(self, arguments: Sequence[Expression]) -> tuple[Expression, ...]:
        return tuple(self.of(argument) for argument in arguments)


def _names_one(rows: Expression, name: str) -> bool:
    return isinstance(rows, Column) and rows.name == name
