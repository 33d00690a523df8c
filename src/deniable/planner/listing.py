"""Group keys alone: `SELECT DISTINCT region FROM visits`, which asks for values and not for statistics.

Known values are in the policy, so they are listed for nothing, and no row is looked at: the answer says so. Private
ones are chosen as those of any other question, by how many units have them. A condition on private rows would make of
a list a statement about people, so it is refused.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from deniable.core.errors import Refused
from deniable.planner.expressions.keys import GroupKey
from deniable.planner.parse import position
from deniable.planner.relations.clauses import title
from deniable.planner.relations.rows import Origin


def values_question(table: str, column: str) -> str:
    """Which values there are, and how many rows each: asked as any question with private keys."""
    named, source = (name.replace('"', '""') for name in (column, table))
    return f'SELECT "{named}", COUNT(*) FROM "{source}" GROUP BY "{named}"'  # noqa: S608 - names of the policy, quoted; parsed as any question


def as_groups(select: exp.Select) -> exp.Select:
    """DISTINCT without aggregates means a group for each combination of what is shown."""
    clause = select.args.get("distinct")
    shown = [node for node in select.expressions if not isinstance(node.unalias(), exp.Literal | exp.Null)]
    grouped = select.args.get("group") is not None or any(node.find(exp.AggFunc) for node in select.expressions)
    if clause is None or clause.args.get("on") or grouped or not shown:
        return select
    found = select.copy()
    found.meta.update(select.meta)
    found.set("distinct", None)
    found.set("group", exp.Group(expressions=[node.unalias().copy() for node in shown]))
    return found


def may_list(select: exp.Select) -> bool:
    """Whether it could ask for values alone: it has groups, and no aggregate anywhere."""
    grouped = select.args.get("distinct") is not None or select.args.get("group") is not None
    return grouped and select.find(exp.AggFunc) is None


def listed(select: exp.Select, origin: Origin, keys: tuple[GroupKey, ...]) -> tuple[GroupKey, ...]:
    """The keys of a question that has no statistics: as they are if some are private, else with declared values alone.

    NULL is no declared value.
    """
    if not keys:
        raise Refused("no-aggregate", "Single rows are never shown, only statistics.", "Add COUNT(*), SUM or AVG.")
    if any(key.domain is None for key in keys):
        return keys
    if origin.where is not None:
        names = ", ".join(title(node) for node in select.expressions)
        reason = "The policy lists these values; which of them have such rows is private."
        terms = ", ".join(title(node.unalias()) for node in select.args["group"].expressions)
        hint = f"Leave the condition out, or count the rows: SELECT {names}, COUNT(*) AS n ... GROUP BY {terms}."
        raise Refused("no-aggregate", reason, hint, position(select.args.get("where") or select))
    return tuple(replace(key, domain=tuple(value for value in key.domain or () if value is not None)) for key in keys)


LISTED = "these are the values that the policy declares: no row was looked at, and rows may have none of them"
"""What is said of such an answer."""
