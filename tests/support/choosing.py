"""How far apart the scores of choices, and the sums under quantiles, are, measured on exact histograms."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from deniable.mechanisms import Laplace
from deniable.mechanisms.ranks import rank_scores
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
        offsets = [side * part.offset for side in part.choice.sides]
        pairs = [
            tuple(rank_scores(table, part.choice.quantile, offset) for table in (one, other)) for offset in offsets
        ]
    else:
        pairs = [(one, other)]
    farthest = max(int(np.abs(mine - theirs).max(axis=1).sum()) for mine, theirs in pairs)
    return Fraction(farthest) / part.mechanism.sensitivity


def histogram(part: Chosen | Counted) -> str:
    """The name under which tests keep the exact counts."""
    return part.choice.name if isinstance(part, Chosen) else part.quantiles[0].name
