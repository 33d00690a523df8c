"""How likely it is to find somebody in a table, and what the table gave up for that.

Three attackers (El Emam, Dankar 2008). The *prosecutor* knows that their target is in the table: 1 / class size. The
*journalist* wants to show that somebody can be found, and does not know who was sampled: 1 / size of the class in the
population. The *marketer* wants to find as many as possible: the share that is found on average. Where the table is
a sample, population classes are estimated by the sampling rate; otherwise the table is the population.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deniable.releases.syntactic.search.cells import CellCounts
from deniable.releases.syntactic.search.grouping import IntArray
from deniable.releases.syntactic.search.recoding import Recoding


@dataclass(frozen=True, slots=True)
class Risks:
    """For the person who is easiest to find, and on average."""

    prosecutor: float
    journalist: float
    marketer: float
    alone: int
    """Rows that look like no other."""


def risks(sizes: IntArray, population: int | None) -> Risks:
    """From the sizes of the classes; suppressed rows are a class of their own, in which nobody looks like anything."""
    rows = int(sizes.sum())
    rate = rows / (population or rows)
    worst = 1 / int(sizes.min())
    return Risks(worst, worst * rate, len(sizes) / rows * rate, int((sizes == 1).sum()))


def released_sizes(cells: CellCounts, recoding: Recoding) -> IntArray:
    """The sizes of the classes as they are seen: all suppressed rows look alike."""
    sizes = np.bincount(recoding.of, cells.sizes, recoding.number).astype(np.int64)
    hidden = int(sizes[recoding.suppressed].sum())
    shown = sizes[~recoding.suppressed]
    return np.append(shown, hidden) if hidden else shown


def losses(cells: CellCounts, recoding: Recoding) -> dict[str, float]:
    """Every loss, by its definition, for any method."""
    rows, points = cells.total, cells.sizes
    lost_ncp = lost_bits = all_bits = 0.0
    hidden = recoding.suppressed[recoding.of]
    for place, (codes, spans, covers) in enumerate(zip(recoding.codes, recoding.spans, recoding.covers, strict=True)):
        label = codes[recoding.of]
        lost_ncp += float(np.sum(points * np.where(hidden, 1.0, spans[label])))
        own = cells.rows_of(place)[cells.codes[place]]
        lost_bits += float(np.sum(points * np.log2(np.where(hidden, rows, covers[label]) / own)))
        all_bits += float(np.sum(points * np.log2(rows / own)))
    sizes = np.bincount(recoding.of, points, recoding.number)
    kept = sizes[~recoding.suppressed]
    suppressed = rows - float(kept.sum())
    return {
        "ncp": lost_ncp / (rows * len(recoding.codes)),
        "entropy": lost_bits / (all_bits or 1.0),
        "discernibility": float(np.square(kept).sum()) + suppressed * rows,
        "class size": rows / (len(kept) + bool(suppressed)),
    }
