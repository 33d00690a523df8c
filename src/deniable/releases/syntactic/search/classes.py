"""Classes of rows that look alike, and how they merge when values become coarser."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.releases.syntactic.hierarchies.column import QuasiIdentifier
from deniable.releases.syntactic.search.grouping import BoolArray, FloatArray, IntArray, added, joined, numbered


@dataclass(frozen=True, slots=True)
class ClassValues:
    """How many rows of each class have each sensitive value; ordered by class, then value; none is zero."""

    of: IntArray
    value: IntArray
    count: NDArray[Any]
    """Rows; or weights, if a row stands for several people or for a part of one."""
    width: int
    """How many values there are in all."""

    @classmethod
    def grouped(cls, of: IntArray, value: IntArray, count: IntArray, classes: int, width: int) -> ClassValues:
        """Equal pairs added up."""
        keys, number = numbered(of * width + value, classes * width)
        return cls(*np.divmod(keys, width), added(number, count, len(keys)), width)

    @classmethod
    def weighed(cls, weights: FloatArray | IntArray) -> ClassValues:
        """From a matrix: a row for each class, a column for each value. What weighs nothing is not there."""
        of, value = np.nonzero(weights > 0)
        return cls(of, value, weights[of, value], weights.shape[1])

    def merged(self, to: IntArray, classes: int) -> ClassValues:
        """The pairs of coarser classes: class i goes into class to[i]."""
        return ClassValues.grouped(to[self.of], self.value, self.count, classes, self.width)

    def some(self, kept: BoolArray) -> ClassValues:
        """The pairs of some classes, which are numbered anew."""
        inside = kept[self.of]
        return ClassValues((np.cumsum(kept) - 1)[self.of[inside]], self.value[inside], self.count[inside], self.width)

    def starts(self, classes: int) -> IntArray:
        """The first pair of each class. Every class has one."""
        return np.searchsorted(self.of, np.arange(classes))


class EquivalenceClasses:
    """Rows by what is left of their quasi-identifiers.

    Rolling up costs what the finer classes are, not what the table is; pairs are merged only when a model asks.
    """

    __slots__ = ("_make_pairs", "_pairs", "codes", "sizes")

    def __init__(
        self, codes: tuple[IntArray, ...], sizes: IntArray, make_pairs: Callable[[], Sequence[ClassValues]]
    ) -> None:
        self.codes = codes
        self.sizes = sizes
        self._make_pairs: Callable[[], Sequence[ClassValues]] | None = make_pairs
        self._pairs: Sequence[ClassValues] = ()

    @property
    def number(self) -> int:
        """How many classes there are."""
        return len(self.sizes)

    @property
    def pairs(self) -> Sequence[ClassValues]:
        """For each sensitive column, the values in each class; made once, and only when asked for."""
        if self._make_pairs is not None:
            self._pairs, self._make_pairs = self._make_pairs(), None
        return self._pairs

    def merged(self, to: IntArray, codes: tuple[IntArray, ...], number: int) -> EquivalenceClasses:
        """Coarser classes: class i goes into class to[i], whose codes are given."""
        sizes = added(to, self.sizes, number)
        return EquivalenceClasses(codes, sizes, lambda: [pairs.merged(to, number) for pairs in self.pairs])

    def rolled(
        self, columns: Sequence[QuasiIdentifier], fine: Sequence[int], coarse: Sequence[int]
    ) -> EquivalenceClasses:
        """The classes of a coarser node, from those of a finer one."""
        codes = [
            code if low == high else column.step(low, high)[code]
            for code, column, low, high in zip(self.codes, columns, fine, coarse, strict=True)
        ]
        radices = [column.sizes[level] for column, level in zip(columns, coarse, strict=True)]
        to, distinct = joined(codes, radices)
        return self.merged(to, distinct, len(distinct[0]))

    def some(self, kept: BoolArray) -> EquivalenceClasses:
        """Some of the classes alone."""
        codes, sizes = tuple(code[kept] for code in self.codes), self.sizes[kept]
        return EquivalenceClasses(codes, sizes, lambda: [pairs.some(kept) for pairs in self.pairs])
