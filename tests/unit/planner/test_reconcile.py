"""Tables by several sets of keys: least squares against plain linear algebra, factors against its matrix, rounding."""

from itertools import combinations, product

import numpy as np
import pytest

from deniable.planner.reconcile import Crossing

FAMILIES = [
    ((3,), [{0}, set()]),
    ((2, 3), [{0, 1}, {0}, set()]),
    ((2, 3), [{0}, {1}]),
    ((2, 3, 2), [{0, 1}, {0, 2}]),
    ((2, 3, 4), [{0, 1}, {1, 2}, {0, 2}, set()]),
    ((2, 1, 3), [{0, 1, 2}, {1}, {2}]),
    ((2, 3, 2), [set(some) for size in range(4) for some in combinations(range(3), size)]),
]


@pytest.fixture(params=FAMILIES, ids=str)
def family(request):
    sizes, sets = request.param
    return Crossing(sizes, tuple(map(frozenset, sets)))


def incidence(crossing: Crossing) -> list[np.ndarray]:
    """Of each set: a row for each of its cells, with ones where a cell of all keys together belongs to it."""
    finest = list(product(*(range(size) for size in crossing.sizes)))
    found = []
    for keys in crossing.sets:
        order = sorted(keys)
        cells = list(product(*(range(crossing.sizes[key]) for key in order)))
        found.append(np.array([[tuple(one[key] for key in order) == cell for one in finest] for cell in cells], float))
    return found


def noisy(crossing: Crossing, chance: np.random.Generator) -> list[np.ndarray]:
    shapes = [[size if key in keys else 1 for key, size in enumerate(crossing.sizes)] for keys in crossing.sets]
    return [chance.normal(50, 20, shape) for shape in shapes]


def test_they_are_the_weighted_least_squares(family):
    chance = np.random.default_rng(1)
    tables, widths = noisy(family, chance), chance.uniform(0.5, 3, len(family.sets))
    rows = incidence(family)
    weights = np.concatenate([np.full(len(one), 1 / width) for one, width in zip(rows, widths, strict=True)])
    matrix, values = np.vstack(rows), np.concatenate([table.ravel() for table in tables])
    finest, *_ = np.linalg.lstsq(matrix * weights[:, None], values * weights, rcond=None)
    for one, found in zip(rows, family.reconciled(tables, widths), strict=True):
        np.testing.assert_allclose(found.ravel(), one @ finest, rtol=1e-9)


def test_the_factors_of_the_noises_are_those_of_its_matrix(family):
    chance = np.random.default_rng(2)
    widths = chance.uniform(0.5, 3, len(family.sets))
    rows = incidence(family)
    weights = np.concatenate([np.full(len(one), 1 / width) for one, width in zip(rows, widths, strict=True)])
    matrix = np.vstack(rows)
    projection = matrix @ np.linalg.pinv(matrix * weights[:, None]) * weights
    starts = np.cumsum([0, *map(len, rows)])
    for place in range(len(rows)):
        for cell in range(starts[place], starts[place + 1]):
            for other, pairs in enumerate(family.factors(place, widths)):
                found = sorted(factor for factor, times in pairs for _ in range(times))
                expected = sorted(projection[cell, starts[other] : starts[other + 1]])
                np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("step", [1.0, 2.0**-20])
def test_what_is_rounded_agrees_exactly_and_stays_near(family, step):
    """Also where running sums lie in the middle between two steps, as means of whole numbers often do."""
    chance = np.random.default_rng(3)
    for _ in range(20):
        tables = [np.rint(table) for table in noisy(family, chance)]
        near = family.reconciled(tables, [1.0] * len(tables))
        found = family.rounded(near, step)
        for keys, one, was in zip(family.sets, found, near, strict=True):
            assert (one / step == np.rint(one / step)).all()
            assert np.abs(one - was).max() <= 2 ** len(keys) / 2 * step + 1e-9
            for others, other in zip(family.sets, found, strict=True):
                outside = [tuple(set(range(len(family.sizes))) - (keys & others))] * 2
                assert (one.sum(axis=outside[0]) == other.sum(axis=outside[1])).all()


def test_what_agrees_already_stays(family):
    finest = np.random.default_rng(4).integers(0, 100, family.sizes).astype(float)
    every = range(len(family.sizes))
    tables = [finest.sum(axis=tuple(k for k in every if k not in keys), keepdims=True) for keys in family.sets]
    for table, found in zip(tables, family.reconciled(tables, [1.0 + n for n in range(len(tables))]), strict=True):
        np.testing.assert_allclose(found, table)
    for table, found in zip(tables, family.rounded(tables, 1.0), strict=True):
        assert (found == table).all()


def test_a_column_is_laid_out_in_its_own_order_of_keys():
    crossing = Crossing((2, 3, 4), (frozenset({0, 1, 2}),))
    column = np.arange(24.0)
    for order in [(0, 1, 2), (2, 0, 1), (1, 2, 0)]:
        table = crossing.laid_out(column, order)
        place = np.ravel_multi_index([(1, 2, 3)[key] for key in order], [crossing.sizes[key] for key in order])
        assert table[1, 2, 3] == column[place]
        assert (crossing.column(table, order) == column).all()
    assert crossing.laid_out(np.arange(3.0), (1,)).shape == (1, 3, 1)
    assert crossing.column(crossing.laid_out(np.ones(1), ()), ()).tolist() == [1.0]
