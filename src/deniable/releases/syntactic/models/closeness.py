"""t-closeness: in every class the sensitive values are distributed almost as in the whole input table.

How far apart two distributions are is said in `distance.py`. Reference: Li, Li, Venkatasubramanian 2007.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from deniable.core.errors import InvalidArgumentError
from deniable.core.number import Number, exact
from deniable.releases.syntactic.hierarchies.kinds import Hierarchy
from deniable.releases.syntactic.hierarchies.values import date_of, number_of, text_of
from deniable.releases.syntactic.models.distance import AlongOrder, Distance, by_levels
from deniable.releases.syntactic.models.diversity import SLACK, FittedModel, PrivacyModel, Verdict
from deniable.releases.syntactic.search.cells import Sensitive
from deniable.releases.syntactic.search.classes import EquivalenceClasses
from deniable.releases.syntactic.search.grouping import IntArray


@dataclass(frozen=True, slots=True, init=False)
class Equal(PrivacyModel):
    """t-closeness where all values are equally far apart."""

    t: Fraction

    def __init__(self, t: Number) -> None:
        object.__setattr__(self, "t", threshold(t))

    def bound(self, column: int, sensitive: Sensitive) -> FittedModel:
        """Total variation."""
        return Closeness(column, float(self.t), by_levels([np.arange(len(sensitive.values))], sensitive.counts))

    def __str__(self) -> str:
        """As it is spoken."""
        return f"{float(self.t):g}-closeness (equal distance)"


@dataclass(frozen=True, slots=True, init=False)
class Hierarchical(PrivacyModel):
    """t-closeness where values are the nearer, the lower the name that they share."""

    t: Fraction
    hierarchy: Hierarchy

    def __init__(self, t: Number, hierarchy: Hierarchy) -> None:
        object.__setattr__(self, "t", threshold(t))
        object.__setattr__(self, "hierarchy", hierarchy)

    def bound(self, column: int, sensitive: Sensitive) -> FittedModel:
        """Total variation, level by level."""
        return Closeness(column, float(self.t), by_levels(self.levels(sensitive), sensitive.counts))

    def levels(self, sensitive: Sensitive) -> list[IntArray]:
        """For each level below '*': the group of each value."""
        values = sensitive.values.to_pylist()
        named = [[None if value is None else text_of(value) for value in values]]
        known = [value for value in values if value is not None]
        nulls = self.hierarchy.null
        for number, level in enumerate(self.hierarchy.levels(known)):
            labels = iter(level)
            named.append([(nulls[number] if nulls else None) if value is None else next(labels) for value in values])
        return [np.unique([str((name is None, name)) for name in level], return_inverse=True)[1] for level in named]

    def __str__(self) -> str:
        """As it is spoken."""
        return f"{float(self.t):g}-closeness (hierarchical distance)"


@dataclass(frozen=True, slots=True, init=False)
class Ordered(PrivacyModel):
    """t-closeness where values stand in an order: numbers and days in theirs, others in the order that is given."""

    t: Fraction
    order: tuple[Any, ...] | None

    def __init__(self, t: Number, order: Sequence[Any] | None = None) -> None:
        object.__setattr__(self, "t", threshold(t))
        object.__setattr__(self, "order", None if order is None else tuple(order))

    def bound(self, column: int, sensitive: Sensitive) -> FittedModel:
        """Differences of the two distribution functions, added up."""
        return Closeness(column, float(self.t), AlongOrder(self.ranks(sensitive), sensitive.counts))

    def ranks(self, sensitive: Sensitive) -> IntArray:
        """The place of each value in the order."""
        values = sensitive.values.to_pylist()
        if None in values:
            raise InvalidArgumentError(
                "t", f"by order has no place for NULL in {sensitive.name!r}; use the equal distance"
            )
        if self.order is not None:
            places = {text_of(value): place for place, value in enumerate(self.order)}
            missing = [value for value in values if text_of(value) not in places]
            if missing:
                raise InvalidArgumentError("order", f"has no place for {text_of(missing[0])!r} of {sensitive.name!r}")
            return _ranked([places[text_of(value)] for value in values])
        for reads in (number_of, date_of):
            try:
                return _ranked([reads(value) for value in values])
            except InvalidArgumentError:
                continue
        raise InvalidArgumentError("t", f"by order needs an order of {sensitive.name!r}: Ordered(t, order=[...])")

    def __str__(self) -> str:
        """As it is spoken."""
        return f"{float(self.t):g}-closeness (ordered distance)"


@dataclass(frozen=True, slots=True)
class Closeness(FittedModel):
    """t-closeness of one column by a distance."""

    column: int
    t: float
    distance: Distance

    def judge(self, classes: EquivalenceClasses) -> Verdict:
        """Part (b) of the theorem; all of a class that lacks too many values to be close in any part of it."""
        pairs = classes.pairs[self.column]
        excess = self.distance.of(pairs, classes.sizes) - self.t
        hopeless = self.distance.least(pairs, classes.number) > self.t + SLACK
        room = max(self.distance.largest - self.t, SLACK)
        least = classes.sizes * np.maximum(excess - 2 * SLACK, 0) / room  # below the bound, whatever was rounded
        return Verdict(excess > SLACK, np.where(hopeless, classes.sizes, least))


def threshold(t: Number) -> Fraction:
    """A distance between 0 and 1."""
    number = exact("t", t)
    if not 0 <= number <= 1:
        raise InvalidArgumentError("t", f"must lie between 0 and 1, not {t}")
    return number


def _ranked(places: Sequence[Any]) -> IntArray:
    """Values are distinct; where their numbers are not (1 and 1.0 as texts), the first comes first."""
    order = sorted(range(len(places)), key=lambda place: places[place])
    ranks = np.empty(len(places), np.int64)
    ranks[order] = np.arange(len(places))
    return ranks
