"""What this very release gives away, attack by attack. None of them breaks a promise: k, l and t never made these.

- Homogeneity, background knowledge, skewness, composition: the same arithmetic as that of the attacks
  (`releases/syntactic/disclosure.py`).
- Left out: whoever fits no class of the release must be among the suppressed rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deniable.releases.syntactic.disclosure import largest, left_by_both, values_left, worst_shares
from deniable.releases.syntactic.search.cells import CellCounts
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
    sizes, number = classes.sizes, classes.number
    for sensitive, pairs in zip(cells.sensitive, classes.pairs, strict=True):
        left, most = values_left(pairs, number), largest(pairs, number)
        overall = sensitive.counts / sensitive.counts.sum()
        worst = worst_shares(pairs, number)
        skewed = int(np.argmax(worst / overall))
        found.append(
            Exposure(
                sensitive.name,
                tuple(int(sizes[left <= 1 + ruled_out].sum()) for ruled_out in range(3)),
                int(sizes[most >= _CONFIDENT * sizes].sum()),
                float(most.sum() / max(1, sizes.sum())),
                float(overall.max()),
                float(worst[skewed] / overall[skewed]) if number else 1.0,
                sensitive.values[skewed].as_py(),
                (float(worst[skewed]), float(overall[skewed])),
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
    rows = cells.sizes
    releases = [(recoding, recoding.classes(cells)) for recoding in (first, second)]
    meeting, met = np.unique(first.of * second.number + second.of, return_inverse=True)
    found = []
    for place, sensitive in enumerate(cells.sensitive):
        ours, theirs = (classes.pairs[place] for _, classes in releases)
        everything = np.full(cells.points, len(sensitive.values))
        alone, other = (
            np.where(recoding.suppressed[recoding.of], everything, values_left(pairs, recoding.number)[recoding.of])
            for (recoding, _), pairs in zip(releases, (ours, theirs), strict=True)
        )
        common = left_by_both(ours, theirs, *np.divmod(meeting, second.number))[met]
        both = np.where(first.suppressed[first.of], other, np.where(second.suppressed[second.of], alone, common))
        found.append(_joint(sensitive.name, rows, alone, both))
    return found


def _joint(name: str, rows: IntArray, alone: IntArray, both: IntArray) -> JointExposure:
    """From how many values each point leaves open."""
    certain = (int(rows[left == 1].sum()) for left in (alone, both))
    return JointExposure(name, *certain, *(float(np.average(left, weights=rows)) for left in (alone, both)))
