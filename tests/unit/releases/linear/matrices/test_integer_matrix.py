"""Exact products: as Python's own integers give them, cut at 2^61."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable.core.errors import InvalidArgumentError
from deniable.core.grid import RANGE
from deniable.releases.linear.matrices.components import Centred
from deniable.releases.linear.matrices.factors import Factor, Shape
from deniable.releases.linear.matrices.integer_matrix import Whole, image

numbers = st.integers(0, RANGE)
entries = st.integers(-(2**14), 2**14)


@given(st.lists(numbers, min_size=3, max_size=3), st.lists(entries, min_size=6, max_size=6), st.integers(1, 2**8))
def test_products_are_exact(cells, matrix, scale):
    rows = [matrix[:3], matrix[3:]]
    wanted = [sum(a * b for a, b in zip(row, cells, strict=True)) * scale for row in rows]
    found = image(np.array(cells), [Whole(np.array(rows))], scale)
    for one, other in zip(found.tolist(), wanted, strict=True):
        assert one == max(-RANGE, min(RANGE, other)) or (abs(other) >= RANGE and abs(one) == RANGE)


@given(st.lists(numbers, min_size=12, max_size=12))
def test_several_axes_are_one_product(cells):
    tensor = np.array(cells).reshape(2, 3, 2)
    maps = [Whole(np.array([[3, -5], [1, 1], [0, 7]])), Centred(3), Factor(Shape.RANGES, 2, 2)]
    matrices = [one.apply(np.eye(size), 0).astype(int) for one, size in zip(maps, tensor.shape, strict=True)]
    wanted = tensor.astype(object)
    for axis, matrix in enumerate(matrices):
        wanted = np.moveaxis(np.tensordot(matrix.astype(object), wanted, axes=(1, axis)), 0, axis)
    assert (image(tensor, maps, 5) == np.clip(5 * wanted, -RANGE, RANGE)).all()


def test_neighbours_past_the_cut_do_not_move_apart():
    one = Whole(np.array([[1, 1], [1, -1]]))
    near, far = image(np.array([RANGE, RANGE]), [one], 1), image(np.array([RANGE, RANGE - 3]), [one], 1)
    assert np.abs(near - far).sum() <= 6


def test_what_could_be_inexact_is_refused():
    with pytest.raises(InvalidArgumentError, match="too large"):
        Whole(np.array([[2**40]]))
    with pytest.raises(InvalidArgumentError, match="too large"):
        image(np.ones((9, 9), dtype=np.int64), [Whole(np.full((9, 9), 2**16))] * 2, 1)
    with pytest.raises(InvalidArgumentError, match="whole numbers"):
        Whole(np.array([[0.5]]))
