"""SQL expressions to the closed algebra: every node has a meaning here, or the question is refused."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from fractions import Fraction
from typing import Protocol

from sqlglot import exp

from deniable.core.algebra.expression import Call, Expression, Kind, Literal, depth, size
from deniable.core.calendar import DAY
from deniable.core.errors import InvalidArgumentError, Refused
from deniable.core.number import exact
from deniable.planner.expressions import dates, texts
from deniable.planner.expressions.conversions import alike, computed
from deniable.planner.expressions.dates import MOMENTS
from deniable.planner.expressions.functions import FUNCTIONS, call, longest, number
from deniable.planner.expressions.own_words import instead, spelled
from deniable.planner.expressions.texts import MOST_CHARACTERS
from deniable.planner.parse import position
from deniable.planner.work import spend


class Scope(Protocol):
    """What names mean at a place of the question."""

    def special(self, node: exp.Expression) -> Expression | None:
        """What this whole node stands for here (a key, an aggregate), or None if it is to be taken apart."""

    def column(self, node: exp.Column) -> Expression:
        """What a name stands for here, or a refusal."""


def translate(node: exp.Expression | None, scope: Scope) -> Expression:
    """The expression that a node means, with its kind, range and nullability; refused if it grows too long.

    Names of subqueries stand for whole expressions, so a short text can mean a long one.
    """
    value = meaning(node, scope)
    parts = size(value, _MOST_PARTS)
    spend(parts)
    if node is not None and (parts >= _MOST_PARTS or depth(value, _DEEPEST) >= _DEEPEST):
        raise Refused("too-long", "This expression becomes too long.", "Compute less in subqueries.", position(node))
    return value


def meaning(node: exp.Expression | None, scope: Scope) -> Expression:
    """The expression that a node means, however long."""
    if node is None:
        raise InvalidArgumentError("function", "takes more arguments")
    spend()
    found = scope.special(node)
    if found is not None:
        return found
    if isinstance(node, exp.Column):
        return scope.column(node)
    rule = _RULES.get(type(node))
    if rule is None:
        raise _unknown(node)
    allowed, build = rule
    extra = [name for name, value in node.args.items() if value and name not in allowed and name not in _HARMLESS]
    if extra:
        reason = f"This form of {spelled(node)} is not supported: {', '.join(extra)}."
        raise Refused("unsupported-form", reason, "Write it without, or as CASE WHEN ... END.", position(node))
    try:
        return _short(build(node, lambda part: meaning(part, scope)), node)
    except InvalidArgumentError as error:
        raise Refused("type-mismatch", *_said(error, node), position(node)) from None


_GROWING = ("concat", "concat_with", "replace")


def _short(value: Expression, node: exp.Expression) -> Expression:
    """A text that is put together, if it can be no longer than any may be, whatever the rows hold."""
    if isinstance(value, Call) and value.function in _GROWING and longest(value) > MOST_CHARACTERS:
        reason = f"This text could have more than {MOST_CHARACTERS:,} characters."
        hint = "Put fewer or shorter texts together: SUBSTRING(column, 1, 100)."
        raise Refused("too-long", reason, hint, position(node))
    return value


_HARMLESS = frozenset({"big_int", "safe", "coalesce", "ignore_nulls", "typed", "_type", "is_string"})

Go = Callable[[exp.Expression | None], Expression]
Build = Callable[[exp.Expression, Go], Expression]
_LARGEST = 10**300
_MOST_PARTS = 10_000
"""Of one expression: a name can stand for many parts, and be written many times."""
_DEEPEST = 110
"""A name can stand for another that stands for another; whoever spells it comes back up through all of them."""


def _binary(name: str) -> tuple[frozenset[str], Build]:
    return frozenset({"this", "expression"}), lambda node, go: computed(
        name, *alike(go(node.this), go(node.expression))
    )


def _unary(name: str) -> tuple[frozenset[str], Build]:
    return frozenset({"this"}), lambda node, go: call(name, go(node.this))


def _several(name: str) -> tuple[frozenset[str], Build]:
    def build(node: exp.Expression, go: Go) -> Expression:
        return call(name, *alike(*(go(part) for part in (node.this, *node.expressions))))

    return frozenset({"this", "expressions"}), build


def _literal(node: exp.Expression, _: object) -> Expression:
    if node.args.get("is_string"):
        return Literal(str(node.this), Kind.TEXT)
    try:
        value = exact("number", str(node.this))
    except InvalidArgumentError:
        value = None
    if value is None or abs(value) > _LARGEST:
        raise InvalidArgumentError("number", f"{str(node.this)[:40]} cannot be computed with")
    return number(value)


def _add(node: exp.Expression, go: Go) -> Expression:
    """Numbers; a date and a number of days; a date or timestamp and an interval."""
    for moment, length in ((node.this, node.expression), (node.expression, node.this)):
        span = dates.interval(length)
        if span is not None:
            return _moved(go(moment), span)
    one, other = go(node.this), go(node.expression)
    for moment, days in ((one, other), (other, one)):
        if moment.kind is Kind.DATE and days.kind is Kind.INTEGER:
            return dates.days_later(moment, days)
    return computed("add", *alike(one, other))


def _subtract(node: exp.Expression, go: Go) -> Expression:
    """Numbers; two dates, timestamps or times; a date less a number of days; anything in time less an interval."""
    span = dates.interval(node.expression)
    if span is not None:
        return _moved(go(node.this), span.times(Fraction(-1)))
    one, other = go(node.this), go(node.expression)
    if one.kind is Kind.DATE and other.kind is Kind.INTEGER:
        return dates.days_later(one, call("negate", other))
    if {one.kind, other.kind} & {*MOMENTS, Kind.TIME}:
        return dates.difference(one, other)
    return computed("subtract", *alike(one, other))


def _moved(value: Expression, span: dates.Span) -> Expression:
    """By an interval; one that is added to an interval, or to seconds, is seconds."""
    if value.kind in MOMENTS:
        return dates.shifted(value, span)
    return call("add", value, span.seconds)


def _quotient(node: exp.Expression, go: Go) -> Expression:
    return call("quotient", go(node.this), go(node.expression))


def _between(node: exp.Expression, go: Go) -> Expression:
    value, low, high = alike(go(node.this), go(node.args["low"]), go(node.args["high"]))
    return call("and", call("at_least", value, low), call("at_most", value, high))


def _in(node: exp.Expression, go: Go) -> Expression:
    value, *options = alike(*(go(part) for part in (node.this, *node.expressions)))
    if not options or not all(isinstance(option, Literal) for option in options):
        raise InvalidArgumentError("in", "takes a list of constants")
    return call("in", value, *options)


def _is(node: exp.Expression, go: Go) -> Expression:
    value, what = go(node.this), node.expression
    if isinstance(what, exp.Null):
        return call("is_null", value)
    if isinstance(what, exp.Boolean):
        truth = call("coalesce", value, Literal(not what.this, Kind.BOOLEAN))
        return truth if what.this else call("not", truth)
    raise InvalidArgumentError("is", "takes NULL, TRUE or FALSE")


def _pattern(name: str) -> tuple[frozenset[str], Build]:
    """Patterns must be constants: a pattern from a row could be built to take for ever.

    NOT LIKE is a NOT around LIKE, or a LIKE with a mark, by the parser's version: both mean the same here.
    """

    def build(node: exp.Expression, go: Go) -> Expression:
        value, pattern = go(node.this), go(node.expression)
        if not isinstance(pattern, Literal):
            raise InvalidArgumentError(name, "takes a constant pattern")
        found = call(name, value, pattern)
        return call("not", found) if node.args.get("negate") else found

    return frozenset({"this", "expression", "negate"}), build


def _case(node: exp.Expression, go: Go) -> Expression:
    subject = node.this
    parts: list[Expression] = []
    for branch in node.args["ifs"]:
        condition = go(branch.this) if subject is None else call("equal", *alike(go(subject), go(branch.this)))
        parts += [_truth(condition), go(branch.args["true"])]
    otherwise = node.args.get("default")
    return _cases(parts, None if otherwise is None else go(otherwise))


def _if(node: exp.Expression, go: Go) -> Expression:
    otherwise = node.args.get("false")
    parts = [_truth(go(node.this)), go(node.args["true"])]
    return _cases(parts, None if otherwise is None else go(otherwise))


def _cases(parts: list[Expression], otherwise: Expression | None) -> Expression:
    """Branches of one kind."""
    values = [*parts[1::2], *([] if otherwise is None else [otherwise])]
    families = {Kind.NUMBER if value.kind is Kind.INTEGER else value.kind for value in values if not _null(value)}
    if len(families) > 1:
        raise InvalidArgumentError("case", "must give values of one kind")
    return call("case", *parts, *([] if otherwise is None else [otherwise]))


def _truth(condition: Expression) -> Expression:
    if condition.kind is not Kind.BOOLEAN:
        raise InvalidArgumentError("case", f"takes conditions, not {condition.kind.value}")
    return condition


def _round(node: exp.Expression, go: Go) -> Expression:
    places = node.args.get("decimals")
    return call("round", go(node.this), number(0) if places is None else go(places))


def _substring(node: exp.Expression, go: Go) -> Expression:
    length = node.args.get("length")
    return call("substring", go(node.this), go(node.args.get("start")), number(2**31) if length is None else go(length))


def _concat(node: exp.Expression, go: Go) -> Expression:
    """The function CONCAT skips NULLs, which is to join empty texts."""
    return call("concat", *(call("coalesce", go(part), Literal("", Kind.TEXT)) for part in node.expressions))


def _extract(node: exp.Expression, go: Go) -> Expression:
    return dates.part(node.this.name, go(node.expression))


def _part(unit: str) -> tuple[frozenset[str], Build]:
    """A function that is called after what it takes out of a date."""
    return _THIS, lambda node, go: dates.part(unit, go(node.this))


def _truncated(node: exp.Expression, go: Go) -> Expression:
    return dates.cut(node.args["unit"].name, go(node.this))


def _boundaries(node: exp.Expression, go: Go) -> Expression:
    return dates.boundaries(node.args["unit"].name, go(node.expression), go(node.this))


def _format(*, letters: bool) -> tuple[frozenset[str], Build]:
    return frozenset({"this", "format"}), lambda node, go: dates.formatted(
        go(node.this), go(node.args.get("format")), letters=letters
    )


def _name_of(pattern: str) -> tuple[frozenset[str], Build]:
    """The name of a day or a month."""
    return _THIS, lambda node, go: call("format", go(node.this), Literal(pattern, Kind.TEXT))


def _last_day(node: exp.Expression, go: Go) -> Expression:
    """The last day of a month is the one before the next month."""
    start = dates.shifted(dates.cut("month", go(node.this)), dates.Span(1, 0))
    return _to(Kind.DATE, dates.shifted(start, dates.Span(0, -DAY)))


def _date(node: exp.Expression, go: Go) -> Expression:
    return _to(Kind.DATE, go(node.this))


def _interval(node: exp.Expression, _: object) -> Expression:
    """An interval that stands alone is a number of seconds, as differences of timestamps are."""
    span = dates.interval(node)
    if span is None:
        raise InvalidArgumentError("interval", "must be a constant, as INTERVAL '3 days'")
    return span.seconds


def _cast(node: exp.Expression, go: Go) -> Expression:
    """Casts never raise: what cannot be cast is NULL. A constant date or timestamp is read now."""
    if (span := dates.interval(node)) is not None:
        return span.seconds
    if node.args["to"].this is exp.DataType.Type.DECIMAL:
        return _decimal(node.args["to"], go(node.this))
    kind = _TYPES.get(node.args["to"].this)
    if kind is None or node.args["to"].expressions:
        names = "INTEGER, BIGINT, DOUBLE, VARCHAR, DATE, TIMESTAMP, TIME or BOOLEAN"
        raise InvalidArgumentError("cast", f"takes {names}")
    return _to(kind, go(node.this))


def _decimal(to: exp.Expression, value: Expression) -> Expression:
    """A number rounded to so many places; one that has more digits than the type is NULL."""
    digits, places = (int(part.name) for part in to.expressions)
    rounded = call("round", _to(Kind.NUMBER, value), number(min(places, 15)))
    fits = call("less", call("absolute", rounded), number(10 ** (digits - places)))
    return call("case", fits, rounded)


def _to(kind: Kind, value: Expression) -> Expression:
    """A value as one of another kind."""
    if value.kind is kind:
        return value
    if isinstance(value, Literal) and value.value is None:
        return Literal(None, kind)
    if isinstance(value, Literal) and value.kind is Kind.TEXT and kind in _READ:
        return dates.read(value, kind)
    if isinstance(value, Literal) and isinstance(value.value, datetime) and kind is Kind.DATE:
        return Literal(value.value.date(), Kind.DATE)
    if kind is Kind.TIMESTAMP and value.kind is Kind.DATE:
        return dates.moment(value)
    return call(f"to_{kind.value}", value)


_READ = (*MOMENTS, Kind.TIME)


def _negate(node: exp.Expression, go: Go) -> Expression:
    value = go(node.this)
    if isinstance(value, Literal) and isinstance(value.value, Fraction):
        return number(-value.value)
    return call("negate", value)


def _null(value: Expression) -> bool:
    return isinstance(value, Literal) and value.value is None


def _unknown(node: exp.Expression) -> Refused:
    """Why a node has no meaning here."""
    place = position(node)
    if isinstance(node, exp.Star):
        return Refused(
            "rows", "Single rows are never shown, only statistics.", "Use COUNT(*), SUM(...), AVG(...).", place
        )
    if isinstance(node, exp.Subquery | exp.Select | exp.Exists):
        hint = "Join it, or look for the unit: unit IN (SELECT unit ...)."
        return Refused("subquery", "A subquery is not allowed here.", hint, place)
    if isinstance(node, exp.Window):
        return Refused("window", "Window functions are not supported on private rows.", "Use GROUP BY.", place)
    if isinstance(node, exp.AggFunc):
        hint = "Use aggregates in SELECT, HAVING or ORDER BY, and not inside another one."
        return Refused("unknown-aggregate", f"{spelled(node)} is not allowed here.", hint, place)
    name = spelled(node)
    return Refused("unknown-function", f"{name} is not on the list of functions.", instead(name, node, _KNOWN), place)


def _different(node: exp.Expression, go: Go) -> Expression:
    return call("not", call("same", *alike(go(node.this), go(node.expression))))


def _matching(node: exp.Expression, go: Go) -> Expression:
    """A function finds a pattern anywhere. What ~ does depends on the database, unless the pattern says itself."""
    value, pattern = go(node.this), go(node.expression)
    found = call("matches", value, pattern)
    if "start" not in node.meta and not texts.anchored(texts.constant("pattern", pattern)):
        raise InvalidArgumentError(
            "~", "finds a pattern anywhere in PostgreSQL, and in DuckDB only as a whole; write regexp_matches(x, '...')"
        )
    return found


def _fully_matching(node: exp.Expression, go: Go) -> Expression:
    return call("matches_fully", go(node.this), go(node.expression))


def _trim(node: exp.Expression, go: Go) -> Expression:
    side = {"LEADING": "_start", "TRAILING": "_end"}.get(str(node.args.get("position") or "").upper(), "")
    characters = node.args.get("expression")
    if characters is None:
        return call(f"trim{side}", go(node.this))
    return call(f"trim{side}_characters", go(node.this), go(characters))


def _replace(node: exp.Expression, go: Go) -> Expression:
    return call("replace", go(node.this), go(node.expression), go(node.args.get("replacement")))


def _pad(node: exp.Expression, go: Go) -> Expression:
    filling = node.args.get("fill_pattern")
    side = "left" if node.args.get("is_left") else "right"
    return call(
        f"fill_{side}", go(node.this), go(node.expression), Literal(" ", Kind.TEXT) if filling is None else go(filling)
    )


def _split_part(node: exp.Expression, go: Go) -> Expression:
    return call("split_part", go(node.this), go(node.args["delimiter"]), go(node.args["part_index"]))


def _left(node: exp.Expression, go: Go) -> Expression:
    value, length = go(node.this), go(node.expression)
    texts.places("length", length, least=0, most=2**31 - 1)
    return call("substring", value, number(1), length)


def _right(node: exp.Expression, go: Go) -> Expression:
    return call("last", go(node.this), go(node.expression))


def _position(node: exp.Expression, go: Go) -> Expression:
    return call("position", go(node.this), go(node.args["substr"]))


def _concat_with(node: exp.Expression, go: Go) -> Expression:
    return call("concat_with", *(go(part) for part in node.expressions))


def _log(node: exp.Expression, go: Go) -> Expression:
    """To base 10, as both dialects mean it, unless another base stands before."""
    if node.expression is None:
        return call("log_10", go(node.this))
    base = go(node.this)
    name = {"2": "log_2", "10": "log_10"}.get(str(base.value) if isinstance(base, Literal) else "")
    if name is None:
        raise InvalidArgumentError("log", "takes base 2 or 10; write LN(x) / LN(base)")
    return call(name, go(node.expression))


def _bucket(node: exp.Expression, go: Go) -> Expression:
    """Of a constant width."""
    span = dates.interval(node.this)
    if span is None or span.months:
        raise InvalidArgumentError("width", "must be an interval of days or shorter; of months, write DATE_TRUNC")
    return call("bucket", dates.moment(go(node.expression)), number(span.microseconds))


def _named(node: exp.Expression, go: Go) -> Expression:
    """Functions that the parser has no word of its own for."""
    name = NAMED.get(node.name.lower())
    if name is None:
        raise _unknown(node)
    return call(name, *(go(part) for part in node.expressions))


def _said(error: InvalidArgumentError, node: exp.Expression) -> tuple[str, str]:
    """What is wrong, in the question's own words, and what to write instead."""
    what = str(error).removeprefix(error.argument).strip()
    name = spelled(node) if error.argument in FUNCTIONS else error.argument[:1].upper() + error.argument[1:]
    reason, _, hint = f"{name} {what}".partition("; ")
    hint = hint or "Cast it, as CAST(column AS INTEGER), or use another column"
    return f"{reason}.", f"{hint[0].upper()}{hint[1:]}."


