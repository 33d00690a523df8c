"""What a synthetic column can hold: the public values, a place for missing ones, and one for all others."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from deniable.core.algebra.expression import Kind
from deniable.releases.linear.domain import Value


class Part(Enum):
    """What a timestamp is put together from."""

    WEEK = "week"
    """The day on which it begins."""
    WEEKDAY = "weekday"
    """From 1, which is Monday."""
    QUARTER = "quarter of an hour"
    """Since midnight."""


@dataclass(frozen=True, slots=True)
class ColumnDomain:
    """A column's values, each in its place: first the listed ones in their order, then missing, then all others.

    Example:
        >>> town = ColumnDomain("town", Kind.TEXT, ("north", "south", None), ordered=False, other=True)
        >>> town.size, town.present
        (4, 2)
    """

    name: str
    kind: Kind
    """As it is declared, and as the synthetic column is."""
    values: tuple[Value, ...]
    """None, for rows that have no value, comes last."""
    ordered: bool
    other: bool = False
    """Whether rows can have a value that is not listed; they are counted, in the last place."""
    width: Fraction | None = None
    """Of a number without a step: how far the values reach that are counted together, from the one that is listed."""
    unit: Fraction | None = None
    """Of whole numbers, days or steps that are too many to be told apart each: one of them. `width` holds several."""
    decimals: int | None = None
    """Of a decimal: how many digits it has behind the point."""
    of: str | None = None
    """Of a part: the column that it is a part of."""
    part: Part | None = None
    ends: tuple[int, int] = (0, 0)
    """Of a timestamp or a time of day: its bounds, in microseconds; of a column with a unit, in these."""

    @property
    def plain(self) -> bool:
        """Whether what is listed are the column's own values, and not parts or stretches of them."""
        return self.width is None and self.of is None and self.kind is not Kind.TIME

    @property
    def size(self) -> int:
        """How many places."""
        return len(self.values) + self.other

    @property
    def present(self) -> int:
        """How many places of listed values."""
        return len(self.values) - (None in self.values[-1:])
