"""What is done to one table, from public facts alone: what each measurement may cost, and what follows from the last.

counts of columns (20%) -> bins -> scores of pairs (5%) -> tables of pairs (70%) -> rows -> certificate (5%)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from deniable.core.grid import IntArray
from deniable.core.sensitivity import Neighbours
from deniable.mechanisms import Gaussian
from deniable.releases.synthetic.certificate import Certificate
from deniable.releases.synthetic.drawn.companions import companion, order
from deniable.releases.synthetic.drawn.constraints import mended, zeros
from deniable.releases.synthetic.drawn.likeness import Likeness
from deniable.releases.synthetic.drawn.possible import Constraint
from deniable.releases.synthetic.drawn.rows import places
from deniable.releases.synthetic.drawn.tree import drawn
from deniable.releases.synthetic.measured.bins import Bins, binned, narrow, sums
from deniable.releases.synthetic.measured.domain import ColumnDomain
from deniable.releases.synthetic.measured.estimates import fused, goals
from deniable.releases.synthetic.measured.one_way import ColumnEstimate, FloatArray, OneWay
from deniable.releases.synthetic.measured.pairs import ColumnPairs, Pair, PairTable, coarse_bins, finest_bins, wanted
from deniable.releases.synthetic.measured.portion import Portion, Vectors

SHARES = {"counts": Fraction(20, 100), "scores": Fraction(5, 100), "tables": Fraction(70, 100)}
"""Parts of the spend; the certificate has the rest."""
_FINER = 4
"""How many fine bins there are for each coarse one, at most."""
_CLEAR = (2.0, 2.0, 4.0)
"""How many deviations of a single count the finest, fine and coarse bins hold, at least."""
_SHOWN = 100
"""Up to so many values, the certificate tells each apart; of columns with more, coarse bins. Of many columns, fewer."""


@dataclass(frozen=True)
class Recipe:
    """How one table is made. The first `given` columns are known when its rows are drawn: those of its parents.

    Guarantee:  zCDP with `rho`: four Gaussian mechanisms, of which each may depend on what the last ones gave out.
    Proof:      docs/proofs/synthetic.md
    """

    columns: tuple[ColumnDomain, ...]
    rho: Fraction
    reach: int
    """The most that one unit weighs, in rows / 2^20."""
    neighbours: Neighbours
    given: int = 0
    constraints: tuple[Constraint, ...] = ()
    """What no row violates."""

    @cached_property
    def one_way(self) -> OneWay:
        """The first measurement."""
        return OneWay(self.columns, self._portion("counts", Vectors.COUNTS))

    @property
    def mechanisms(self) -> tuple[Gaussian, ...]:
        """All that ever meets the data, in this order."""
        portions = (self.one_way.portion, self.for_scores, self.for_tables, self.for_certificate)
        return tuple(portion.mechanism for portion in portions)

    def counted(self, noisy: IntArray) -> CountedTable:
        """What follows from the first measurement."""
        rows, counts = self.one_way.read(noisy)
        coarse = coarse_bins(rows, self.for_tables, len(self.pairs))
        finest = max(_FINER * coarse, finest_bins(len(self.pairs)))
        resolutions = tuple(
            binned(column, count.estimate, (finest, _FINER * coarse, coarse), _least(count.variance))
            for column, count in zip(self.columns, counts, strict=True)
        )
        margins = tuple(sums(own.finest, count.estimate) for own, count in zip(resolutions, counts, strict=True))
        variances = tuple(
            np.asarray(count.variance * np.bincount(own.finest), dtype=np.float64)
            for own, count in zip(resolutions, counts, strict=True)
        )
        pairs = ColumnPairs(rows, margins, variances, resolutions, self.for_scores, self.for_tables, self.given)
        return CountedTable(self, rows, tuple(counts), pairs, tuple(self.one_way.vectors(noisy)))

    @property
    def pairs(self) -> list[Pair]:
        """Every pair that is scored and certified."""
        return wanted(len(self.columns), self.given)

    @property
    def for_scores(self) -> Portion:
        """What scores may cost."""
        return self._portion("scores", Vectors.DISTANCES)

    @property
    def for_tables(self) -> Portion:
        """What tables of pairs may cost."""
        return self._portion("tables", Vectors.COUNTS)

    @property
    def for_certificate(self) -> Portion:
        """What the certificate may cost: the rest."""
        rest = 1 - sum(SHARES.values())
        return Portion(self.rho * rest, self.reach, Vectors.DISTANCES, self.neighbours)

    def _portion(self, name: str, kind: Vectors) -> Portion:
        return Portion(self.rho * SHARES[name], self.reach, kind, self.neighbours)


def _fine(bins: Bins, places_: IntArray) -> IntArray:
    return narrow(bins.fine, bins.sizes[0])[places_]


def _least(variance: float) -> tuple[float, float, float]:
    finest, fine, coarse = (many * variance**0.5 for many in _CLEAR)
    return finest, fine, coarse


@dataclass(frozen=True)
class CountedTable:
    """A table whose columns have been counted, each by itself."""

    recipe: Recipe
    rows: float
    counts: tuple[ColumnEstimate, ...]
    pairs: ColumnPairs
    raw: tuple[FloatArray, ...]
    """The noisy counts of every level of every column, as they were measured."""

    @property
    def finest(self) -> tuple[IntArray, ...]:
        """For every column, the finest bin of each place."""
        return tuple(own.finest for own in self.pairs.resolutions)

    @property
    def shown(self) -> tuple[IntArray, ...]:
        """What the certificate tells apart: for every column, a number for each place."""
        most = min(_SHOWN, finest_bins(len(self.recipe.pairs)))
        return tuple(
            np.arange(column.size) if column.size <= most else own.coarse[own.fine[own.finest]]
            for column, own in zip(self.recipe.columns, self.pairs.resolutions, strict=True)
        )

    @property
    def certificate(self) -> Certificate:
        """The last measurement."""
        recipe = self.recipe
        return Certificate(self.rows, recipe.one_way.deviation_of_rows, tuple(recipe.pairs), recipe.for_certificate)

    def measured(self, noisy: IntArray) -> MeasuredTable:
        """With the tables of pairs."""
        choice, tables = self.pairs.read(noisy)
        return MeasuredTable(self, choice.bins, tuple(tables))


@dataclass(frozen=True)
class MeasuredTable:
    """A table of which all is known that will be: from here on, everything is free."""

    counted: CountedTable
    bins: tuple[Bins, ...]
    """Of every column: how finely its values are told apart in pairs."""
    tables: tuple[PairTable, ...]

    @cached_property
    def likeness(self) -> Likeness:
        """What its rows should be like."""
        counted = self.counted
        margins = fused(counted.rows, counted.counts, self.bins, self.tables)
        never = zeros(counted.recipe.constraints, self.bins)
        chains = [column.present if column.ordered else 0 for column in counted.recipe.columns]
        shares = goals(margins, self.bins, chains, self.tables, never)
        return Likeness(self.bins, tuple(margin / counted.rows for margin in margins), tuple(shares), never)

    def draw(
        self, rows: int, chance: np.random.Generator, given: Mapping[int, IntArray] | None = None
    ) -> tuple[list[IntArray], str]:
        """So many rows, as the place of each value, and how they were found; `given` are places, too."""
        known, bins = given or {}, self.bins
        found, method = drawn(
            self.likeness, rows, chance, {place: _fine(bins[place], own) for place, own in known.items()}
        )
        values: dict[int, IntArray] = dict(known)
        counts = [one.estimate for one in self.counted.counts]
        for place, column in enumerate(found):
            if place not in known:
                ordered = [other for other in values if self.counted.recipe.columns[other].ordered]
                own = self.counted.recipe.columns[place].ordered
                follow = companion(place, ordered, self.likeness, counts) if own else None
                by = None if follow is None else order(follow, values[follow.place], chance)
                values[place] = places(column, bins[place].fine, counts[place], chance, by)
        rows_ = [values[place] for place in range(len(found))]
        return mended(rows_, self.counted.recipe.constraints, counts, chance), method
