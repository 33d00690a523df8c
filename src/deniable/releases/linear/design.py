"""A strategy that is ready to be paid and run: what is measured with which noise, and how it is read."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any

import numpy as np

from deniable.core.event import Event
from deniable.core.grid import IntArray
from deniable.core.loss import Loss
from deniable.mechanisms import Laplace, Mechanism
from deniable.releases.linear import tails
from deniable.releases.linear.matrices.factors import FloatArray
from deniable.releases.linear.measurement import Measurement, together
from deniable.releases.linear.reader import Reader
from deniable.releases.linear.task import Piece, Task

Exact = Callable[[tuple[int, ...]], IntArray]
"""The exact counts of the cells of some attributes, with an axis for each."""


class Design(ABC):
    """Everything that is needed to release a task, and nothing that depends on the data."""

    name: str
    """Of the strategy, for people."""
    task: Task
    bound: float | None
    """No strategy of this kind of noise has a smaller root-mean-square error; None: not known."""

    @property
    @abstractmethod
    def mechanisms(self) -> Sequence[Mechanism]:
        """What touches the data, in this order."""

    @property
    @abstractmethod
    def numbers(self) -> int:
        """How many noisy numbers come out."""

    @property
    @abstractmethod
    def needs(self) -> tuple[tuple[int, ...], ...]:
        """Of which attributes together the exact counts are needed."""

    @abstractmethod
    def release(self, exact: Exact) -> IntArray:
        """The noisy whole numbers. The only step that sees the data."""

    @abstractmethod
    def solve(self, noisy: IntArray) -> Any:  # noqa: ANN401 - each design has its own
        """What the noisy numbers say, in a form that `answers` reads."""

    @abstractmethod
    def answers(self, solution: Any, piece: Piece) -> FloatArray:  # noqa: ANN401 - same
        """The estimate of every query."""

    @abstractmethod
    def deviations(self, solution: Any, piece: Piece) -> FloatArray:  # noqa: ANN401 - same
        """The standard deviation of every estimate; NaN where only `radius` is known. `solution` None: before data."""

    @abstractmethod
    def radius(self, solution: Any, piece: Piece, confidence: float) -> FloatArray:  # noqa: ANN401 - same
        """How far every estimate stays from the exact answer, each so surely."""

    @abstractmethod
    def cells(self, solution: Any) -> FloatArray:  # noqa: ANN401 - same
        """The estimate of every cell."""

    @abstractmethod
    def squares(self, piece: Piece) -> float:
        """The expected squared errors of a piece's queries, added up."""

    @property
    def loss(self) -> Loss:
        """Of all mechanisms together."""
        return together(mechanism.loss for mechanism in self.mechanisms)

    @property
    def events(self) -> tuple[Event, ...]:
        """For the ledger."""
        return tuple(mechanism.event for mechanism in self.mechanisms)

    @property
    @abstractmethod
    def digest(self) -> str:
        """Of all that decides what the noisy numbers mean."""

    def error(self, piece: Piece) -> float:
        """The expected root-mean-square error of a piece's queries."""
        return sqrt(self.squares(piece) / piece.rows)

    @cached_property
    def total(self) -> float:
        """The expected root-mean-square error of all queries, by weight: what the best strategy has least of."""
        squares = sum(piece.weight**2 * self.squares(piece) for piece in self.task.pieces)
        return sqrt(squares / self.task.weights)


@dataclass(frozen=True, eq=False)
class LinearDesign(Design):
    """Blocks with their noise, read by least squares."""

    name: str
    task: Task
    measurements: tuple[Measurement, ...]
    reader: Reader
    bound: float | None = None

    @property
    def mechanisms(self) -> Sequence[Mechanism]:
        """One for each block."""
        return [measurement.mechanism for measurement in self.measurements]

    @property
    def numbers(self) -> int:
        """Those of all blocks."""
        return sum(measurement.size for measurement in self.measurements)

    @property
    def needs(self) -> tuple[tuple[int, ...], ...]:
        """Those of the blocks."""
        return tuple(dict.fromkeys(measurement.block.axes for measurement in self.measurements))

    def release(self, exact: Exact) -> IntArray:
        """Block after block."""
        return np.concatenate([one.release(exact(one.block.axes)) for one in self.measurements])

    def solve(self, noisy: IntArray) -> Any:  # noqa: ANN401 - the reader's
        """Each block in its own shape."""
        ends = np.cumsum([measurement.size for measurement in self.measurements])
        blocks = np.split(noisy, ends[:-1])
        return self.reader.solve([one.read(block) for one, block in zip(self.measurements, blocks, strict=True)])

    def answers(self, solution: Any, piece: Piece) -> FloatArray:  # noqa: ANN401 - the reader's
        """As the reader says."""
        return self.reader.answers(solution, piece)

    def deviations(self, solution: Any, piece: Piece) -> FloatArray:  # noqa: ANN401 - not needed
        """They do not depend on the data."""
        del solution
        return self.reader.deviations(piece)

    def radius(self, solution: Any, piece: Piece, confidence: float) -> FloatArray:  # noqa: ANN401 - not needed
        """As many deviations as the noise allows."""
        pure = isinstance(self.measurements[0].mechanism, Laplace)
        factor = tails.laplace(confidence) if pure else tails.normal(confidence)
        return factor * self.deviations(solution, piece)

    def squares(self, piece: Piece) -> float:
        """As the reader says."""
        return self.reader.squares(piece)

    def cells(self, solution: Any) -> FloatArray:  # noqa: ANN401 - the reader's
        """As the reader says."""
        return self.reader.cells(solution)

    @property
    def digest(self) -> str:
        """What is measured; whole-number matrices say what is in them."""
        measured = tuple((one.block, one.worth) for one in self.measurements)
        return hashlib.sha256(repr((self.name, measured, self.events)).encode()).hexdigest()


def least(designs: Sequence[LinearDesign]) -> LinearDesign:
    """The one with the least expected error, which is not worked out where there is no choice."""
    return designs[0] if len(designs) == 1 else min(designs, key=lambda design: design.total)
