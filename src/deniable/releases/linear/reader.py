"""From noisy measurements to answers, and how far off they are: post-processing, so floats are fine here.

A reader knows nothing of the data. What it says about errors follows from the strategy alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from deniable.core.errors import InvalidArgumentError, Refused
from deniable.releases.linear.matrices.centrosymmetric import halves, put_together
from deniable.releases.linear.matrices.factors import Factor, FloatArray
from deniable.releases.linear.matrices.integer_matrix import Solvable
from deniable.releases.linear.task import Factors, ListedQueries, Piece, spread

_AT_ONCE = 1 << 22
"""Numbers that are multiplied at a time, for queries that are listed."""


class Reader(ABC):
    """How the measurements of one strategy are read."""

    @abstractmethod
    def solve(self, noisy: Sequence[FloatArray]) -> Any:  # noqa: ANN401 - each reader has its own
        """What the noisy blocks say about the cells, in a form that `answers` reads."""

    @abstractmethod
    def answers(self, solution: Any, piece: Piece) -> FloatArray:  # noqa: ANN401 - same
        """The estimate of every query."""

    @abstractmethod
    def deviations(self, piece: Piece) -> FloatArray:
        """The exact standard deviation of every estimate."""

    def squares(self, piece: Piece) -> float:
        """The sum of the variances of a piece's estimates."""
        return float((self.deviations(piece) ** 2).sum())

    def cells(self, solution: Any) -> FloatArray:  # noqa: ANN401 - same
        """The estimate of every cell."""
        del solution
        raise Refused("no-cells", "This strategy answers its own queries only.", "Choose another strategy.")


@dataclass(frozen=True, eq=False)
class CellReader(Reader):
    """All cells are measured through a product of maps, and found again by least squares, map by map.

    With independent noise of one variance, least squares is the best linear unbiased estimate (Gauss, Markov). Of a
    product of maps, the inverse is the product of the inverses, and so is the covariance (Li and others 2015, HDMM:
    McKenna and others 2018).
    """

    shape: tuple[int, ...]
    maps: tuple[Factor | Solvable, ...]
    """One for each axis, a factor being the plain values; or a single one, for all cells in one row."""
    deviation: float
    """Of the noise on one number."""

    def solve(self, noisy: Sequence[FloatArray]) -> FloatArray:
        """The estimated cells."""
        (block,) = noisy
        cells = block
        for axis, (one, covariance) in enumerate(zip(self.maps, self.covariances, strict=True)):
            if covariance is not None and not isinstance(one, Factor):
                cells = one.adjoint(cells, axis)
                cells = np.moveaxis(np.tensordot(covariance, cells, axes=(1, axis)), 0, axis)
        return cells.reshape(self.shape)

    def answers(self, solution: FloatArray, piece: Piece) -> FloatArray:
        """Sums of cells."""
        return sums_of(solution, piece)

    def deviations(self, piece: Piece) -> FloatArray:
        """From the covariance of the cells."""
        variances = self._joint(piece) if len(self.maps) < len(self.shape) else self._by_axis(piece)
        return self.deviation * np.sqrt(np.maximum(variances, 0))

    def squares(self, piece: Piece) -> float:
        """Of a product, the traces of Gram matrices and covariances are enough: no query is listed."""
        if isinstance(piece, ListedQueries) or len(self.maps) < len(self.shape):
            return super().squares(piece)
        traces = (
            factor.trace if covariance is None else float((factor.gram * covariance).sum())
            for factor, covariance in zip(piece.factors, self.covariances, strict=True)
        )
        return self.deviation**2 * prod(traces)

    def cells(self, solution: FloatArray) -> FloatArray:
        """They are the solution."""
        return solution

    @cached_property
    def covariances(self) -> tuple[FloatArray | None, ...]:
        """Of each axis, for noise of variance 1; None: the map is the identity."""
        return tuple(None if isinstance(one, Factor) else inverse(one) for one in self.maps)

    def _by_axis(self, piece: Piece) -> FloatArray:
        """A product of queries has a product of variances."""
        full = [
            np.eye(size) if covariance is None else covariance
            for size, covariance in zip(self.shape, self.covariances, strict=True)
        ]
        if isinstance(piece, Factors):
            parts = [factor.quadratic(one) for factor, one in zip(piece.factors, full, strict=True)]
            return reduce(np.multiply.outer, parts).reshape(-1)
        summed = [one if axis in piece.axes else one.sum().reshape(1, 1) for axis, one in enumerate(full)]
        return in_pieces(piece, lambda rows: forms(rows.reshape(len(rows), *_kept(piece, self.shape)), summed))

    def _joint(self, piece: Piece) -> FloatArray:
        """All cells in one row: the covariance has every axis twice, and each factor takes its two away."""
        (covariance,) = self.covariances
        joint = np.eye(prod(self.shape)) if covariance is None else covariance
        if isinstance(piece, ListedQueries):
            return in_pieces(piece, lambda rows: forms(_flat(piece, rows, self.shape), [joint]))
        places = len(self.shape)
        order = [axis for place in range(places) for axis in (place, places + place)]
        tensor = joint.reshape(self.shape * 2).transpose(order)
        for factor in piece.factors:
            tensor = np.moveaxis(factor.quadratic(tensor), 0, -1)
        return np.asarray(tensor).reshape(-1)


