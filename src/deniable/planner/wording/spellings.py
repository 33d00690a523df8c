"""Other spellings of what has a meaning: each becomes the one that the passes behind it know.

Names that the parser has no word for, and CURRENT_DATE and its like, which become constants: what the clocks of the
policy's zone show when the question is bound, cut to a unit that the policy names, so that a question that is asked
again soon is the same question. Nothing behind this pass looks at a clock.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from fractions import Fraction
from typing import TypeVar, cast
from zoneinfo import ZoneInfo

from sqlglot import exp

from deniable.core.calendar import truncated
from deniable.core.errors import InvalidArgumentError, Refused
from deniable.core.number import exact
from deniable.planner.wording.shorthand import written_out
from deniable.policy import Policy

_PARTS = ("dow", "doy", "isoyear", "decade", "century", "millisecond", "microsecond", "weekday", "dayofmonth")
_NOW = ("now", "get_current_timestamp", "transaction_timestamp", "statement_timestamp", "current_localtimestamp")
_CLOCK: tuple[type[exp.Expression], ...] = (exp.CurrentTimestamp, exp.CurrentDatetime, exp.Localtimestamp)

Arguments = list[exp.Expression]
Tree = TypeVar("Tree", bound=exp.Expression)


def plainly(tree: exp.Expression) -> exp.Expression:
    """A tree in words that are known."""
    written_out(tree)
    for node in list(tree.find_all(exp.Anonymous, *_OTHERWISE)):
        found = (
            _OTHERWISE[type(node)](node) if type(node) in _OTHERWISE else _named(node.name.lower(), node.expressions)
        )
        if found is not None:
            found.meta.update(node.meta)
            node.replace(found)
    for found_in in list(tree.find_all(exp.In)):
        if isinstance(whole := _bare(found_in.args.get("query")), exp.Union | exp.Intersect):
            found_in.replace(_of_each(found_in, whole))
    return tree


def _bare(query: exp.Expression | None) -> exp.Expression | None:
    """What is inside of brackets, if they hold nothing else."""
    while isinstance(query, exp.Subquery) and not any(value for name, value in query.args.items() if name != "this"):
        query = query.this
    return query


def _of_each(node: exp.In, whole: exp.Expression) -> exp.Expression:
    """`x IN (a UNION b)` is `x IN a OR x IN b`, and of INTERSECT both."""
    inner = _bare(whole)
    if not isinstance(inner, exp.Union | exp.Intersect) or any(
        value for name, value in inner.args.items() if name not in ("this", "expression", "distinct")
    ):
        return exp.In(this=node.this.copy(), query=exp.Subquery(this=whole.copy()))
    parts = [_of_each(node, part) for part in (inner.this, inner.expression)]
    joined = exp.Or if isinstance(inner, exp.Union) else exp.And
    return exp.Paren(this=joined(this=parts[0], expression=parts[1]))


def _named(name: str, arguments: Arguments) -> exp.Expression | None:
    """What a name means, with these arguments."""
    if name in ("date_part", "datepart") and len(arguments) > 1 and arguments[0].is_string:
        return exp.Extract(this=exp.var(arguments[0].name), expression=arguments[1])
    if name in _PARTS and len(arguments) == 1:
        return exp.Extract(this=exp.var(name), expression=arguments[0])
    if name in ("dateadd", "timestampadd") and len(arguments) == _OF_ADDING:
        return _added(*arguments)
    if name in _NOW and not arguments:
        return exp.CurrentTimestamp()
    if name in _SAME and len(arguments) == _SAME[name][0]:
        return _SAME[name][1](arguments)
    return None


_OF_ADDING = 3


def _added(unit: exp.Expression, many: exp.Expression, moment: exp.Expression) -> exp.Expression:
    """`dateadd('month', 1, day)`, or with a bare word for the unit, is `day + INTERVAL 1 month`."""
    timestamp = exp.DataType.build("TIMESTAMP", dialect="duckdb")
    start = exp.Cast(this=moment, to=timestamp) if isinstance(moment, exp.Literal) else moment
    return exp.Add(this=start, expression=exp.Interval(this=many, unit=exp.var(unit.name)))


_SAME: dict[str, tuple[int, Callable[[Arguments], exp.Expression | None]]] = {
    "iff": (3, lambda given: exp.If(this=given[0], true=given[1], false=given[2])),
    "age": (1, lambda given: exp.Anonymous(this="age", expressions=[exp.CurrentDate(), *given])),
    "var": (1, lambda given: exp.Variance(this=given[0])),
    "std": (1, lambda given: exp.Stddev(this=given[0])),
    "ilike": (2, lambda given: exp.ILike(this=given[0], expression=given[1])),
    "prefix": (2, lambda given: exp.StartsWith(this=given[0], expression=given[1])),
    "suffix": (2, lambda given: exp.EndsWith(this=given[0], expression=given[1])),
    "to_date": (2, lambda given: _read("DATE", *given)),
}
"""By how many arguments they take."""


def _bucket(node: exp.Expression) -> exp.Expression:
    """Which of so many equal parts between two ends a value lies in, from 1 on; 0 before, and one more beyond.

    Ends that fall are those of the negative value, which rise. What is missing lies in none.
    """
    parts = [node.args.get(name) for name in ("this", "min_value", "max_value", "num_buckets")]
    first, last, number = map(_constant, parts[1:])
    if first is None or last is None or number is None or first == last or number < 1 or number.denominator > 1:
        reason = "width_bucket takes a value, two different ends and a number of parts, and all but the value constant."
        raise Refused("unsupported-form", reason, "Write width_bucket(x, 0, 100, 10).")
    value, low, high, many = (part for part in parts if part is not None)
    if first > last:
        value, low, high = (exp.Neg(this=exp.Paren(this=part)) for part in (value, low, high))
    above = exp.Paren(this=exp.Sub(this=value.copy(), expression=low.copy()))
    width = exp.Paren(this=exp.Sub(this=high.copy(), expression=low.copy()))
    share = exp.Div(this=exp.Mul(this=above, expression=many.copy()), expression=width)
    place = exp.Add(this=exp.Cast(this=exp.Floor(this=share), to=exp.DataType.build("BIGINT")), expression=_ONE.copy())
    inside = exp.Greatest(this=_ONE.copy(), expressions=[exp.Least(this=place, expressions=[many.copy()])])
    beyond = exp.Add(this=many, expression=_ONE.copy())
    return exp.Case(
        ifs=[
            exp.If(this=exp.LT(this=value.copy(), expression=low.copy()), true=exp.Literal.number(0)),
            exp.If(this=exp.GTE(this=value.copy(), expression=high), true=beyond),
            exp.If(this=exp.GTE(this=value.copy(), expression=low), true=inside),
        ]
    )


def _constant(node: exp.Expression | None) -> Fraction | None:
    """A number that is written down."""
    match node:
        case exp.Paren():
            return _constant(node.this)
        case exp.Neg():
            found = _constant(node.this)
            return None if found is None else -found
        case exp.Literal(is_string=False):
            try:
                return exact("number", node.name)
            except InvalidArgumentError:
                return None
        case _:
            return None


_ONE = exp.Literal.number(1)


def _counted_if(node: exp.Expression) -> exp.Expression:
    """Rows of which something is true."""
    return exp.Filter(this=exp.Count(this=exp.Star(), big_int=True), expression=exp.Where(this=node.this))


def _any_of(node: exp.Expression) -> exp.Expression | None:
    """`x = ANY(ARRAY[1, 2])` is `x IN (1, 2)`."""
    listed = node.expression.this.unnest() if isinstance(node.expression, exp.Any) else None
    return exp.In(this=node.this, expressions=listed.expressions) if isinstance(listed, exp.Array) else None


_CLOCK_TIME = r"([01]\d|2[0-3]):[0-5]\d:[0-5]\d"
_READABLE = {
    "YYYY-MM-DD": r"\d{4}-\d\d-\d\d",
    "YYYY-MM-DD HH24:MI:SS": rf"\d{{4}}-\d\d-\d\d {_CLOCK_TIME}",
    "YYYY-MM-DD HH24:MI:SS.US": rf"\d{{4}}-\d\d-\d\d {_CLOCK_TIME}\.\d{{6}}",
}
"""Forms of PostgreSQL's in which tools write days and moments, and what is written so."""


