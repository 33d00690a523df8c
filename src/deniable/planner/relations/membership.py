"""`x IN (SELECT ...)`: a set beside the rows, and whether x is in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlglot import exp

from deniable.core.algebra.expression import Column, Expression, Kind
from deniable.core.algebra.relation import THERE, Among, Joined
from deniable.core.errors import InvalidArgumentError, Refused
from deniable.planner.expressions.functions import call
from deniable.planner.parse import position
from deniable.planner.relations.rows import Origin


def memberships(select: exp.Select) -> Iterator[exp.In]:
    """Where rows are looked for in a set, anywhere before the aggregates; not inside of the sets."""
    clauses = [*select.expressions, select.args.get("where"), select.args.get("group")]
    for clause in clauses:
        if clause is None:
            continue
        for node in clause.walk(prune=lambda found: isinstance(found, exp.Query)):
            if isinstance(node, exp.In) and node.args.get("query") is not None:
                yield node


def among(node: exp.In, rows: Origin, value: Expression, inner: Origin) -> tuple[Origin, Expression]:
    """The rows beside the set, and the condition that a row is in it.

    Of private tables, a unit is looked for among units: whether its rows are in follows from its own rows there.
    """
    if len(inner.columns) != 1:
        raise Refused("subquery", "IN takes a subquery of one column.", "Select one.", position(node))
    (option,) = inner.columns.values()
    if inner.private and (rows.unit is None or value != rows.unit or option != inner.unit):
        reason = "In a private table, only people can be looked for: person IN (SELECT person ...)."
        raise Refused("unit-join", reason, "Compare the columns that name the person.", position(node))
    if not inner.private and option.nullable and not _asserted(node):
        reason = "If the set has a NULL, nothing is known to be outside of it."
        raise Refused("subquery", reason, "Have the column declared with nulls = false.", position(node))
    try:
        call("equal", value, option)
    except InvalidArgumentError as error:
        raise Refused("type-mismatch", f"{error}.", "Compare alike kinds.", position(node)) from None
    if not isinstance(rows.table, Joined):
        raise TypeError("the rows beside a set must be opened")
    units = None
    if inner.private and rows.unit is not None and inner.unit is not None:
        units = rows.unit.name, inner.unit.name
    chosen = Among(inner.table, inner.where, units, None if units else (value, option))
    joined = replace(
        rows, table=Joined(rows.table.first, (*rows.table.others, chosen)), works=(*rows.works, *inner.works)
    )
    inside = call("not", call("is_null", Column(f"{len(rows.table.others) + 1}.{THERE}", Kind.BOOLEAN)))
    return joined, inside if inner.private or not value.nullable else _known(value, inside)


def _known(value: Expression, inside: Expression) -> Expression:
    """What is NULL is neither in a set nor outside."""
    return call("case", call("not", call("is_null", value)), inside)


def _asserted(node: exp.In) -> bool:
    """Whether rows that are not in the set are left out, for whatever reason."""
    place = node.parent
    while isinstance(place, exp.And | exp.Or | exp.Paren):
        place = place.parent
    return isinstance(place, exp.Where)
