"""`x IN (SELECT ...)` and `EXISTS (SELECT ...)`: a set beside the rows, and whether a row is in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sqlglot import exp

from deniable.core.algebra.expression import Call, Column, Expression, Kind, Literal
from deniable.core.algebra.relation import HIGH, LOW, THERE, Among, Joined
from deniable.core.errors import InvalidArgumentError, Refused
from deniable.planner.expressions.allow_list import longest
from deniable.planner.expressions.functions import call
from deniable.planner.parse import position
from deniable.planner.relations.joins.join import belonging
from deniable.planner.relations.rows import Origin


@dataclass(frozen=True, slots=True)
class Members:
    """A set: rows of a relation, what of the rows outside each is compared with, and what else must hold outside."""

    inner: Origin
    pairs: tuple[tuple[Expression, Expression], ...]
    """Outside and inside."""
    besides: Expression | None = None
    extent: tuple[str, Expression, Expression] | None = None
    """A comparison of something inside with something outside: the comparison, outside and inside."""


def memberships(select: exp.Select) -> Iterator[exp.In | exp.Exists]:
    """Where rows are looked for in a set, anywhere before the aggregates; not inside of the sets."""
    clauses = [*select.expressions, select.args.get("where"), select.args.get("group")]
    for clause in clauses:
        if clause is None:
            continue
        for node in clause.walk(prune=lambda found: isinstance(found, exp.Query)):
            if isinstance(node, exp.Exists) or (isinstance(node, exp.In) and node.args.get("query") is not None):
                yield node


def contained(node: exp.In, value: Expression, members: Members, rows: Origin) -> tuple[Origin, Expression]:
    """The rows beside the set, and whether the value is in it."""
    if len(members.inner.columns) != 1:
        raise Refused("subquery", "IN takes a subquery of one column.", "Select one.", position(node))
    (option,) = members.inner.columns.values()
    private = members.inner.private and option == members.inner.unit
    if not private and option.nullable and not _asserted(node):
        reason = "If the set has a NULL, nothing is known to be outside of it."
        raise Refused("subquery", reason, "Have the column declared with nulls = false.", position(node))
    spoken = members.pairs or members.besides is not None or members.extent is not None
    if spoken and value.nullable and not _asserted(node):
        reason = "Whether NULL is in a set depends on whether that is empty."
        raise Refused("subquery", reason, "Write NOT EXISTS.", position(node))
    whole = replace(members, pairs=((value, option), *members.pairs))
    found, inside = _among(node, whole, rows)
    if private or not value.nullable:
        return found, inside
    if _asserted(node) or members.inner.private:  # whether all people together have a row is no row's to say
        return found, _known(value, inside)
    beside, some = _among(node, replace(members, pairs=()), found)
    return replace(beside, works=found.works), _known(value, inside, some)


def existing(node: exp.Exists, members: Members, rows: Origin) -> tuple[Origin, Expression]:
    """The rows beside the set, and whether something in it belongs to a row; never NULL."""
    return _among(node, members, rows)


def _among(node: exp.Expression, members: Members, rows: Origin) -> tuple[Origin, Expression]:
    """One more part of the join, which never makes one row two.

    Of private tables, only what belongs to the same unit is found: whether its rows are in follows from its own rows.
    """
    inner = members.inner
    equalities = [_equality(node, pair) for pair in members.pairs]
    units, pairs = None, members.pairs
    if inner.private:
        if rows.unit is None or inner.unit is None or not belonging(equalities, rows, inner):
            code = "unit-join" if isinstance(node, exp.In) else "subquery"
            reason = "In a private table, only people can be looked for: person IN (SELECT person ...)."
            raise Refused(code, reason, "Compare the columns that name the person.", position(node))
        units = rows.unit.name, inner.unit.name
        pairs = tuple(pair for pair in pairs if pair != (rows.unit, inner.unit))
    if not isinstance(rows.table, Joined):
        raise TypeError("the rows beside a set must be opened")
    place = len(rows.table.others) + 1
    chosen = Among(inner.table, inner.where, units, pairs, None if members.extent is None else members.extent[2])
    table = Joined(rows.table.first, (*rows.table.others, chosen))
    inside = call("not", call("is_null", Column(f"{place}.{THERE}", Kind.BOOLEAN)))
    for more in (members.besides, _within(node, members, f"{place}.")):
        if more is not None:
            inside = call("and", inside, call("coalesce", more, Literal(value=False, kind=Kind.BOOLEAN)))
    return replace(rows, table=table, works=(*rows.works, *inner.works)), inside


def _within(node: exp.Expression, members: Members, prefix: str) -> Expression | None:
    """Whether something inside compares so with something outside: then the least or the greatest does."""
    if members.extent is None:
        return None
    function, outer, inner = members.extent
    sides = {"less": (LOW,), "at_most": (LOW,), "more": (HIGH,), "at_least": (HIGH,), "unequal": (LOW, HIGH)}[function]
    length = longest(inner) if inner.kind is Kind.TEXT else None
    try:
        found = [call(function, Column(prefix + side, inner.kind, inner.range, length=length), outer) for side in sides]
    except InvalidArgumentError as error:
        raise Refused("type-mismatch", f"{error}.", "Compare alike kinds.", position(node)) from None
    return found[0] if len(found) == 1 else call("or", *found)


def _equality(node: exp.Expression, pair: tuple[Expression, Expression]) -> Call:
    try:
        found = call("equal", *pair)
    except InvalidArgumentError as error:
        raise Refused("type-mismatch", f"{error}.", "Compare alike kinds.", position(node)) from None
    if not isinstance(found, Call):
        raise Refused("subquery", "Compare columns of both.", "Write a.x = b.y.", position(node))
    return found


def _known(value: Expression, inside: Expression, some: Expression | None = None) -> Expression:
    """What is NULL is neither in a set nor outside; of an empty one, everything is outside, NULL as well.

    `some` is whether the set has anything in it; None: nobody looks at the difference.
    """
    branches = (call("not", call("is_null", value)), inside)
    if some is None:
        return call("case", *branches)
    empty = (call("not", some), Literal(value=False, kind=Kind.BOOLEAN))
    return call("case", *branches, *empty)


def _asserted(node: exp.In) -> bool:
    """Whether rows that are not in the set are left out, for whatever reason."""
    place = node.parent
    while isinstance(place, exp.And | exp.Or | exp.Paren):
        place = place.parent
    return isinstance(place, exp.Where)
