"""Designs, rows and kernels for tests of sums over vectors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from deniable.core.algebra.query import WEIGHT
from deniable.core.sensitivity import Neighbours
from deniable.core.vectors.batch import VectorBatch, batch_of
from deniable.core.vectors.design import GRID, BinnedFeature, CategoryFeature, Classes, NumberFeature, VectorDesign
from deniable.core.vectors.every import (
    ClassSums,
    ColumnSums,
    Gram,
    GridCells,
    Hits,
    NearestCentres,
    Residuals,
    SquaredErrors,
    TargetProducts,
    TargetSquares,
)
from deniable.core.vectors.kernel import Kernel
from deniable.core.vectors.residuals import rounded, turned

FEATURES = (
    NumberFeature("age", Fraction(0), Fraction(110), Fraction(1, 3)),
    NumberFeature("cost", Fraction(0), Fraction(500), Fraction(1, 3)),
    CategoryFeature("region", ("north", "east", "south")),
    BinnedFeature("hours", Fraction(0), Fraction(40), 4),
)
SQUARE = 2 * GRID**2 + GRID**2 // 8 + GRID**2 // 4
DESIGN = VectorDesign(FEATURES, Classes("ill", (False, True)), GRID // 2, SQUARE)
SEVERAL = replace(DESIGN, target=Classes("kind", ("a", "b", "c")))
NUMBER = replace(DESIGN, target=NumberFeature("y", Fraction(-1), Fraction(1), Fraction(1, 2)))

_SOME = np.add.outer(np.arange(DESIGN.size), np.arange(DESIGN.size))
UNEVEN = turned(np.diag(np.linspace(0.1, 5, DESIGN.size)) + 0.3 * np.sin(_SOME))
"""What rows are turned by: some directions become shorter, others longer."""


def kernels() -> Iterator[Kernel]:
    """Every kernel there is, with public numbers of the kind that training sends it."""
    size = DESIGN.size
    some = np.linspace(-3, 3, size)
    yield Gram(DESIGN)
    yield ColumnSums(DESIGN)
    yield ClassSums(SEVERAL)
    yield TargetProducts(NUMBER)
    yield TargetSquares(NUMBER)
    yield Residuals(DESIGN, rounded(some), DESIGN.radius // 2, turned(np.eye(size)))
    yield Residuals(SEVERAL, rounded(np.stack([some, -some, 2 * some])), DESIGN.radius // 2, UNEVEN)
    yield Residuals(DESIGN, rounded(np.full(size, 1e9)), DESIGN.radius // 2, UNEVEN)
    yield Residuals(DESIGN, rounded(some), DESIGN.radius // 2, turned(np.full((size, size), 1e9)))
    yield NearestCentres(DESIGN, ((0,) * size, (GRID,) * size), DESIGN.radius // 2)
    yield GridCells(DESIGN, (tuple(int(one) for one in some * GRID), (GRID,) * size), (5, 7), (9000, 4000))
    yield Hits(SEVERAL, rounded(np.stack([some, -some, 2 * some])))
    yield Hits(DESIGN, rounded(some))
    yield SquaredErrors(NUMBER, rounded(10 * some))


KERNELS = tuple(kernels())
NAMES = [f"{type(kernel).__name__}{place}" for place, kernel in enumerate(KERNELS)]


def for_units(kernel: Kernel, contribution: int, neighbours: Neighbours = Neighbours.ADD_REMOVE) -> Kernel:
    """The kernel where a unit may weigh so many rows."""
    design = replace(kernel.design, contribution=contribution, weighed=contribution > 1, neighbours=neighbours)
    return replace(kernel, design=design)


def extreme(kernel: Kernel, chance: np.random.Generator, rows: int) -> list[np.ndarray]:
    """Fields at their ends, far beyond them, missing, and in between."""
    design, found = kernel.design, []
    for part in (*design.features, *([] if design.target is None else [design.target])):
        if isinstance(part, NumberFeature):
            options = [part.reach, -part.reach, 0, 2**31 - 1, -(2**31), np.nan, np.inf, 1, -1365]
        elif isinstance(part, BinnedFeature):
            options = [0, part.bins - 1, part.bins, -1, 2**31 - 1, np.nan, 1]
        else:
            options = [*range(len(part.values)), len(part.values), -1, np.nan, 2**31 - 1]
        found.append(chance.choice(np.array(options, dtype=np.float64), rows))
    return found


def of_one_unit(kernel: Kernel, chance: np.random.Generator, rows: int) -> VectorBatch:
    """All rows of one unit, with the weights that an engine gives them."""
    weight = min(WEIGHT, kernel.design.contribution * WEIGHT // rows)
    fields = extreme(kernel, chance, rows)
    if chance.random() < 0.5:  # the same row again and again points farthest
        fields = [np.full(rows, field[0]) for field in fields]
    return batch_of(kernel.design, fields, np.full(rows, float(weight)))


def norm(values: np.ndarray) -> float:
    """In l2, from whole numbers."""
    return float(np.sqrt(sum(int(one) ** 2 for one in values)))
