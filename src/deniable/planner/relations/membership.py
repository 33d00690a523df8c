"""`x IN (SELECT ...)`: a set beside the rows, which has one row for x or none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlglot import exp

from deniable.core.errors import InvalidArgumentError, Refused
from deniable.core.expression import Column, Expression, Kind
from deniable.core.relation import UNIT, Field, Grouped, Joined, Measure, Measured
from deniable.planner.expressions.functions import call, number
from deniable.planner.parse import position
from deniable.planner.relations.joins import beside
from deniable.planner.relations.rows import Origin

_THERE = Measure("there", Measured.COUNT, number(1), None)


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
        reason = "Of private tables, only the unit can be looked for: unit IN (SELECT unit ...)."
        raise Refused("unit-join", reason, "Compare the columns that name the unit.", position(node))
    if not inner.private and option.nullable and not _asserted(node):
        reason = "If the set has a NULL, nothing is known to be outside of it."
        raise Refused("subquery", reason, "Have the column declared with nulls = false.", position(node))
    if (value.kind, option.kind) == (Kind.NUMBER, Kind.INTEGER):
        option = call("to_number", option)  # before they are told apart: two whole numbers can be one real number
    chosen, key = _set(inner, option)

    def link(_: Origin, right: Origin) -> Expression:
        try:
            return call("equal", value, right.columns[key])
        except InvalidArgumentError as error:
            raise Refused("type-mismatch", f"{error}.", "Compare alike kinds.", position(node)) from None

    joined = beside(replace(rows, names={}), chosen, link, outer=True, node=node, unique=True)
    place = len(joined.table.others) if isinstance(joined.table, Joined) else 0
    inside = call("not", call("is_null", Column(f"{place}.{_THERE.name}", Kind.INTEGER)))
    return replace(joined, names=rows.names), inside if inner.private or not value.nullable else _known(value, inside)


def _set(inner: Origin, option: Expression) -> tuple[Origin, str]:
    """The different values of one column, and what that column is called; of private tables, the units."""
    whose = inner.unit if inner.private else None
    key = Column("k0", option.kind, option.range) if whose is None else replace(whose, name=UNIT, nullable=False)
    keys = (Field("k0", option),) if whose is None else ()
    table = Grouped(inner.table, None if whose is None else whose.name, inner.where, keys, (_THERE,))
    unit = None if whose is None else key
    bare = replace(inner, table=table, where=None, unit=unit, single=True, contribution=1, keys=1, values={}, steps={})
    return bare.called("", {key.name: key}), key.name


def _known(value: Expression, inside: Expression) -> Expression:
    """What is NULL is neither in a set nor outside."""
    return call("case", call("not", call("is_null", value)), inside)


def _asserted(node: exp.In) -> bool:
    """Whether rows that are not in the set are left out, for whatever reason."""
    place = node.parent
    while isinstance(place, exp.And | exp.Or | exp.Paren):
        place = place.parent
    return isinstance(place, exp.Where)
