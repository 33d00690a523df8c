"""Partition selection: which group keys may be shown when the keys themselves are private."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.core.bits import BitSource, OperatingSystem, words
from deniable.core.errors import InvalidArgumentError
from deniable.core.loss import Loss
from deniable.core.number import Number, positive, probability, whole
from deniable.core.sampling import BoolArray, IntArray
from deniable.core.sampling.digits import exponential
from deniable.mechanisms.mechanism import OPEN_DELTA, Mechanism, one_or_many

_PLACES = 64
_LEAST_EPSILON = Fraction(1, 1000)
_LEAST_DELTA = Fraction(2, 1 << _PLACES)
"""Two units of the last place: with less, rounding down could stop the probabilities from growing."""


@dataclass(frozen=True, slots=True, init=False)
class PartitionSelection(Mechanism):
    """Shows a key that n units have with the largest probability that privacy allows, for every n at once.

    Input:      for each key, how many units have it; a unit has at most `partitions` keys. Neighbours: one unit more
                or less.
    Guarantee:  (epsilon, delta)-differential privacy for all keys together; a key that nobody has is never shown, one
                that a single unit has with probability at most delta / partitions.
    Rounding:   probabilities are whole multiples of 2^-64, rounded down, and e^epsilon is rounded down.
    Error:      a key of size n is hidden with probability 1 - `probability(n)`, exactly; with one
                partition, no private rule hides less.
    Cost:       eight random bytes per key.
    Caution:    give it counts of units, not of rows. Each unit's keys must be bounded before counting.
    Reference:  Desfontaines, Voss, Gipson, Mandayam 2022 (theorem 1: the optimal rule).
    Proof:      docs/proofs/partition_selection.md

    Example:
        >>> rule = PartitionSelection(epsilon=1.0, delta=1e-6)
        >>> round(rule.probability(1), 9), rule.even_odds
        (1e-06, 14)
        >>> rule.keep([0, 1, 500]).tolist()[::2]
        [False, True]
    """

    epsilon: Fraction
    delta: Fraction
    partitions: int

    def __init__(self, *, epsilon: Number, delta: Number, partitions: int = 1) -> None:
        self._set(
            epsilon=positive("epsilon", epsilon),
            delta=probability("delta", delta),
            partitions=whole("partitions", partitions),
        )
        if self.epsilon / self.partitions < _LEAST_EPSILON:
            raise InvalidArgumentError("epsilon", f"must be at least {float(_LEAST_EPSILON)} for each partition")
        if self.delta / self.partitions < _LEAST_DELTA:
            raise InvalidArgumentError("delta", f"must be at least 2^-{_PLACES - 1} for each partition")

    @property
    def loss(self) -> Loss:
        """Basic composition over the keys that one unit can have."""
        return Loss.approximate(self.epsilon, self.delta)

    def keep(self, units: ArrayLike) -> Any:  # noqa: ANN401 - a count in, a bool out; arrays likewise
        """For each key's number of units: whether the key may be shown."""
        return one_or_many(units, self._keep(_counts(units), OperatingSystem()))

    def probability(self, units: int) -> float:
        """That a key with so many units is shown."""
        table = self._table
        return float(table[min(whole("units", units, least=0), len(table) - 1)] * 2.0**-_PLACES)

    @property
    def even_odds(self) -> int:
        """The least number of units at which a key is shown at least half of the time."""
        return next(units for units, chance in enumerate(self._table) if 2 * chance >= 1 << _PLACES)

    @classmethod
    def typical(cls, epsilon: Number) -> Self:
        """With a delta that an audit can see."""
        return cls(epsilon=epsilon, delta=OPEN_DELTA)

    def neighbours(self) -> tuple[int, int]:
        """Two and three units: where the probability grows by the full factor."""
        return 3, 2

    def sample(self, data: int, count: int) -> NDArray[np.bool_]:
        """`count` decisions about one key."""
        return self._keep(np.repeat(_counts(data), count), OperatingSystem())

    @property
    def _table(self) -> tuple[int, ...]:
        return _chances(self.epsilon / self.partitions, self.delta / self.partitions)

    def _keep(self, units: IntArray, bits: BitSource) -> BoolArray:
        """A word below the probability; from the table's end on, always."""
        table = np.array(self._table[:-1], dtype=np.uint64)
        sure = units >= table.size
        return sure | (words(bits, units.size) < table[np.where(sure, 0, units)])


@lru_cache(maxsize=64)
def _chances(epsilon: Fraction, delta: Fraction) -> tuple[int, ...]:
    """For 0, 1, 2, ... units: the probability of being shown, in units of 2^-64; ends where it reaches 1.

    The largest p(n) with p(n) <= e^epsilon p(n-1) + delta and 1 - p(n-1) <= e^epsilon (1 - p(n)) + delta. Both only get
    slacker for p(n) when it is rounded down, and when e^epsilon is replaced by something smaller.
    """
    one, places = 1 << _PLACES, 2 * _PLACES
    shrink = exponential(epsilon)(places) + 1  # above e^-epsilon
    part = int(delta * one)
    chances = [0]
    while chances[-1] < one:
        last = chances[-1]
        growing = (last << places) // shrink + part
        closing = one - ((one - last - part) * shrink >> places) - 1
        chances.append(min(growing, closing if last + part < one else one, one))
    return tuple(chances)


def _counts(units: ArrayLike) -> IntArray:
    """Whole numbers from zero on."""
    numbers = np.atleast_1d(np.asarray(units))
    if numbers.ndim != 1 or not np.issubdtype(numbers.dtype, np.integer) or ((numbers < 0) | (numbers > 2**62)).any():
        raise InvalidArgumentError("units", "must be whole numbers from 0 to 2^62")
    return numbers.astype(np.int64)
