"""UNION, INTERSECT and EXCEPT of rows that name people, in words that are known: DISTINCT, UNION ALL and EXISTS.

A set operation compares whole rows, so rows of one person only meet rows of the same one, if the person is in them.
That they are is checked where DISTINCT is understood: one row for each person and whatever else it shows.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from deniable.core.errors import Refused
from deniable.planner.parse import position

_LEFT, _RIGHT = "\0left", "\0right"
"""Names that nobody can write."""


def distinct_rows(node: exp.Union, names: Sequence[str]) -> exp.Select:
    """`a UNION b` is each row of `a UNION ALL b` once."""
    stack = node.copy()
    stack.set("distinct", None)
    stack.set("with_", None)
    return _once(stack, names)


def among_others(node: exp.Intersect | exp.Except, names: Sequence[str]) -> exp.Select:
    """`a INTERSECT b` is each row of a once that is among those of b, and EXCEPT each that is not."""
    if not node.args.get("distinct", True):
        reason = f"{node.key.upper()} ALL is not supported."
        raise Refused("unsupported-clause", reason, f"Write {node.key.upper()}.", position(node))
    equal = [exp.EQ(this=_column(_LEFT, name), expression=_column(_RIGHT, name)) for name in names]
    right = exp.Select(
        expressions=[exp.Literal.number(1)],
        from_=exp.From(this=_called(node.expression.copy(), _RIGHT, names)),
        where=exp.Where(this=exp.and_(*equal)),
    )
    there: exp.Expression = exp.Exists(this=right)
    chosen = _once(node.this.copy(), names)
    chosen.set("where", exp.Where(this=exp.Not(this=there) if isinstance(node, exp.Except) else there))
    return chosen


def _once(query: exp.Expression, names: Sequence[str]) -> exp.Select:
    columns = [exp.alias_(_column(_LEFT, name), name, quoted=True) for name in names]
    return exp.Select(expressions=columns, distinct=exp.Distinct(), from_=exp.From(this=_called(query, _LEFT, names)))


def _called(query: exp.Expression, alias: str, names: Sequence[str]) -> exp.Subquery:
    inner = query.this if isinstance(query, exp.Subquery) and not query.args.get("alias") else query
    columns = [exp.to_identifier(name, quoted=True) for name in names]
    title = exp.TableAlias(this=exp.to_identifier(alias, quoted=True), columns=columns)
    return exp.Subquery(this=inner, alias=title)


def _column(table: str, name: str) -> exp.Column:
    return exp.column(name, table=table, quoted=True)
