"""What the noisy numbers say, put together: the share of rows in every bin, and in every cell of the measured pairs.

Every step is post-processing. Counts of a column are fused from everything that counted it, by inverse variance; what a
table says beyond independence is shrunk as far as its noise asks for; then both are made to agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from numpy.typing import NDArray

from deniable.releases.synthetic.measured.bins import Bins, sums
from deniable.releases.synthetic.measured.one_way import ColumnEstimate, FloatArray, nearest
from deniable.releases.synthetic.measured.pairs import Pair, PairTable

Zeros = Mapping[Pair, NDArray[np.bool_]]
"""Cells of fine bins that no row can be in."""

_POWERS = (1.0, 1.5, 2.0)
"""How the size of residuals may grow with what is expected: like counts, like shares, or between."""
_ALIKE = (0.0, 0.6, 0.9, 0.98)
"""How much alike residuals of neighbouring bins may be, in ordered columns: their correlation."""
_FACTORS = np.append(0.0, np.geomspace(0.02, 250.0, 35))
"""What a cell may hold, beside what is expected."""
_WIDE = 0.15
"""How wide the factors around each of these are, as a part of it: about half a step."""
_STEPS = 30
_ROUNDS = 100
_PARAMETERS = 20.0
"""How much more likely factors must make a table than residuals do: they have more to choose from."""
_LEAST = 0.002
"""Of what is expected without dependence, what stays at least in a cell: noise alone empties none."""
_TINY = 1e-3
"""Rows that every bin keeps, so that it can be drawn."""


@dataclass(frozen=True, slots=True)
class Goal:
    """The share of rows in each cell of one pair."""

    pair: Pair
    fine: bool
    shares: FloatArray


def fused(
    rows: float, counts: Sequence[ColumnEstimate], bins: Sequence[Bins], tables: Sequence[PairTable]
) -> list[FloatArray]:
    """Rows by fine bin, for every column, from its own counts and from the margins of every table that has it."""
    found = []
    for place, (column, own) in enumerate(zip(counts, bins, strict=True)):
        values = sums(own.fine, column.noisy, own.sizes[0])
        precision = 1 / (column.variance * np.bincount(own.fine, minlength=own.sizes[0]))
        total, coarse = values * precision, []
        for table in tables:
            if place not in table.pair:
                continue
            other = 1 if place == table.pair[0] else 0
            margin, exact = table.noisy.sum(axis=other), 1 / (table.deviation**2 * table.noisy.shape[other])
            if table.fine:
                total, precision = total + margin * exact, precision + exact
            else:
                coarse.append((margin, exact))
        values = total / precision
        if coarse:
            values = _lifted(values, precision, own.coarse, coarse)
        share = (1 / precision) / (1 / precision).sum()
        values = nearest(values + (rows - values.sum()) * share, rows)
        values = np.maximum(values, _TINY)
        found.append(values * rows / values.sum())
    return found


def _lifted(
    values: FloatArray, precision: FloatArray, coarse: NDArray[np.int64], margins: Sequence[tuple[FloatArray, float]]
) -> FloatArray:
    """Bins whose sums over coarse ones agree with what is known of those: the difference goes where least is known."""
    variance = sums(coarse, 1 / precision)
    together, known = sums(coarse, values), 1 / variance
    better, sure = together * known, known
    for margin, exact in margins:
        better, sure = better + margin * exact, sure + exact
    return values + ((better / sure - together) / variance)[coarse] / precision


def goals(
    margins: Sequence[FloatArray],
    bins: Sequence[Bins],
    chains: Sequence[int],
    tables: Sequence[PairTable],
    zeros: Zeros,
) -> list[Goal]:
    """The shares of every measured pair, which agree with those of its columns; `chains` are places in order."""
    columns = {
        (place, fine): _Axis.of(own, margin, chain, fine=fine)
        for place, (own, margin, chain) in enumerate(zip(bins, margins, chains, strict=True))
        for fine in (True, False)
    }
    found = []
    for table in tables:
        first, second = (columns[place, table.fine] for place in table.pair)
        one, other, rows = first.rows, second.rows, float(first.rows.sum())
        expected = np.outer(one, other) / rows
        likely = _shrunk(table.noisy, expected, table.deviation, (first, second))
        cells = np.maximum(likely, _LEAST * expected)
        if table.fine and table.pair in zeros:
            cells = np.where(zeros[table.pair], 0.0, cells)
        found.append(Goal(table.pair, table.fine, _fitted(cells, one, other) / rows))
    return found


def _shrunk(noisy: FloatArray, expected: FloatArray, deviation: float, axes: tuple[_Axis, _Axis]) -> FloatArray:
    """What the cells most likely hold: by residuals that are normal, or by factors of any shape, whichever fits better.

    Both are empirical Bayes: how the cells differ from what is expected is learned from all cells of the table.
    """
    plain, likely = _by_residuals(noisy, expected, deviation, axes)
    shaped, more = _by_factors(noisy, expected, deviation)
    return shaped if more - _PARAMETERS > likely else plain


def _by_residuals(
    noisy: FloatArray, expected: FloatArray, deviation: float, axes: tuple[_Axis, _Axis]
) -> tuple[FloatArray, float]:
    """Residuals are taken to be normal with a variance t * expected^p, and those of neighbours to be alike.

    How much alike, t and p are the most likely of a grid. The covariance is a product of one for each axis, so along
    their directions residuals are independent, and each is shrunk by itself.
    """
    residual, noise = noisy - expected, deviation**2
    best, found = -np.inf, residual
    for power, alike in product(_POWERS, _ALIKE if any(axis.chain > 1 for axis in axes) else _ALIKE[:1]):
        (left, one), (right, other) = (axis.directions(power, alike) for axis in axes)
        turned, growth = left.T @ residual @ right, np.outer(one, other)
        growth = growth / growth.mean()
        size, likely = _likeliest(turned**2, growth, noise)
        if likely > best:
            kept = 1 - noise / (size * growth + noise)
            best, found = likely, left @ (kept * turned) @ right.T
    return expected + found, best


def _likeliest(squares: FloatArray, growth: FloatArray, noise: float) -> tuple[float, float]:
    """The most likely size of residuals, and how likely it makes them: first by powers of ten, then in between."""
    best, likely = 0.0, -np.inf
    for sizes in (np.geomspace(1e-3, 1e5, 9), np.geomspace(0.16, 6.3, 9)):
        tried = sizes * (best or noise)
        variance = tried[:, None, None] * growth + noise
        odds = -0.5 * (np.log(variance / noise) + squares / variance).sum(axis=(1, 2))
        best, likely = float(tried[odds.argmax()]), float(odds.max())
    return best, likely


@dataclass(frozen=True)
class _Axis:
    """One column of a table: its rows by bin, of which the first ones, the chain, are each other's neighbours."""

    rows: FloatArray
    chain: int
    found: dict[tuple[float, float], tuple[FloatArray, FloatArray]] = field(default_factory=dict)

    @classmethod
    def of(cls, bins: Bins, margin: FloatArray, chain: int, *, fine: bool) -> _Axis:
        """A column with so many places in order, on fine or on coarse bins."""
        places = bins.fine[:chain]
        last = -1 if places.size == 0 else int((places if fine else bins.coarse[places]).max())
        return cls(margin if fine else sums(bins.coarse, margin), last + 1)

    def directions(self, power: float, alike: float) -> tuple[FloatArray, FloatArray]:
        """Along which residuals are independent, if neighbours are so much alike; and their variances, up to a factor.

        Most tables share their columns with others, so these are kept.
        """
        if (power, alike) not in self.found:
            growth = np.maximum(self.rows, 1.0) ** power
            if alike == 0 or self.chain <= 1:
                self.found[power, alike] = np.eye(growth.size), growth
            else:
                near = np.eye(growth.size)
                steps = np.arange(self.chain)
                near[: self.chain, : self.chain] = alike ** np.abs(steps - steps[:, None])
                variances, directions = np.linalg.eigh(near * np.sqrt(np.outer(growth, growth)))
                self.found[power, alike] = directions, np.maximum(variances, 0.0)
        return self.found[power, alike]


