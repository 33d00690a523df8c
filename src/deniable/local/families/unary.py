"""Unary encodings: one bit for each value, each sent through its own coin."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.core.bits import BitSource
from deniable.core.sampling import IntArray, bernoulli
from deniable.local.bit_rows import Packed, bit_of, clean, column_sums, in_blocks, packed_coins
from deniable.local.families.histogram import HistogramProtocol
from deniable.local.families.protocol import Law


class UnaryProtocol(HistogramProtocol):
    """The bit of the true value is sent as 1 with chance `truth`, every other bit with chance `lie`.

    Two values differ in two bits. So a report's probability changes at most by truth (1 - lie) / ((1 - truth) lie),
    which a subclass keeps within e^epsilon.
    """

    __slots__ = ()

    def law(self, value: Any) -> Law:  # noqa: ANN401 - a number or a name
        """A product over bits."""
        size, (place,) = self.domain.size, self.domain.places(value)
        chances = [self.truth if bit == place else self.lie for bit in range(size)]
        return {
            tuple(np.packbits(row).tolist()): Fraction(
                prod(chance if bit else 1 - chance for bit, chance in zip(row, chances, strict=True))
            )
            for row in product((0, 1), repeat=size)
        }

    def _perturb(self, values: ArrayLike, bits: BitSource) -> NDArray[Any]:
        size, truth, lie = self.domain.size, self.truth, self.lie

        def draw(places: IntArray) -> Packed:
            rows = packed_coins(lie, places.size, size, bits)
            row, byte, bit = bit_of(places)
            rows[row, byte] &= ~bit
            rows[row, byte] |= np.where(bernoulli(truth, places.size, bits), bit, 0).astype(np.uint8)
            return rows

        return in_blocks(self.domain.places(values), size, draw)

    def _valid(self, data: NDArray[Any]) -> bool:
        return clean(data, self.domain.size)

    def _support(self, data: NDArray[Any]) -> IntArray:
        return column_sums(data, self.domain.size)
