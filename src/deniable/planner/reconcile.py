"""Tables of totals by several sets of keys, made to agree: least squares, factors of the noises, rounding.

Every key has its values, and every set of keys a table with a cell for each combination of its keys' values. Tables are
arrays with an axis for each key of all sets; a key that a set leaves out has length one there. Sums over the axes that
one set has and another lacks are what both say about the same rows.

The tables of one set have noise of one width, so least squares come apart: a table is the sum of parts, one for each
*meet* (what several sets have in common), that no other meet can say anything about. Of each part there are as many
noisy versions as sets that hold its meet, and the weighted mean of them is the best one. docs/proofs/consistent.md
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Keys = frozenset[int]
"""A set of keys, by their places."""


@dataclass(frozen=True)
class Crossing:
    """Sets of keys, and how many values each key has.

    Guarantee:  `reconciled` gives tables that agree, and of all linear, unbiased ones those with the least variance in
                every cell; each cell is a combination of the noisy ones whose factors `factors` lists.
    Rounding:   of doubles; `rounded` makes sums agree exactly, and moves a cell by 2^k / 2 steps at most, of k keys.
    Reference:  Hay, Rastogi, Miklau, Suciu 2010 (least squares for totals and their parts).
    Proof:      docs/proofs/consistent.md

    Example:
        >>> crossing = Crossing((2,), (frozenset({0}), frozenset()))
        >>> parts, total = crossing.reconciled([np.array([10.0, 20.0]), np.array([33.0])], [1.0, 1.0])
        >>> parts.tolist(), total.tolist()
        ([11.0, 21.0], [32.0])
    """

    sizes: tuple[int, ...]
    sets: tuple[Keys, ...]

    def cells(self, keys: Keys) -> int:
        """How many combinations of values these keys have."""
        return prod(self.sizes[key] for key in keys)

    @cached_property
    def meets(self) -> tuple[Keys, ...]:
        """What some of the sets have in common, the smallest first; each set itself among them."""
        found = set(self.sets)
        waiting = list(found)
        while waiting:
            one = waiting.pop()
            fresh = {one & other for other in found} - found
            found |= fresh
            waiting += fresh
        return tuple(sorted(found, key=lambda keys: (len(keys), sorted(keys))))

    def reconciled(self, tables: Sequence[FloatArray], widths: Sequence[float]) -> list[FloatArray]:
        """The tables of all sets, with noise of these widths, as near to what they were as agreeing ones can be."""
        parts = {meet: self._part(self._mean(tables, widths, meet), meet) for meet in self.meets}
        return [
            np.asarray(sum(parts[meet] / self.cells(keys - meet) for meet in self._within(keys))) for keys in self.sets
        ]

    def factors(self, place: int, widths: Sequence[float]) -> list[list[tuple[float, int]]]:
        """Of each set: the factors that its noises have in any one cell of the set at `place`, and how many have each.

        Which factor it is follows from the keys in which both cells agree, so all cells of a set are alike.
        """
        wanted, found = self.sets[place], []
        for number, keys in enumerate(self.sets):
            both = wanted & keys
            factor = np.zeros([1] * len(self.sizes))
            for meet in self._within(both):
                share = self._shares(widths, meet)[number]
                factor = factor + share / self.cells(wanted - meet) * self._kernels[meet]
            shape = [2 if key in both else 1 for key in range(len(self.sizes))]
            times = np.full(shape, float(self.cells(keys - both)))
            for key in both:
                times = times * self._along(key, self.sizes[key] - 1, 1)
            pairs = zip(np.broadcast_to(factor, shape).ravel().tolist(), times.ravel().tolist(), strict=True)
            found.append([(one, int(many)) for one, many in pairs if many])
        return found

    def rounded(self, tables: Sequence[FloatArray], step: float) -> list[FloatArray]:
        """Tables that agree, in whole steps and still agreeing: running sums are rounded, and their differences kept.

        What two tables have in common is rounded once: there the running sums of the larger are those of the smaller.
        """
        running: dict[Keys, FloatArray] = {}
        for meet in self.meets:
            ends = self._summed(next(t for t, keys in zip(tables, self.sets, strict=True) if meet <= keys), meet)
            for key in meet:
                ends = np.cumsum(ends, axis=key)
            ends = np.rint(ends / step)
            for inner in self._within(meet):
                if inner != meet:
                    last = tuple(slice(-1 if key in meet - inner else None, None) for key in range(len(self.sizes)))
                    ends[last] = running[inner]
            running[meet] = ends
        return [self._differences(running[keys], keys) * step for keys in self.sets]

    def laid_out(self, column: FloatArray, order: Sequence[int]) -> FloatArray:
        """A column whose rows are all combinations of keys in this order, the last key fastest."""
        table = column.reshape([self.sizes[key] for key in order]).transpose(np.argsort(order))
        return table.reshape([self.sizes[key] if key in order else 1 for key in range(len(self.sizes))])

    def column(self, table: FloatArray, order: Sequence[int]) -> FloatArray:
        """And back."""
        return (
            table.reshape([self.sizes[key] for key in sorted(order)]).transpose(np.argsort(np.argsort(order))).ravel()
        )

    def _within(self, keys: Keys) -> Iterator[Keys]:
        return (meet for meet in self.meets if meet <= keys)

    def _shares(self, widths: Sequence[float], meet: Keys) -> list[float]:
        """What each set's version of a part counts: the inverse of its variance, of all that hold the meet."""
        weights = [
            1 / (width**2 * self.cells(keys)) if meet <= keys else 0.0
            for keys, width in zip(self.sets, widths, strict=True)
        ]
        return [weight / sum(weights) for weight in weights]

    def _mean(self, tables: Sequence[FloatArray], widths: Sequence[float], meet: Keys) -> FloatArray:
        shares = self._shares(widths, meet)
        return np.asarray(
            sum(share * self._summed(table, meet) for share, table in zip(shares, tables, strict=True) if share)
        )

    def _summed(self, table: FloatArray, keys: Keys) -> FloatArray:
        """Over all keys but these."""
        found: FloatArray = table.sum(axis=tuple(k for k in range(len(self.sizes)) if k not in keys), keepdims=True)
        return found

    def _part(self, table: FloatArray, meet: Keys) -> FloatArray:
        """What a table by the keys of a meet says that no smaller meet does."""
        found: dict[Keys, FloatArray] = {}
        for inner in self._within(meet):
            below = sum(found[other] / self.cells(inner - other) for other in found if other < inner)
            found[inner] = self._summed(table, inner) - below
        return found[meet]

    @cached_property
    def _kernels(self) -> dict[Keys, FloatArray]:
        """The same as a matrix: its entry for two cells, by the keys in which they agree (1) or not (0)."""
        found: dict[Keys, FloatArray] = {}
        for meet in self.meets:
            same = np.ones([1] * len(self.sizes))
            for key in meet:
                same = same * self._along(key, 0, 1)
            found[meet] = same - sum(found[other] / self.cells(meet - other) for other in found if other < meet)
        return found

    def _along(self, key: int, *values: float) -> FloatArray:
        """By whether the key agrees: a value if not, and one if it does."""
        return np.array(values, dtype=np.float64).reshape(
            [-1 if other == key else 1 for other in range(len(self.sizes))]
        )

    def _differences(self, running: FloatArray, keys: Keys) -> FloatArray:
        for key in keys:
            running = np.diff(running, axis=key, prepend=0.0)
        return running
