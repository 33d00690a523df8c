"""RAPPOR: a permanent noisy answer that is kept, and a fresh noisy report of it at every collection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.core.bits import BitSource, OperatingSystem
from deniable.core.errors import InvalidArgumentError
from deniable.core.loss import Loss
from deniable.core.number import Number, positive
from deniable.core.sampling import IntArray
from deniable.local.bit_rows import Packed, bit_of, in_blocks, packed_coins
from deniable.local.domain import AnswerDomain, Values
from deniable.local.odds import asked, truth_chance
from deniable.local.protocols.symmetric_unary import SymmetricUnary
from deniable.local.reports import Reports


@dataclass(frozen=True, slots=True, eq=False)
class Permanent:
    """The answers that devices keep and never send. As long as a value stays the same, so does its answer."""

    data: NDArray[np.uint8]


@dataclass(frozen=True, slots=True, init=False)
class Rappor(SymmetricUnary):
    """Sends, at each collection, fresh noise on top of noisy bits that are drawn once and kept.

    Input:         one of k public values, one bit for each.
    Guarantee:     one report loses `epsilon`; all reports ever made of the same value lose `lifetime` together, however
                   many there are, because they are made from the permanent answer, which loses that much. A
                   value that changes needs a new permanent answer, which loses `lifetime` once more. Probabilities are
                   rounded to the safe side, to multiples of 2^-64.
    Error:         of one report a share's variance is e^(epsilon/2) / ((e^(epsilon/2) - 1)^2 n), that of symmetric
                   unary encoding. Collecting again averages the fresh noise away, never the permanent one.
    Message size:  k bits.
    Cost:          two random digits per bit.
    Reference:     Erlingsson, Pihur, Korolova 2014 (basic RAPPOR: one bit per value, no Bloom filter).
    Proof:         docs/proofs/local.md

    Example:
        >>> survey = Rappor(["a", "b", "c"], epsilon=1, lifetime=2)
        >>> kept = survey.memorize(["a", "b", "b"])
        >>> monday, tuesday = survey.report(kept), survey.report(kept)
        >>> len(monday), round(float(survey.permanent_chance), 4), round(float(survey.report_chance), 4)
        (3, 0.7311, 0.765)
    """

    domain: AnswerDomain
    epsilon: Fraction
    lifetime: Fraction

    def __init__(self, domain: Values, epsilon: Number, lifetime: Number) -> None:
        self._set(lifetime=positive("lifetime", lifetime), epsilon=asked(epsilon))
        if self.epsilon >= self.lifetime:
            raise InvalidArgumentError("lifetime", f"must be above the epsilon of one report, not {lifetime}")
        SymmetricUnary.__init__(self, domain, epsilon)

    @classmethod
    def typical(cls, epsilon: Number) -> Self:
        """Four values, twice the loss for a lifetime."""
        return cls(4, epsilon, 2 * positive("epsilon", epsilon))

    @property
    def settings(self) -> Mapping[str, Any]:
        """With the lifetime."""
        return {
            "protocol": "Rappor",
            "domain": self.domain.spelled,
            "epsilon": str(self.epsilon),
            "lifetime": str(self.lifetime),
        }

    @property
    def lifetime_loss(self) -> Loss:
        """Of all reports of one value."""
        return Loss.pure(self.lifetime)

    @property
    def permanent_chance(self) -> Fraction:
        """That a permanent bit is true: half of the lifetime's epsilon for each of the two bits that differ."""
        return truth_chance(self.lifetime / 2, 1, 1)

    @property
    def report_chance(self) -> Fraction:
        """That a report keeps a permanent bit: just enough that a reported bit is true with chance `truth`."""
        return (self.truth + self.permanent_chance - 1) / (2 * self.permanent_chance - 1)

    def memorize(self, values: ArrayLike) -> Permanent:
        """Draw the permanent answers. They stay on the devices."""
        return Permanent(self._memorize(values, OperatingSystem()))

    def report(self, kept: Permanent) -> Reports:
        """One collection from answers that were kept."""
        return Reports(self.settings, self._report(kept.data, OperatingSystem()))

    def _memorize(self, values: ArrayLike, bits: BitSource) -> NDArray[np.uint8]:
        size, chance = self.domain.size, self.permanent_chance

        def draw(places: IntArray) -> Packed:
            rows = packed_coins(1 - chance, places.size, size, bits)
            row, byte, bit = bit_of(places)
            rows[row, byte] ^= bit
            return rows

        return in_blocks(self.domain.places(values), size, draw)

    def _report(self, kept: NDArray[np.uint8], bits: BitSource) -> NDArray[np.uint8]:
        size, chance = self.domain.size, self.report_chance

        def draw(rows: IntArray) -> Packed:
            return kept[rows] ^ packed_coins(1 - chance, rows.size, size, bits)

        return in_blocks(np.arange(len(kept)), size, draw)

    def _perturb(self, values: ArrayLike, bits: BitSource) -> NDArray[Any]:
        """A first report; the permanent answer is forgotten."""
        return self._report(self._memorize(values, bits), bits)
