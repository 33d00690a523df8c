"""The pairwise random field with the most entropy that has given pairs, and rows drawn from it.

A row is a fine bin for each column. Its log-probability is a sum over columns and over measured pairs. Some thousand
rows, the particles, are drawn anew column by column (Gibbs sampling), and after each draw the terms of that column's
pairs move to where the particles fall short of their goals, a little at a time.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

import numpy as np

from deniable.core.grid import IntArray
from deniable.releases.linear.nonnegative import tidied
from deniable.releases.synthetic.estimates import Goal
from deniable.releases.synthetic.likeness import GoalSide, Likeness, Particles, Single, counts_of
from deniable.releases.synthetic.settle import Settling

_PARTICLES = 8_000
_SWEEPS = 20
_RATE = 0.2
"""How far terms move towards their goal with each draw; larger steps overshoot, as pairs share columns."""
_AVERAGED = 0.7
"""Terms are averaged over the sweeps from this part on: single ones follow the particles' own chance."""
_POLISHED = 5
"""Sweeps over the rows that are wanted."""
_FOLLOW = 0.06
"""How far terms still move in these, so that the rows themselves meet the goals."""
_TOGETHER = 1 << 14
"""Rows that are drawn together: the memory they take is as large as this."""
_AFTER = 3
"""Sweeps over rows after the first so many, whose terms have settled."""
_NEVER = -50.0
"""The log-odds of what cannot be."""
_GOLDEN = 0.6180339887498949
"""Multiples of this fill the unit interval more evenly than chance would."""


