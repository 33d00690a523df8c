"""How far apart the scores of choices, and the sums under quantiles, are, measured on exact histograms."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from deniable.mechanisms import Laplace
from deniable.mechanisms.ranks import rank_scores
from deniable.planner.choices.around import Around
from deniable.planner.choices.histogram import Quantile
from deniable.planner.choices.price import Chosen
from deniable.planner.choices.running_counts import Counted

Counts = NDArray[np.int64]


def apart(part: Chosen | Counted, one: Counts, other: Counts) -> Fraction:
    """How far the scores of a choice, or the sums under a quantile, move: as a part of what is hidden.

    Of scores, the farthest in each group, added up; of sums, all of them, in the norm of their noise; l2 is squared.
    """
    if isinstance(part, Counted):
        moved = (part.tree.sums(one) - part.tree.sums(other)).astype(object)
        if isinstance(part.mechanism, Laplace):
            return Fraction(int(np.abs(moved).sum())) / part.mechanism.sensitivity
        return Fraction(int((moved * moved).sum())) / part.mechanism.sensitivity**2
    if isinstance(part.choice, Quantile):
        offset = 0 if part.around is not None else part.choice.sides[0] * part.offset
        pairs = [tuple(rank_scores(table, part.choice.quantile, offset) for table in (one, other))]
    else:
        pairs = [(one, other)]
    farthest = max(int(np.abs(mine - theirs).max(axis=1).sum()) for mine, theirs in pairs)
    scores = Fraction(farthest) / part.mechanism.sensitivity
    return scores if part.around is None else max(scores, joined_apart(part.around, one, other))


def joined_apart(around: Around, one: Counts, other: Counts) -> Fraction:
    """How far what is measured around values moves, as a part of what is hidden: the farthest, wherever they are."""
    found = []
    for value in {0, around.quantile.cells.number // 2, around.quantile.cells.number - 1}:
        edges = around.joined(np.full(len(one), value))
        running = [
            np.concatenate([np.zeros((len(one), 1), dtype=np.int64), table.cumsum(axis=1)], 1) for table in (one, other)
        ]
        joined = [np.diff(np.take_along_axis(table, edges, axis=1), axis=1) for table in running]
        moved = (around.summed.sums(joined[0]) - around.summed.sums(joined[1])).astype(object)
        if isinstance(around.mechanism, Laplace):
            found.append(Fraction(int(np.abs(moved).sum())) / around.mechanism.sensitivity)
        else:
            found.append(Fraction(int((moved * moved).sum())) / around.mechanism.sensitivity**2)
    return max(found)


def histogram(part: Chosen | Counted) -> str:
    """The name under which tests keep the exact counts."""
    return part.choice.name if isinstance(part, Chosen) else part.quantiles[0].name
