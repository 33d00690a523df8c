"""Group keys: which values can a key take, as far as the policy and the question say?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from fractions import Fraction
from itertools import product
from math import ceil, floor, prod
from operator import add, mul, neg, sub
from unicodedata import normalize

from deniable.core.algebra.expression import EPOCH, Call, Column, Expression, Kind, Literal, Range
from deniable.core.errors import Refused
from deniable.planner.work import VALUES_A_STEP, spend

MOST_GROUPS = 1 << 20
_FEW = 1 << 16
_FIRST_DAY, _LAST_DAY = (date.min - EPOCH).days, (date.max - EPOCH).days

Value = int | str | bool | date | None
Domain = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class GroupKey:
    """A key, and the values it can take; None: only the data knows, and rare ones must stay hidden."""

    name: str
    value: Expression
    domain: Domain | None


def domain(value: Expression, where: Expression | None, declared: Mapping[str, Domain]) -> Domain | None:
    """All values of a key, missing ones (None) last; or None if they cannot be listed from public facts."""
    known = _Known(value, listed=None, present=False)
    for condition in conjuncts(where):
        known = _narrow(condition, value, known)
    values = known.listed if known.listed is not None else _values(known.value, declared)
    if values is None:
        return None
    _spend(len(values))
    there = tuple(dict.fromkeys(entry for entry in values if entry is not None))
    missing = (None,) if (value.nullable or None in values) and not known.present else ()
    return there + missing


def groups(keys: Sequence[GroupKey]) -> int:
    """How many combinations of known key values there are; without keys, one."""
    number = prod(len(key.domain or ()) for key in keys)
    if number > MOST_GROUPS:
        raise Refused("too-many-groups", f"There would be {number:,} groups.", "Group by fewer or coarser keys.")
    return number


def conjuncts(where: Expression | None) -> Iterable[Expression]:
    """The conditions that all rows satisfy."""
    if isinstance(where, Call) and where.function == "and":
        for part in where.arguments:
            yield from conjuncts(part)
    elif where is not None:
        yield where


@dataclass(frozen=True, slots=True)
class _Known:
    """What conditions have said about a key so far."""

    value: Expression
    """The key, with the range that is left."""
    listed: Domain | None
    """Its values, where the question lists them."""
    present: bool
    """Whether it cannot be NULL."""


def _narrow(condition: Expression, key: Expression, known: _Known) -> _Known:
    """What a condition on the key itself says about its values."""
    if not isinstance(condition, Call) or condition.arguments[0] != key:
        return known
    constants = [argument for argument in condition.arguments[1:] if isinstance(argument, Literal)]
    if len(constants) < len(condition.arguments) - 1:
        return known
    if condition.function in ("in", "equal"):
        options = tuple(_plain(constant) for constant in constants)
        kept = options if known.listed is None else tuple(option for option in known.listed if option in options)
        return _Known(known.value, kept, present=True)
    if (
        condition.function in _COMPARISONS
        and not isinstance(known.value, Literal)
        and constants[0].range.low is not None
    ):
        return _Known(_cut(known.value, condition.function, constants[0].range.low), known.listed, present=True)
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


def _values(value: Expression, declared: Mapping[str, Domain]) -> Domain | None:  # noqa: PLR0911 - one line per case
    """From the kind, the declared values, or the range."""
    match value:
        case Literal():
            return (_plain(value),)
        case Column(name=name) if name in declared:
            return tuple(normalize("NFC", entry) if isinstance(entry, str) else entry for entry in declared[name])
        case Call(function="case" | "coalesce"):
            return _union(value, declared)
        case Call(function="add" | "subtract" | "multiply" | "negate", kind=Kind.INTEGER):
            return _computed(value, declared)
        case Call(function=function) if function.startswith("truncate_"):
            return _starts(value, declared)
    if value.kind is Kind.BOOLEAN:
        return (False, True)
    return _whole(value) if value.kind in (Kind.INTEGER, Kind.DATE) else None


def _union(value: Call, declared: Mapping[str, Domain]) -> Domain | None:
    """What the branches can give; those of a CASE under their conditions, and NULL if it has no ELSE."""
    if value.function == "case":
        none: Expression = Literal(None, Kind.TEXT)
        *pairs, otherwise = value.arguments if len(value.arguments) % 2 else (*value.arguments, none)
        branches = [domain(branch, where, declared) for where, branch in zip(pairs[::2], pairs[1::2], strict=True)]
        parts = [*branches, domain(otherwise, None, declared)]
    else:
        parts = [_values(branch, declared) for branch in value.arguments]
    if any(part is None for part in parts):
        return None
    _spend(sum(len(part or ()) for part in parts))
    return tuple(dict.fromkeys(entry for part in parts for entry in part or ()))


def _computed(value: Call, declared: Mapping[str, Domain]) -> Domain | None:
    """Whole-number arithmetic on listed values, one combination after the other; too many, and the range will do."""
    parts = [_values(argument, declared) for argument in value.arguments]
    if any(part is None for part in parts) or prod(len(part or ()) for part in parts) > _FEW:
        return _whole(value)
    _spend(4 * prod(len(part or ()) for part in parts))
    rule = _ARITHMETIC[value.function]
    combinations = product(*([entry for entry in part or () if isinstance(entry, int)] for part in parts))
    return tuple(sorted({int(rule(*entries)) for entries in combinations}))


_ARITHMETIC: dict[str, Callable[..., int]] = {"add": add, "subtract": sub, "multiply": mul, "negate": neg}


def _whole(value: Expression) -> Domain | None:
    """Every whole number, or every day, of a finite range."""
    low, high = value.range.low, value.range.high
    if low is None or high is None:
        return None
    if high - low > MOST_GROUPS:
        raise Refused("too-many-groups", f"This key can take {int(high - low):,} values.", "Group by buckets of it.")
    if value.kind is Kind.DATE:  # days beyond the calendar are NULL
        low, high = max(low, Fraction(_FIRST_DAY)), min(high, Fraction(_LAST_DAY))
    numbers = range(ceil(low), floor(high) + 1)
    _spend(len(numbers))
    return tuple(EPOCH + timedelta(days=day) for day in numbers) if value.kind is Kind.DATE else tuple(numbers)


def _starts(value: Call, declared: Mapping[str, Domain]) -> Domain | None:
    """The first days of the years, quarters, months or weeks that a range of days touches."""
    days = _values(value.arguments[0], declared)
    if days is None:
        return None
    unit = value.function.removeprefix("truncate_")
    starts = dict.fromkeys(_start(day, unit) for day in days if isinstance(day, date))
    low, high = value.range.low, value.range.high
    return tuple(
        start
        for start in starts
        if (low is None or (start - EPOCH).days >= low) and (high is None or (start - EPOCH).days <= high)
    )


def _start(day: date, unit: str) -> date:
    """The first day of the unit that a day lies in."""
    match unit:
        case "year":
            return day.replace(month=1, day=1)
        case "quarter":
            return day.replace(month=3 * ((day.month - 1) // 3) + 1, day=1)
        case "month":
            return day.replace(day=1)
        case _:
            return day - timedelta(days=day.weekday())


def _spend(values: int) -> None:
    """For each list of values that is gone through."""
    spend(1 + values // VALUES_A_STEP)


def _plain(literal: Literal) -> Value:
    """A constant as a Python value."""
    if isinstance(literal.value, Fraction):
        if literal.value.denominator != 1 or abs(literal.value) >= 2**63:
            raise Refused("unsupported-form", "Group keys must be whole numbers of 64 bits.", "Group by buckets.")
        return int(literal.value)
    return normalize("NFC", literal.value) if isinstance(literal.value, str) else literal.value
