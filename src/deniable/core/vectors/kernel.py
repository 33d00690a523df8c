"""What an exact sum over vectors is: how far one unit moves it, and how it is added up."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from math import ceil
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from deniable.core.grid import RANGE, IntArray
from deniable.core.number import root_above
from deniable.core.sensitivity import Neighbours
from deniable.core.vectors.batch import FloatArray, VectorBatch
from deniable.core.vectors.design import VectorDesign

_LARGEST = 1 << 53
"""Doubles are whole numbers below this."""


@dataclass(frozen=True, slots=True)
class Kernel(ABC):
    """A vector of whole numbers for each row, and the sum of these over all rows, each weighed.

    Promise:  the numbers of one unit's rows lie within `within` of 0, in l2, whatever the rows are; so neighbours lie
              at most `sensitivity` apart.
    """

    kernels: ClassVar[dict[str, type[Kernel]]] = {}
    aligned: ClassVar[bool] = False
    """Whether what one unit adds never points away from what another adds (as squares and matrices of products do)."""

    design: VectorDesign

    def __init_subclass__(cls) -> None:
        """Known by name, so that it can be sent to where the rows are."""
        Kernel.kernels[cls.__name__] = cls

    @property
    @abstractmethod
    def within(self) -> Fraction:
        """How far from 0 the numbers of one row can lie, in l2, if it weighs one."""

    @property
    @abstractmethod
    def worth(self) -> FloatArray:
        """What one unit of each number is, in the vectors' own unit: as many as there are numbers."""

    @abstractmethod
    def add(self, batch: VectorBatch) -> FloatArray:
        """The sum over some rows; every number is whole, and below 2^53."""

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return len(self.worth)

    @property
    def sensitivity(self) -> int:
        """How far apart neighbours lie, in l2, rounded up.

        A unit's rows weigh at most `contribution` together. Under `replace` one unit goes and another comes: twice as
        far, or sqrt(2) times where the two never point away from each other.
        """
        one = self.design.contribution * self.within
        if self.design.neighbours is Neighbours.ADD_REMOVE:
            return ceil(one)
        return ceil(root_above(2 * one**2) if self.aligned else 2 * one)

    def total(self, batches: Iterable[VectorBatch]) -> IntArray:
        """The exact sum: doubles within a batch, Python's integers between batches; held within the grid's range."""
        found = np.zeros(self.size, dtype=object)
        for batch in batches:
            part = self.add(batch)
            if part.shape != (self.size,) or not bool((np.abs(part) < _LARGEST).all()):
                raise OverflowError("a batch adds up to more than doubles can count")
            found += part.astype(np.int64).astype(object)
        return np.clip(self.finished(found), -RANGE, RANGE).astype(np.int64)

    def finished(self, total: NDArray[np.object_]) -> NDArray[np.object_]:
        """What is made of the sum over all rows; unless told, nothing."""
        return total

    def to_dict(self) -> dict[str, object]:
        """All of it in values that JSON can say."""
        settings = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "design"}
        return {"kernel": type(self).__name__, "design": self.design.to_dict(), "settings": settings}

    @staticmethod
    def from_dict(said: Mapping[str, Any]) -> Kernel:
        """What `to_dict` said."""
        settings = {name: _tuples(value) for name, value in said["settings"].items()}
        return Kernel.kernels[said["kernel"]](VectorDesign.from_dict(said["design"]), **settings)


def _tuples(value: Any) -> Any:  # noqa: ANN401 - whole numbers, and lists of them
    if not isinstance(value, list):
        return value
    return tuple(map(_tuples, value)) if value and isinstance(value[0], list) else tuple(value)
