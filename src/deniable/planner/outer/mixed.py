"""Private rows beside noisy numbers: refused, because noise would have to be there before the rows are looked at."""

from __future__ import annotations

from sqlglot import ErrorLevel, exp

from deniable.core.errors import Refused
from deniable.planner.parse import position
from deniable.planner.relations.clauses import title

_ANSWER = ":answer"


def beside(select: exp.Select) -> Refused:
    """A private table joined with a noisy one."""
    reason = "Private rows cannot be joined with the noisy answer of a subquery."
    hint = (
        "Ask for the aggregate of the private rows in a subquery of its own, and join the two answers: "
        "SELECT ... FROM (SELECT key, COUNT(*) AS n FROM ... GROUP BY key) a JOIN (...) b ON a.key = b.key."
    )
    first = select.args.get("from_")
    return Refused("noisy-beside-rows", reason, hint, None if first is None else position(first))


def stacked(query: exp.SetOperation) -> Refused:
    """Private rows put under noisy ones."""
    reason = f"{query.key.upper()} cannot put private rows and noisy answers together."
    hint = "Write an aggregate on both sides: SELECT key, COUNT(*) FROM ... GROUP BY key."
    return Refused("noisy-beside-rows", reason, hint, position(query))


def two_steps(inner: exp.Expression, select: exp.Select) -> Refused:
    """A condition on private rows that needs a noisy answer: both steps, ready to be pasted."""
    query = inner.this if isinstance(inner, exp.Subquery) else inner
    first = _text(query)
    second = _text(_with_answer(select, inner))
    reason = "A condition on private rows cannot use the noisy answer of a subquery."
    listed = isinstance(inner.parent, exp.In)
    how = "with the values of its answer in the list" if listed else f"with the number that it answers for {_ANSWER}"
    hint = f"Ask in two steps. First: {first}; then, {how}: {second}"
    return Refused("noisy-beside-rows", reason, hint, position(inner))


def rows_outside(query: exp.Expression) -> Refused:
    """A subquery of private rows in what is computed from noisy or public ones."""
    reason = "This subquery gives private rows, which are never shown, only statistics."
    return Refused("subquery", reason, "Put an aggregate into it: SELECT COUNT(*) FROM ...", position(query))


def keys_alone(select: exp.Select) -> Refused:
    """Group keys without a statistic, inside a statement: those that are declared, or shown, are not all there are."""
    listed = ", ".join(node.unalias().sql(dialect="duckdb") for node in select.expressions)
    hint = f"Write SELECT COUNT(DISTINCT {listed}) to count them, or add COUNT(*) and GROUP BY {listed}."
    return Refused(
        "distinct", "The different values of private rows cannot be used in another query.", hint, position(select)
    )


def spread(select: exp.Select) -> Refused:
    """An aggregate that gives several columns, in an expression."""
    reason = "An aggregate that gives several columns cannot be computed with."
    return Refused("unsupported-form", reason, "Ask for one at a time: QUANTILE_CONT(x, 0.5).", position(select))


def _with_answer(select: exp.Select, inner: exp.Expression) -> exp.Expression:
    """The SELECT with a parameter for the subquery."""
    mark = "the subquery"
    inner.meta[mark] = True
    copied = select.copy()
    del inner.meta[mark]
    copied.set("with_", None)
    copied.set("expressions", [_plain(node) for node in copied.expressions])
    found = next(node for node in copied.find_all(exp.Query) if node.meta.get(mark))
    if isinstance(found.parent, exp.In):
        found.parent.set("expressions", [exp.Var(this="...")])
        found.parent.set("query", None)
    else:
        found.replace(exp.Var(this=_ANSWER))
    return copied


def _plain(node: exp.Expression) -> exp.Expression:
    """Without a name that says only what is written."""
    return node.this if isinstance(node, exp.Alias) and node.alias == title(node.this) else node


def _text(query: exp.Expression) -> str:
    return query.sql(dialect="duckdb", unsupported_level=ErrorLevel.IGNORE, comments=False)
