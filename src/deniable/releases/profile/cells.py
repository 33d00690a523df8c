"""Public cells that cover everything, so that nothing has to be known about the values."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

from deniable.core.algebra.expression import Kind
from deniable.core.calendar import DAY, SECOND, counted

MOST_ROWS = 100_000
"""Of one person: beyond, people are only counted."""
_WIDEST = Fraction(6, 5)
"""The largest number of rows in a cell, by the smallest."""
_FRIENDLY = tuple(Fraction(text) for text in ("1", "1.2", "1.5", "2", "2.5", "3", "4", "5", "6", "8"))
"""Ten numbers that people write, between one power of ten and the next."""
_LARGEST = 12
_SMALLEST = -3
"""Powers of ten: beyond and below, numbers share a cell."""
FIRST_YEAR = 1900
_YEARS = range(FIRST_YEAR, 2101)


def row_edges(most: int = MOST_ROWS) -> tuple[int, ...]:
    """Where cells of a number of rows begin: at one, and each ends at most a factor 1.2 above its beginning.

    Example:
        >>> row_edges(30)
        (1, 2, 3, 4, 5, 7, 9, 11, 14, 17, 21, 26, 32)
    """
    edges = [1]
    while edges[-1] <= most:
        edges.append(int(edges[-1] * _WIDEST) + 1)
    return tuple(edges)


def value_edges(kind: Kind) -> tuple[Fraction, ...]:
    """Where cells of values begin: cell i holds the values from edge i - 1 up to, and without, edge i.

    Of numbers on both sides of zero, ten to a power of ten; of days and moments every half year from 1900 to 2100; of
    times of day every half hour. The first and the last cell are open.

    Example:
        >>> edges = value_edges(Kind.INTEGER)
        >>> [int(edge) for edge in edges[len(edges) // 2 - 3 : len(edges) // 2 + 10]]
        [-3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 8, 10, 12]
    """
    if kind in (Kind.INTEGER, Kind.NUMBER):
        powers = range(0 if kind is Kind.INTEGER else _SMALLEST, _LARGEST + 1)
        sizes = {friendly * Fraction(10) ** power for power in powers for friendly in _FRIENDLY}
        kept = {size for size in sizes if kind is Kind.NUMBER or size.denominator == 1}
        return tuple(sorted({Fraction(0), *kept, *(-size for size in kept)}))
    if kind is Kind.TIME:
        return tuple(Fraction(half * 1800 * SECOND) for half in range(48))
    days = [counted(date(year, month, 1)) for year in _YEARS for month in (1, 7)]
    return tuple(Fraction(day * (DAY if kind is Kind.TIMESTAMP else 1)) for day in days)
