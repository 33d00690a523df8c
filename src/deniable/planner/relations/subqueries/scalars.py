"""Scalar subqueries in a row: `price > (SELECT AVG(price) FROM shops)`, or the number of a person's own orders.

Each is one more table beside the rows, which never makes one row two: the subquery grouped by what it is compared with
outside. Of public tables that can be anything, or nothing; of private ones, as in any join, it is the person.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from deniable.core.errors import Refused
from deniable.planner.parse import position
from deniable.planner.relations.scopes import aggregates
from deniable.planner.relations.subqueries.correlated import Spoken

_ALIAS, _KEY, _VALUE, _MANY, _GONE = "\0scalar", "\0key", "\0value", "\0many", "\0gone"
"""Names that nobody can write."""
_COUNTS: tuple[type[exp.Expression], ...] = (exp.Count, exp.CountIf, exp.ApproxDistinct)


def scalars(select: exp.Select) -> Iterator[exp.Subquery]:
    """Where a subquery stands for one value, before the aggregates; not inside of other subqueries."""
    before = [select.args.get("where"), select.args.get("group")]
    keys = [node for node in select.expressions if next(aggregates([node]), None) is None]
    after = [*select.expressions, select.args.get("having"), select.args.get("order")]
    for clause in (*before, *keys, *aggregates([part for part in after if part is not None])):
        if clause is not None:
            for node in clause.walk(prune=lambda found: isinstance(found, exp.Query)):
                if isinstance(node, exp.Subquery) and not isinstance(node.parent, exp.In | exp.Any | exp.All):
                    yield node


@dataclass(frozen=True, slots=True)
class Scalar:
    """A subquery for one value: what is asked for each key, how that is tied to a row, and what is made of it."""

    query: exp.Select
    ties: tuple[exp.Expression, ...]
    """Equalities; none: the subquery has one row, which is beside each."""
    value: exp.Expression
    alias: str = _ALIAS


def scalar(select: exp.Select, spoken: Spoken) -> Scalar:
    """The value of a SELECT that has one column, of whose conditions some speak of the row outside."""
    if spoken.extents or spoken.alone:
        reason = "A subquery for one value can only be compared with the row outside by equalities."
        raise Refused("subquery", reason, "Write WHERE inner.x = outer.y.", position(select))
    if len(select.expressions) != 1 or select.args.get("group") or select.args.get("having"):
        reason = "A subquery for one value has one column, and no groups."
        raise Refused("subquery", reason, "Write (SELECT MAX(x) FROM ...).", position(select))
    columns, value = _taken(select.expressions[0].unalias(), distinct=bool(select.args.get("distinct")))
    keys = [exp.alias_(inner.copy(), f"{_KEY}{place}", quoted=True) for place, (_, inner) in enumerate(spoken.pairs)]
    query = select.copy()
    query.set("with_", None)
    query.set("distinct", None)
    query.set("expressions", [*keys, *columns])
    query.set("where", exp.Where(this=exp.and_(*spoken.local)) if spoken.local else None)
    query.set("group", exp.Group(expressions=[inner.copy() for _, inner in spoken.pairs]) if keys else None)
    ties = [exp.EQ(this=outer, expression=_column(f"{_KEY}{place}")) for place, (outer, _) in enumerate(spoken.pairs)]
    return Scalar(query, tuple(ties), value)


def _taken(node: exp.Expression, *, distinct: bool) -> tuple[Sequence[exp.Expr], exp.Expression]:
    """What is computed in the subquery, and what the row makes of it: a count of nothing is 0, and not NULL.

    Without an aggregate, the subquery must have one row. Where it has several, which is an error in SQL, there is no
    value, as after a division by zero.
    """
    found = list(dict.fromkeys(aggregates([node])))
    if not found:
        every = exp.Count(this=exp.Star())
        many = exp.Count(this=exp.Distinct(expressions=[node.copy()])) if distinct else every
        columns = [exp.alias_(many, _MANY, quoted=True), exp.alias_(exp.Min(this=node.copy()), _VALUE, quoted=True)]
        once: exp.Expression = exp.LTE(this=_column(_MANY), expression=exp.Literal.number(1))
        if distinct:  # a NULL beside another value is one more row, which COUNT(DISTINCT) does not see
            gone = exp.Is(this=node.copy(), expression=exp.Null())
            columns.append(exp.alias_(exp.Filter(this=every, expression=exp.Where(this=gone)), _GONE, quoted=True))
            none = exp.EQ(this=_column(_GONE), expression=exp.Literal.number(0))
            once = exp.And(this=once, expression=none)
        return columns, exp.Case(ifs=[exp.If(this=once, true=_column(_VALUE))])
    columns = [exp.alias_(one.copy(), f"{_VALUE}{place}", quoted=True) for place, one in enumerate(found)]
    holder = exp.Paren(this=node.copy())
    for part in list(aggregates([holder])):
        inner = part.this if isinstance(part, exp.Filter) else part
        column: exp.Expression = _column(f"{_VALUE}{found.index(part)}")
        if isinstance(inner, _COUNTS):
            column = exp.Coalesce(this=column, expressions=[exp.Literal.number(0)])
        part.replace(column)
    if any(column.table != _ALIAS for column in holder.find_all(exp.Column)):
        reason = "A subquery for one value cannot show a column beside its aggregate."
        raise Refused("subquery", reason, "Write (SELECT MAX(x) FROM ...).", position(node))
    return columns, holder


def _column(name: str) -> exp.Column:
    return exp.column(name, table=_ALIAS, quoted=True)
