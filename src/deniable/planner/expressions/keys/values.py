"""Which values a key can take: from its kind, its range, declared values and the calendar."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime
from fractions import Fraction
from itertools import product
from math import ceil, floor, prod
from operator import add, mul, neg, sub
from unicodedata import normalize

from deniable.core.algebra.expression import Call, Column, Expression, Kind, Literal
from deniable.core.calendar import (
    DAY,
    FIRST_DAY,
    FIRST_MOMENT,
    LAST_DAY,
    WIDTHS,
    counted,
    day_of,
    later,
    midnight,
    moment_of,
    starts,
    truncated,
)
from deniable.core.errors import Refused
from deniable.planner.expressions import formats
from deniable.planner.expressions.keys.conditions import KnownKey, conjuncts, known_of, narrowed
from deniable.planner.expressions.keys.key import MOST_GROUPS, Domain, Value, plain, real
from deniable.planner.expressions.spans import moments
from deniable.planner.work import VALUES_A_STEP, spend

_FEW = 1 << 16


def domain(value: Expression, where: Expression | None, declared: Mapping[str, Domain]) -> Domain | None:
    """All values of a key, missing ones (None) last; or None if they cannot be listed from public facts."""
    conditions = tuple(conjuncts(where))
    known = known_of(value, conditions, KnownKey(narrowed(value, conditions), listed=None, present=False))
    values = known.listed if known.listed is not None else _values(known.value, declared)
    if values is None:
        return None
    _spend(len(values))
    there = tuple(dict.fromkeys(entry for entry in values if entry is not None))
    missing = (None,) if (known.value.nullable or None in values) and not known.present else ()
    return there + missing


def _values(value: Expression, declared: Mapping[str, Domain]) -> Domain | None:  # noqa: C901, PLR0911 - one line per case
    """From the kind, the declared values, or the range."""
    match value:
        case Literal():
            return (plain(value),)
        case Column(name=name) if name in declared:
            return tuple(normalize("NFC", entry) if isinstance(entry, str) else entry for entry in declared[name])
        case Call(function="case" | "coalesce"):
            return _union(value, declared)
        case Call(function="add" | "subtract" | "multiply" | "negate", kind=Kind.INTEGER):
            return _computed(value, declared)
        case Call(arguments=(when, *_)) if when.kind in _CALENDAR and _unit(value) is not None:
            return _from_starts(value, declared)
        case Call(function="later" | "to_timestamp", arguments=(when, *_)) if when.kind in _CALENDAR:
            return _moved(value, declared)
        case Call(function="round", kind=Kind.NUMBER, arguments=(_, Literal(value=Fraction() as places))):
            return _rounded(value, int(places))
        case Call(function="divide", arguments=(parts, Literal(value=Fraction() as by))) if (
            parts.kind is Kind.INTEGER and by
        ):
            return _shares(parts, by, declared)
        case Call(function="bucket", arguments=(when, Literal(value=Fraction() as width))):
            return _buckets(when, int(width))
    if value.kind is Kind.BOOLEAN:
        return (False, True)
    if value.kind is Kind.TIMESTAMP and value.range.finite:
        hint = "Group by DATE_TRUNC('day', column), or EXTRACT(hour FROM column)."
        raise Refused("too-many-groups", "Each moment would be a group of its own.", hint)
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
        low, high = max(low, Fraction(FIRST_DAY)), min(high, Fraction(LAST_DAY))
    numbers = range(ceil(low), floor(high) + 1)
    _spend(len(numbers))
    return tuple(map(day_of, numbers)) if value.kind is Kind.DATE else tuple(numbers)


_CALENDAR = (Kind.DATE, Kind.TIMESTAMP)


def _unit(value: Call) -> str | None:
    """The unit of whose moments a function makes one and the same; None: it looks closer."""
    if value.function.startswith("truncate_"):
        return value.function.removeprefix("truncate_")
    if value.function == "to_date":
        return "day"
    match value:
        case Call(function="format", arguments=(_, Literal(value=str(pattern)))):
            return formats.unit_of(pattern)
        case _:
            return None


def _from_starts(value: Call, declared: Mapping[str, Domain]) -> Domain | None:
    """What a function makes of the beginnings of years, months, days or hours that a range of moments touches."""
    unit, when = _unit(value) or "", value.arguments[0]
    found = _values(when, declared) if _is_coarse(when) else _starts(when, unit)
    if found is None:
        return None
    made = dict.fromkeys(_made(value, unit, _moment(one)) for one in found if isinstance(one, date))
    low, high = value.range.low, value.range.high
    ends = (low if low is not None else -_FAR, high if high is not None else _FAR)
    return tuple(one for one in made if not isinstance(one, date) or ends[0] <= counted(one) <= ends[1])


_FAR = Fraction(2**63)


def _is_coarse(when: Expression) -> bool:
    """Whether these are days, or beginnings of units, also when moved: fewer than all moments of their range."""
    if isinstance(when, Call) and when.function in ("later", "to_timestamp"):
        return when.arguments[0].kind is Kind.DATE or _is_coarse(when.arguments[0])
    return isinstance(when, Call) and when.kind in _CALENDAR and _unit(when) is not None


def _starts(when: Expression, unit: str) -> Domain | None:
    """The beginnings of the units that a range of moments touches."""
    within = moments(when)
    if within.low is None or within.high is None:
        return None
    number = int((within.high - within.low) // WIDTHS.get(unit, 28 * DAY))
    if number > MOST_GROUPS:
        hint = "Group by a coarser unit, or ask for a shorter time: WHERE column >= ..."
        raise Refused("too-many-groups", f"This key can take {number:,} values.", hint)
    _spend(4 * number)
    return tuple(starts(moment_of(floor(within.low)), moment_of(floor(within.high)), unit))


def _shares(whole: Expression, by: Fraction, declared: Mapping[str, Domain]) -> Domain | None:
    """Listed whole numbers, divided by a constant, as the doubles that division gives."""
    listed = _values(whole, declared)
    if listed is None or not by:
        return None
    _spend(len(listed))
    return tuple(real(float(number) / float(by)) for number in listed if isinstance(number, int))


def _rounded(value: Call, places: int) -> Domain | None:
    """Every number with so many places of a finite range, as the double that rounding gives."""
    if value.range.low is None or value.range.high is None:
        return None
    unit = Fraction(10) ** places
    low, high = ceil(value.range.low * unit), floor(value.range.high * unit)
    if high - low > MOST_GROUPS:
        raise Refused("too-many-groups", f"This key can take {high - low:,} values.", "Round to fewer places.")
    _spend(high - low + 1)
    return tuple(float(Fraction(number) / unit) for number in range(low, high + 1))


def _buckets(when: Expression, width: int) -> Domain | None:
    """The beginnings of buckets that a range of moments touches."""
    within = moments(when)
    if within.low is None or within.high is None:
        return None
    first, last = ((floor(end) - _MONDAY) // width for end in (within.low, within.high))
    if last - first > MOST_GROUPS:
        raise Refused("too-many-groups", f"This key can take {last - first:,} values.", "Use wider buckets.")
    _spend(last - first + 1)
    numbers = (place * width + _MONDAY for place in range(first, last + 1))
    return tuple(moment_of(number) for number in numbers if number >= FIRST_MOMENT)


_MONDAY = counted(datetime(2000, 1, 3))  # noqa: DTZ001 - what clocks show
"""From which buckets are counted."""


def _made(value: Call, unit: str, moment: datetime) -> Value:
    """What a function makes of a moment."""
    match value.arguments:
        case (_, Literal(value=str(pattern))):
            return formats.written(moment, pattern)
        case _:
            start = truncated(moment, unit)
            return start.date() if start is not None and value.kind is Kind.DATE else start


def _moved(value: Call, declared: Mapping[str, Domain]) -> Domain | None:
    """Listed days or moments, as timestamps, so much later."""
    found = _values(value.arguments[0], declared)
    if found is None:
        return None
    months, microseconds = (int(part.range.low or 0) for part in (*value.arguments[1:], *_NOTHING)[:2])
    _spend(4 * len(found))
    return tuple(later(_moment(one), months, microseconds) for one in found if isinstance(one, date))


_NOTHING = (Literal(Fraction(0), Kind.INTEGER),) * 2


def _moment(value: date) -> datetime:
    return value if isinstance(value, datetime) else midnight(value)


def _spend(values: int) -> None:
    """For each list of values that is gone through."""
    spend(1 + values // VALUES_A_STEP)
