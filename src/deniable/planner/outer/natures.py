"""What the rows of a query are, as far as its text tells: the nature of a source decides on which side it stands."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from sqlglot import exp

AGGREGATE: tuple[type[exp.Expression], ...] = (exp.Filter, exp.WithinGroup, exp.AggFunc)  # type: ignore[assignment]
_OVER = (exp.IgnoreNulls, exp.RespectNulls, exp.Filter)
"""What may stand between a window and its function."""


class Nature(Enum):
    """What rows are."""

    PRIVATE = "private"
    """Rows of private tables, row by row or put together for each unit: never shown, and never beside noisy ones."""
    NOISY = "noisy"
    """Answers to questions, or whatever is computed from them."""
    PUBLIC = "public"
    """Public tables and constants."""

    @staticmethod
    def of(natures: list[Nature]) -> Nature:
        """Of what is made of several, none of which is private while another is noisy."""
        return next((one for one in (Nature.PRIVATE, Nature.NOISY) if one in natures), Nature.PUBLIC)


def gathered(node: exp.Expression) -> Iterator[exp.Expression]:
    """Aggregates that put the rows of a group together: not those of windows, nor those of subqueries."""
    if isinstance(node, exp.Window):
        head = node.this
        while isinstance(head, _OVER):
            yield from gathered(head.expression) if isinstance(head, exp.Filter) else ()
            head = head.this
        for child in (*head.iter_expressions(), *(part for part in node.iter_expressions() if part is not node.this)):
            yield from gathered(child)
    elif isinstance(node, AGGREGATE):
        yield node
    elif not isinstance(node, exp.Query):
        for child in node.iter_expressions():
            yield from gathered(child)


def gathers(select: exp.Select) -> bool:
    """Whether a SELECT puts rows together, and not only goes through them."""
    if any(select.args.get(clause) for clause in ("group", "having", "distinct")):
        return True
    return any(True for part in around(select) for _ in gathered(part))


def around(select: exp.Select) -> list[exp.Expression]:
    """What a SELECT computes from its groups: its columns, and what filters and sorts them afterwards."""
    later = [select.args.get(clause) for clause in ("having", "qualify", "order")]
    return [*select.expressions, *(part for part in later if part is not None), *(select.args.get("windows") or ())]


def subqueries(node: exp.Expression) -> list[exp.Expression]:
    """The queries that stand directly in an expression, outermost only: scalars, and those behind IN and EXISTS."""
    inner = node.walk(prune=lambda one: isinstance(one, exp.Query))
    return [part for part in inner if isinstance(part, exp.Query) and isinstance(part, exp.Expression)]


def sources(select: exp.Select) -> list[exp.Expression]:
    """What stands behind FROM and JOIN."""
    first = select.args.get("from_")
    return [*([] if first is None else [first.this]), *(join.this for join in select.args.get("joins") or ())]


def conditions(select: exp.Select) -> list[exp.Expression]:
    """What decides about rows before they are put together."""
    joins = [join.args.get("on") for join in select.args.get("joins") or ()]
    found = [*joins, select.args.get("where"), select.args.get("group"), *select.args.get("laterals", ())]
    return [part for part in found if part is not None]
