"""What PostgreSQL calls the columns of a result that have no names."""

from __future__ import annotations

from sqlglot import exp

from deniable.doors.postgres.catalogue.read import Node


def name_outputs(tree: Node) -> None:
    """Columns without a name get the one that PostgreSQL gives them; NULL alone is a text."""
    outer = tree
    while isinstance(outer, exp.SetOperation | exp.Subquery):
        outer = outer.this
    if isinstance(outer, exp.Select):
        for one in list(outer.expressions):
            if not isinstance(one, exp.Alias | exp.Star | exp.Column):
                one.replace(exp.alias_(one.copy(), figured(one), quoted=True))
    for select in tree.find_all(exp.Select):
        if isinstance(select.parent, exp.SetOperation):
            continue  # it is what stands beside it
        for one in list(select.expressions):
            inner = one.this if isinstance(one, exp.Alias) else one
            if isinstance(inner, exp.Null):
                inner.replace(exp.cast(exp.Null(), "VARCHAR"))


def figured(node: Node) -> str:  # noqa: C901, PLR0911 - one line for each kind of expression
    """The name that PostgreSQL gives to a column that has none.

    Example:
        >>> from sqlglot import parse_one
        >>> [figured(parse_one(text, dialect="postgres")) for text in ("a.b", "count(*)", "1 + 1", "x::text")]
        ['b', 'count', '?column?', 'x']
    """
    if isinstance(node, exp.Alias):
        return node.alias
    if isinstance(node, exp.Column | exp.Identifier):
        return node.name
    if isinstance(node, exp.Paren | exp.Bracket):
        return figured(node.this)
    if isinstance(node, exp.Cast):
        found = figured(node.this)
        return found if found != "?column?" else node.to.sql("postgres").lower().strip('"')
    if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Select) and node.this.expressions:
        return figured(node.this.expressions[0])
    if isinstance(node, exp.Case):
        found = figured(node.args["default"]) if node.args.get("default") is not None else "?column?"
        return found if found != "?column?" else "case"
    if isinstance(node, exp.Exists):
        return "exists"
    if isinstance(node, exp.Array):
        return "array"
    if isinstance(node, exp.Anonymous):
        return node.name.lower()
    if isinstance(node, exp.Func) and not isinstance(node, exp.Binary | exp.Connector):
        return {"array_size": "array_length", "current_version": "version"}.get(
            node.sql_name().lower(), node.sql_name().lower()
        )
    return "?column?"
