"""What this very release gives away, attack by attack. None of them breaks a promise: k, l and t never made these.

- Homogeneity (Machanavajjhala et al. 2007): everyone in a class shares the value, so that finding the class is enough.
- Background knowledge (same): whoever can rule out one or two values may be left with a single one.
- Skewness (Li, Li, Venkatasubramanian 2007): a value is far more frequent in a class than in the table.
- Composition (Ganta, Kasiviswanathan, Smith 2008): two releases of the same people; the values that a person can have
  are those that both leave open.
- Left out: whoever fits no class of the release must be among the suppressed rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deniable.releases.syntactic.search.cells import CellCounts
from deniable.releases.syntactic.search.classes import ClassValues
from deniable.releases.syntactic.search.grouping import IntArray
from deniable.releases.syntactic.search.recoding import Recoding

_CONFIDENT = 0.9


@dataclass(frozen=True, slots=True)
class Exposure:
    """What the classes say about one sensitive column."""

    column: str
    certain: tuple[int, ...]
    """Rows whose value is certain, if nothing, one value or two values can be ruled out."""
    confident: int
    """Rows whose value can be guessed with 90% confidence or more."""
    guess: float
    """How often the best guess by class is right."""
    blind: float
    """How often the best guess is right without the release's classes."""
    skew: float
    """How many times as frequent a value is in some class as in the table, at most."""
    skewed: object
    """That value."""
    skewed_share: tuple[float, float]
    """Its share of that class, and of the table."""


def exposures(cells: CellCounts, recoding: Recoding) -> list[Exposure]:
    """For each sensitive column. Suppressed rows are left out: nobody can tell which of them is whose."""
    classes = recoding.classes(cells).some(~recoding.suppressed)
    found = []
    for sensitive, pairs in zip(cells.sensitive, classes.pairs, strict=True):
        sizes = classes.sizes
        most = np.maximum.reduceat(pairs.count, pairs.starts(len(sizes))) if len(sizes) else np.zeros(0, np.int64)
        many = np.bincount(pairs.of, minlength=len(sizes))
        share = pairs.count / sizes[pairs.of]
        overall = sensitive.counts / sensitive.counts.sum()
        times = share / overall[pairs.value]
        worst = int(np.argmax(times)) if len(times) else -1
        value = int(pairs.value[worst]) if len(times) else 0
        found.append(
            Exposure(
                sensitive.name,
                tuple(int(sizes[many <= 1 + ruled_out].sum()) for ruled_out in range(3)),
                int(sizes[most >= _CONFIDENT * sizes].sum()),
                float(most.sum() / max(1, sizes.sum())),
                float(overall.max()),
                float(times[worst]) if len(times) else 1.0,
                sensitive.values[value].as_py(),
                (float(share[worst]) if len(times) else 0.0, float(overall[value])),
            )
        )
    return found


@dataclass(frozen=True, slots=True)
class JointExposure:
    """What two releases of the same people give away together."""

    column: str
    alone: int
    """Rows whose value is certain from this release."""
    together: int
    """Rows whose value is certain from both."""
    open_alone: float
    """Values that a row can have, on average, by this release."""
    open_together: float
    """And by both."""


def composition(cells: CellCounts, first: Recoding, second: Recoding) -> list[JointExposure]:
    """Intersect what both releases leave open, point by point. A suppressed row is open to every value."""
    pairs_of = [_open(cells, recoding) for recoding in (first, second)]
    rows = cells.sizes
    found = []
    for place, sensitive in enumerate(cells.sensitive):
        everything = np.full(cells.points, len(sensitive.values))
        both = [
            np.where(recoding.suppressed[recoding.of], everything, np.bincount(pairs[place].of)[recoding.of])
            for recoding, pairs in zip((first, second), pairs_of, strict=True)
        ]
        common = _common(first, second, pairs_of[0][place], pairs_of[1][place])
        together = np.where(
            first.suppressed[first.of], both[1], np.where(second.suppressed[second.of], both[0], common)
        )
        found.append(
            JointExposure(
                sensitive.name,
                int(rows[both[0] == 1].sum()),
                int(rows[together == 1].sum()),
                float(np.average(both[0], weights=rows)),
                float(np.average(together, weights=rows)),
            )
        )
    return found


def _open(cells: CellCounts, recoding: Recoding) -> list[ClassValues]:
    return list(recoding.classes(cells).pairs)


def _common(first: Recoding, second: Recoding, ours: ClassValues, theirs: ClassValues) -> IntArray:
    """For each point, how many values both of its classes have; each pair of classes that meet is intersected once."""
    meeting, number = np.unique(first.of * second.number + second.of, return_inverse=True)
    a, b = np.divmod(meeting, second.number)
    starts, ends = np.searchsorted(ours.of, a), np.searchsorted(ours.of, a, side="right")
    lengths = ends - starts
    place = np.repeat(starts - np.r_[0, np.cumsum(lengths)[:-1]], lengths) + np.arange(lengths.sum())
    wanted = np.repeat(b, lengths) * ours.width + ours.value[place]
    there = theirs.of * theirs.width + theirs.value
    hits = there[np.minimum(np.searchsorted(there, wanted), len(there) - 1)] == wanted
    return np.bincount(np.repeat(np.arange(len(meeting)), lengths), hits, len(meeting)).astype(np.int64)[number]