@dataclass(frozen=True, eq=False)
class PlainReader(Reader):
    """Each query has its own noisy answer, and nothing else is known."""

    pieces: tuple[Piece, ...]
    noise: tuple[float, ...]
    """The deviation of each piece's answers."""

    def solve(self, noisy: Sequence[FloatArray]) -> dict[int, FloatArray]:
        """The answers as they are."""
        return {place: block.reshape(-1) for place, block in enumerate(noisy)}

    def answers(self, solution: dict[int, FloatArray], piece: Piece) -> FloatArray:
        """Those of this piece."""
        return solution[self._place(piece)]

    def deviations(self, piece: Piece) -> FloatArray:
        """The noise itself."""
        return np.full(piece.rows, self.noise[self._place(piece)])

    def _place(self, piece: Piece) -> int:
        """Which of the pieces it is."""
        for place, own in enumerate(self.pieces):
            if own is piece:
                return place
        raise Refused(
            "no-cells",
            "Queries that were answered alone cannot answer others.",
            "Choose another strategy, such as best.",
        )


def inverse(one: Solvable) -> FloatArray:
    """(Q^T Q)^-1: the covariance of least squares, for noise of variance 1."""
    with threadpool_limits(1):  # on a busy machine, threads that wait for each other cost more than they save
        return put_together([_inverse(part) for part in halves(one.gram)])


def _inverse(gram: FloatArray) -> FloatArray:
    """Of a positive matrix."""
    try:
        np.linalg.cholesky(gram)
        found = np.linalg.inv(gram)
    except np.linalg.LinAlgError:
        problem = "does not tell all cells apart; empty the cache of strategies"
        raise InvalidArgumentError("strategy", problem) from None
    return np.asarray((found + found.T) / 2)


def sums_of(cells: FloatArray, piece: Piece) -> FloatArray:
    """What each query counts, of cells."""
    if isinstance(piece, Factors):
        for axis, factor in enumerate(piece.factors):
            cells = factor.apply(cells, axis)
        return cells.reshape(-1)
    others = tuple(axis for axis in range(cells.ndim) if axis not in piece.axes)
    return np.asarray(piece.matrix.reshape(piece.rows, -1) @ cells.sum(axis=others).reshape(-1))


def forms(queries: FloatArray, covariances: Sequence[FloatArray]) -> FloatArray:
    """The quadratic form of each query, with a product of covariances: one for each axis behind the first."""
    moved = queries
    for axis, covariance in enumerate(covariances):
        moved = np.moveaxis(np.tensordot(covariance, moved, axes=(1, axis + 1)), 0, axis + 1)
    return np.asarray((moved * queries).sum(axis=tuple(range(1, queries.ndim))))


def in_pieces(piece: ListedQueries, rule: Any) -> FloatArray:  # noqa: ANN401 - a function of some of the rows
    """A rule for a few listed queries at a time."""
    step = max(1, _AT_ONCE // max(1, piece.matrix[0].size))
    parts = [rule(piece.matrix[start : start + step].astype(np.float64)) for start in range(0, piece.rows, step)]
    return np.concatenate(parts)


def _kept(piece: ListedQueries, shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(size if axis in piece.axes else 1 for axis, size in enumerate(shape))


def _flat(piece: ListedQueries, rows: NDArray[Any], shape: tuple[int, ...]) -> FloatArray:
    some = ListedQueries(piece.axes, rows.astype(np.bool_), piece.weight)
    return spread(some, shape).reshape(len(rows), -1).astype(np.float64)
