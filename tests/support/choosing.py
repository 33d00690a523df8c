"""How far apart the scores of choices are, measured on exact histograms."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from deniable.mechanisms.ranks import rank_scores
from deniable.planner.choices import Quantile
from deniable.planner.chosen import Chosen

Counts = NDArray[np.int64]


def apart(part: Chosen, one: Counts, other: Counts) -> Fraction:
    """The farthest that a score moves in each group, added up, as a part of what the choice is made for."""
    if isinstance(part.choice, Quantile):
        offsets = [side * part.offset for side in part.choice.sides]
        pairs = [
            tuple(rank_scores(table, part.choice.quantile, offset) for table in (one, other)) for offset in offsets
        ]
    else:
        pairs = [(one, other)]
    farthest = max(int(np.abs(mine - theirs).max(axis=1).sum()) for mine, theirs in pairs)
    return Fraction(farthest) / part.mechanism.sensitivity
