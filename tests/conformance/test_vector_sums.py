"""Sums over vectors against a slow reference that follows docs/proofs/gram.md line by line, in Python's integers."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, isnan, isqrt, nan, sqrt, trunc

import numpy as np
import pytest

from deniable.core.algebra.query import WEIGHT
from deniable.core.sensitivity import Neighbours
from deniable.core.vectors.batch import batch_of
from deniable.core.vectors.design import GRID, BinnedFeature, Classes, NumberFeature, VectorDesign
from deniable.core.vectors.every import (
    ClassSums,
    ColumnSums,
    Gram,
    GridCells,
    Hits,
    NearestCentres,
    Residuals,
    TargetProducts,
    TargetSquares,
)
from deniable.core.vectors.kernel import Kernel
from deniable.core.vectors.residuals import FINE, TURN, residuals
from tests.support.vectors import DESIGN, KERNELS, NAMES, NUMBER, SEVERAL, extreme, for_units

every_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=NAMES)


def vector(design: VectorDesign, fields: list[float]) -> tuple[list[int], int]:
    """A row's vector and its target, short enough."""
    found: list[int] = []
    for feature, value in zip(design.features, fields, strict=False):
        if isinstance(feature, NumberFeature):
            found.append(0 if isnan(value) else max(-feature.reach, min(feature.reach, _whole(value))))
            continue
        size = len(feature.names)
        place = None if isnan(value) else _whole(value)
        if place is not None and isinstance(feature, BinnedFeature):
            place = max(0, min(size - 1, place))
        found += [GRID if place == other else 0 for other in range(size)]
    if design.constant:
        found.append(design.constant)
    target = 0 if design.target is None or isnan(fields[-1]) else _whole(fields[-1])
    most = len(design.target.values) - 1 if isinstance(design.target, Classes) else design.target.reach
    target = max(0 if isinstance(design.target, Classes) else -most, min(most, target))
    length = sum(one * one for one in found)
    if length > design.square:
        factor = isqrt(design.square) / (isqrt(length) + 2)
        found = [trunc(one * factor) for one in found]
        if isinstance(design.target, NumberFeature):
            target = trunc(target * factor)
    assert sum(one * one for one in found) <= design.square
    return found, target


def _whole(value: float) -> int:
    return 2**60 if value == float("inf") else -(2**60) if value == float("-inf") else trunc(value)


def added(kernel: Kernel, row: list[int], target: int, weight: int) -> list[int]:  # noqa: C901, PLR0911 - one case a kernel
    """What one row adds, as the page says."""
    root = [trunc(one * sqrt(weight / WEIGHT) * (1 - 2.0**-50)) if weight < WEIGHT else one for one in [*row, target]]
    *rooted, aim = root
    scaled = [trunc(Fraction(one * weight, WEIGHT)) for one in row]
    match kernel:
        case Gram():
            return [
                rooted[one] * rooted[other] * (5 if one == other else 7)
                for one in range(len(row))
                for other in range(one, len(row))
            ]
        case ColumnSums():
            return scaled
        case ClassSums():
            return [
                one if target == place else 0 for place in range(len(kernel.design.target.values)) for one in scaled
            ]
        case TargetProducts():
            return [one * aim for one in rooted]
        case TargetSquares():
            return [aim * aim]
        case Residuals():
            batch = batch_of(kernel.design, [np.full(1, nan)] * (len(kernel.design.features) + 1), np.ones(1))
            object.__setattr__(batch, "vectors", np.array([row], dtype=np.float64))
            object.__setattr__(batch, "target", np.array([float(target)]))
            wrong = [int(one) for one in residuals(kernel.coefficients, batch)[0]]
            most = kernel.clip * FINE * TURN
            turned = [sum(one * other for one, other in zip(row, column, strict=True)) for column in kernel.turn]
            square = sum(one * one for one in wrong) * sum(one * one for one in turned)
            if square > most * most:
                wrong = [trunc(one * (most * (1 - 2.0**-20) / sqrt(square))) for one in wrong]
            return [trunc(Fraction(one * weight, WEIGHT)) * other for one in wrong for other in turned]
        case NearestCentres():
            counted = [trunc(Fraction(one * weight, WEIGHT)) for one in (kernel.count, *row)]
            far = [sum((one - other) ** 2 for one, other in zip(row, centre, strict=True)) for centre in kernel.centres]
            return [one if far.index(min(far)) == place else 0 for place in range(len(far)) for one in counted]
        case GridCells():
            cell = 0
            for direction, bins, reach in zip(kernel.directions, kernel.bins, kernel.reach, strict=True):
                along = sum(one * other for one, other in zip(row, direction, strict=True)) // GRID
                cell = cell * bins + max(0, min(2 * reach - 1, along + reach)) * bins // (2 * reach)
            return [weight if cell == place else 0 for place in range(kernel.size)]
        case Hits():
            margins = [sum(one * other for one, other in zip(row, some, strict=True)) for some in kernel.coefficients]
            places = [margin // (GRID**2 // 1024) for margin in margins]
            guess = int(places[0] >= 0) if len(places) == 1 else places.index(max(places))
            return [weight if guess == target else 0, weight]
        case _:
            pytest.skip("its parts are doubles, which are cut in one place")


@every_kernel
def test_every_sum_is_that_of_the_page(kernel: Kernel) -> None:
    chance = np.random.default_rng(9)
    fields, weights = extreme(kernel, chance, 120), chance.integers(0, WEIGHT + 1, 120)
    weights[::3] = WEIGHT
    expected = [0] * kernel.size
    for place, weight in enumerate(weights):
        row, target = vector(kernel.design, [float(field[place]) for field in fields])
        expected = [one + other for one, other in zip(expected, added(kernel, row, target, int(weight)), strict=True)]
    found = kernel.total([batch_of(kernel.design, fields, weights.astype(np.float64))])
    unit = TURN if isinstance(kernel, Residuals) else 1  # of a turned sum, which is cut to the grid
    assert found.tolist() == [one // unit for one in expected]


B, Y = DESIGN.square, NUMBER.target.reach
CLAIMS = {
    "Gram": 5 * B,
    "ColumnSums": sqrt(B),
    "ClassSums": sqrt(B),
    "TargetProducts": sqrt(B) * Y,
    "TargetSquares": Y * Y,
    "Residuals": DESIGN.radius // 2 * FINE,
    "NearestCentres": sqrt(B + (DESIGN.radius // 2) ** 2),
    "GridCells": WEIGHT,
    "Hits": sqrt(2) * WEIGHT,
    "SquaredErrors": sqrt(1 + 1 / 16 + 1 / 4 + 1) * WEIGHT,
}
"""The table of the page, without the contribution."""


@every_kernel
@pytest.mark.parametrize("contribution", [1, 4])
def test_every_claim_is_that_of_the_page(kernel: Kernel, contribution: int) -> None:
    one = CLAIMS[type(kernel).__name__] * contribution
    assert for_units(kernel, contribution).sensitivity == pytest.approx(one, rel=1e-6, abs=1)
    times = sqrt(2) if isinstance(kernel, Gram | TargetSquares) else 2
    replaced = for_units(kernel, contribution, Neighbours.REPLACE)
    assert replaced.sensitivity == pytest.approx(times * one, rel=1e-6, abs=2)
    assert replaced.sensitivity >= ceil(Fraction(times) * Fraction(one) * (1 - Fraction(1, 10**9)))


def test_the_designs_here_shrink_rows() -> None:
    assert DESIGN.longest > DESIGN.square == SEVERAL.square
