"""A group key and its values, and how many groups keys make together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, time
from fractions import Fraction
from math import prod
from unicodedata import normalize

from deniable.core.algebra.expression import Expression, Kind, Literal, Range
from deniable.core.errors import Refused
from deniable.core.shown import many
from deniable.planner.expressions.long_numbers import held

MOST_GROUPS = 1 << 20

Value = int | float | str | bool | date | time | None
Domain = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class GroupKey:
    """A key, and the values it can take; None: only the data knows, and rare ones must stay hidden."""

    name: str
    value: Expression
    domain: Domain | None

    @property
    def range(self) -> Range:
        """Between which numbers its values lie: of whole numbers that are listed, between the ends of the list."""
        return self.value.range if self.domain is None else ends(self.domain, self.value)


def ends(domain: Domain, value: Expression) -> Range:
    """The least and the greatest of listed whole numbers; of other values, what is known of the expression."""
    if value.kind is not Kind.INTEGER or held(value.range):
        return value.range
    numbers = [entry for entry in domain if isinstance(entry, int)]
    return Range(Fraction(min(numbers)), Fraction(max(numbers))) if numbers else value.range


def groups(keys: Sequence[GroupKey]) -> int:
    """How many combinations of known key values there are; without keys, one."""
    number = prod(len(key.domain or ()) for key in keys)
    if number > MOST_GROUPS:
        raise Refused("too-many-groups", f"There would be {many(number)} groups.", "Group by fewer or coarser keys.")
    return number


def real(value: float) -> float:
    """A real number as a key: of both zeros, the one that statements give; in a table of keys, the other is not it."""
    return value + 0.0


def plain(literal: Literal) -> Value:
    """A constant as a Python value."""
    if isinstance(literal.value, Fraction):
        if literal.value.denominator != 1 or abs(literal.value) >= 2**63:
            raise Refused("unsupported-form", "Group keys must be whole numbers of 64 bits.", "Group by buckets.")
        return int(literal.value)
    return normalize("NFC", literal.value) if isinstance(literal.value, str) else literal.value
