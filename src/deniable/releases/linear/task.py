"""A workload on its cells: every query as whole numbers, ready to be measured."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from deniable.core.errors import Refused
from deniable.core.shown import many
from deniable.releases.linear.domain import Domain
from deniable.releases.linear.matrices.factors import Factor, FloatArray, Shape
from deniable.releases.linear.workload import Product

MOST_QUERIES = 1 << 23


@dataclass(frozen=True)
class Factors:
    """A product of queries: one factor for each attribute of the domain."""

    factors: tuple[Factor, ...]
    weight: float

    @property
    def axes(self) -> tuple[int, ...]:
        """The attributes that it tells apart."""
        return tuple(axis for axis, factor in enumerate(self.factors) if factor.shape is not Shape.TOTAL)

    @property
    def rows(self) -> int:
        """How many queries."""
        return prod(factor.rows for factor in self.factors)


@dataclass(frozen=True, eq=False)
class ListedQueries:
    """Queries that are listed: for each, which cells of some attributes count."""

    axes: tuple[int, ...]
    matrix: NDArray[np.bool_]
    """One row per query; then an axis per attribute."""
    weight: float
    texts: tuple[str, ...] = ()
    """As they were written."""

    @property
    def rows(self) -> int:
        """How many queries."""
        return len(self.matrix)

    def __repr__(self) -> str:
        """Short, and different for different queries."""
        digest = hashlib.sha256(np.packbits(self.matrix).tobytes()).hexdigest()
        return f"Listed({self.axes}, {self.matrix.shape}, {digest}, {self.weight})"


Piece = Factors | ListedQueries


@dataclass(frozen=True)
class Task:
    """All queries of a workload, on a domain."""

    domain: Domain
    pieces: tuple[Piece, ...]

    def __post_init__(self) -> None:
        """The answers must fit a table."""
        if self.queries > MOST_QUERIES:
            raise Refused(
                "too-many-queries",
                f"There would be {many(self.queries)} queries, and {MOST_QUERIES:,} are the most.",
                "Use coarser attributes, such as age // 5, or fewer of them.",
            )

    @property
    def queries(self) -> int:
        """How many there are."""
        return sum(piece.rows for piece in self.pieces)

    @property
    def weights(self) -> float:
        """The squared weights of all queries together."""
        return sum(piece.weight**2 * piece.rows for piece in self.pieces)

    @property
    def products(self) -> tuple[Factors, ...]:
        """The pieces that are products."""
        return tuple(piece for piece in self.pieces if isinstance(piece, Factors))

    @property
    def is_product(self) -> bool:
        """Whether all pieces are."""
        return len(self.products) == len(self.pieces)

    @property
    def coordinates(self) -> tuple[tuple[int, ...], ...]:
        """Which attributes are told apart together, each set once."""
        return tuple(dict.fromkeys(piece.axes for piece in self.pieces))

    @cached_property
    def gram(self) -> FloatArray:
        """For each pair of cells, the weights of the queries that count both. Only for few cells."""
        shape = self.domain.shape
        total = np.zeros((self.domain.cells, self.domain.cells))
        for piece in self.pieces:
            if isinstance(piece, Factors):
                total += piece.weight**2 * _product([factor.gram for factor in piece.factors])
            else:
                flat = spread(piece, shape).reshape(piece.rows, -1).astype(np.float64)
                total += piece.weight**2 * flat.T @ flat
        return total


def _product(matrices: list[FloatArray]) -> FloatArray:
    """Of Kronecker; of none, the number 1."""
    product: FloatArray = np.ones((1, 1))
    for matrix in matrices:
        product = np.asarray(np.kron(product, matrix), dtype=np.float64)
    return product


def spread(piece: ListedQueries, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """The listed queries on all cells."""
    kept = [shape[axis] if axis in piece.axes else 1 for axis in range(len(shape))]
    return np.broadcast_to(piece.matrix.reshape(piece.rows, *kept), (piece.rows, *shape))


def factors(product: Product, domain: Domain) -> Factors:
    """A product on the domain; refused where an order is asked of what has none."""
    shapes = dict(product.shapes)
    found = []
    for attribute in domain.attributes:
        shape = shapes.get(attribute.name, Shape.TOTAL)
        if shape in (Shape.PREFIXES, Shape.RANGES) and not attribute.ordered:
            raise Refused(
                "no-order", f"The values of {attribute.name!r} have no order.", "Ask for its values, not for ranges."
            )
        found.append(Factor(shape, attribute.size, attribute.present))
    return Factors(tuple(found), float(product.weight))