NAMED = {"strlen": "byte_length", "octet_length": "byte_length"}

_TYPES = {
    exp.DataType.Type.INT: Kind.INTEGER,
    exp.DataType.Type.BIGINT: Kind.INTEGER,
    exp.DataType.Type.SMALLINT: Kind.INTEGER,
    exp.DataType.Type.DOUBLE: Kind.NUMBER,
    exp.DataType.Type.FLOAT: Kind.NUMBER,
    exp.DataType.Type.TEXT: Kind.TEXT,
    exp.DataType.Type.VARCHAR: Kind.TEXT,
    exp.DataType.Type.DATE: Kind.DATE,
    exp.DataType.Type.TIMESTAMP: Kind.TIMESTAMP,
    exp.DataType.Type.TIMESTAMPNTZ: Kind.TIMESTAMP,
    exp.DataType.Type.DATETIME: Kind.TIMESTAMP,
    exp.DataType.Type.TIME: Kind.TIME,
    exp.DataType.Type.BOOLEAN: Kind.BOOLEAN,
}

_THIS = frozenset({"this"})
_RULES: dict[type[exp.Expression], tuple[frozenset[str], Build]] = {
    exp.Literal: (_THIS, _literal),
    exp.Boolean: (_THIS, lambda node, _: Literal(bool(node.this), Kind.BOOLEAN)),
    exp.Null: (frozenset(), lambda _node, _go: Literal(None, Kind.NUMBER)),
    exp.Paren: (_THIS, lambda node, go: go(node.this)),
    exp.Alias: (frozenset({"this", "alias"}), lambda node, go: go(node.this)),
    exp.Add: (frozenset({"this", "expression"}), _add),
    exp.Sub: (frozenset({"this", "expression"}), _subtract),
    exp.Mul: _binary("multiply"),
    exp.Div: _binary("divide"),
    exp.IntDiv: (frozenset({"this", "expression"}), _quotient),
    exp.Mod: _binary("remainder"),
    exp.Pow: _binary("power"),
    exp.Neg: (_THIS, _negate),
    exp.Abs: _unary("absolute"),
    exp.Sign: _unary("sign"),
    exp.Floor: _unary("floor"),
    exp.Ceil: _unary("ceiling"),
    exp.Round: (frozenset({"this", "decimals"}), _round),
    exp.Sqrt: _unary("sqrt"),
    exp.Ln: _unary("ln"),
    exp.Log: (frozenset({"this", "expression"}), _log),
    exp.Cbrt: _unary("cube_root"),
    exp.Trunc: _unary("truncate"),
    exp.DateBin: (frozenset({"this", "expression"}), _bucket),
    exp.Anonymous: (frozenset({"this", "expressions"}), _named),
    exp.Exp: _unary("exp"),
    exp.Least: _several("least"),
    exp.Greatest: _several("greatest"),
    exp.Coalesce: _several("coalesce"),
    exp.Nullif: _binary("nullif"),
    exp.EQ: _binary("equal"),
    exp.NEQ: _binary("unequal"),
    exp.LT: _binary("less"),
    exp.LTE: _binary("at_most"),
    exp.GT: _binary("more"),
    exp.GTE: _binary("at_least"),
    exp.Between: (frozenset({"this", "low", "high"}), _between),
    exp.In: (frozenset({"this", "expressions"}), _in),
    exp.Is: (frozenset({"this", "expression"}), _is),
    exp.And: _binary("and"),
    exp.Or: _binary("or"),
    exp.Not: _unary("not"),
    exp.Case: (frozenset({"this", "ifs", "default"}), _case),
    exp.If: (frozenset({"this", "true", "false"}), _if),
    exp.NullSafeEQ: _binary("same"),
    exp.NullSafeNEQ: (frozenset({"this", "expression"}), _different),
    exp.Like: _pattern("like"),
    exp.ILike: _pattern("like_any_case"),
    exp.RegexpLike: (frozenset({"this", "expression"}), _matching),
    exp.RegexpFullMatch: (frozenset({"this", "expression"}), _fully_matching),
    exp.EndsWith: _pattern("ends_with"),
    exp.StartsWith: _pattern("starts_with"),
    exp.Contains: _pattern("contains"),
    exp.Lower: _unary("lower"),
    exp.Upper: _unary("upper"),
    exp.Trim: (frozenset({"this", "expression", "position"}), _trim),
    exp.Replace: (frozenset({"this", "expression", "replacement"}), _replace),
    exp.Pad: (frozenset({"this", "expression", "fill_pattern", "is_left"}), _pad),
    exp.SplitPart: (frozenset({"this", "delimiter", "part_index"}), _split_part),
    exp.Left: (frozenset({"this", "expression"}), _left),
    exp.Right: (frozenset({"this", "expression"}), _right),
    exp.Reverse: _unary("reverse"),
    exp.StrPosition: (frozenset({"this", "substr"}), _position),
    exp.ConcatWs: (frozenset({"expressions"}), _concat_with),
    exp.Length: _unary("length"),
    exp.Substring: (frozenset({"this", "start", "length"}), _substring),
    exp.DPipe: _binary("concat"),
    exp.Concat: (frozenset({"expressions"}), _concat),
    exp.Extract: (frozenset({"this", "expression"}), _extract),
    exp.Year: _part("year"),
    exp.Quarter: _part("quarter"),
    exp.Month: _part("month"),
    exp.Week: _part("week"),
    exp.WeekOfYear: _part("week"),
    exp.Day: _part("day"),
    exp.DayOfMonth: _part("day"),
    exp.DayOfYear: _part("doy"),
    exp.DayOfWeek: _part("dow"),
    exp.DayOfWeekIso: _part("isodow"),
    exp.Hour: _part("hour"),
    exp.Minute: _part("minute"),
    exp.Second: _part("second"),
    exp.TimeToUnix: _part("epoch"),
    exp.Date: (_THIS, _date),
    exp.TsOrDsToDate: (_THIS, _date),
    exp.LastDay: (_THIS, _last_day),
    exp.Dayname: _name_of("%A"),
    exp.Monthname: _name_of("%B"),
    exp.TimeToStr: _format(letters=False),
    exp.ToChar: _format(letters=True),
    exp.DateAdd: (frozenset({"this", "expression"}), _add),
    exp.DateSub: (frozenset({"this", "expression"}), _subtract),
    exp.DateDiff: (frozenset({"this", "expression", "unit", "date_part_boundary"}), _boundaries),
    exp.Interval: (frozenset({"this", "unit"}), _interval),
    exp.TimestampTrunc: (frozenset({"this", "unit"}), _truncated),
    exp.DateTrunc: (frozenset({"this", "unit"}), _truncated),
    exp.Cast: (frozenset({"this", "to"}), _cast),
    exp.TryCast: (frozenset({"this", "to"}), _cast),
}
"""For each kind of node: the arguments that have a meaning, and what it means."""

_KNOWN = tuple(name for rule in _RULES if issubclass(rule, exp.Func) for name in rule.sql_names())
"""What functions are called, for hints."""
