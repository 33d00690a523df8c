"""What is measured: whole-number combinations of the cells, each with its own integer noise."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, isqrt, log2, prod

import numpy as np

from deniable.core.grid import IntArray
from deniable.core.loss import Loss
from deniable.core.sensitivity import Neighbours
from deniable.mechanisms import Gaussian, Laplace
from deniable.releases.linear.matrices.factors import FloatArray
from deniable.releases.linear.matrices.integer_matrix import Map, image, room

_FINE = 1 << 14
"""Noise is at least so many steps wide, so that it is as good as continuous."""
_PARTS = 1 << 40
"""Shares of the spend are whole multiples of one in so many."""


@dataclass(frozen=True, slots=True)
class Block:
    """A product of maps, one along each of some attributes; the others are summed out. All of it is `scale` times.

    A single map for several attributes takes all their cells in one row.
    """

    axes: tuple[int, ...]
    maps: tuple[Map, ...]
    scale: int = 1

    @property
    def shape(self) -> tuple[int, ...]:
        """How many numbers, by attribute."""
        return tuple(one.rows for one in self.maps)

    @property
    def taxi(self) -> int:
        """The largest l1 norm of a column; of a product, the product."""
        return self.scale * prod(one.taxi for one in self.maps)

    @property
    def square(self) -> int:
        """The largest squared l2 norm of a column; of a product, the product."""
        return self.scale**2 * prod(one.square for one in self.maps)

    @property
    def least(self) -> int:
        """At most the least product of two columns: each map's lies between its `least` and its `square`."""
        low, high = self.scale**2, self.scale**2
        for one in self.maps:
            ends = [end * other for end in (low, high) for other in (one.least, one.square)]
            low, high = min(ends), max(ends)
        return low


@dataclass(frozen=True, slots=True)
class Noise:
    """What may be spent, on data in which one unit weighs at most `reach`.

    A unit adds to the cells a vector u of whole numbers, none negative, that sum up to at most `reach`.
    """

    spend: Fraction
    """Pure epsilon, or rho."""
    pure: bool
    reach: int
    worth: Fraction
    """Of one unit of the integer cells, in rows."""
    neighbours: Neighbours

    def distance(self, block: Block) -> int:
        """How far neighbours' exact numbers can lie apart, in l1 if pure, else in l2; rounded up to a whole number.

        The vectors u are the convex hull of zero and of `reach` in one cell, and a norm is largest in a corner. So for
        one unit more or less, the farthest is `reach` times the longest column. For a unit that is replaced, it is
        `reach` times the largest difference of two columns (or of a column and zero): in l1 at most twice the longest
        column; in l2, |a - b|^2 = |a|^2 + |b|^2 - 2 ab, at most 2 (longest^2 - least product of two columns).
        Proof: docs/proofs/linear.md

        Where no cell counts, noise is as if one did: so the price of a question does not hang on the values found.
        """
        replaced = self.neighbours is Neighbours.REPLACE
        if self.pure:
            return self.reach * max(1, block.taxi) * (2 if replaced else 1)
        square = max(1, block.square, 2 * (block.square - block.least) if replaced else 0)
        return isqrt(self.reach**2 * square - 1) + 1

    def measured(self, block: Block, share: Fraction) -> Measurement:
        """The block with noise for this share of the spend, on a grid that is fine enough."""
        loss = self.spend * share
        width = self.distance(block) / (float(loss) if self.pure else float(2 * loss) ** 0.5)
        finer = Block(block.axes, block.maps, block.scale << min(room(block.maps), max(0, ceil(log2(_FINE / width)))))
        distance = self.distance(finer)
        mechanism = (
            Laplace(sensitivity=distance, epsilon=loss) if self.pure else Gaussian(sensitivity=distance, rho=loss)
        )
        return Measurement(finer, mechanism, self.worth)


@dataclass(frozen=True, slots=True)
class Measurement:
    """A block and its noise."""

    block: Block
    mechanism: Laplace | Gaussian
    worth: Fraction

    @property
    def deviation(self) -> float:
        """The standard deviation of the noise on one number, in rows, if the block's scale is taken out again."""
        if isinstance(self.mechanism, Laplace):
            q = exp(-1 / float(self.mechanism.scale))
            steps = (2 * q) ** 0.5 / (1 - q)
        else:
            steps = self.mechanism.sigma
        return float(steps * float(self.worth) / self.block.scale)

    @property
    def size(self) -> int:
        """How many numbers."""
        return prod(self.block.shape)

    def release(self, cells: IntArray) -> IntArray:
        """The exact whole numbers, each with its own draw; what leaves here is noisy."""
        maps = self.block.maps
        exact = image(cells if len(maps) == cells.ndim else cells.reshape(-1), maps, self.block.scale).reshape(-1)
        return np.asarray(self.mechanism.release(exact), dtype=np.int64)

    def read(self, noisy: IntArray) -> FloatArray:
        """The noisy numbers in rows, with an axis per attribute."""
        return noisy.astype(np.float64).reshape(self.block.shape) * (float(self.worth) / self.block.scale)


def shares(sizes: Sequence[float] | FloatArray, *, pure: bool) -> list[Fraction]:
    """How to divide a spend between blocks whose errors, at the whole spend, would add up to these squares.

    With a share s of the spend a block's squared error grows by 1/s (rho) or 1/s^2 (epsilon); the least sum has
    shares that go like the root, or the third root. They add up to exactly 1.
    """
    roots = np.maximum(np.asarray(sizes, dtype=np.float64), 1e-300) ** (1 / 3 if pure else 1 / 2)
    parts = [max(1, int(part)) for part in roots / roots.sum() * (_PARTS - len(roots))]
    parts[int(np.argmax(roots))] += _PARTS - sum(parts)
    return [Fraction(part, _PARTS) for part in parts]


def together(losses: Iterable[Loss]) -> Loss:
    """The sum; the one form that has no common denominator is rounded up to a multiple of 2^-80."""
    total = None
    for loss in losses:
        mu_squared = None if loss.mu_squared is None else Fraction(ceil(loss.mu_squared * 2**80), 2**80)
        rounded = Loss(loss.epsilon, loss.rho, mu_squared, loss.delta)
        total = rounded if total is None else total + rounded
    return Loss.zero() if total is None else total
