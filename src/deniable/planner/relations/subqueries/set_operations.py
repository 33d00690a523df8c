"""UNION, INTERSECT and EXCEPT of rows that name people, in words that are known: DISTINCT, UNION ALL and EXISTS.

A set operation compares whole rows, so rows of one person only meet rows of the same one, if the person is in them.
That they are is checked where DISTINCT is understood: one row for each person and whatever else it shows.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from deniable.core.errors import Refused
from deniable.planner.parse import position

LEFT, RIGHT = "\0left", "\0right"
"""What both parts are called here: names that nobody can write. They are understood once, however deep they stand."""


def distinct_rows(names: Sequence[str]) -> exp.Select:
    """`a UNION b` is each row of `a UNION ALL b`, which is called LEFT, once."""
    columns = [exp.alias_(_column(LEFT, name), name, quoted=True) for name in names]
    return exp.Select(expressions=columns, distinct=exp.Distinct(), from_=exp.From(this=_table(LEFT)))


def among_others(node: exp.Intersect | exp.Except, names: Sequence[str]) -> exp.Select:
    """`a INTERSECT b` is each row of a once that is among those of b, and EXCEPT each that is not."""
    if not node.args.get("distinct", True):
        reason = f"{node.key.upper()} ALL is not supported."
        raise Refused("unsupported-clause", reason, f"Write {node.key.upper()}.", position(node))
    equal = [exp.EQ(this=_column(LEFT, name), expression=_column(RIGHT, name)) for name in names]
    right = exp.Select(
        expressions=[exp.Literal.number(1)],
        from_=exp.From(this=_table(RIGHT)),
        where=exp.Where(this=exp.and_(*equal)),
    )
    there: exp.Expression = exp.Exists(this=right)
    chosen = distinct_rows(names)
    chosen.set("where", exp.Where(this=exp.Not(this=there) if isinstance(node, exp.Except) else there))
    return chosen


def _table(name: str) -> exp.Table:
    return exp.Table(this=exp.to_identifier(name, quoted=True))


def _column(table: str, name: str) -> exp.Column:
    return exp.column(name, table=table, quoted=True)
