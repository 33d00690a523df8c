"""Factors against their matrices written out."""

import numpy as np
import pytest

from deniable.releases.linear.matrices.factors import Factor, Shape


def written(shape: Shape, size: int, present: int) -> np.ndarray:
    """By definition."""
    match shape:
        case Shape.TOTAL:
            rows = [range(size)]
        case Shape.VALUES:
            rows = [[value] for value in range(size)]
        case Shape.PREFIXES:
            rows = [range(last + 1) for last in range(present)]
        case Shape.RANGES:
            rows = [range(first, last + 1) for first in range(present) for last in range(first, present)]
    return np.array([[float(value in row) for value in range(size)] for row in rows])


@pytest.mark.parametrize("shape", Shape)
@pytest.mark.parametrize(("size", "present"), [(1, 1), (2, 1), (2, 2), (7, 6), (8, 8)])
def test_a_factor_is_its_matrix(shape, size, present):
    factor, matrix = Factor(shape, size, present), written(shape, size, present)
    chance = np.random.default_rng(size)
    tensor = chance.integers(0, 100, (3, size, 2)).astype(float)
    assert factor.rows == len(matrix)
    assert np.array_equal(factor.apply(tensor, 1), np.einsum("qv,avb->aqb", matrix, tensor))
    assert np.array_equal(factor.gram, matrix.T @ matrix)
    assert factor.trace == (matrix**2).sum()
    assert np.array_equal(factor.sums, matrix.sum(axis=1))
    assert all(np.array_equal(factor.row(place), row) for place, row in enumerate(matrix))
    assert factor.taxi == np.abs(matrix).sum(axis=0).max()
    assert factor.square == (matrix**2).sum(axis=0).max()
    assert factor.least <= (matrix.T @ matrix).min()
    assert factor.widest >= matrix.sum(axis=1).max()
    root = chance.normal(size=(size, size))
    covariance = root @ root.T
    assert np.allclose(factor.quadratic(covariance), np.einsum("qv,vw,qw->q", matrix, covariance, matrix))
