"""Rows side by side: what may be joined, and what a unit owns afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from sqlglot import exp

from deniable.core.algebra.expression import Call, Expression
from deniable.core.algebra.relation import Beside, Joined
from deniable.core.errors import InvalidArgumentError, Refused
from deniable.planner.expressions.functions import call
from deniable.planner.expressions.keys import conjuncts
from deniable.planner.parse import position
from deniable.planner.relations.explosions import cut, first_alone, matching, ties
from deniable.planner.relations.rows import MOST_WEIGHT, Origin, both
from deniable.planner.relations.scopes import RowScope, condition

Link = Callable[[Origin, Origin], Expression]
"""The condition under which rows of the left and of the right belong together."""


def joined(first: Origin, others: Iterable[tuple[exp.Join, Origin]]) -> Origin:
    """FROM first JOIN other ON ... JOIN ..."""
    pairs = [(node, other.numbered()) for node, other in others]
    rows = opened(first.numbered()) if pairs else first
    for node, other in pairs:
        outer = _is_outer(node)
        rows = beside(rows, other, _link(node), outer=outer, node=node)
    return cut(rows, pairs[-1][0]) if pairs else rows


def opened(origin: Origin) -> Origin:
    """Ready to have something beside it."""
    if isinstance(origin.table, Joined):
        return origin
    return replace(origin.prefixed("0."), table=Joined(origin.table, ()), sides=origin.side(0))


def beside(left: Origin, other: Origin, link: Link, *, outer: bool, node: exp.Expression) -> Origin:
    """The rows of the left, each with the rows of the other that belong to it.

    What a unit owns then: with public rows, as much as before, however many it matches; with its own rows in another
    private table, one for each pair. How many they are is counted in the end, whatever is known before.
    """
    if not isinstance(left.table, Joined):
        raise TypeError("the left of a join must be opened")
    place = len(left.table.others) + 1
    prefix = f"{place}."
    base = other.settled() if outer else other
    right = base.prefixed(prefix)
    if clash := {alias.lower() for alias in left.names} & {alias.lower() for alias in right.names}:
        reason = f"Two tables are called {min(clash)!r} here."
        raise Refused("unsupported-form", reason, "Give them different aliases.", position(node))
    if outer and right.private and not left.private:
        reason = "A LEFT JOIN cannot keep the rows of a public table that no private row matches."
        raise Refused("unit-join", reason, "Put the private table first.", position(node))
    linked = link(left, right)
    units, on = _apart(linked, left, right, prefix, node)
    part = Beside(right.table, units, on, outer)
    shown = right.missing() if outer else _merged(left, right, node)
    whose, alone = (left, right) if left.private else (right, left)
    return Origin(
        table=Joined(left.table.first, (*left.table.others, part)),
        where=left.where if outer else both(left.where, right.where),
        unit=whose.unit,
        private=whose.private,
        person=whose.person,
        single=False,
        contribution=_weight(left, right),
        keys=max(whose.keys, alone.keys),
        names={**left.names, **shown.names},
        values={**left.values, **right.values},
        steps={**left.steps, **right.steps},
        most=left.most,
        matches=matching(linked, left, base, prefix),
        works=(*left.works, *right.works, *first_alone(left, right)),
        sides=(*left.sides, *base.side(place)),
    )


def _merged(left: Origin, right: Origin, node: exp.Expression) -> Origin:
    """Columns that USING names are equal on both sides, so they are one; and so are units that are joined on."""
    using = {name.name.lower(): exp.column(name.copy()) for name in node.args.get("using") or ()}
    names = {
        alias: {
            name: RowScope(left).column(using[name.lower()]) if name.lower() in using else _whose(value, left, right)
            for name, value in found.items()
        }
        for alias, found in right.names.items()
    }
    return replace(right, names=names)


def _whose(value: Expression, left: Origin, right: Origin) -> Expression:
    return left.unit if left.unit is not None and right.unit is not None and value == right.unit else value


def _weight(left: Origin, right: Origin) -> int:
    """A unit that keeps to both contributions has at most one row for each pair of its rows."""
    return min(MOST_WEIGHT, left.contribution * right.contribution)


def _is_outer(node: exp.Join) -> bool:
    """INNER or LEFT; nothing else."""
    side, kind, method = (str(node.args.get(name) or "") for name in ("side", "kind", "method"))
    extra = [name for name, value in node.args.items() if value and name not in _KNOWN]
    outer = side == "LEFT"
    if extra or method or (side and not outer) or kind not in ("", "INNER", "OUTER"):
        words = " ".join(part for part in (method, side, kind, "JOIN") if part)
        raise Refused("unsupported-clause", f"{words} is not supported.", "Use JOIN or LEFT JOIN.", position(node))
    return outer


def _link(node: exp.Join) -> Link:
    """ON a condition, or USING columns of both sides."""
    using = node.args.get("using") or []
    if not using and node.args.get("on") is None:
        reason = "A join of every row with every other is not supported."
        raise Refused("unit-join", reason, "Say ON what they belong together.", position(node))

    def link(left: Origin, right: Origin) -> Expression:
        if not using:
            return condition(node.args["on"], RowScope(replace(left, names={**left.names, **right.names})))
        found: Expression | None = None
        for name in using:
            column = exp.column(name.copy())
            sides = [RowScope(side).column(column) for side in (left, right)]
            try:
                found = both(found, call("equal", *sides))
            except InvalidArgumentError:
                raise Refused("type-mismatch", f"{name.name!r} is of two kinds.", "", position(name)) from None
        if found is None:
            raise Refused("unit-join", "USING names at least one column.", "", position(node))
        return found

    return link


def _apart(
    on: Expression, left: Origin, right: Origin, prefix: str, node: exp.Expression
) -> tuple[tuple[str, str] | None, Expression | None]:
    """The equality of units, which is checked on what is stored; and the rest of the condition."""
    conditions = list(conjuncts(on))
    if not (left.private and right.private):
        if not any(ties(part, prefix) for part in conditions):
            reason = "A join needs an equality between columns of both tables."
            raise Refused("unit-join", reason, "Write ON a.x = b.y.", position(node))
        return None, on
    pair = (left.unit, right.unit)
    equalities = [part for part in conditions if isinstance(part, Call) and part.function == "equal"]
    units = [part for part in equalities if part.arguments in (pair, pair[::-1])]
    if left.unit is None or right.unit is None or not units:
        reason = "Two private tables can only be joined person by person."
        raise Refused("unit-join", reason, "Compare the columns that name the person.", position(node))
    rest: Expression | None = None
    for part in conditions:
        rest = rest if part in units else both(rest, part)
    return (left.unit.name, right.unit.name), rest


_KNOWN = frozenset({"this", "side", "kind", "method", "on", "using"})
