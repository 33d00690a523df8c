"""The cells: every combination of the public values of some attributes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, time
from fractions import Fraction
from math import prod

Value = int | float | str | bool | date | time | Fraction | None


@dataclass(frozen=True, slots=True)
class Attribute:
    """What rows are told apart by: a column, or an expression, with all values that it can take."""

    name: str
    """As it was asked for."""
    values: tuple[Value, ...]
    """In their order; None, for rows that have no value, comes last."""
    ordered: bool
    """Whether prefixes and ranges of the values mean anything."""

    @property
    def size(self) -> int:
        """How many cells, with the one of rows that have no value."""
        return len(self.values)

    @property
    def present(self) -> int:
        """How many cells, without that one."""
        return sum(value is not None for value in self.values)


@dataclass(frozen=True, slots=True)
class Domain:
    """The attributes of a release. Its cells are never listed, unless a strategy needs them and they are few."""

    attributes: tuple[Attribute, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """Values by attribute."""
        return tuple(attribute.size for attribute in self.attributes)

    @property
    def cells(self) -> int:
        """All combinations."""
        return prod(self.shape)

    def axis(self, name: str) -> int:
        """The place of an attribute."""
        return [attribute.name for attribute in self.attributes].index(name)
