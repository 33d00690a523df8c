"""Between which public numbers a quotient lies, whatever the data are, if it is of sums that are never negative.

If s_i >= 0 and b_i >= 0, the quotient of sum t_i s_i and sum b_i s_i is a weighted mean of the t_i / b_i, so it lies
between the least and the largest of them (Cauchy's mediant inequality). docs/proofs/intervals.md
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf

from deniable.core.algebra.query import Total
from deniable.planner.expressions.keys import conjuncts
from deniable.planner.intervals.forms import OTHERWISE, Affine, Ratio, Way, finite

Within = tuple[float, float]
_ALWAYS = ""
"""The statistic that is one: a constant is so many times it."""
_MOST_COMPARED = 8
"""Of a quotient of more statistics, none is looked for that is a part of another one."""


@dataclass(frozen=True, slots=True)
class Added:
    """What a statistic adds up, of which rows: as texts, to be compared."""

    row: tuple[str, int, int]
    conditions: frozenset[str]


@dataclass(frozen=True, slots=True)
class PublicFacts:
    """What is known of exact statistics before anything is looked at, by their names."""

    nonnegative: frozenset[str] = frozenset()
    added: Mapping[str, Added] = field(default_factory=dict)
    """Of those that add up rows and are never negative."""

    @classmethod
    def of(cls, nonnegative: Mapping[str, Total | None]) -> PublicFacts:
        """Of statistics that nothing can make negative, and how rows add up in them, if they do."""
        added = {name: _added(total) for name, total in nonnegative.items() if total is not None}
        return cls(frozenset(nonnegative), added)

    def within(self, ratio: Ratio) -> Within:
        """Where the quotient lies, if its divisor is not zero; everywhere, if nothing is known."""
        low, high = (0.0, inf) if self._positive(ratio.top) and self._positive(ratio.bottom) else (-inf, inf)
        if not _alike(ratio):
            return low, high
        top, bottom = (_terms(one) for one in (ratio.top, ratio.bottom))
        for turn in (Fraction(1), Fraction(-1)):
            for part in (None, *self._parts(ratio.top.ways | ratio.bottom.ways)):
                least, most = self._mediant(top, bottom, turn, part)
                low, high = max(low, least), min(high, most)
        return low, high

    def _parts(self, ways: Collection[Way]) -> Iterator[tuple[str, str]]:
        """Pairs of statistics, the first of rows that are all among those of the second, where they add as much."""
        known = [(self.added[name], way, name) for name, way in sorted(ways) if name in self.added]
        for first, way, one in known if len(known) <= _MOST_COMPARED else ():
            for second, other_way, other in known:
                if way == other_way and first.row == second.row and first.conditions > second.conditions:
                    yield one, other

    def _positive(self, one: Affine) -> bool:
        return one.sums is not None and one.sums <= self.nonnegative

    def _mediant(
        self, top: Mapping[str, Fraction], bottom: Mapping[str, Fraction], turn: Fraction, part: tuple[str, str] | None
    ) -> Within:
        """By the inequality; with `part`, of the part and of what is left of the whole instead of the whole."""
        above, below = ({name: turn * times for name, times in one.items()} for one in (top, bottom))
        if part is not None:
            one, whole = part
            for terms in (above, below):
                terms[one] = terms.get(one, Fraction(0)) + terms.get(whole, Fraction(0))
        names = [name for name in {**above, **below} if above.get(name) or below.get(name)]
        if any(name not in self.nonnegative | {_ALWAYS} or below.get(name, 0) < 0 for name in names):
            return -inf, inf
        ends = [_over(above.get(name, Fraction(0)), below.get(name, Fraction(0))) for name in names]
        return min(ends), max(ends)


NOTHING = PublicFacts()
"""Where nothing is known."""


def _added(total: Total) -> Added:
    return Added((repr(total.row), total.reach, total.shift), frozenset(repr(one) for one in conjuncts(total.where)))


def _alike(ratio: Ratio) -> bool:
    """Whether each statistic occurs in one way: as it is, or as a whole number, which keeps their order."""
    ways = ratio.top.ways | ratio.bottom.ways
    return OTHERWISE not in ways and len({name for name, _ in ways}) == len(ways)


def _terms(one: Affine) -> dict[str, Fraction]:
    return {_ALWAYS: one.constant, **one.multiples}


def _over(top: Fraction, bottom: Fraction) -> float:
    if bottom:
        return finite(top / bottom)
    return inf if top > 0 else -inf