class PairwiseField:
    """The field of a likeness: its terms, and the particles that found them."""

    def __init__(
        self,
        likeness: Likeness,
        chance: np.random.Generator,
        start: Sequence[IntArray],
        tree: Sequence[Goal],
        given: Collection[int] = (),
    ) -> None:
        """Fit it, from rows of the field of a tree, whose terms are known; some columns may be given for all rows.

        `chance` decides nothing that anybody's privacy hangs on: all that it meets is noisy already.
        """
        self._likeness, self._chance = likeness, chance
        self._free = [place for place in range(len(likeness.shares)) if place not in given]
        sizes = [one.size for one in likeness.shares]
        ends = np.cumsum([0, *sizes])
        self._blocks = [slice(int(first), int(end)) for first, end in pairwise(ends)]
        self._shares = [one.astype(np.float32) for one in likeness.shares]
        self._own: list[Single] = [np.log(one) for one in self._shares]
        self._terms: Single = np.zeros((ends[-1], ends[-1]), dtype=np.float32)
        self._sides: list[list[GoalSide]] = [[] for _ in sizes]
        for number, goal in enumerate(likeness.goals):
            for place in goal.pair:
                self._sides[place].append(GoalSide.of(likeness, number, place))
        self._grow(tree)
        self._forbid()
        self._fit(start)

    def draw(self, start: Sequence[IntArray]) -> list[IntArray]:
        """As many rows as these, from which they start: a fine bin for each column. Known columns stay as they are."""
        terms, own = self._terms.copy(), [one.copy() for one in self._own]
        settling, parts = Settling(self._shares, self._sides, self._free), list[list[IntArray]]()
        for first in range(0, start[0].size, _TOGETHER):
            state = Particles.of([column[first : first + _TOGETHER] for column in start], self._blocks)
            for sweep in range(_POLISHED if not parts else _AFTER):
                for place in self._chance.permutation(self._free):
                    self._redraw(place, state)
                    if sweep > 0:
                        self._learn(place, state, _FOLLOW)
            settling.settle(state, self._terms, self._own, self._chance)
            parts.append(state.rows)
        self._terms, self._own = terms, own
        return [np.concatenate(columns) for columns in zip(*parts, strict=True)]

    def _grow(self, tree: Sequence[Goal]) -> None:
        """The terms of a tree: what each of its pairs has beyond independence. They are exact, if there is no other."""
        pairs = {goal.pair for goal in tree}
        for place, sides in enumerate(self._sides):
            for side in sides:
                if (min(place, side.other), max(place, side.other)) in pairs:
                    apart = np.outer(side.mine, side.yours)
                    terms = np.log(np.maximum(side.shares, 1e-12) / np.maximum(apart, 1e-12))
                    self._terms[self._blocks[place], self._blocks[side.other]] = side.spread(terms)

    def _fit(self, start: Sequence[IntArray]) -> None:
        """Sweep over the particles; terms are averaged over the last sweeps."""
        picked = self._chance.permutation(np.resize(self._chance.permutation(start[0].size), _PARTICLES))
        state = Particles.of([column[picked] for column in start], self._blocks)
        terms, own, averaged = np.zeros_like(self._terms), [np.zeros_like(one) for one in self._own], 0
        for sweep in range(_SWEEPS):
            rate = _RATE * min(1.0, max(2 * (1 - sweep / _SWEEPS), 0.1))
            for place in self._chance.permutation(self._free):
                self._redraw(place, state)
                self._learn(place, state, rate)
            if sweep >= _AVERAGED * _SWEEPS:
                terms += self._terms
                own = [one + other for one, other in zip(own, self._own, strict=True)]
                averaged += 1
        self._terms, self._own = terms / np.float32(averaged), [one / np.float32(averaged) for one in own]

    def _redraw(self, place: int, state: Particles) -> None:
        """A column anew, given the others. Its own terms are solved for, so that its shares are met before it is drawn.

        Rows in the order of what they expect get evenly spread numbers, not random ones: so their pairs vary less.
        """
        odds = self._terms[self._blocks[place]] @ state.hot  # a row for each bin, so that sums over bins are fast
        odds += self._own[place][:, None]
        odds -= odds.max(axis=0)
        np.exp(odds, out=odds)
        for _ in range(2):
            inverse = np.float32(1) / odds.sum(axis=0)
            factor = np.clip(self._shares[place] * inverse.size / np.maximum(odds @ inverse, 1e-9), 0.2, 5)
            odds *= factor[:, None]
            self._own[place] += np.log(factor)
        expected = np.arange(len(odds), dtype=np.float32) @ odds / odds.sum(axis=0)
        chances = np.cumsum(odds, axis=0, out=odds)
        even = np.empty(expected.size, dtype=np.float32)
        even[np.argsort(expected)] = (np.arange(even.size) * _GOLDEN + self._chance.random()) % 1.0
        even *= chances[-1]
        drawn = np.zeros(even.size, dtype=np.int64)
        for chance in chances[:-1]:
            drawn += chance < even
        state.put(place, _levelled(drawn, chances, self._shares[place]))

    def _learn(self, place: int, state: Particles, rate: float) -> None:
        """The terms of a column's pairs, a step towards their goals; centred, so that columns alone stay as they are.

        Steps that are not centred add up over pairs and diverge.
        """
        rows, size = state.rows, np.float32(1.0 / state.rows[0].size)
        for side in self._sides[place]:
            mine, yours = side.code(rows[place], own=True), side.code(rows[side.other], own=False)
            pair = counts_of(mine, yours, side.shares.shape).astype(np.float32) * size
            alone, beside = pair.sum(axis=1), pair.sum(axis=0)
            step = np.log((side.shares + size) / (pair + size))
            step -= np.log((side.mine + size) / (alone + size))[:, None]
            step -= np.log((side.yours + size) / (beside + size))
            np.clip(step, -1, 1, out=step)
            step -= (side.mine[:, None] * step).sum(axis=0)
            step -= (step * side.yours).sum(axis=1)[:, None]
            step *= np.float32(rate)
            step = side.spread(step)
            self._terms[self._blocks[place], self._blocks[side.other]] += step
            self._terms[self._blocks[side.other], self._blocks[place]] += step.T

    def _forbid(self) -> None:
        """What cannot be has no chance from the start; steps are small, so it keeps none."""
        for (one, other), never in self._likeness.zeros.items():
            self._terms[self._blocks[one], self._blocks[other]][never] = _NEVER
            self._terms[self._blocks[other], self._blocks[one]][never.T] = _NEVER


def _levelled(drawn: IntArray, chances: Single, shares: Single) -> IntArray:
    """The draw, with as few rows moved as make each bin as full as it should be: those to whom it makes least odds.

    `chances` are cumulative, a row for each bin.
    """
    found = drawn.copy()
    wanted = tidied(shares.astype(np.float64) * (drawn.size / float(shares.sum())), nonnegative=True, whole=True)
    excess = np.bincount(drawn, minlength=shares.size) - wanted.astype(np.int64)
    odds = np.diff(chances, axis=0, prepend=np.float32(0))
    short = [[int(place), int(-excess[place])] for place in np.flatnonzero(excess < 0)]
    for place in np.flatnonzero(excess > 0):
        left = int(excess[place])
        for need in short:
            if need[1] == 0 or left == 0:
                continue
            inside = np.flatnonzero(found == place)
            ratio = odds[need[0], inside] / np.maximum(odds[place, inside], 1e-30)
            count = min(left, need[1])
            moved = inside[np.argpartition(-ratio, count - 1)[:count]]
            found[moved] = need[0]
            left, need[1] = left - count, need[1] - count
    return found
