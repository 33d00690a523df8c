"""Conditions on the columns of a synthetic table: which columns, and which combinations of their values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from deniable.core.algebra.expression import Kind
from deniable.core.errors import Refused
from deniable.curator.synthesis.cells import TableCells
from deniable.curator.synthesis.columns import quoted
from deniable.planner.release_cells import ReleaseCells
from deniable.policy import Policy
from deniable.releases.synthetic.drawn.possible import Constraint, possible_row, tied
from deniable.releases.synthetic.measured.domain import ColumnDomain


def satisfying(policy: Policy, cells: TableCells, condition: str) -> tuple[tuple[int, ...], NDArray[np.bool_]]:
    """Which of a table's own columns a condition is about, and which of their values satisfy it."""
    own = range(cells.given, len(cells.columns) - len(cells.children))
    places = [place for place in own if cells.columns[place].plain]  # others are not told apart by their own values
    if not places:
        hint = "Timestamps, times, numbers without a step and columns of very many values are counted in parts."
        raise Refused("no-cells", f"No column of {cells.name!r} is told apart by its own values.", hint)
    asked = ReleaseCells.of(policy, cells.name, [quoted(cells.columns[place].name) for place in places], None)
    axes, satisfied = asked.satisfying(condition, [cells.bound.keys[place].domain or () for place in places])
    return tuple(places[axis] for axis in axes), satisfied


def constraints(policy: Policy, cells: TableCells, conditions: Sequence[str]) -> tuple[Constraint, ...]:
    """What no row violates; refused if that leaves no row, or no value in a column."""
    found = tuple(constraint(policy, cells, condition) for condition in conditions)
    for group in tied(found):
        possible_row(group)
        for axis in sorted({axis for one in group for axis in one.axes}):
            column = cells.columns[axis]
            possible_row(group, {axis: _there(column)}, f", unless {column.name!r} is missing")
    return found


def _there(column: ColumnDomain) -> NDArray[np.bool_]:
    """The places that come out as values: of what is not listed, only a text does."""
    places = np.arange(column.size)
    return (places < column.present) | ((places >= len(column.values)) & (column.kind is Kind.TEXT))


def constraint(policy: Policy, cells: TableCells, condition: str) -> Constraint:
    """What no row violates: nothing is violated by what is missing, nor by values that are not listed."""
    axes, violated = satisfying(policy, cells, f"NOT ({condition})")
    if not axes:
        raise Refused("bad-attribute", f"There is no column in {condition!r}.", "Write a condition on columns.")
    sizes = [cells.columns[axis].size for axis in axes]
    padded = np.pad(violated, [(0, size - have) for size, have in zip(sizes, violated.shape, strict=True)])
    return Constraint(condition, axes, ~padded)
