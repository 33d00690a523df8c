"""What can never be, as the custodian says: no married child, no total that is not the sum of its parts.

A constraint is public, so it costs nothing. That some row is possible at all is found out before anything is paid: one
is searched for, and where there is none, nothing is made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from deniable.core.errors import Refused
from deniable.core.grid import IntArray

_STEPS = 1 << 28
"""Combinations that are looked at in all, about a second; beyond, constraints are taken to leave nothing."""
_LOOK = 1 << 13
"""What looking at a constraint takes in any case, in combinations."""
_NAMED = 3
"""Constraints that a refusal quotes."""

Left = dict[int, NDArray[np.bool_]]
"""By column: which of its places are not ruled out yet."""


@dataclass(frozen=True, slots=True, eq=False)
class Constraint:
    """A condition on some columns that no row violates. A condition that is neither true nor false is not violated."""

    text: str
    axes: tuple[int, ...]
    """The columns that it is about."""
    allowed: NDArray[np.bool_] = field(repr=False)
    """For every combination of their places."""

    def violated(self, rows: Sequence[IntArray]) -> IntArray:
        """Which rows violate it."""
        return np.flatnonzero(~self.allowed[tuple(rows[axis] for axis in self.axes)])


def tied(constraints: Sequence[Constraint]) -> list[list[Constraint]]:
    """Constraints in groups that have no column in common."""
    groups: list[list[Constraint]] = []
    for constraint in constraints:
        own = [group for group in groups if any(set(one.axes) & set(constraint.axes) for one in group)]
        groups = [group for group in groups if group not in own]
        groups.append([*(one for group in own for one in group), constraint])
    return groups


def possible_row(constraints: Sequence[Constraint], only: Left | None = None, unless: str = "") -> dict[int, int]:
    """A place for each column that the constraints are about, such that none is violated; or a refusal.

    Places that fit nothing are ruled out, then the column with the fewest left is tried place by place. `only` rules
    out some to begin with; what they are, a refusal says with `unless`.
    """
    left: Left = {}
    for constraint in constraints:
        left |= {axis: np.ones(size, np.bool_) for axis, size in _sizes(constraint)}
    search = _Search(constraints)
    found = search.completed(left | (only or {}))
    if found is None:
        said = " AND ".join(f"({constraint.text})" for constraint in constraints[:_NAMED])
        said += f", and {len(constraints) - _NAMED} more" if len(constraints) > _NAMED else ""
        reason = "No row can satisfy" if search.steps > 0 else "No row was found that satisfies"
        hint = "Give constraints that rows satisfy, and leave out columns that are always missing."
        raise Refused("no-rows", f"{reason} {said}{unless}.", hint)
    return {axis: int(mask.argmax()) for axis, mask in found.items()}


def _sizes(constraint: Constraint) -> Iterator[tuple[int, int]]:
    return zip(constraint.axes, constraint.allowed.shape, strict=True)


class _Search:
    """Looks for one row, as long as it has steps."""

    def __init__(self, constraints: Sequence[Constraint]) -> None:
        self.constraints, self.steps = constraints, _STEPS

    def completed(self, left: Left) -> Left | None:
        """One place for each column, out of those that are left."""
        found = self._pruned(left)
        if found is None:
            return None
        several = {axis: int(mask.sum()) for axis, mask in found.items() if mask.sum() > 1}
        if not several:
            return found
        axis = min(several, key=lambda one: several[one])
        for place in np.flatnonzero(found[axis]):
            only = np.zeros_like(found[axis])
            only[place] = True
            done = self.completed({**found, axis: only})
            if done is not None or self.steps <= 0:
                return done
        return None

    def _pruned(self, left: Left) -> Left | None:
        """Without places that fit nothing of what is left in the other columns of a constraint."""
        found, fewer = dict(left), True
        while fewer:
            before = sum(int(mask.sum()) for mask in found.values())
            for constraint in self.constraints:
                places = [np.flatnonzero(found[axis]) for axis in constraint.axes]
                allowed = constraint.allowed[np.ix_(*places)]
                self.steps -= allowed.size + _LOOK
                if self.steps <= 0 or not allowed.any():
                    return None
                for number, axis in enumerate(constraint.axes):
                    others = tuple(other for other in range(allowed.ndim) if other != number)
                    mask = np.zeros_like(found[axis])
                    mask[places[number]] = allowed.any(axis=others)
                    found[axis] = mask
            fewer = sum(int(mask.sum()) for mask in found.values()) < before
        return found
