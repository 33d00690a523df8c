"""Ways to look at outcomes: by their value, by their lowest set bit, or by both at once.

Numbers that come out of floating-point noise lie on a lattice that depends on what the noise was added to, so the
lowest set bit of the answer gives the input away even where the values are as noisy as they should be (Mironov 2012).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Outcomes = NDArray[Any]
"""Whole numbers or floats, 64 bits each."""
IntArray = NDArray[np.int64]

_MANY = 512
"""Up to so many distinct values have a cell each; more are cut into about so many intervals."""
_FEW = 32
"""Intervals of the value where each is split once more by the lowest set bit."""
_NAMED = 3
"""Of a set of cells, how many stretches are spelled out."""
_MANTISSA = 53
_NO_BIT = 1100
"""Stands for the lowest set bit of zero, which is a multiple of every power of two."""


@dataclass(frozen=True, slots=True)
class LineView:
    """One feature of outcomes, cut into cells at `edges`; an edge belongs to the cell above it."""

    spelling: str
    feature: Callable[[Outcomes], Outcomes]
    edges: Outcomes

    @property
    def size(self) -> int:
        """One more than edges, as the first cell lies below them all."""
        return self.edges.size + 1

    def cells(self, outcomes: Outcomes) -> IntArray:
        """How many edges each outcome has reached."""
        return np.searchsorted(self.edges, self.feature(outcomes), side="right")

    def words(self, first: int, last: int) -> str:
        """The cells from `first` to `last`, as a person would say it."""
        low = _number(self.edges[first - 1].item()) if first else None
        high = _number(_before(self.edges[last].item())) if last < self.edges.size else None
        if low is None and high is None:
            return self.spelling.format("anything")
        if low is None or high is None:
            return self.spelling.format(f"at most {high}" if low is None else f"at least {low}")
        return self.spelling.format(low if low == high else f"{low} to {high}")


@dataclass(frozen=True, slots=True)
class View:
    """Every outcome in one of finitely many cells: those of one line, or the crossings of several."""

    lines: tuple[LineView, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """How many cells each line has."""
        return tuple(line.size for line in self.lines)

    def cells(self, outcomes: Outcomes) -> IntArray:
        """The cell of each outcome, as one number."""
        return np.ravel_multi_index(tuple(line.cells(outcomes) for line in self.lines), self.shape)

    def counts(self, outcomes: Outcomes) -> IntArray:
        """How many outcomes each cell has, row by row."""
        return np.stack([np.bincount(row, minlength=int(np.prod(self.shape))) for row in self.cells(outcomes)])

    def words(self, cells: IntArray) -> str:
        """A set of cells: its stretches along the last line, the first few by name."""
        ascending = np.sort(cells)
        breaks = (np.diff(ascending) > 1) | (ascending[1:] % self.shape[-1] == 0)
        stretches = np.split(ascending, np.flatnonzero(breaks) + 1)
        named = [self._stretch(int(stretch[0]), int(stretch[-1])) for stretch in stretches[:_NAMED]]
        more = len(stretches) - len(named)
        return " or ".join(named) + (f" (and {more} more)" if more else "")

    def _stretch(self, first: int, last: int) -> str:
        ends = zip(np.unravel_index(first, self.shape), np.unravel_index(last, self.shape), strict=True)
        return " with ".join(
            line.words(int(low), int(high)) for line, (low, high) in zip(self.lines, ends, strict=True)
        )


def views(outcomes: Outcomes) -> list[View]:
    """Every way to look that may tell something. Where each value has a cell of its own, nothing is finer."""
    value = LineView("outcome {}", _itself, _edges(outcomes, _MANY))
    if np.array_equal(value.edges, np.unique(outcomes)):
        return [View((value,))]
    lowest = LineView("lowest set bit 2^({})", lowest_bit, _edges(lowest_bit(outcomes), _MANY))
    coarse = LineView("outcome {}", _itself, _edges(outcomes, _FEW))
    return [View((value,)), View((lowest,)), View((coarse, lowest))]


def lowest_bit(outcomes: Outcomes) -> IntArray:
    """The largest power of two that each number is a whole multiple of, by its exponent.

    Example:
        >>> lowest_bit(np.array([1.0, 0.75, -12.0, 0.1])).tolist()
        [0, -2, 2, -55]
    """
    if np.issubdtype(outcomes.dtype, np.integer):
        whole, shift = outcomes.astype(np.int64), np.zeros(outcomes.shape, dtype=np.int64)
    else:
        mantissas, exponents = np.frexp(np.where(np.isfinite(outcomes), outcomes, 0.0))
        whole, shift = np.ldexp(mantissas, _MANTISSA).astype(np.int64), exponents.astype(np.int64) - _MANTISSA
    _, places = np.frexp((whole & -whole).astype(np.float64))
    return np.where(whole == 0, _NO_BIT, places - 1 + shift)


def _itself(outcomes: Outcomes) -> Outcomes:
    return outcomes


def _edges(values: Outcomes, most: int) -> Outcomes:
    """The distinct values; if there are too many, quantiles, with every frequent value in a cell of its own."""
    distinct, counts = np.unique(values, return_counts=True)
    if distinct.size <= most:
        return distinct
    ranks = np.arange(most) * values.size // most
    quantiles = distinct[np.searchsorted(np.cumsum(counts), ranks, side="right")]
    frequent = distinct[counts * most > values.size]
    return np.unique(np.concatenate([quantiles, frequent, _after(frequent)]))


def _after(values: Outcomes) -> Outcomes:
    """The next number of the same kind."""
    return values + 1 if np.issubdtype(values.dtype, np.integer) else _towards(values, np.inf)


def _before(value: float) -> float:
    """The number of the same kind just below."""
    return value - 1 if isinstance(value, int) else float(_towards(value, -np.inf))


def _number(value: float) -> str:
    """Whole numbers in full, others to six digits."""
    return str(value) if isinstance(value, int) else f"{value:.6g}"


def _towards(values: Any, end: float) -> Any:  # noqa: ANN401 - a number or an array of them
    """The next float; steps from and to infinity are no overflow here."""
    with np.errstate(over="ignore"):
        return np.nextafter(values, end)
