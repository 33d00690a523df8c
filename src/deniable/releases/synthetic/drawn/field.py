"""The pairwise random field with the most entropy that has given pairs, and rows drawn from it.

A row is a fine bin for each column. Its log-probability is a sum over columns and over measured pairs. Some thousand
rows, the particles, are drawn anew column by column (Gibbs sampling), and after each draw the terms of that column's
pairs move to where the particles fall short of their goals, a little at a time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from deniable.core.grid import IntArray
from deniable.releases.linear.nonnegative import tidied
from deniable.releases.synthetic.drawn.likeness import GoalSide, Likeness, Particles, Single
from deniable.releases.synthetic.drawn.settle import Settling
from deniable.releases.synthetic.measured.estimates import Goal

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
        self._shares = [one.astype(np.float32) for one in likeness.shares]
        self._own: list[Single] = [np.log(one) for one in self._shares]
        self._terms: list[Single] = [np.zeros(goal.shares.shape, dtype=np.float32) for goal in likeness.goals]
        self._sides: list[list[GoalSide]] = [[] for _ in self._shares]
        for number, goal in enumerate(likeness.goals):
            for place in goal.pair:
                self._sides[place].append(GoalSide.of(goal, number, place))
        self._never = _never(likeness)
        linked = [place for place in range(len(self._shares)) if self._sides[place] or self._never[place]]
        self._free = [place for place in linked if place not in given]  # others are as they should be from the start
        self._grow(tree)
        self._fit(start)

    def draw(self, start: Sequence[IntArray]) -> list[IntArray]:
        """As many rows as these, from which they start: a fine bin for each column. Known columns stay as they are."""
        terms, own = [one.copy() for one in self._terms], [one.copy() for one in self._own]
        settling = Settling(self._shares, self._sides, self._never, self._free)
        found, first = [np.empty_like(column) for column in start], 0
        while first < start[0].size:
            part = slice(first, first + _TOGETHER)
            state = Particles([column[part].astype(np.intp) for column in start], self._likeness)
            for sweep in range(_POLISHED if first == 0 else _AFTER):
                for place in self._chance.permutation(self._free):
                    self._redraw(place, state)
                    if sweep > 0:
                        self._learn(place, state, _FOLLOW)
            settling.settle(state, self._terms, self._own, self._chance)
            for column, rows in zip(found, state.rows, strict=True):
                column[part] = rows
            first += _TOGETHER
        self._terms, self._own = terms, own
        return found

    def _grow(self, tree: Sequence[Goal]) -> None:
        """The terms of a tree: what each of its pairs has beyond independence. They are exact, if there is no other."""
        pairs = {goal.pair for goal in tree}
        for terms, goal in zip(self._terms, self._likeness.goals, strict=True):
            if goal.pair in pairs:
                apart = np.outer(goal.shares.sum(axis=1), goal.shares.sum(axis=0))
                terms[:] = np.log(np.maximum(goal.shares, 1e-12) / np.maximum(apart, 1e-12))

    def _fit(self, start: Sequence[IntArray]) -> None:
        """Sweep over the particles; terms are averaged over the last sweeps."""
        picked = self._chance.permutation(np.resize(self._chance.permutation(start[0].size), _PARTICLES))
        state = Particles([column[picked].astype(np.intp) for column in start], self._likeness)
        terms, own, averaged = _nothing(self._terms), _nothing(self._own), 0
        for sweep in range(_SWEEPS):
            rate = _RATE * min(1.0, max(2 * (1 - sweep / _SWEEPS), 0.1))
            for place in self._chance.permutation(self._free):
                self._redraw(place, state)
                self._learn(place, state, rate)
            if sweep >= _AVERAGED * _SWEEPS:
                terms = [one + other for one, other in zip(terms, self._terms, strict=True)]
                own = [one + other for one, other in zip(own, self._own, strict=True)]
                averaged += 1
        self._terms, self._own = ([one / np.float32(averaged) for one in sums] for sums in (terms, own))

    def _redraw(self, place: int, state: Particles) -> None:
        """A column anew, given the others. Its own terms are solved for, so that its shares are met before it is drawn.

        Rows in the order of what they expect get evenly spread numbers, not random ones: so their pairs vary less.
        """
        odds = self._odds(place, state)
        factor = np.ones(len(odds), dtype=np.float32)
        for _ in range(2):
            full = factor * (odds @ (1 / (factor @ odds)))
            factor *= np.clip(self._shares[place] * state.size / np.maximum(full, 1e-9), 0.2, 5)
        self._own[place] += np.log(factor)
        odds *= factor[:, None]
        every = np.ones(len(odds), dtype=np.float32) @ odds
        expected = np.arange(len(odds), dtype=np.float32) @ odds / every
        even = np.empty(state.size, dtype=np.float32)
        mixed = self._chance.permutation(even.size)  # rows that expect the same get the same numbers in no two columns
        even[mixed[np.argsort(expected[mixed])]] = (np.arange(even.size) * _GOLDEN + self._chance.random()) % 1.0
        even *= every
        drawn, reached = np.zeros(even.size, dtype=np.int16), np.zeros_like(even)
        for line in odds[:-1]:
            reached += line
            drawn += reached < even
        state.put(place, _levelled(drawn.astype(np.intp), odds, self._shares[place]))

    def _odds(self, place: int, state: Particles) -> Single:
        """How likely each row is in each bin of a column, given its others; a line for each bin."""
        odds = np.repeat(self._own[place][None, :], state.size, axis=0)
        added = np.empty_like(odds)
        for other, level, lines in self._lines(place, state):
            np.take(lines, state.codes[other][level], axis=0, out=added, mode="clip")  # faster than with checks
            odds += added
        odds = np.ascontiguousarray(odds.T)
        odds -= odds.max(axis=0)
        return np.exp(odds, out=odds)

    def _lines(self, place: int, state: Particles) -> Iterator[tuple[int, int, Single]]:
        """What other columns say of a column: for each of their bins, on their level, a number for each of its bins."""
        for side in self._sides[place]:
            yield side.other, side.level, side.beside(self._terms[side.number], state.coarse[place])
        for other, never in self._never[place]:
            yield other, 0, never

    def _learn(self, place: int, state: Particles, rate: float) -> None:
        """The terms of a column's pairs, a step towards their goals; centred, so that columns alone stay as they are.

        Steps that are not centred add up over pairs and diverge.
        """
        size = np.float32(1.0 / state.size)
        for side in self._sides[place]:
            cells = np.bincount(side.cells(place, state), minlength=side.shares.size).reshape(side.shares.shape)
            pair = cells.astype(np.float32) * size
            alone, beside = pair.sum(axis=1), pair.sum(axis=0)
            step = np.log((side.shares + size) / (pair + size))
            step -= np.log((side.mine + size) / (alone + size))[:, None]
            step -= np.log((side.yours + size) / (beside + size))
            np.clip(step, -1, 1, out=step)
            step -= (side.mine[:, None] * step).sum(axis=0)
            step -= (step * side.yours).sum(axis=1)[:, None]
            self._terms[side.number] += side.seen(step) * np.float32(rate)


def _never(likeness: Likeness) -> list[list[tuple[int, Single]]]:
    """For each column, the others beside which it cannot have every fine bin, and what it loses there by their bin."""
    found: list[list[tuple[int, Single]]] = [[] for _ in likeness.shares]
    for (one, other), never in likeness.zeros.items():
        terms = np.where(never, np.float32(_NEVER), np.float32(0))
        found[one].append((other, np.ascontiguousarray(terms.T)))
        found[other].append((one, terms))
    return found


def _nothing(terms: Sequence[Single]) -> list[Single]:
    return [np.zeros_like(one) for one in terms]


def _levelled(drawn: IntArray, odds: Single, shares: Single) -> IntArray:
    """The draw, with as few rows moved as make each bin as full as it should be: those to whom it makes least odds."""
    found = drawn.copy()
    wanted = tidied(shares.astype(np.float64) * (drawn.size / float(shares.sum())), nonnegative=True, whole=True)
    excess = np.bincount(drawn, minlength=shares.size) - wanted.astype(np.int64)
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
