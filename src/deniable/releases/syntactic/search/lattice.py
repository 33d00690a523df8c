"""All ways to generalize whole columns, and the classes of any of them at the price of a finer one."""

from __future__ import annotations

import numpy as np

from deniable.core.errors import InvalidArgumentError
from deniable.releases.syntactic.search.cells import CellCounts
from deniable.releases.syntactic.search.classes import EquivalenceClasses
from deniable.releases.syntactic.search.losses import Node

_MOST_NODES = 2_000_000
_ROOM = 30_000_000
"""Numbers that the kept classes may take together."""


class Lattice:
    """Nodes are levels, one for each quasi-identifier; a node is finer than another if no level is higher."""

    def __init__(self, cells: CellCounts) -> None:
        self.cells = cells
        self.shape = tuple(column.height for column in cells.columns)
        if np.prod(self.shape, dtype=float) > _MOST_NODES:
            raise InvalidArgumentError(
                "quasi_identifiers",
                f"span {np.prod(self.shape, dtype=float):.0f} nodes; take fewer levels, or 'mondrian'",
            )
        bottom = cells.classes()
        self._classes = [bottom]
        self._nodes = np.zeros((1, len(self.shape)), np.int64)
        self._costs = np.array([bottom.number])
        self._room = _ROOM - len(self.shape) * bottom.number

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return int(np.prod(self.shape))

    def classes(self, node: Node) -> EquivalenceClasses:
        """Rolled up from the known finer node with the fewest classes; kept, if that is much fewer."""
        finer = np.flatnonzero((self._nodes <= node).all(axis=1))
        best = int(finer[np.argmin(self._costs[finer])])
        start = tuple(self._nodes[best].tolist())
        if start == node:
            return self._classes[best]
        made = self._classes[best].rolled(self.cells.columns, start, node)
        price = made.number * (len(self.shape) + 3 * len(self.cells.sensitive))
        if price <= self._room and made.number < 0.7 * self._costs[best]:
            self._classes.append(made)
            self._nodes = np.vstack([self._nodes, node])
            self._costs = np.append(self._costs, made.number)
            self._room -= price
        return made
