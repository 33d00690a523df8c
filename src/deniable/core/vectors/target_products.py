"""X'y and y'y in whole numbers: coordinates with a target."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from deniable.core.number import root_above
from deniable.core.vectors.batch import FloatArray, VectorBatch
from deniable.core.vectors.design import GRID, NumberFeature, VectorDesign
from deniable.core.vectors.gram import root_weighed
from deniable.core.vectors.kernel import Kernel


@dataclass(frozen=True, slots=True)
class TargetProducts(Kernel):
    """The products of every coordinate with a target that is a number, summed.

    A row's vector y v is at most |v| |y| long: B B_y.
    """

    @property
    def within(self) -> Fraction:
        """B B_y."""
        return root_above(Fraction(self.design.square * reach_of(self.design) ** 2))

    @property
    def worth(self) -> FloatArray:
        """A coordinate and a target have a grid each."""
        return np.full(self.design.size, 1 / GRID**2)

    def add(self, batch: VectorBatch) -> FloatArray:
        """One product of a matrix and a vector."""
        return np.asarray(root_weighed(batch, batch.vectors).T @ root_weighed(batch, batch.target))


@dataclass(frozen=True, slots=True)
class TargetSquares(Kernel):
    """The squares of a target, summed: one number, that a row moves by B_y^2 at most."""

    aligned: ClassVar[bool] = True

    @property
    def within(self) -> Fraction:
        """B_y^2."""
        return Fraction(reach_of(self.design) ** 2)

    @property
    def worth(self) -> FloatArray:
        """A target has a grid."""
        return np.full(1, 1 / GRID**2)

    def add(self, batch: VectorBatch) -> FloatArray:
        """Row by row."""
        weighed = root_weighed(batch, batch.target)
        return np.array([weighed @ weighed])


@dataclass(frozen=True, slots=True)
class ClassSums(Kernel):
    """The sum of all coordinates, for the rows of each class: class after class.

    A row is in one class: its vector is at most B long.
    """

    @property
    def within(self) -> Fraction:
        """B."""
        return root_above(Fraction(self.design.square))

    @property
    def worth(self) -> FloatArray:
        """A coordinate has a grid."""
        return np.full(self.design.size * len(self.design.classes.values), 1 / GRID)

    def add(self, batch: VectorBatch) -> FloatArray:
        """One product of matrices."""
        member = batch.target[None, :] == np.arange(len(self.design.classes.values))[:, None]
        return np.asarray(member.astype(np.float64) @ batch.weighed(batch.vectors)).reshape(-1)


def reach_of(design: VectorDesign) -> int:
    """How far from 0 a target can be."""
    if not isinstance(design.target, NumberFeature):
        raise TypeError("the target is no number")
    return design.target.reach
