"""Clauses that stand for longer ones: GROUP BY ALL, ORDER BY ALL, FETCH FIRST."""

from __future__ import annotations

from sqlglot import exp


def written_out(tree: exp.Expression) -> exp.Expression:
    """A tree without shorthand, wherever it can be written out.

    Example:
        >>> import sqlglot
        >>> written_out(sqlglot.parse_one("SELECT a, SUM(b) FROM t GROUP BY ALL FETCH FIRST 3 ROWS ONLY")).sql()
        'SELECT a, SUM(b) FROM t GROUP BY a LIMIT 3'
    """
    for select in list(tree.find_all(exp.Select)):
        if not any(_is_star(column) for column in select.expressions):
            _group(select)
            _order(select)
    for fetch in list(tree.find_all(exp.Fetch)):
        options = fetch.args.get("limit_options")
        special = options is not None and (options.args.get("percent") or options.args.get("with_ties"))
        if not special:
            fetch.replace(exp.Limit(expression=fetch.args.get("count") or exp.Literal.number(1)))
    return tree


def _group(select: exp.Select) -> None:
    """All columns that are no aggregates, and not made of them."""
    group = select.args.get("group")
    if group is None or not group.args.get("all") or group.expressions:
        return
    plain = [column.unalias() for column in select.expressions if column.find(exp.AggFunc, exp.Window) is None]
    keys = [column.copy() for column in plain if column.find(exp.Column) is not None]
    select.set("group", exp.Group(expressions=keys) if keys else None)


def _order(select: exp.Select) -> None:
    """All columns, from the first to the last."""
    order = select.args.get("order")
    if order is None or len(order.expressions) != 1:
        return
    terms = order.expressions
    if not isinstance(terms[0].this, exp.Var) or terms[0].this.name.upper() != "ALL":
        return
    places = [exp.Literal.number(place) for place in range(1, len(select.expressions) + 1)]
    listed = []
    for place in places:
        term = terms[0].copy()
        term.set("this", place)
        listed.append(term)
    order.set("expressions", listed)


def _is_star(column: exp.Expression) -> bool:
    return isinstance(column, exp.Star) or (isinstance(column, exp.Column) and isinstance(column.this, exp.Star))