def _by_factors(noisy: FloatArray, expected: FloatArray, deviation: float) -> tuple[FloatArray, float]:
    """Each cell is what is expected times a factor; how common each factor is, is found by expectation-maximization.

    Where columns nearly determine each other most factors are zero and a few are large, which no normal law has.
    Factors are normal around those of a grid, as wide as its steps: so with little noise a cell is what was measured.
    """
    found, means = noisy.reshape(-1, 1), expected.reshape(-1, 1) * _FACTORS
    noise, own = deviation**2, (_WIDE * means) ** 2
    spread = own + noise
    logs = -0.5 * ((found - means) ** 2 / spread + np.log(spread / noise))
    top = logs.max(axis=1, keepdims=True)
    odds = np.exp(logs - top)
    weights = np.full(_FACTORS.size, 1 / _FACTORS.size)
    for _ in range(_STEPS):
        weights = weights * (odds.T @ (1 / (odds @ weights))) / len(odds)
    together = odds @ weights
    likely = means + own / spread * (found - means)
    cells = (odds * likely) @ weights / together
    return cells.reshape(noisy.shape), float((np.log(together) + top[:, 0]).sum())


def _fitted(cells: FloatArray, one: FloatArray, other: FloatArray) -> FloatArray:
    """The cells, scaled by row and by column until their sums are these (iterative proportional fitting)."""
    found = np.maximum(cells, 1e-9)
    for _ in range(_ROUNDS):
        found = found * (one / np.maximum(found.sum(axis=1), 1e-12))[:, None]
        found = found * (other / np.maximum(found.sum(axis=0), 1e-12))
        if np.abs(found.sum(axis=1) - one).sum() < 1e-6 * one.sum():
            break
    return found
