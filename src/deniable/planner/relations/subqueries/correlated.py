"""A subquery that speaks of the row outside of it: which of its conditions do, and what they compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from deniable.core.errors import Refused
from deniable.planner.expressions.rules import COMPARISONS
from deniable.planner.parse import position
from deniable.planner.relations.rows import Names, Origin


@dataclass(frozen=True, slots=True)
class Spoken:
    """The conditions of a subquery, by what they are about."""

    local: list[exp.Expression]
    """Rows of the subquery alone."""
    pairs: list[tuple[exp.Expression, exp.Expression]]
    """Something of the row outside that must equal something inside."""
    extents: list[tuple[str, exp.Expression, exp.Expression]]
    """A comparison of something inside with something outside: the comparison, outside and inside."""
    alone: list[exp.Expression]
    """The row outside alone."""


def spoken_of(conditions: Sequence[exp.Expression], inside: Mapping[str, Names], outside: Origin) -> Spoken:
    """Names mean columns of the subquery's own tables first, and then those of the row outside."""
    found = Spoken([], [], [], [])
    for node in conditions:
        here, there = _owned(node, inside, outside)
        if not there or node.find(exp.Query) is not None:
            found.local.append(node)
        elif not here:
            found.alone.append(node)
        elif isinstance(node, exp.EQ):
            found.pairs.append(_compared(node, inside, outside)[1:])
        else:
            found.extents.append(_compared(node, inside, outside))
    if len(found.extents) > 1:
        reason = "A subquery can be compared with the row outside by equalities, and by one other comparison."
        raise Refused("subquery", reason, "Join the tables instead.", position(conditions[-1]))
    return found


def _compared(
    node: exp.Expression, inside: Mapping[str, Names], outside: Origin
) -> tuple[str, exp.Expression, exp.Expression]:
    """A comparison of something inside with something outside: only by these can a set be looked into."""
    for sort, (same, turned) in COMPARISONS.items():
        if not isinstance(node, sort):
            continue
        for name, inner, outer in ((same, node.this, node.expression), (turned, node.expression, node.this)):
            if not _owned(inner, inside, outside)[1] and not _owned(outer, inside, outside)[0]:
                return name, outer, inner
    reason = "A subquery can only be compared with the row outside by =, <>, <, <=, > or >=."
    hint = "Write WHERE inner.x = outer.y AND conditions on one of them."
    raise Refused("subquery", reason, hint, position(node))


def _owned(node: exp.Expression, inside: Mapping[str, Names], outside: Origin) -> tuple[bool, bool]:
    """Whether a condition speaks of the subquery's tables, and whether of the row outside."""
    columns = list(node.find_all(exp.Column))
    here = [_names(column, inside) for column in columns]
    there = [not own and _names(column, outside.names) for own, column in zip(here, columns, strict=True)]
    return any(here), any(there)


def _names(column: exp.Column, tables: Mapping[str, Names]) -> bool:
    return any(
        column.name.lower() in {name.lower() for name in names}
        for alias, names in tables.items()
        if not column.table or column.table.lower() == alias.lower()
    )