def _read(kind: str, text: exp.Expression | None, form: exp.Expression | None) -> exp.Expression | None:
    """`TO_DATE('2025-01-31', 'YYYY-MM-DD')` is `CAST('2025-01-31' AS DATE)`; None where either is not written down."""
    if not (isinstance(text, exp.Literal) and text.is_string and isinstance(form, exp.Literal) and form.is_string):
        return None
    pattern = _READABLE.get(form.name)
    if pattern is None or not re.fullmatch(pattern, text.name, re.ASCII):
        return None
    day = exp.Literal.string(text.name[:10]) if kind == "DATE" else text
    return exp.Cast(this=day, to=exp.DataType.build(kind, dialect="duckdb"))


def _moment(node: exp.Expression) -> exp.Expression | None:
    return _read("TIMESTAMP", node.this, node.args.get("scale"))


_OTHERWISE: dict[type[exp.Expression], Callable[[exp.Expression], exp.Expression | None]] = {
    exp.CountIf: _counted_if,
    exp.WidthBucket: _bucket,
    exp.EQ: _any_of,
    exp.UnixToTime: _moment,
}


def _as_shown(node: exp.Cast, constant: exp.Literal, zone: str) -> None:
    """`TIMESTAMPTZ '2025-01-01 00:00:00Z'` is what the clocks of the policy's zone show at that moment."""
    try:
        moment = datetime.fromisoformat(str(constant.this).strip())
    except ValueError:
        return
    local = moment if moment.tzinfo is None else moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    node.set("this", exp.Literal.string(local.isoformat(sep=" ")))
    node.set("to", exp.DataType.build("TIMESTAMP", dialect="duckdb"))


def clocked(select: Tree, policy: Policy, now: datetime | None = None) -> tuple[Tree, tuple[str, ...]]:
    """The question with constants for what a clock shows, and a sentence for each of them."""
    zone = policy.zone or "UTC"
    for node in list(select.find_all(exp.Cast)):
        if isinstance(node.this, exp.Literal) and node.to.this is exp.DataType.Type.TIMESTAMPTZ:
            _as_shown(node, node.this, zone)
    if select.find(exp.CurrentDate, exp.CurrentTime, *_CLOCK) is None:
        return select, ()
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

    return cast("Tree", select.transform(fixed)), tuple(said)
