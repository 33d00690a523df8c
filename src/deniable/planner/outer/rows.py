"""What a table or a part of an outer query gives: its columns, what is known of each, and the ends of its intervals."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from deniable.core.algebra.expression import Kind
from deniable.planner.aggregates.statistics import Statistic
from deniable.planner.expressions.evaluate import is_long
from deniable.planner.outer.ends import Value, constant
from deniable.planner.plan import Bound, Output

SIDES = ("low", "high")
_RANGED = frozenset(Kind) - {Kind.TEXT, Kind.BOOLEAN}
_NUMBERS = frozenset({Kind.INTEGER, Kind.NUMBER})

Wanted = Sequence[tuple[int, Sequence[int]]]
"""Which columns' ends are wanted, each at which levels."""


@dataclass(frozen=True, slots=True)
class CarriedRows:
    """What a table or a query gives: its columns, and how to make it give their ends too."""

    columns: list[tuple[str, Value]]
    emit: Callable[[Wanted, Sequence[int]], None] | None = None
    """Adds the ends of some columns, in this order; all levels are those that any column needs. None: it cannot."""


class UnknownColumnsError(Exception):
    """The columns of a part cannot be told from its text."""


def end_name(column: str, side: str, level: int) -> str:
    """What one end of a column's interval is called in a noisy table."""
    return f"{side} {level} of {column}"


def ranged(bound: Bound) -> list[Output]:
    """The outputs of a question that have an interval."""
    statistics = frozenset().union(*(statistic.names for statistic in bound.statistics))
    noisy = [one for one in bound.outputs if statistics & one.rests_on and one.value.kind in _RANGED]
    return [one for one in noisy if not is_long(one.value)]


def noisy_rows(table: str, bound: Bound) -> CarriedRows:
    """A noisy table has the ends of all its intervals already."""
    ranges = {output.name for output in ranged(bound)}
    statistics = frozenset().union(*(statistic.names for statistic in bound.statistics))
    chosen = frozenset().union(*(base.names for base in bound.statistics if not isinstance(base, Statistic)))
    columns = []
    for output in bound.outputs:
        number = output.value.kind in _NUMBERS and not chosen & output.rests_on  # a choice's interval is made once
        if output.name in ranges:
            rests: frozenset[Hashable] | None = frozenset({(table, output.name)})
        else:
            rests = None if statistics & output.rests_on else frozenset()
        columns.append((output.name, replace(exact_column(output.name), rests=rests, number=number)))
    return CarriedRows(columns, lambda _wanted, _levels: None)


def exact_column(name: str) -> Value:
    """A column that no noise is in."""
    return constant(exp.column(name, quoted=True))
