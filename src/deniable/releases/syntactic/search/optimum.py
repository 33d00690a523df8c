"""The node of least loss, provably.

Every node is either judged, or ruled out by one of two bounds:

1. Loss. `InformationLoss.floor` and `InformationLoss.rising` are never above a node's loss; nodes that cannot beat the
   best known one go.
2. Suppression. A judged node tells how many rows every finer node must suppress, at least (the theorem in
   `releases/syntactic/models/diversity.py`). If those are more than the limit, all finer nodes go at once. For size and
   distinct values this is predictive tagging (El Emam et al. 2009; Kohlmayer et al. 2012); for entropy, recursive
   diversity and t-closeness, whose suppression is *not* monotone in the lattice, the bound is what convexity leaves of
   it. No node goes because it merely fails itself.

Nodes are visited along chains, by bisection: a chain starts at the open node whose loss could be least and climbs by
the cheapest steps. Which nodes are visited changes the time only: every node that is never judged was ruled out by a
proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from deniable.releases.syntactic.models.diversity import FittedModel
from deniable.releases.syntactic.search.grouping import BoolArray, FloatArray
from deniable.releases.syntactic.search.lattice import Lattice
from deniable.releases.syntactic.search.losses import InformationLoss, Node

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class OptimalNode:
    """The best node, and what it took to know."""

    node: Node
    loss: float
    suppressed: int
    judged: int = 0


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the models say of a node."""

    kept: BoolArray
    suppressed: int
    least: float
    """Rows that this node and every finer one must suppress."""


def optimum(
    lattice: Lattice,
    models: Sequence[FittedModel],
    loss: InformationLoss,
    limit: int,
    *,
    first: bool = False,
    progress: Progress | None = None,
) -> OptimalNode | None:
    """The feasible node of least loss, or None; with `first`, any feasible node."""
    search = _Search(lattice, models, loss, limit)
    while search.open.any() and not (first and search.best is not None):
        for node in search.bisected(search.chain()):
            search.visit(node)
        if progress is not None:
            progress(lattice.size - int(search.open.sum()), lattice.size)
    return search.best and replace(search.best, judged=search.judged)


def judge(lattice: Lattice, node: Node, models: Sequence[FittedModel], limit: float = float("inf")) -> Judgement:
    """The models in their order; the later ones are not asked once the limit is passed for good."""
    classes = lattice.classes(node)
    fails, least = np.zeros(classes.number, bool), np.zeros(classes.number)
    for model in models:
        verdict = model.judge(classes)
        fails |= verdict.fails
        least = np.maximum(least, verdict.least)
        if least.sum() > limit + _SLACK:
            break
    return Judgement(~fails, int(classes.sizes[fails].sum()), float(least.sum()))


class _Search:
    """The nodes that are still open, the floor under their losses, and the best one so far."""

    def __init__(self, lattice: Lattice, models: Sequence[FittedModel], loss: InformationLoss, limit: int) -> None:
        self._lattice, self._models, self._loss, self._limit = lattice, models, loss, limit
        self._floor: FloatArray = loss.floor()
        self.open: BoolArray = np.ones(lattice.shape, bool)
        self.best: OptimalNode | None = None
        self._feasible = set[Node]()
        self.judged = 0

    def chain(self) -> list[Node]:
        """From the open node with the lowest floor up to the top, always by the cheapest step; open nodes only."""
        floors = np.where(self.open, self._floor, np.inf)
        node = tuple(map(int, np.unravel_index(np.argmin(floors), floors.shape)))
        nodes = [node]
        while steps := [
            (*node[:place], level + 1, *node[place + 1 :])
            for place, level in enumerate(node)
            if level + 1 < self._lattice.shape[place]
        ]:
            node = min(steps, key=lambda step: self._floor[step])
            nodes.append(node)
        return [node for node in nodes if self.open[node]]

    def bisected(self, chain: list[Node]) -> Iterator[Node]:
        """One open node of the chain after the other: above one that fails, below one that is as coarse as need be."""
        low, high = 0, len(chain)
        while low < high:
            middle = (low + high) // 2
            if self.open[chain[middle]]:
                yield chain[middle]
            low, high = (low, middle) if self._enough(chain[middle]) else (middle + 1, high)

    def visit(self, node: Node) -> None:
        """Judge a node; rule out what follows."""
        self.judged += 1
        self.open[node] = False
        judged = judge(self._lattice, node, self._models, self._limit)
        if judged.least > self._limit + _SLACK:
            self.open[tuple(slice(level + 1) for level in node)] = False
            return
        classes = self._lattice.classes(node)
        above = tuple(slice(level, None) for level in node)
        np.maximum(self._floor[above], self._loss.rising(classes), out=self._floor[above])
        if judged.suppressed <= self._limit:
            self._feasible.add(node)
            lost = self._loss.of(node, classes, judged.kept)
            if self.best is None or lost < self.best.loss:
                self.best = OptimalNode(node, lost, judged.suppressed)
        if self.best is not None:
            self.open &= self._floor < self.best.loss * (1 - _TIE)

    def _enough(self, node: Node) -> bool:
        return node in self._feasible or (self.best is not None and self._floor[node] >= self.best.loss * (1 - _TIE))


_SLACK = 0.01
"""Sums of doubles are right to far less than this part of one row; no bound prunes by less."""
_TIE = 1e-12
"""Losses that differ by less than this part of them are the same."""
