"""Small questions about a SELECT: what its clauses hold, and what their names refer to."""

from __future__ import annotations

from typing import cast

from sqlglot import ErrorLevel, exp

from deniable.core.errors import Refused
from deniable.planner.parse import check_clauses, position
from deniable.planner.relations.scopes import RowScope

_MOST_DIGITS = 15
_LISTED = ("expressions", "siblings")
_LATER = {"order": "ORDER BY", "limit": "LIMIT", "offset": "OFFSET"}


def check_inner(select: exp.Select) -> None:
    """A subquery has no order and no first rows: which ones they are would depend on everyone."""
    check_clauses(select)
    for clause, word in _LATER.items():
        if select.args.get(clause) is not None:
            reason = f"{word} is not supported inside a subquery."
            raise Refused("unsupported-clause", reason, "Use it on the answer.", position(select.args[clause]))


def refuse_others(node: exp.Expression, known: tuple[str, ...]) -> None:
    """Nothing about a table or subquery but what has a meaning here."""
    if any(value for name, value in node.args.items() if name not in known):
        raise Refused(
            "unsupported-clause", "Only a plain table or subquery is supported.", "Leave the rest out.", position(node)
        )


def terms(select: exp.Select, clause: str) -> list[exp.Expression]:
    """What GROUP BY or ORDER BY lists."""
    found = select.args.get(clause)
    if found is not None and (
        any(value for name, value in found.args.items() if name not in _LISTED)
        or any(isinstance(node, exp.Rollup | exp.Cube | exp.GroupingSets) for node in found.expressions)
    ):
        reason = "ROLLUP, CUBE, GROUPING SETS and ALL are not supported."
        raise Refused("unsupported-clause", reason, "List the columns.", position(found))
    return list(found.expressions) if found is not None else []


def parts_of(node: exp.Expression | None) -> list[exp.Expression]:
    """The conditions that WHERE or ON puts together with AND."""
    if node is None:
        return []
    if isinstance(node, exp.Where | exp.Paren):
        return parts_of(node.this)
    return [*parts_of(node.this), *parts_of(node.expression)] if isinstance(node, exp.And) else [node]


def title(node: exp.Expression) -> str:
    """A column's name: its alias, or what is written."""
    if node.alias or isinstance(node, exp.Column):
        return node.alias or node.name
    return node.sql(dialect="duckdb", unsupported_level=ErrorLevel.IGNORE).lower()


def referred(node: exp.Expression, select: exp.Select, scope: RowScope) -> exp.Expression:
    """What an ordinal or an alias refers to; columns of the tables come before aliases."""
    if isinstance(node, exp.Literal) and not node.is_string:
        return ordinal(node, select.expressions)
    if isinstance(node, exp.Column) and not node.table:
        aliases = [found for found in select.expressions if isinstance(found, exp.Alias)]
        named = [found.this for found in aliases if found.alias.lower() == node.name.lower()]
        declared = {name.lower() for name in scope.origin.columns}
        if named and node.name.lower() not in declared:
            if any(other != named[0] for other in named[1:]):
                reason = f"Several columns of the answer are called {node.name!r}."
                raise Refused("ambiguous-column", reason, "Give each a name of its own.", position(node))
            return cast("exp.Expression", named[0])
    return node


def ordinal(node: exp.Literal, expressions: list[exp.Expression]) -> exp.Expression:
    """The column of this number, from 1."""
    text = str(node.this)
    if not small(text) or not 1 <= int(text) <= len(expressions):
        raise Refused("bad-ordinal", f"There is no column number {text[:20]}.", f"Use 1 to {len(expressions)}.")
    return cast("exp.Expression", expressions[int(text) - 1].unalias())


def small(text: str) -> bool:
    """Whether this is a whole number that can be a position: far beyond any answer."""
    return text.isdigit() and len(text) <= _MOST_DIGITS
