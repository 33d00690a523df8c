"""Rows from a tree of pairs: the sure way, which meets the pairs of the tree and knows no others.

Every column but the first is drawn given one other; which, is the tree in which the most dependence is kept (Chow, Liu
1968). Nothing is fitted, so nothing can fail to converge.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from deniable.core.grid import IntArray
from deniable.releases.synthetic.drawn.field import PairwiseField
from deniable.releases.synthetic.drawn.likeness import Likeness
from deniable.releases.synthetic.measured.bins import by_bin, narrow
from deniable.releases.synthetic.measured.estimates import Goal
from deniable.releases.synthetic.measured.one_way import FloatArray

FIELD, FOREST, FALLBACK = "pairwise field", "tree", "tree, as the fit did not converge"
"""How rows were found. Where the measured pairs are a tree, or several, it has all of them, and nothing is fitted."""
_FAR = 0.02
"""A fit has not converged if its rows are farther from the goals than this, and farther than the tree's."""


def drawn(
    likeness: Likeness, rows: int, chance: np.random.Generator, given: Mapping[int, IntArray] | None = None
) -> tuple[list[IntArray], str]:
    """Rows as bins, and how they were found: by the field, or by the tree, where that is sure to be better."""
    sure = from_tree(likeness, rows, chance, given)
    if rows == 0 or (not given and _forest(likeness)):
        return sure, FOREST
    tree = [goal for _, goal in _branches(likeness, given or {}) if goal is not None]
    fitted = PairwiseField(likeness, chance, sure, tree, given or {}).draw(sure)
    return (sure, FALLBACK) if likeness.distance(fitted) > max(_FAR, likeness.distance(sure)) else (fitted, FIELD)


def _forest(likeness: Likeness) -> bool:
    """Whether the goals have no circle."""
    root = list(range(len(likeness.shares)))
    for goal in likeness.goals:
        one, other = (root[place] for place in goal.pair)
        if one == other:
            return False
        root = [one if place == other else place for place in root]
    return True


def from_tree(
    likeness: Likeness, rows: int, chance: np.random.Generator, given: Mapping[int, IntArray] | None = None
) -> list[IntArray]:
    """Rows as bins, column after column along the tree."""
    found = dict(given or {})
    for place, goal in _branches(likeness, found):
        if goal is None:
            found[place] = _shuffled(_spread(likeness.shares[place], rows, chance), chance)
        else:
            parent = sum(goal.pair) - place
            found[place] = _given(likeness, goal, parent, found[parent], chance)
    return [found[place] for place in range(len(likeness.shares))]


def _branches(likeness: Likeness, known: Collection[int]) -> list[tuple[int, Goal | None]]:
    """Every column that is not known, after the one that it is drawn by, with their pair; None: by itself."""
    found: dict[int, Goal | None] = {}
    waiting = sorted(likeness.goals, key=_dependence, reverse=True)
    while len(found) + len(known) < len(likeness.shares):
        there = {*known, *found}
        goal = next((one for one in waiting if (one.pair[0] in there) != (one.pair[1] in there)), None)
        if goal is None:
            found[next(place for place in range(len(likeness.shares)) if place not in there)] = None
        else:
            found[goal.pair[1] if goal.pair[0] in there else goal.pair[0]] = goal
    return list(found.items())


def _dependence(goal: Goal) -> float:
    """The mutual information of a pair."""
    apart = np.outer(goal.shares.sum(axis=1), goal.shares.sum(axis=0))
    there = goal.shares > 0
    return float((goal.shares[there] * np.log(goal.shares[there] / apart[there])).sum())


def _given(likeness: Likeness, goal: Goal, parent: int, bins: IntArray, chance: np.random.Generator) -> IntArray:
    """A column anew, from its shares among rows that agree in the parent."""
    child = sum(goal.pair) - parent
    table = goal.shares if parent == goal.pair[0] else goal.shares.T
    coarse = likeness.bins[parent].coarse
    codes = bins if goal.fine else narrow(coarse, coarse.size)[bins]
    within = np.arange(likeness.shares[child].size) if goal.fine else likeness.bins[child].coarse
    alone = np.bincount(within, likeness.shares[child])
    found = np.empty(bins.size, dtype=np.min_scalar_type(within.size))
    for code, rows in enumerate(by_bin(codes, table.shape[0])):
        shares = (table[code] / np.maximum(alone, 1e-12))[within] * likeness.shares[child]
        found[rows] = _shuffled(_spread(shares, rows.size, chance), chance)
    return found


def _spread(shares: FloatArray, rows: int, chance: np.random.Generator) -> IntArray:
    """So many bins, each as often as its share says, to within one."""
    ends = np.cumsum(shares + 1e-12)
    even = (np.arange(rows) + chance.random()) / max(rows, 1) * ends[-1]
    return narrow(np.minimum(np.searchsorted(ends, even), shares.size - 1), shares.size)


def _shuffled(bins: IntArray, chance: np.random.Generator) -> IntArray:
    chance.shuffle(bins)
    return bins
