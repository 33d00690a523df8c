"""Marginals put together from orthogonal spaces: what each set of attributes adds to its subsets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from math import prod

import numpy as np

from deniable.core.errors import Refused
from deniable.releases.linear.matrices.factors import Factor, FloatArray, Shape
from deniable.releases.linear.matrices.integer_matrix import Whole
from deniable.releases.linear.reader import Reader, forms, in_pieces
from deniable.releases.linear.task import Factors, ListedQueries, Piece

_MOST_CELLS = 1 << 22


@dataclass(frozen=True, slots=True)
class Centred:
    """The map d I - J: every value d times, less the sum of all. What is left of a marginal beyond its total."""

    size: int

    @property
    def rows(self) -> int:
        """One number for each value."""
        return self.size

    @property
    def taxi(self) -> int:
        """On the diagonal d - 1, and d - 1 times -1."""
        return 2 * (self.size - 1)

    @property
    def square(self) -> int:
        """(d - 1)^2 + (d - 1)."""
        return self.size * (self.size - 1)

    @property
    def least(self) -> int:
        """-2 (d - 1) + (d - 2), for any two columns."""
        return -self.size

    @property
    def widest(self) -> int:
        """The matrix is symmetric."""
        return self.taxi

    def apply(self, tensor: FloatArray, axis: int) -> FloatArray:
        """Every value d times, less the sum."""
        return np.asarray(self.size * tensor - tensor.sum(axis=axis, keepdims=True))

    def undo(self, tensor: FloatArray, axis: int) -> FloatArray:
        """Least squares: the map is d times a projection."""
        return np.asarray((tensor - tensor.mean(axis=axis, keepdims=True)) / self.size)

    def variances(self, factor: Factor) -> FloatArray:
        """Of each query, for noise of variance 1."""
        if factor.shape is Shape.VALUES:
            return np.full(self.size, (1 - 1 / self.size) / self.size**2)
        return factor.quadratic(self.covariance)

    @property
    def covariance(self) -> FloatArray:
        """Of least squares, for noise of variance 1."""
        return (np.eye(self.size) - 1 / self.size) / self.size**2


class Contrast(Whole):
    """A whole-number matrix whose rows add up to zero, and that tells apart all that is not the total."""

    def undo(self, tensor: FloatArray, axis: int) -> FloatArray:
        """Least squares."""
        return np.moveaxis(np.tensordot(self.covariance @ self.matrix.T, tensor, axes=(1, axis)), 0, axis)

    def variances(self, factor: Factor) -> FloatArray:
        """Of each query, for noise of variance 1."""
        return factor.quadratic(self.covariance)

    @cached_property
    def covariance(self) -> FloatArray:
        """The pseudo-inverse of R^T R, whose only null direction is the total."""
        floats = self.matrix.astype(np.float64)
        gram, size = floats.T @ floats, self.matrix.shape[1]
        level = float(np.trace(gram)) / size
        return np.asarray(np.linalg.inv(gram + level / size) - 1 / (level * size))


@dataclass(frozen=True, slots=True)
class Component:
    """One space: how it is measured, and with how much noise."""

    axes: tuple[int, ...]
    maps: tuple[Centred | Contrast, ...]
    deviation: float


@dataclass(frozen=True, eq=False)
class ComponentReader(Reader):
    """Every marginal is the sum of its subsets' spaces, each spread evenly over the other attributes.

    The spaces are orthogonal and their noise is independent, so variances add up.
    """

    shape: tuple[int, ...]
    components: tuple[Component, ...]

    def solve(self, noisy: Sequence[FloatArray]) -> dict[tuple[int, ...], FloatArray]:
        """What each space holds."""
        solution = {}
        for component, block in zip(self.components, noisy, strict=True):
            held = block
            for axis, one in enumerate(component.maps):
                held = one.undo(held, axis)
            solution[component.axes] = held
        return solution

    def answers(self, solution: dict[tuple[int, ...], FloatArray], piece: Piece) -> FloatArray:
        """Each space's part of the queries."""
        if isinstance(piece, ListedQueries):
            return in_pieces(
                piece,
                lambda rows: np.asarray(
                    sum(
                        _even(rows, piece.axes, one.axes).reshape(len(rows), -1) @ solution[one.axes].reshape(-1)
                        for one in self._inside(piece)
                    )
                ),
            )
        total = np.zeros(tuple(piece.factors[axis].rows for axis in piece.axes))
        for component in self._inside(piece):
            part = solution[component.axes].reshape(
                tuple(self.shape[axis] if axis in component.axes else 1 for axis in piece.axes)
            )
            for place, axis in enumerate(piece.axes):
                factor = piece.factors[axis]
                if axis in component.axes:
                    part = factor.apply(part, place)
                else:
                    ends = [1] * len(piece.axes)
                    ends[place] = factor.rows
                    part = part * (factor.sums / factor.size).reshape(ends)
            total = total + part
        return total.reshape(-1)

    def deviations(self, piece: Piece) -> FloatArray:
        """Variances of the spaces add up."""
        if isinstance(piece, ListedQueries):
            variances = in_pieces(
                piece,
                lambda rows: np.asarray(
                    sum(
                        one.deviation**2 * forms(_even(rows, piece.axes, one.axes), [m.covariance for m in one.maps])
                        for one in self._inside(piece)
                    )
                ),
            )
            return np.sqrt(np.maximum(variances, 0))
        total = np.zeros(piece.rows)
        for component in self._inside(piece):
            parts = parts_of(piece, component.axes, component.maps)
            total += component.deviation**2 * reduce(np.multiply.outer, parts, np.ones(())).reshape(-1)
        return np.sqrt(np.maximum(total, 0))

    def squares(self, piece: Piece) -> float:
        """Of a product, the sums over each attribute are enough."""
        if isinstance(piece, ListedQueries):
            return super().squares(piece)
        return sum(one.deviation**2 * share_of(piece, one.axes, one.maps) for one in self._inside(piece))

    def cells(self, solution: dict[tuple[int, ...], FloatArray]) -> FloatArray:
        """All spaces spread over all cells, if those can be listed."""
        if prod(self.shape) > _MOST_CELLS:
            raise Refused("no-cells", "There are too many cells to list.", "Ask for marginals.")
        cells = np.zeros(self.shape)
        for component in self.components:
            kept = [size if axis in component.axes else 1 for axis, size in enumerate(self.shape)]
            others = prod(size for axis, size in enumerate(self.shape) if axis not in component.axes)
            cells += solution[component.axes].reshape(kept) / others
        return cells

    def _inside(self, piece: Piece) -> Iterator[Component]:
        """The spaces of the subsets of what a piece tells apart; all of them must have been measured."""
        axes = set(piece.axes)
        inside = [component for component in self.components if axes.issuperset(component.axes)]
        wide = sum(self.shape[axis] > 1 for axis in axes)
        if len(inside) < 1 << wide:
            raise Refused(
                "no-cells",
                "These attributes were not released together.",
                "Ask about attributes that one part of the workload tells apart.",
            )
        return iter(inside)


def parts_of(piece: Factors, axes: tuple[int, ...], maps: Sequence[Centred | Contrast]) -> list[FloatArray]:
    """The part of the queries' variances that one space has, for noise of variance 1: a factor for each attribute."""
    by_axis = dict(zip(axes, maps, strict=True))
    return [
        by_axis[axis].variances(piece.factors[axis])
        if axis in by_axis
        else (piece.factors[axis].sums / piece.factors[axis].size) ** 2
        for axis in piece.axes
    ]


def share_of(piece: Factors, axes: tuple[int, ...], maps: Sequence[Centred | Contrast]) -> float:
    """`parts_of`, multiplied out and of all queries together."""
    return prod(float(part.sum()) for part in parts_of(piece, axes, maps))


def _even(rows: FloatArray, axes: tuple[int, ...], kept: tuple[int, ...]) -> FloatArray:
    """Listed queries on some of their attributes, averaged over the others."""
    others = tuple(place + 1 for place, axis in enumerate(axes) if axis not in kept)
    return np.asarray(rows.mean(axis=others)) if others else rows
