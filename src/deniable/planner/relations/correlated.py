"""A subquery that speaks of the row outside of it: which of its conditions do, and what they compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from deniable.core.errors import Refused
from deniable.planner.parse import position
from deniable.planner.relations.rows import Names, Origin


@dataclass(frozen=True, slots=True)
class Spoken:
    """The conditions of a subquery, by what they are about."""

    local: list[exp.Expression]
    """Rows of the subquery alone."""
    pairs: list[tuple[exp.Expression, exp.Expression]]
    """Something of the row outside that must equal something inside."""
    alone: list[exp.Expression]
    """The row outside alone."""


def spoken_of(conditions: Sequence[exp.Expression], inside: Mapping[str, Names], outside: Origin) -> Spoken:
    """Names mean columns of the subquery's own tables first, and then those of the row outside."""
    found = Spoken([], [], [])
    for node in conditions:
        here, there = _owned(node, inside, outside)
        if not there or node.find(exp.Query) is not None:
            found.local.append(node)
        elif not here:
            found.alone.append(node)
        else:
            found.pairs.append(_compared(node, inside, outside))
    return found


def _compared(
    node: exp.Expression, inside: Mapping[str, Names], outside: Origin
) -> tuple[exp.Expression, exp.Expression]:
    """An equality of something outside and something inside: only by these can a set be looked into."""
    if isinstance(node, exp.EQ):
        for one, other in ((node.this, node.expression), (node.expression, node.this)):
            if not _owned(one, inside, outside)[0] and not _owned(other, inside, outside)[1]:
                return one, other
    reason = "A subquery can only be compared with the row outside by an equality."
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
