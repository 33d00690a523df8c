"""LEFT, RIGHT and FULL joins, and joins USING columns: what is shown where nothing belongs to a row."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from deniable.core.algebra.relation import Joined
from deniable.core.errors import Refused
from deniable.planner.expressions.functions import call
from deniable.planner.parse import position
from deniable.planner.relations.joins.explosions import cut
from deniable.planner.relations.joins.join import JoinLink, beside, opened
from deniable.planner.relations.rows import MERGED, MOST_WEIGHT, Origin
from deniable.planner.relations.stacked import settled, stacked


def outer(rows: Origin, other: Origin, link: JoinLink, side: str, node: exp.Expression) -> Origin:
    """The join of this side, or an inner one; its tables keep the order in which they are written."""
    match side:
        case "RIGHT":
            found = beside(opened(other), cut(rows, node), link, outer=True, node=node)
        case "FULL":
            return _full(rows, other, link, node)
        case _:
            return beside(rows, other, link, outer=side == "LEFT", node=node)
    return _ordered(found, rows, other)


def _full(rows: Origin, other: Origin, link: JoinLink, node: exp.Expression) -> Origin:
    """All rows of the left, with those that belong to them; and those of the right to which none belongs.

    Every row has a unit of its own tables, so public rows cannot stay alone. Whether a row of the right stays alone
    follows from the rows of its unit on the left.
    """
    if not (rows.private and other.private):
        reason = "In a FULL JOIN with a public table, rows would stay alone that belong to nobody."
        raise Refused("unit-join", reason, "Put the private table first, and use LEFT JOIN.", position(node))
    one = _ordered(cut(beside(rows, other, link, outer=True, node=node), node), rows, other)
    right, left = opened(other), settled(cut(rows, node))
    if not isinstance(right.table, Joined) or left.unit is None:
        raise TypeError("private tables that are joined have a unit")
    missing = replace(left.unit, name=f"{len(right.table.others) + 1}.{left.unit.name}", nullable=True)
    alone = beside(right, left, link, outer=True, node=node).only(call("is_null", missing))
    both = stacked([one, _ordered(cut(alone, node), rows, other)])
    most = max(one.contribution, rows.contribution + other.contribution)
    return replace(both, contribution=min(MOST_WEIGHT, most))


def _ordered(found: Origin, rows: Origin, other: Origin) -> Origin:
    aliases = [MERGED, *(alias for alias in (*rows.names, *other.names) if alias != MERGED)]
    return replace(found, names={alias: found.names[alias] for alias in aliases if alias in found.names})
