"""What SQL writes about texts."""

from __future__ import annotations

from sqlglot import exp

from deniable.core.algebra.expression import Expression, Kind, Literal
from deniable.core.errors import InvalidArgumentError
from deniable.planner.expressions import texts
from deniable.planner.expressions.functions import call, number
from deniable.planner.expressions.rules import PAIR, Go, Rule, unary


def _pattern(name: str) -> Rule:
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


def _substring(node: exp.Expression, go: Go) -> Expression:
    length = node.args.get("length")
    return call("substring", go(node.this), go(node.args.get("start")), number(2**31) if length is None else go(length))


def _concat(node: exp.Expression, go: Go) -> Expression:
    """The function CONCAT skips NULLs, which is to join empty texts."""
    return call("concat", *(call("coalesce", go(part), Literal("", Kind.TEXT)) for part in node.expressions))


def _joined(node: exp.Expression, go: Go) -> Expression:
    """Whatever is beside a text is written as one."""
    parts = [go(node.this), go(node.expression)]
    return call("concat", *(part if part.kind is Kind.TEXT else call("to_text", part) for part in parts))


def _concat_with(node: exp.Expression, go: Go) -> Expression:
    return call("concat_with", *(go(part) for part in node.expressions))


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


RULES: dict[type[exp.Expression], Rule] = {
    exp.Like: _pattern("like"),
    exp.ILike: _pattern("like_any_case"),
    exp.RegexpLike: (PAIR, _matching),
    exp.RegexpFullMatch: (PAIR, _fully_matching),
    exp.EndsWith: _pattern("ends_with"),
    exp.StartsWith: _pattern("starts_with"),
    exp.Contains: _pattern("contains"),
    exp.Lower: unary("lower"),
    exp.Upper: unary("upper"),
    exp.Trim: (frozenset({"this", "expression", "position"}), _trim),
    exp.Replace: (frozenset({"this", "expression", "replacement"}), _replace),
    exp.Pad: (frozenset({"this", "expression", "fill_pattern", "is_left"}), _pad),
    exp.SplitPart: (frozenset({"this", "delimiter", "part_index"}), _split_part),
    exp.Left: (PAIR, _left),
    exp.Right: (PAIR, _right),
    exp.Reverse: unary("reverse"),
    exp.StrPosition: (frozenset({"this", "substr"}), _position),
    exp.ConcatWs: (frozenset({"expressions"}), _concat_with),
    exp.Length: unary("length"),
    exp.Substring: (frozenset({"this", "start", "length"}), _substring),
    exp.DPipe: (PAIR, _joined),
    exp.Concat: (frozenset({"expressions"}), _concat),
}
