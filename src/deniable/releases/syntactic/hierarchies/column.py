"""A quasi-identifier: its values, and what they are called at each level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deniable.core.errors import InvalidArgumentError
from deniable.releases.syntactic.hierarchies.kinds import Hierarchy, Label
from deniable.releases.syntactic.hierarchies.values import STAR, text_of
from deniable.releases.syntactic.search.grouping import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class QuasiIdentifier:
    """Values in their order along a line or a tree; for each level the group of each value.

    Levels that part the values just as a finer one does are left out: they would say less and hide nobody.
    """

    name: str
    values: tuple[object, ...]
    groups: tuple[IntArray, ...]
    """For each level: the number of the group that a value lies in. Groups are numbered along the values' order."""
    labels: tuple[tuple[Label, ...], ...]
    """For each level: what a group is called."""
    numbers: tuple[int, ...]
    """For each level that is left: its number in the hierarchy."""
    places: FloatArray | None
    """Where values lie on a line, if they do; NULL is not a number."""

    @property
    def height(self) -> int:
        """How many levels there are."""
        return len(self.groups)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many groups each level has."""
        return tuple(len(labels) for labels in self.labels)

    def step(self, fine: int, coarse: int) -> IntArray:
        """For each group of a level, the group of a coarser level that it lies in."""
        table = np.zeros(self.sizes[fine], np.int64)
        table[self.groups[fine]] = self.groups[coarse]
        return table

    def span(self, of: IntArray, number: int) -> FloatArray:
        """How much of the column each of `number` groups covers: 0 for one value, 1 for all of them.

        On a line, the distance between its ends over that of all values; otherwise, other values in it over all others.
        """
        many = np.bincount(of, minlength=number)
        if self.places is None:
            return (many - 1) / max(1, len(of) - 1)
        known = ~np.isnan(self.places)
        low, high = np.full(number, np.inf), np.full(number, -np.inf)
        np.minimum.at(low, of[known], self.places[known])
        np.maximum.at(high, of[known], self.places[known])
        width = np.ptp(self.places[known]) if known.any() else 0.0
        spans = np.where(high > low, high - low, 0.0) / (width or 1.0)
        mixed = np.bincount(of, ~known, number) > 0
        return np.where(mixed & (many > 1), 1.0, spans)

    def stretch(self, low: IntArray, high: IntArray) -> FloatArray:
        """The same for runs of values, by the places of their first and last one in the order."""
        if self.places is None:
            return (high - low) / max(1, len(self.values) - 1)
        width = np.nanmax(self.places) - np.nanmin(self.places)
        lengths = (self.places[high] - self.places[low]) / (width or 1.0)
        return np.where(high == low, 0.0, np.where(np.isnan(lengths), 1.0, lengths))


def column(name: str, values: Sequence[object], hierarchy: Hierarchy) -> tuple[QuasiIdentifier, IntArray]:
    """The column, and where each of the given values stands in its order."""
    own: list[Label] = [None if value is None else text_of(value) for value in values]
    if STAR in own:
        raise InvalidArgumentError(name, "holds the value '*', which means suppressed; rename it")
    stars: list[Label] = [STAR] * len(values)
    levels = [own, *_named(name, values, hierarchy), stars]
    if hierarchy.most is not None:
        levels = levels[: hierarchy.most + 1]
    places = _places(values, hierarchy)
    order = _order(levels, places)
    groups: list[IntArray] = []
    labels: list[tuple[Label, ...]] = []
    numbers: list[int] = []
    for number, level in enumerate(levels):
        names = list(dict.fromkeys(level[place] for place in order))
        if labels and len(names) == len(labels[-1]):
            continue
        codes = {label: code for code, label in enumerate(names)}
        groups.append(np.array([codes[level[place]] for place in order], np.int64))
        labels.append(tuple(names))
        numbers.append(number)
        if len(groups) > 1 and not _refines(groups[-2], groups[-1]):
            raise InvalidArgumentError(
                name, f"does not fit its hierarchy: level {number} cuts through level {numbers[-2]}"
            )
    position = np.empty(len(values), np.int64)
    position[order] = np.arange(len(values))
    made = QuasiIdentifier(
        name,
        tuple(values[place] for place in order),
        tuple(groups),
        tuple(labels),
        tuple(numbers),
        None if places is None else places[order],
    )
    return made, position


def _refines(fine: IntArray, coarse: IntArray) -> bool:
    """Whether every group of one level lies within one group of the other."""
    above = np.zeros(len(fine), np.int64)
    above[fine] = coarse
    return bool((above[fine] == coarse).all())


def _named(name: str, values: Sequence[object], hierarchy: Hierarchy) -> list[list[Label]]:
    """The levels between the values and '*'. NULL stays NULL unless the hierarchy has a place for it."""
    known = [value for value in values if value is not None]
    try:
        named = hierarchy.levels(known)
    except InvalidArgumentError as error:
        raise InvalidArgumentError(name, f"does not fit its hierarchy: {error}") from None
    nulls = hierarchy.null or [None] * len(named)
    levels: list[list[Label]] = []
    for level, null in zip(named, nulls, strict=True):
        labels = iter(level)
        levels.append([null if value is None else next(labels) for value in values])
    return levels


def _places(values: Sequence[object], hierarchy: Hierarchy) -> FloatArray | None:
    """Positions on a line, if the hierarchy knows of one."""
    known = next((value for value in values if value is not None), None)
    if known is None or hierarchy.place(known) is None:
        return None
    return np.array([np.nan if value is None else hierarchy.place(value) for value in values], float)


def _order(levels: Sequence[Sequence[Label]], places: FloatArray | None) -> IntArray:
    """Along the line, NULL last; or along the tree, so that every group is a run of neighbours."""
    if places is not None:
        return np.argsort(places, kind="stable")
    keys = [tuple((name is None, name or "") for name in names) for names in zip(*reversed(levels), strict=True)]
    return np.array(sorted(range(len(keys)), key=lambda place: keys[place]), np.int64)
