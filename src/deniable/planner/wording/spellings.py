"""Other spellings of what has a meaning: each becomes the one that the passes behind it know.

Names that the parser has no word for, and CURRENT_DATE and its like, which become constants: what the clocks of the
policy's zone show when the question is bound, cut to a unit that the policy names, so that a question that is asked
again soon is the same question. Nothing behind this pass looks at a clock.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import cast
from zoneinfo import ZoneInfo

from sqlglot import exp

from deniable.core.calendar import truncated
from deniable.policy import Policy

_PARTS = ("dow", "doy", "isoyear", "decade", "century", "millisecond", "microsecond", "weekday", "dayofmonth")
_NOW = ("now", "get_current_timestamp", "transaction_timestamp", "statement_timestamp", "current_localtimestamp")
_CLOCK: tuple[type[exp.Expression], ...] = (exp.CurrentTimestamp, exp.CurrentDatetime, exp.Localtimestamp)

Arguments = list[exp.Expression]


def plainly(tree: exp.Expression) -> exp.Expression:
    """The same tree in words that are known."""
    for node in list(tree.find_all(exp.Anonymous, exp.CountIf)):
        found = _counted_if(node) if isinstance(node, exp.CountIf) else _named(node.name.lower(), node.expressions)
        if found is not None:
            found.meta.update(node.meta)
            node.replace(found)
    return tree


def _named(name: str, arguments: Arguments) -> exp.Expression | None:
    """What a name means, with these arguments."""
    if name in ("date_part", "datepart") and len(arguments) > 1 and arguments[0].is_string:
        return exp.Extract(this=exp.var(arguments[0].name), expression=arguments[1])
    if name in _PARTS and len(arguments) == 1:
        return exp.Extract(this=exp.var(name), expression=arguments[0])
    if name in _NOW and not arguments:
        return exp.CurrentTimestamp()
    if name in _SAME and len(arguments) == _SAME[name][0]:
        return _SAME[name][1](arguments)
    return None


_SAME: dict[str, tuple[int, Callable[[Arguments], exp.Expression]]] = {
    "var": (1, lambda given: exp.Variance(this=given[0])),
    "std": (1, lambda given: exp.Stddev(this=given[0])),
    "ilike": (2, lambda given: exp.ILike(this=given[0], expression=given[1])),
    "prefix": (2, lambda given: exp.StartsWith(this=given[0], expression=given[1])),
    "suffix": (2, lambda given: exp.EndsWith(this=given[0], expression=given[1])),
}
"""By how many arguments they take."""


def _counted_if(node: exp.CountIf) -> exp.Expression:
    """Rows of which something is true."""
    return exp.Filter(this=exp.Count(this=exp.Star(), big_int=True), expression=exp.Where(this=node.this))


def clocked(select: exp.Select, policy: Policy, now: datetime | None) -> tuple[exp.Select, tuple[str, ...]]:
    """The question with constants for what a clock shows, and a sentence for each of them."""
    if select.find(exp.CurrentDate, exp.CurrentTime, *_CLOCK) is None:
        return select, ()
    zone = policy.zone or "UTC"
    local = (now or datetime.now(UTC)).astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    moment = truncated(local, policy.clock) or local
    said: dict[str, None] = {}

    def fixed(node: exp.Expression) -> exp.Expression:
        if not isinstance(node, (exp.CurrentDate, exp.CurrentTime, *_CLOCK)) or node.args.get("this"):
            return node
        if isinstance(node, exp.CurrentDate):
            name, kind, text = "CURRENT_DATE", "DATE", moment.date().isoformat()
        elif isinstance(node, exp.CurrentTime):
            name, kind, text = "CURRENT_TIME", "TIME", moment.time().isoformat()
        else:
            name, kind, text = "CURRENT_TIMESTAMP", "TIMESTAMP", moment.isoformat(sep=" ")
        said[f"{name} is {text} in this question ({zone}; cut to the {policy.clock})"] = None
        return exp.Cast(this=exp.Literal.string(text), to=exp.DataType.build(kind, dialect="duckdb"))

    return cast("exp.Select", select.transform(fixed)), tuple(said)
