"""SQL expressions to the closed algebra: every node has a meaning here, or the question is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol

from sqlglot import exp

from deniable.core.algebra.expression import Call, Expression, Kind, Literal, depth, size
from deniable.core.errors import InvalidArgumentError, Refused
from deniable.core.number import exact
from deniable.planner.expressions import calendar_rules, text_rules
from deniable.planner.expressions.allow_list import FUNCTIONS, longest
from deniable.planner.expressions.conversions import alike
from deniable.planner.expressions.decimals import exactly
from deniable.planner.expressions.functions import call, number
from deniable.planner.expressions.rules import COMPARISONS, PAIR, THIS, Go, Rule, binary, compared, several, unary
from deniable.planner.expressions.texts import MOST_CHARACTERS
from deniable.planner.parse import position
from deniable.planner.wording.own_words import instead, spelled
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

_LARGEST = 10**300
_MOST_PARTS = 10_000
"""Of one expression: a name can stand for many parts, and be written many times."""
_DEEPEST = 110
"""A name can stand for another that stands for another; whoever spells it comes back up through all of them."""


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


def _quotient(node: exp.Expression, go: Go) -> Expression:
    return call("quotient", go(node.this), go(node.expression))


def _between(node: exp.Expression, go: Go) -> Expression:
    value, low, high = alike(go(node.this), go(node.args["low"]), go(node.args["high"]))
    return call("and", exactly("at_least", value, low), exactly("at_most", value, high))


def _in(node: exp.Expression, go: Go) -> Expression:
    value, *options = alike(*(go(part) for part in (node.this, *node.expressions)))
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


def _case(node: exp.Expression, go: Go) -> Expression:
    subject = node.this
    parts: list[Expression] = []
    for branch in node.args["ifs"]:
        condition = go(branch.this) if subject is None else exactly("equal", *alike(go(subject), go(branch.this)))
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
    if isinstance(node, exp.Placeholder | exp.Parameter):
        hint = 'Give params=[...] for ? and $1, or params={"name": ...} for :name.'
        return Refused("bad-parameters", "There is no value for this parameter.", hint, place)
    if isinstance(node, exp.Subquery | exp.Select | exp.Exists):
        hint = "Join it, or look for people: person IN (SELECT person ...)."
        return Refused("subquery", "A subquery is not allowed here.", hint, place)
    if isinstance(node, exp.Window):
        return Refused("window", "Window functions are not supported on private rows.", "Use GROUP BY.", place)
    if isinstance(node, exp.AggFunc):
        hint = "Use aggregates in SELECT, HAVING or ORDER BY, and not inside another one."
        return Refused("unknown-aggregate", f"{spelled(node)} is not allowed here.", hint, place)
    name = spelled(node)
    return Refused("unknown-function", f"{name} is not on the list of functions.", instead(name, node, _KNOWN), place)


def _different(node: exp.Expression, go: Go) -> Expression:
    return call("not", exactly("same", *alike(go(node.this), go(node.expression))))


def _log(node: exp.Expression, go: Go) -> Expression:
    """To base 10, as both dialects mean it, unless another base stands before."""
    if node.expression is None:
        return call("log_10", go(node.this))
    base = go(node.this)
    name = {"2": "log_2", "10": "log_10"}.get(str(base.value) if isinstance(base, Literal) else "")
    if name is None:
        raise InvalidArgumentError("log", "takes base 2 or 10; write LN(x) / LN(base)")
    return call(name, go(node.expression))


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


_RULES: dict[type[exp.Expression], Rule] = {
    exp.Literal: (THIS, _literal),
    exp.Boolean: (THIS, lambda node, _: Literal(bool(node.this), Kind.BOOLEAN)),
    exp.Null: (frozenset(), lambda _node, _go: Literal(None, Kind.NUMBER)),
    exp.Paren: (THIS, lambda node, go: go(node.this)),
    exp.Alias: (frozenset({"this", "alias"}), lambda node, go: go(node.this)),
    exp.Mul: binary("multiply"),
    exp.Div: binary("divide"),
    exp.IntDiv: (PAIR, _quotient),
    exp.Mod: binary("remainder"),
    exp.Pow: binary("power"),
    exp.Neg: (THIS, _negate),
    exp.Abs: unary("absolute"),
    exp.Sign: unary("sign"),
    exp.Floor: unary("floor"),
    exp.Ceil: unary("ceiling"),
    exp.Round: (frozenset({"this", "decimals"}), _round),
    exp.Sqrt: unary("sqrt"),
    exp.Ln: unary("ln"),
    exp.Log: (PAIR, _log),
    exp.Cbrt: unary("cube_root"),
    exp.Trunc: unary("truncate"),
    exp.Anonymous: (frozenset({"this", "expressions"}), _named),
    exp.Exp: unary("exp"),
    exp.Least: several("least"),
    exp.Greatest: several("greatest"),
    exp.Coalesce: several("coalesce"),
    exp.Nullif: binary("nullif"),
    **{kind: compared(*names) for kind, names in COMPARISONS.items()},
    exp.Between: (frozenset({"this", "low", "high"}), _between),
    exp.In: (frozenset({"this", "expressions"}), _in),
    exp.Is: (PAIR, _is),
    exp.And: binary("and"),
    exp.Or: binary("or"),
    exp.Not: unary("not"),
    exp.Case: (frozenset({"this", "ifs", "default"}), _case),
    exp.If: (frozenset({"this", "true", "false"}), _if),
    exp.NullSafeEQ: binary("same"),
    exp.NullSafeNEQ: (PAIR, _different),
    **calendar_rules.RULES,
    **text_rules.RULES,
}
"""For each kind of node: the arguments that have a meaning, and what it means."""

_KNOWN = tuple(name for rule in _RULES if issubclass(rule, exp.Func) for name in rule.sql_names())
"""What functions are called, for hints."""
