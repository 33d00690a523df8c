"""Ends of intervals as SQL: what surely follows from the ends of what an expression is made of.

Interval arithmetic, written into the statement itself: if every noisy number lies within its own interval, so does what
is computed from them, row by row. What is not known to keep that is not carried.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace

from sqlglot import exp

_LARGEST = 400
"""Parts of an expression for one end; an interval of more is left out."""
_OPEN = "NaN"
"""What an end is that nobody knows, until the last step."""
Ends = Callable[[int], tuple[exp.Expression, exp.Expression]]
"""Low and high, for so many noisy numbers that must hold together."""


@dataclass(frozen=True, slots=True)
class Value:
    """What is known of an expression: the noisy numbers that it rests on, and its ends."""

    rests: frozenset[Hashable] | None
    """None: on noise in a way that no interval follows; empty: on none."""
    ends: Ends
    number: bool = True
    """Whether arithmetic keeps its ends; those of a date are only passed on."""
    size: int = 1
    sign: int = 0
    """Of a number that is written in the statement; 0 of anything else."""

    @property
    def exact(self) -> bool:
        """Whether no noise is in it."""
        return self.rests == frozenset()

    @property
    def carried(self) -> bool:
        """Whether it has an interval."""
        return bool(self.rests)


def constant(node: exp.Expression, *, number: bool = True) -> Value:
    """The ends of a constant, which is known without doubt."""
    return Value(frozenset(), lambda _level: (node.copy(), node.copy()), number=number, sign=_sign(node))


def _sign(node: exp.Expression) -> int:
    if isinstance(node, exp.Paren | exp.Neg):
        return _sign(node.this) * (-1 if isinstance(node, exp.Neg) else 1)
    written = isinstance(node, exp.Literal) and not node.is_string
    return 1 if written and str(node.this).strip("0.") else 0


def lost(node: exp.Expression) -> Value:
    """Noisy, and nobody knows how far."""
    return Value(None, lambda _level: (node.copy(), node.copy()))


def combined(node: exp.Expression, parts: list[Value]) -> Value:
    """What an operation or a function makes of its arguments."""
    rule = _RULES.get(type(node))
    rests = frozenset().union(*(part.rests or () for part in parts))
    known = all(part.rests is not None and part.number for part in parts)
    if rule is None or not known or not rests:
        return lost(node)
    found = rule(node, parts)
    if found is None or found.size > _LARGEST:
        return lost(node)
    return replace(found, rests=rests)


def _sum(_node: exp.Expression, parts: list[Value]) -> Value:
    one, other = parts
    return _pair(
        parts, lambda level: (_add(one.ends(level)[0], other.ends(level)[0]), _add(*_highs(one, other, level)))
    )


def _difference(_node: exp.Expression, parts: list[Value]) -> Value:
    def ends(level: int) -> tuple[exp.Expression, exp.Expression]:
        (low, high), (least, most) = (part.ends(level) for part in parts)
        pairs = ((low, most), (high, least))
        one, other = (exp.Sub(this=exp.paren(end), expression=exp.paren(away)) for end, away in pairs)
        return one, other

    return _pair(parts, ends)


def _product(_node: exp.Expression, parts: list[Value]) -> Value:
    factor = next((part for part in parts if part.sign), None)
    if factor is not None:
        other = parts[1 - parts.index(factor)]
        return _scaled(exp.Mul, other, factor, parts)
    return replace(_pair(parts, lambda level: _hull(_corners(exp.Mul, parts, level))), size=4 * _size(parts))


def _quotient(_node: exp.Expression, parts: list[Value]) -> Value:
    """A divisor that may be zero leaves everything open."""
    if parts[1].sign:
        return _scaled(exp.Div, parts[0], parts[1], parts)

    def ends(level: int) -> tuple[exp.Expression, exp.Expression]:
        least, most = (exp.paren(_double(end)) for end in parts[1].ends(level))
        maybe = exp.LTE(this=exp.Mul(this=least, expression=most), expression=exp.Literal.number(0))
        low, high = (
            exp.Case(ifs=[exp.If(this=maybe.copy(), true=_double(exp.Literal.string(_OPEN)))], default=end)
            for end in _hull(_corners(exp.Div, parts, level))
        )
        return low, high

    return replace(_pair(parts, ends), size=5 * _size(parts))


def _scaled(kind: type[exp.Expression], value: Value, factor: Value, parts: list[Value]) -> Value:
    """Times or by a constant whose sign is written: end by end."""

    def ends(level: int) -> tuple[exp.Expression, exp.Expression]:
        constant, _ = factor.ends(level)
        low, high = (
            kind(this=exp.paren(_double(end)), expression=exp.paren(constant.copy())) for end in value.ends(level)
        )
        return (low, high) if factor.sign > 0 else (high, low)

    return _pair(parts, ends)


def _negated(_node: exp.Expression, parts: list[Value]) -> Value:
    def ends(level: int) -> tuple[exp.Expression, exp.Expression]:
        low, high = parts[0].ends(level)
        return exp.Neg(this=exp.paren(high)), exp.Neg(this=exp.paren(low))

    return _pair(parts, ends)


def _rising(node: exp.Expression, parts: list[Value]) -> Value | None:
    """A function that never falls in its first argument goes from end to end, if the others are constants."""
    if any(not part.exact for part in parts[1:]):
        return None

    def ends(level: int) -> tuple[exp.Expression, exp.Expression]:
        found = []
        for end in parts[0].ends(level):
            copied = node.copy()
            copied.set("this", end)
            found.append(copied)
        return found[0], found[1]

    return _pair(parts, ends)


def _converted(node: exp.Expression, parts: list[Value]) -> Value | None:
    wanted = node.args["to"]
    return _rising(node, parts) if wanted.this in exp.DataType.NUMERIC_TYPES else None


def _replaced(node: exp.Expression, parts: list[Value]) -> Value | None:
    """COALESCE(x, constant): where x is NULL, the constant, which is known without doubt."""
    if len(parts) != 2 or not parts[1].exact:  # noqa: PLR2004 - a pair
        return None

    def ends(level: int) -> tuple[exp.Expression, exp.Expression]:
        gone = exp.Is(this=node.this.copy(), expression=exp.Null())
        low, high = (
            exp.Case(ifs=[exp.If(this=gone.copy(), true=instead)], default=end)
            for end, instead in zip(parts[0].ends(level), parts[1].ends(level), strict=True)
        )
        return low, high

    return _pair(parts, ends)


def _omitted(node: exp.Expression, parts: list[Value]) -> Value | None:
    """NULLIF(x, constant): where it is NULL, so are its ends."""
    if not parts[1].exact:
        return None

    def ends(level: int) -> tuple[exp.Expression, exp.Expression]:
        there = exp.Not(this=exp.Is(this=node.copy(), expression=exp.Null()))
        low, high = (exp.Case(ifs=[exp.If(this=there.copy(), true=end)]) for end in parts[0].ends(level))
        return low, high

    return _pair(parts, ends)


def _pair(parts: list[Value], ends: Ends) -> Value:
    return Value(frozenset(), ends, size=_size(parts))


def _highs(one: Value, other: Value, level: int) -> tuple[exp.Expression, exp.Expression]:
    return one.ends(level)[1], other.ends(level)[1]


def _add(one: exp.Expression, other: exp.Expression) -> exp.Expression:
    return exp.Add(this=exp.paren(one), expression=exp.paren(other))


def _corners(kind: type[exp.Expression], parts: list[Value], level: int) -> list[exp.Expression]:
    ones, others = (list(dict.fromkeys(part.ends(level))) for part in parts)
    return [
        kind(this=exp.paren(_double(one)), expression=exp.paren(_double(other))) for one in ones for other in others
    ]


def _hull(corners: list[exp.Expression]) -> tuple[exp.Expression, exp.Expression]:
    """From the lowest corner to the highest; one that is no number makes both ends none: anything is possible.

    That is why the least is the greatest with its sign changed: for DuckDB, NaN is greater than all numbers.
    """
    low = exp.Neg(this=_greatest([exp.Neg(this=exp.paren(corner.copy())) for corner in corners]))
    return low, _greatest(corners)


def _greatest(nodes: list[exp.Expression]) -> exp.Expression:
    return exp.Anonymous(this="greatest", expressions=nodes)


def _double(node: exp.Expression) -> exp.Expression:
    return exp.Cast(this=node, to=exp.DataType.build("double"))


def _size(parts: list[Value]) -> int:
    return sum(part.size for part in parts)


_RULES: dict[type[exp.Expression], Callable[[exp.Expression, list[Value]], Value | None]] = {
    exp.Add: _sum,
    exp.Sub: _difference,
    exp.Mul: _product,
    exp.Div: _quotient,
    exp.Neg: _negated,
    exp.Round: _rising,
    exp.Floor: _rising,
    exp.Ceil: _rising,
    exp.Cast: _converted,
    exp.TryCast: _converted,
    exp.Coalesce: _replaced,
    exp.Nullif: _omitted,
}
