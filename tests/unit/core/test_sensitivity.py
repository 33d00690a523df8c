"""The textbook's sensitivities, against every pair of neighbours among all small tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations_with_replacement
from statistics import median_low

import pytest

from deniable.core import sensitivity
from deniable.core.errors import InvalidArgumentError
from deniable.core.sensitivity import Neighbours

Table = tuple[int, ...]
ADD_REMOVE, REPLACE = Neighbours.ADD_REMOVE, Neighbours.REPLACE


def pairs(values: range, sizes: range, neighbours: Neighbours) -> Iterator[tuple[Table, Table]]:
    """All tables with these values and sizes, each with each of its neighbours (rows have no order)."""
    for size in sizes:
        for table in combinations_with_replacement(values, size):
            for row in range(size):
                rest = table[:row] + table[row + 1 :]
                if neighbours is ADD_REMOVE:
                    yield table, rest
                else:
                    yield from ((table, (*rest, value)) for value in values)


def farthest(statistic: Callable[[Table], list[Fraction]], tables: Iterator[tuple[Table, Table]]) -> Fraction:
    """The largest l1 distance between neighbours' statistics."""
    return max(
        sum((abs(a - b) for a, b in zip(statistic(one), statistic(other), strict=True)), Fraction(0))
        for one, other in tables
    )


@pytest.mark.parametrize("neighbours", Neighbours)
def test_count(neighbours: Neighbours) -> None:
    # of the rows that satisfy a condition
    tables = pairs(range(2), range(1, 5), neighbours)
    assert farthest(lambda table: [Fraction(sum(table))], tables) == sensitivity.count(neighbours) == 1


@pytest.mark.parametrize(("neighbours", "textbook"), [(ADD_REMOVE, 1), (REPLACE, 2)])
def test_histogram(neighbours: Neighbours, textbook: int) -> None:
    def cells(table: Table) -> list[Fraction]:
        counts = Counter(table)
        return [Fraction(counts[value]) for value in range(4)]

    tables = pairs(range(4), range(1, 5), neighbours)
    assert farthest(cells, tables) == sensitivity.histogram(neighbours) == textbook


@pytest.mark.parametrize("neighbours", Neighbours)
@pytest.mark.parametrize(("lower", "upper"), [(0, 4), (-3, 2), (-5, -2), (1, 3)])
def test_total(lower: int, upper: int, neighbours: Neighbours) -> None:
    tables = pairs(range(lower, upper + 1), range(1, 4), neighbours)
    expected = max(abs(lower), abs(upper)) if neighbours is ADD_REMOVE else upper - lower
    assert farthest(lambda table: [Fraction(sum(table))], tables) == expected
    assert sensitivity.total(lower, upper, neighbours) == expected


@pytest.mark.parametrize("people", [1, 2, 3, 4])
def test_mean(people: int) -> None:
    tables = pairs(range(-1, 4), range(people, people + 1), REPLACE)
    assert farthest(lambda table: [Fraction(sum(table), len(table))], tables) == sensitivity.mean(-1, 3, people)
    assert sensitivity.mean(0, 100, people) == Fraction(100, people)


@pytest.mark.parametrize("neighbours", Neighbours)
def test_median(neighbours: Neighbours) -> None:
    # an odd number of rows under replace; under add-remove the lower median of any number
    sizes = range(3, 6, 2) if neighbours is REPLACE else range(2, 6)
    tables = pairs(range(5), sizes, neighbours)
    assert farthest(lambda table: [Fraction(median_low(table))], tables) == sensitivity.median(0, 4) == 4
    assert sensitivity.median(0, 100) == 100


@pytest.mark.parametrize(("lower", "upper"), [(1, 1), (2, 1)])
def test_bounds_in_the_wrong_order_are_refused(lower: int, upper: int) -> None:
    for statistic in (sensitivity.total, sensitivity.median, lambda low, high: sensitivity.mean(low, high, 5)):
        with pytest.raises(InvalidArgumentError, match="upper"):
            statistic(lower, upper)


@pytest.mark.parametrize("people", [0, -1, 2.5])
def test_a_mean_needs_people(people: float) -> None:
    with pytest.raises(InvalidArgumentError, match="people"):
        sensitivity.mean(0, 1, people)
