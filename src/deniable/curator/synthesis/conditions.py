"""Conditions on the columns of a synthetic table: which columns, and which combinations of their values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deniable.curator.synthesis.cells import TableCells
from deniable.curator.synthesis.columns import quoted
from deniable.planner.release_cells import ReleaseCells
from deniable.policy import Policy
from deniable.releases.synthetic.constraints import Constraint


def satisfying(policy: Policy, cells: TableCells, condition: str) -> tuple[tuple[int, ...], NDArray[np.bool_]]:
    """Which of a table's own columns a condition is about, and which of their values satisfy it."""
    own = range(cells.given, len(cells.columns) - len(cells.children))
    places = [place for place in own if cells.columns[place].plain]  # others are not told apart by their own values
    asked = ReleaseCells.of(policy, cells.name, [quoted(cells.columns[place].name) for place in places], None)
    axes, satisfied = asked.satisfying(condition, [cells.bound.keys[place].domain or () for place in places])
    return tuple(places[axis] for axis in axes), satisfied


def constraint(policy: Policy, cells: TableCells, condition: str) -> Constraint:
    """What no row violates: nothing is violated by what is missing, nor by values that are not listed."""
    axes, violated = satisfying(policy, cells, f"NOT ({condition})")
    sizes = [cells.columns[axis].size for axis in axes]
    padded = np.pad(violated, [(0, size - have) for size, have in zip(sizes, violated.shape, strict=True)])
    return Constraint(condition, axes, ~padded)
