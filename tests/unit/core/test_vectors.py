"""Sums over vectors: exact, and never moved farther by one unit than they say."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from math import ceil, isqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.core.algebra.query import WEIGHT
from deniable.core.sensitivity import Neighbours
from deniable.core.vectors.batch import ROWS, VectorBatch, batch_of
from deniable.core.vectors.design import GRID, Encoding, NumberFeature, VectorDesign
from deniable.core.vectors.every import KERNELS as KINDS
from deniable.core.vectors.every import Gram, Hits, Residuals, TargetProducts
from deniable.core.vectors.gram import DIAGONAL, OTHERS
from deniable.core.vectors.kernel import Kernel
from deniable.core.vectors.residuals import FINE, clipped_residuals, residuals, rounded, turned
from tests.support.vectors import (
    DESIGN,
    KERNELS,
    NAMES,
    NUMBER,
    SEVERAL,
    UNEVEN,
    extreme,
    for_units,
    norm,
    of_one_unit,
)

every_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=NAMES)


def test_every_kernel_is_tried() -> None:
    assert {type(kernel) for kernel in KERNELS} == set(KINDS) == set(Kernel.kernels.values())


# ------------------------------------------------------------------------------------------- one unit's contribution


@every_kernel
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32), rows=st.sampled_from([1, 1, 2, 3, 7, 40]), contribution=st.sampled_from([1, 3, 10]))
def test_no_unit_adds_more_than_is_claimed(kernel: Kernel, seed: int, rows: int, contribution: int) -> None:
    own = for_units(kernel, contribution)
    batch = of_one_unit(own, np.random.default_rng(seed), rows)
    assert norm(own.total([batch])) <= own.sensitivity
    assert own.sensitivity == ceil(contribution * own.within)


@every_kernel
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32), rows=st.sampled_from([1, 2, 5]), contribution=st.sampled_from([1, 3]))
def test_no_replaced_unit_moves_it_farther_than_is_claimed(
    kernel: Kernel, seed: int, rows: int, contribution: int
) -> None:
    own, chance = for_units(kernel, contribution, Neighbours.REPLACE), np.random.default_rng(seed)
    first, second = (own.total([of_one_unit(own, chance, rows)]) for _ in range(2))
    assert norm(first - second) <= own.sensitivity


@every_kernel
def test_some_unit_nearly_attains_the_claim(kernel: Kernel) -> None:
    """A claim that nothing comes near would be wasted noise, or a test that cannot fail."""
    chance = np.random.default_rng(7)
    farthest = max(norm(kernel.total([of_one_unit(kernel, chance, 1)])) for _ in range(400))
    least = {"SquaredErrors": 0.8, "GridCells": 1.0, "Hits": 0.99}.get(type(kernel).__name__, 0.9)
    assert farthest >= least * kernel.sensitivity


@every_kernel
def test_more_rows_weigh_no_more(kernel: Kernel) -> None:
    own, chance = for_units(kernel, 3), np.random.default_rng(3)
    for rows in (3, 4, 100, 5000):
        assert norm(own.total([of_one_unit(own, chance, rows)])) <= own.sensitivity


def test_a_replaced_row_moves_the_gram_matrix_by_root_two_and_no_more() -> None:
    """Two rows at right angles, each as long as can be: nothing is shared, so squares add up."""
    square = GRID**2
    features = tuple(NumberFeature(name, Fraction(0), Fraction(1), Fraction(0)) for name in "ab")
    design = VectorDesign(features, None, 0, square, neighbours=Neighbours.REPLACE)
    first, second = (
        Gram(design).total([batch_of(design, [np.array([a]), np.array([b])], np.array([float(WEIGHT)]))])
        for a, b in ((GRID, 0.0), (0.0, GRID))
    )
    assert Gram(design).sensitivity >= norm(first - second) > 0.999 * Gram(design).sensitivity
    assert Gram(design).sensitivity == pytest.approx(2**0.5 * DIAGONAL * square, rel=1e-6)


def test_sums_under_replace_have_twice_the_distance() -> None:
    for kernel in (Hits(DESIGN, rounded(np.zeros(DESIGN.size))), TargetProducts(NUMBER)):
        replaced = for_units(kernel, 1, Neighbours.REPLACE)
        assert replaced.sensitivity == ceil(2 * kernel.within)


def test_the_triangle_has_the_norm_of_the_matrix() -> None:
    """Products off the diagonal stand in the matrix twice, and 49 < 2 * 25."""
    assert OTHERS**2 <= 2 * DIAGONAL**2


# --------------------------------------------------------------------------------------------------- short enough


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_no_row_is_longer_than_its_design_allows(seed: int) -> None:
    chance = np.random.default_rng(seed)
    for square in (DESIGN.square, 1, GRID, GRID**2 // 3, DESIGN.longest):
        design = replace(DESIGN, square=square)
        batch = batch_of(design, extreme(Gram(design), chance, 50), np.full(50, float(WEIGHT)))
        lengths = [sum(int(one) ** 2 for one in row) for row in batch.vectors]
        assert max(lengths) <= square
        assert bool((batch.vectors == np.trunc(batch.vectors)).all())


def test_a_row_that_is_short_enough_stays_as_it_is() -> None:
    batch = batch_of(DESIGN, [np.array([100.0]), np.array([-50.0]), *np.full((2, 1), 1.0), np.zeros(1)], np.ones(1))
    assert batch.vectors[0].tolist() == [100, -50, 0, GRID, 0, 0, GRID, 0, 0, GRID // 2]


def test_a_number_beyond_its_reach_is_at_its_end() -> None:
    design = replace(DESIGN, square=DESIGN.longest)
    far = [np.array([1e300, -1e300]), np.full(2, 5000.0), np.full(2, np.nan), np.full(2, np.nan), np.zeros(2)]
    assert batch_of(design, far, np.ones(2)).vectors[:, :2].tolist() == [[2731, 2731], [-2731, 2731]]


def test_what_is_missing_is_zero_in_every_coordinate() -> None:
    batch = batch_of(DESIGN, [np.full(1, np.nan)] * 4 + [np.zeros(1)], np.ones(1))
    assert batch.vectors[0].tolist() == [0] * 9 + [GRID // 2]


def test_a_target_is_shrunk_with_its_row() -> None:
    design = replace(NUMBER, square=NUMBER.longest // 4)
    far = [np.array([2731.0]), np.array([2731.0]), np.zeros(1), np.zeros(1), np.array([2048.0])]
    batch = batch_of(design, far, np.full(1, float(WEIGHT)))
    assert 0.97 < batch.target[0] / 2048 / (batch.vectors[0, 0] / 2731) < 1.03
    assert batch.target[0] < 2048 * 0.6


def test_an_odd_weight_counts_as_one_at_most() -> None:
    odd = [2.0**40, -1.0, np.nan, 5.0]
    batch = batch_of(DESIGN, [np.zeros(4)] * 5, np.array(odd))
    assert batch.weights.tolist() == [WEIGHT, 0, 0, 5]


# --------------------------------------------------------------------------------------------------------- exactness


@every_kernel
def test_batches_and_their_order_do_not_matter(kernel: Kernel) -> None:
    chance = np.random.default_rng(5)
    fields, weights = extreme(kernel, chance, 3000), chance.integers(0, WEIGHT + 1, 3000).astype(np.float64)
    whole = kernel.total([batch_of(kernel.design, fields, weights)])
    order = chance.permutation(3000)
    parts = [
        batch_of(kernel.design, [field[place] for field in fields], weights[place])
        for place in np.array_split(order, 7)
    ]
    assert kernel.total(parts).tolist() == whole.tolist()


def test_the_gram_matrix_is_that_of_python_integers() -> None:
    chance = np.random.default_rng(1)
    batch = batch_of(DESIGN, extreme(Gram(DESIGN), chance, 200), np.full(200, float(WEIGHT)))
    rows = [[int(one) for one in row] for row in batch.vectors]
    expected = [
        sum(row[one] * row[other] for row in rows) * (DIAGONAL if one == other else OTHERS)
        for one in range(DESIGN.size)
        for other in range(one, DESIGN.size)
    ]
    assert Gram(DESIGN).total([batch]).tolist() == expected
    matrix = Gram(DESIGN).matrix(np.array(expected) * Gram(DESIGN).worth)
    assert np.allclose(matrix, batch.vectors.T @ batch.vectors / GRID**2)


@every_kernel
def test_the_largest_batch_adds_up_exactly(kernel: Kernel) -> None:
    """As many rows as come at once, all at the farthest: below 2^53 in every number."""
    design = kernel.design
    ends = [np.full(ROWS, float(getattr(part, "reach", 0))) for part in design.features]
    target = getattr(design.target, "reach", 1)
    batch = batch_of(design, [*ends, np.full(ROWS, float(target))], np.full(ROWS, float(WEIGHT)))
    one = batch_of(design, [*(end[:1] for end in ends), np.full(1, float(target))], np.full(1, float(WEIGHT)))
    expected = np.array([ROWS * int(number) for number in kernel.add(one)], dtype=object)
    assert kernel.total([batch]).tolist() == kernel.finished(expected).tolist()


@every_kernel
def test_no_rows_add_up_to_nothing(kernel: Kernel) -> None:
    empty = batch_of(kernel.design, [np.empty(0)] * (len(kernel.design.features) + 1), np.empty(0))
    assert kernel.total([]).tolist() == kernel.total([empty]).tolist() == [0] * kernel.size


@every_kernel
def test_a_kernel_is_the_same_where_the_rows_are(kernel: Kernel) -> None:
    assert Kernel.from_dict(json.loads(json.dumps(kernel.to_dict()))) == kernel


# --------------------------------------------------------------------------------------------------------- residuals


def test_probabilities_are_those_of_the_textbook() -> None:
    vectors = np.zeros((61, DESIGN.size))
    vectors[:, -1] = np.arange(61) * 64 - 1920
    weights = np.zeros(DESIGN.size)
    weights[-1] = 20.0
    batch = VectorBatch(vectors, np.zeros(61), np.full(61, float(WEIGHT)))
    margin = vectors[:, -1] / GRID * 20
    assert np.abs(residuals(rounded(weights), batch)[:, 0] / FINE - 1 / (1 + np.exp(-margin))).max() < 1e-3
    both = np.stack([weights, -weights, 0 * weights])
    several = residuals(rounded(both), batch) / FINE + np.eye(3)[0]
    grown = np.exp(np.stack([margin, -margin, 0 * margin], axis=1))
    assert np.abs(several - grown / grown.sum(axis=1, keepdims=True)).max() < 2e-3


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**32), most=st.integers(1, 2**30))
def test_no_gradient_is_longer_than_the_clipping_norm(seed: int, most: int) -> None:
    chance = np.random.default_rng(seed)
    wrong = chance.integers(-FINE, FINE + 1, (20, 3)).astype(np.float64)
    vectors = chance.integers(-GRID, GRID + 1, (20, 4)).astype(np.float64)
    squares = (vectors**2).sum(axis=1)
    for residual, vector in zip(clipped_residuals(wrong, squares, float(most)), vectors, strict=True):
        square = sum(int(one) ** 2 for one in residual) * sum(int(one) ** 2 for one in vector)
        assert isqrt(square) <= most


def test_clipping_leaves_short_gradients_alone() -> None:
    wrong, squares = np.array([[100.0, -7.0]]), np.array([25.0])
    assert clipped_residuals(wrong, squares, 1e6).tolist() == wrong.tolist()
    shrunk = clipped_residuals(wrong, squares, 250.0)
    assert shrunk.tolist() == [[49.0, -3.0]]


def test_a_batch_that_was_turned_once_is_turned_again() -> None:
    """The lengths that a batch remembers are those of the last matrix; another one, another answer."""
    chance = np.random.default_rng(4)
    batch = batch_of(DESIGN, extreme(Gram(DESIGN), chance, 30), np.full(30, float(WEIGHT)))
    for matrix in (turned(np.eye(DESIGN.size)), UNEVEN, turned(2 * np.eye(DESIGN.size)), UNEVEN):
        whole = [
            [sum(int(one) * two for one, two in zip(row, column, strict=True)) for column in matrix]
            for row in batch.vectors
        ]
        assert batch.squares(matrix).tolist() == [float(sum(one * one for one in row)) for row in whole]


def test_a_turned_gradient_is_that_of_turned_rows() -> None:
    """Applied to the sum, or to every row: the same, but for the cut at the end."""
    chance, far = np.random.default_rng(8), 10 * DESIGN.radius
    batch = batch_of(DESIGN, extreme(Gram(DESIGN), chance, 100), np.full(100, float(WEIGHT)))
    batch = VectorBatch(batch.vectors, chance.integers(0, 2, 100).astype(float), batch.weights)
    kernel = Residuals(DESIGN, rounded(np.linspace(-3, 3, DESIGN.size)), far, UNEVEN)
    wrong = residuals(kernel.coefficients, batch)
    expected = (wrong.T @ (batch.vectors @ np.array(UNEVEN))).reshape(-1) / 256
    assert np.abs(kernel.total([batch]) - expected).max() <= 1


def test_coefficients_that_are_no_numbers_are_none() -> None:
    assert rounded(np.array([np.nan, np.inf, -np.inf])) == ((0, 1 << 20, -(1 << 20)),)


def test_a_gradient_points_where_the_model_is_wrong() -> None:
    kernel = Residuals(DESIGN, rounded(np.zeros(DESIGN.size)), DESIGN.radius, turned(np.eye(DESIGN.size)))
    fields = [np.zeros(2), np.zeros(2), np.zeros(2), np.zeros(2), np.array([0.0, 1.0])]
    one, other = (
        kernel.total([batch_of(DESIGN, [field[place : place + 1] for field in fields], np.full(1, float(WEIGHT)))])
        for place in (0, 1)
    )
    assert one.tolist() == (-other).tolist()
    assert one[-1] == FINE // 2 * (GRID // 2)


# ---------------------------------------------------------------------------------------------------------- designs


def test_designs_are_said_and_read() -> None:
    for design in (DESIGN, SEVERAL, NUMBER, replace(DESIGN, target=None, contribution=7, weighed=True)):
        assert VectorDesign.from_dict(json.loads(json.dumps(design.to_dict()))) == design


def test_bins_become_fewer_where_there_are_many_numbers() -> None:
    encoding = Encoding(bins=16, most_bins=160)
    assert [encoding.bins_of(numbers) for numbers in (1, 10, 30, 64, 500)] == [16, 16, 5, 3, 3]
    assert Encoding().bins_of(3) is None
