"""What the conditions of a question leave of a key: which values, within which range, and whether it can be NULL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor

from deniable.core.algebra.expression import Call, Column, Expression, Kind, Literal, Range
from deniable.planner.expressions.functions import call
from deniable.planner.expressions.keys.key import Domain, plain
from deniable.planner.work import spend


def conjuncts(where: Expression | None) -> Iterable[Expression]:
    """The conditions that all rows satisfy."""
    if isinstance(where, Call) and where.function == "and":
        for part in where.arguments:
            yield from conjuncts(part)
    elif where is not None:
        yield where


@dataclass(frozen=True, slots=True)
class KnownKey:
    """What conditions have said about a key so far."""

    value: Expression
    """The key, with the range that is left."""
    listed: Domain | None
    """Its values, where the question lists them."""
    present: bool
    """Whether it cannot be NULL."""


def known_of(key: Expression, conditions: Sequence[Expression], known: KnownKey) -> KnownKey:
    """What all conditions together say about a key."""
    for condition in conditions:
        known = _narrow(condition, key, known)
    return known


def narrowed(value: Expression, conditions: Sequence[Expression]) -> Expression:
    """An expression with the ranges that conditions leave to what it is computed from."""
    if not isinstance(value, Call) or value.function in ("case", "coalesce") or not conditions:
        return value
    spend()
    parts = []
    for part in value.arguments:
        known = known_of(part, conditions, KnownKey(narrowed(part, conditions), listed=None, present=False))
        if _empty(known.value.range):  # conditions that contradict each other
            return value
        left = known.value
        parts.append(replace(left, nullable=False) if known.present and not isinstance(left, Literal) else left)
    if tuple(parts) == value.arguments:
        return value
    found = call(value.function, *parts)
    return found if found.kind is value.kind else value


def _empty(within: Range) -> bool:
    return within.low is not None and within.high is not None and within.low > within.high


def _narrow(condition: Expression, key: Expression, known: KnownKey) -> KnownKey:
    """What a condition on the key itself says about its values."""
    match condition:
        case Call(function="not", arguments=(Call(function="is_null", arguments=(one,)),)) if one == key:
            return replace(known, present=True)
    if not isinstance(condition, Call) or condition.arguments[0] != key:
        return known
    constants = [argument for argument in condition.arguments[1:] if isinstance(argument, Literal)]
    if len(constants) < len(condition.arguments) - 1:
        return known
    if condition.function in ("in", "equal"):
        options = tuple(plain(constant) for constant in constants)
        kept = options if known.listed is None else tuple(option for option in known.listed if option in options)
        return KnownKey(known.value, kept, present=True)
    if (
        condition.function in _COMPARISONS
        and not isinstance(known.value, Literal)
        and constants[0].range.low is not None
    ):
        return KnownKey(_cut(known.value, condition.function, constants[0].range.low), known.listed, present=True)
    return known


_COMPARISONS = ("less", "at_most", "more", "at_least")


def _cut(value: Column | Call, comparison: str, end: Fraction) -> Expression:
    """The same expression with a narrower range; strict comparisons cut whole numbers one further."""
    low, high = value.range.low, value.range.high
    if comparison in ("less", "at_most"):
        limit = (
            Fraction(ceil(end) - 1 if comparison == "less" else floor(end)) if value.kind is not Kind.NUMBER else end
        )
        high = limit if high is None else min(high, limit)
    else:
        limit = (
            Fraction(floor(end) + 1 if comparison == "more" else ceil(end)) if value.kind is not Kind.NUMBER else end
        )
        low = limit if low is None else max(low, limit)
    return replace(value, range=Range(low, high))
