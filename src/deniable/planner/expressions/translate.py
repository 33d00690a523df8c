"""SQL expressions to the closed algebra: every node has a meaning here, or the question is refused."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from fractions import Fraction
from typing import Protocol

from sqlglot import exp

from deniable.core.algebra.expression import Call, Expression, Kind, Literal, depth, size
from deniable.core.errors import InvalidArgumentError, Refused
from deniable.core.number import exact
from deniable.planner.expressions.decimals import exactly
from deniable.planner.expressions.functions import FUNCTIONS, MOST_CHARACTERS, call, longest, number
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
        raise Refused(
            "unsupported-form", f"This form of {_name(node)} is not supported.", "Use a simpler form.", position(node)
        )
    try:
        return _short(build(node, lambda part: meaning(part, scope)), node)
    except InvalidArgumentError as error:
        reason = f"{error.argument} {str(error).removeprefix(error.argument).strip()}."
        raise Refused(
            "type-mismatch", reason[0].upper() + reason[1:], "Cast, or use another column.", position(node)
        ) from None


def _short(value: Expression, node: exp.Expression) -> Expression:
    """A text that is put together, if it can be no longer than any may be, whatever the rows hold."""
    if isinstance(value, Call) and value.function == "concat" and longest(value) > MOST_CHARACTERS:
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
    return frozenset({"this", "expression"}), lambda node, go: exactly(
        name, *_alike(go(node.this), go(node.expression))
    )


def _unary(name: str) -> tuple[frozenset[str], Build]:
    return frozenset({"this"}), lambda node, go: exactly(name, go(node.this))


def _several(name: str) -> tuple[frozenset[str], Build]:
    def build(node: exp.Expression, go: Go) -> Expression:
        return call(name, *_alike(*(go(part) for part in (node.this, *node.expressions))))

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


def _subtract(node: exp.Expression, go: Go) -> Expression:
    """Numbers, or two dates, whose difference is in days."""
    one, other = _alike(go(node.this), go(node.expression))
    if one.kind is Kind.DATE and other.kind is Kind.DATE:
        one, other = call("days", one), call("days", other)
    return call("subtract", one, other)


def _quotient(node: exp.Expression, go: Go) -> Expression:
    return call("quotient", go(node.this), go(node.expression))


def _between(node: exp.Expression, go: Go) -> Expression:
    value, low, high = _alike(go(node.this), go(node.args["low"]), go(node.args["high"]))
    return call("and", exactly("at_least", value, low), exactly("at_most", value, high))


def _in(node: exp.Expression, go: Go) -> Expression:
    value, *options = _alike(*(go(part) for part in (node.this, *node.expressions)))
    if not options or not all(isinstance(option, Literal) for option in options):
        raise InvalidArgumentError("in", "takes a list of constants")
    return exactly("in", value, *options)


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
        condition = go(branch.this) if subject is None else exactly("equal", *_alike(go(subject), go(branch.this)))
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
    return exactly("round", go(node.this), number(0) if places is None else go(places))


def _substring(node: exp.Expression, go: Go) -> Expression:
    length = node.args.get("length")
    return call("substring", go(node.this), go(node.args.get("start")), number(2**31) if length is None else go(length))


def _concat(node: exp.Expression, go: Go) -> Expression:
    """The function CONCAT skips NULLs, which is to join empty texts."""
    return call("concat", *(call("coalesce", go(part), Literal("", Kind.TEXT)) for part in node.expressions))


def _part(unit: str, value: Expression) -> Expression:
    name = {"YEAR": "year", "QUARTER": "quarter", "MONTH": "month", "DAY": "day", "ISODOW": "weekday"}.get(unit.upper())
    if name is None:
        raise InvalidArgumentError("extract", "takes YEAR, QUARTER, MONTH, DAY or ISODOW")
    return call(name, value)


def _extract(node: exp.Expression, go: Go) -> Expression:
    return _part(node.this.name, go(node.expression))


def _truncated(node: exp.Expression, go: Go) -> Expression:
    unit = node.args["unit"].name.lower()
    if f"truncate_{unit}" not in FUNCTIONS:
        raise InvalidArgumentError("date_trunc", "takes 'year', 'quarter', 'month' or 'week'")
    return call(f"truncate_{unit}", go(node.this))


def _cast(node: exp.Expression, go: Go) -> Expression:
    """Casts never raise: what cannot be cast is NULL. A date constant is read now."""
    kind = _TYPES.get(node.args["to"].this)
    if kind is None or node.args["to"].expressions:
        raise InvalidArgumentError("cast", "takes INTEGER, BIGINT, DOUBLE, VARCHAR, DATE or BOOLEAN")
    value = go(node.this)
    if value.kind is kind:
        return value
    if kind is Kind.DATE and isinstance(value, Literal):
        return _date(value)
    return exactly(f"to_{kind.value}", value)


def _negate(node: exp.Expression, go: Go) -> Expression:
    value = go(node.this)
    if isinstance(value, Literal) and isinstance(value.value, Fraction):
        return number(-value.value)
    return call("negate", value)


def _alike(*values: Expression) -> tuple[Expression, ...]:
    """A text constant beside a date is a date."""
    if any(value.kind is Kind.DATE for value in values):
        return tuple(
            _date(value) if isinstance(value, Literal) and value.kind is Kind.TEXT else value for value in values
        )
    return values


def _date(value: Literal) -> Literal:
    try:
        return Literal(date.fromisoformat(str(value.value)), Kind.DATE)
    except ValueError:
        raise InvalidArgumentError("date", f"{value.value!r} must be written as YYYY-MM-DD") from None


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
        hint = "Join it, or look for people: person IN (SELECT person ...)."
        return Refused("subquery", "A subquery is not allowed here.", hint, place)
    if isinstance(node, exp.Window):
        return Refused("window", "Window functions are not supported on private rows.", "Use GROUP BY.", place)
    if isinstance(node, exp.AggFunc):
        hint = "Use aggregates in SELECT, HAVING or ORDER BY, and not inside another one."
        return Refused("unknown-aggregate", f"{_name(node)} is not allowed here.", hint, place)
    return Refused("unknown-function", f"{_name(node)} is not a supported function.", "See docs/sql.md", place)


def _name(node: exp.Expression) -> str:
    """What to call a node in a message."""
    return node.name.upper() if isinstance(node, exp.Anonymous) else node.key.upper()


_TYPES = {
    exp.DataType.Type.INT: Kind.INTEGER,
    exp.DataType.Type.BIGINT: Kind.INTEGER,
    exp.DataType.Type.SMALLINT: Kind.INTEGER,
    exp.DataType.Type.DOUBLE: Kind.NUMBER,
    exp.DataType.Type.FLOAT: Kind.NUMBER,
    exp.DataType.Type.TEXT: Kind.TEXT,
    exp.DataType.Type.VARCHAR: Kind.TEXT,
    exp.DataType.Type.DATE: Kind.DATE,
    exp.DataType.Type.BOOLEAN: Kind.BOOLEAN,
}

_THIS = frozenset({"this"})
_RULES: dict[type[exp.Expression], tuple[frozenset[str], Build]] = {
    exp.Literal: (_THIS, _literal),
    exp.Boolean: (_THIS, lambda node, _: Literal(bool(node.this), Kind.BOOLEAN)),
    exp.Null: (frozenset(), lambda _node, _go: Literal(None, Kind.NUMBER)),
    exp.Paren: (_THIS, lambda node, go: go(node.this)),
    exp.Alias: (frozenset({"this", "alias"}), lambda node, go: go(node.this)),
    exp.Add: _binary("add"),
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
    exp.Like: _pattern("like"),
    exp.StartsWith: _pattern("starts_with"),
    exp.Contains: _pattern("contains"),
    exp.Lower: _unary("lower"),
    exp.Upper: _unary("upper"),
    exp.Trim: _unary("trim"),
    exp.Length: _unary("length"),
    exp.Substring: (frozenset({"this", "start", "length"}), _substring),
    exp.DPipe: _binary("concat"),
    exp.Concat: (frozenset({"expressions"}), _concat),
    exp.Extract: (frozenset({"this", "expression"}), _extract),
    exp.Year: _unary("year"),
    exp.Quarter: _unary("quarter"),
    exp.Month: _unary("month"),
    exp.Day: _unary("day"),
    exp.DayOfWeekIso: _unary("weekday"),
    exp.TimestampTrunc: (frozenset({"this", "unit"}), _truncated),
    exp.DateTrunc: (frozenset({"this", "unit"}), _truncated),
    exp.Cast: (frozenset({"this", "to"}), _cast),
    exp.TryCast: (frozenset({"this", "to"}), _cast),
}
"""For each kind of node: the arguments that have a meaning, and what it means."""
