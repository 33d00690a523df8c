"""Rows without what can never be: in pairs a constraint empties cells; what is left is mended in the finished rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from deniable.core.grid import IntArray
from deniable.releases.synthetic.drawn.possible import Constraint, possible_row, tied
from deniable.releases.synthetic.measured.bins import Bins
from deniable.releases.synthetic.measured.estimates import Zeros
from deniable.releases.synthetic.measured.one_way import FloatArray

_PASSES = 3
"""Mending one constraint can break another."""
_TOGETHER = 1 << 22
"""Numbers that are looked at together."""


def zeros(constraints: Sequence[Constraint], bins: Sequence[Bins]) -> Zeros:
    """The cells of fine bins in which every combination of values is forbidden, by pair of columns."""
    found: dict[tuple[int, int], NDArray[np.bool_]] = {}
    for constraint in constraints:
        if len(constraint.axes) == 2:  # noqa: PLR2004 - a pair
            one, other = constraint.axes
            allowed = np.zeros((bins[one].sizes[0], bins[other].sizes[0]), dtype=np.int64)
            np.add.at(allowed, (bins[one].fine[:, None], bins[other].fine[None, :]), constraint.allowed)
            never = allowed == 0
            found[one, other] = never | found[one, other] if (one, other) in found else never
    return found


def mended(
    rows: Sequence[IntArray],
    constraints: Sequence[Constraint],
    counts: Sequence[FloatArray],
    chance: np.random.Generator,
) -> list[IntArray]:
    """The rows, without those that cannot be: of each that violates something, one value is drawn anew.

    It is a value of the column with the most values, drawn by the column's own counts among those that are allowed
    beside the others. Where there is none, the row becomes a copy of one that violates nothing, in all columns that
    these constraints tie to each other; if every row does, of one that was found by searching.
    """
    found = list(rows)
    for _ in range(_PASSES):
        for constraint in constraints:
            for axis in sorted(constraint.axes, key=lambda place: -counts[place].size):
                _redraw(found, constraint, axis, counts[axis], chance)
    for group in tied(constraints):
        wrong = np.zeros(found[0].size, dtype=np.bool_)
        for constraint in group:
            wrong[constraint.violated(found)] = True
        if wrong.any():
            _copy(found, group, wrong, chance)
    return found


def _copy(
    rows: list[IntArray], group: Sequence[Constraint], wrong: NDArray[np.bool_], chance: np.random.Generator
) -> None:
    """Columns of a group in which no row is wrong."""
    right = np.flatnonzero(~wrong)
    picked = chance.choice(right, int(wrong.sum())) if right.size else None
    possible = possible_row(group) if picked is None else {}
    for axis in {axis for constraint in group for axis in constraint.axes}:
        column = rows[axis].copy()
        column[wrong] = possible[axis] if picked is None else column[picked]
        rows[axis] = column


def _redraw(
    rows: list[IntArray], constraint: Constraint, axis: int, counts: FloatArray, chance: np.random.Generator
) -> None:
    """A column of rows that violate a constraint anew, where the others leave it a value."""
    wrong = constraint.violated(rows)
    if wrong.size == 0:
        return
    place = constraint.axes.index(axis)
    table = np.moveaxis(constraint.allowed, place, -1)
    others = [rows[other] for other in constraint.axes if other != axis]
    column = rows[axis].copy()
    for part in np.array_split(wrong, 1 + wrong.size * counts.size // _TOGETHER):
        beside = table[tuple(other[part] for other in others)].reshape(-1, counts.size)
        ends = np.broadcast_to(np.cumsum(beside * (counts + 1e-6), axis=1), (part.size, counts.size))
        possible = ends[:, -1] > 0
        drawn = (ends < (chance.random(part.size) * ends[:, -1])[:, None]).sum(axis=1)
        column[part[possible]] = np.minimum(drawn, counts.size - 1)[possible]
    rows[axis] = column
