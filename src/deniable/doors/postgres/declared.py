"""`SELECT DISTINCT region FROM visits`, as a dashboard's filter asks: the policy lists the values, so it is free."""

from __future__ import annotations

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from deniable.doors.postgres.catalogue.translate import Node
from deniable.policy import DeclaredColumn, Policy


def declared_values(text: str, policy: Policy) -> Node | None:
    """The same statement over the values that the policy lists; None if it asks for anything else.

    Only one column, without conditions: what is asked is which values there are, and the policy says so.
    """
    try:
        tree = sqlglot.parse_one(text, dialect="postgres")
    except (SqlglotError, RecursionError):
        return None
    if not isinstance(tree, exp.Select) or not _plain(tree):
        return None
    column = _column(tree, policy)
    if column is None or column.values is None:
        return None
    named = exp.to_identifier(column.name, quoted=True)
    rows = exp.Values(
        expressions=[exp.Tuple(expressions=[exp.convert(value)]) for value in column.values],
        alias=exp.TableAlias(this=exp.to_identifier(tree.find(exp.Table).alias_or_name), columns=[named]),  # type: ignore[union-attr]  # it has one
    )
    tree.find(exp.Table).replace(rows)  # type: ignore[union-attr]  # same
    return tree


def _plain(tree: exp.Select) -> bool:
    """DISTINCT or GROUP BY of one column, from one table, perhaps in order and cut."""
    known = {"expressions", "distinct", "from_", "order", "limit", "offset", "group"}
    if any(value and name not in known for name, value in tree.args.items()):
        return False
    (first, *others) = tree.expressions
    inner = first.unalias() if isinstance(first, exp.Alias) else first
    tables = list(tree.find_all(exp.Table))
    once = tree.args.get("distinct") is not None or tree.args.get("group") is not None
    return not others and isinstance(inner, exp.Column) and len(tables) == 1 and once and not tree.find(exp.AggFunc)


def _column(tree: exp.Select, policy: Policy) -> DeclaredColumn | None:
    table, asked = tree.find(exp.Table), tree.expressions[0].find(exp.Column)
    if table is None or asked is None or table.db.lower() not in {"", "public"}:
        return None
    if {one.name.lower() for one in tree.find_all(exp.Column)} - {
        asked.name.lower(),
        tree.expressions[0].alias.lower(),
    }:
        return None
    private = {name.lower(): one for name, one in policy.tables.items() if not one.public}
    found = private.get(table.name.lower())
    columns = {} if found is None else {name.lower(): one for name, one in found.columns.items()}
    return columns.get(asked.name.lower())
