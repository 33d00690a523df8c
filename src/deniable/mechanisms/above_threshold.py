"""Sparse vector: many questions, one answer paid: which was the first above a threshold?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from os import getpid
from threading import Lock
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.core.bits import BitSource, OperatingSystem
from deniable.core.errors import InvalidArgumentError
from deniable.core.grid import Grid
from deniable.core.loss import Loss
from deniable.core.number import Number, positive, positive_amount, probability, whole
from deniable.core.sampling import LARGEST_SCALE, BoolArray, IntArray, discrete_laplace, discrete_laplace_radius
from deniable.mechanisms.mechanism import Mechanism


@dataclass(frozen=True, slots=True, init=False)
class AboveThreshold(Mechanism):
    """Says of each value in turn whether it is above a noisy threshold, and stops at the first that is.

    Input:      values asked one by one, each chosen after the last reply; each differs by at most `sensitivity`
                between neighbours. The threshold is public.
    Guarantee:  pure differential privacy with `epsilon` for all replies together, however many are 'no'.
    Rounding:   values go to the grid, halves upward, and the sensitivity is rounded up to whole steps. Draws are exact.
    Error:      with probability 1 - beta over k questions, 'yes' means at least threshold - a and 'no' means below
                threshold + a, for an a at most the textbook's 8 sensitivity (ln k + ln(2/beta)) / epsilon (the
                sensitivity in whole steps).
    Cost:       one Laplace draw per question and one for the threshold.
    Caution:    after 'yes' a watch is spent: a further question needs a new one, and a new loss. It never releases
                values, and cannot be copied, pickled or taken to another process.
    Reference:  Dwork, Naor, Reingold, Rothblum, Vadhan 2009; Dwork, Roth 2014, theorems 3.23 and 3.24;
                Lyu, Su, Li 2017 (variants that are not private).
    Proof:      docs/proofs/above_threshold.md

    Example:
        >>> AboveThreshold(sensitivity=1, epsilon=1.0).first([3, 5, 900, 2], threshold=400)
        2
    """

    sensitivity: Fraction
    epsilon: Fraction
    step: Fraction

    def __init__(self, *, sensitivity: Number, epsilon: Number, step: Number = 1) -> None:
        self._set(
            sensitivity=positive_amount("sensitivity", sensitivity),
            epsilon=positive("epsilon", epsilon),
            step=positive_amount("step", step),
        )
        if 2 * self._threshold_scale > LARGEST_SCALE:
            raise InvalidArgumentError("step", "must be coarser: the noise would not fit 64 bits")

    @property
    def loss(self) -> Loss:
        """Half is spent on the threshold, which hides every 'no'; half on the one 'yes'."""
        return Loss.pure(self.epsilon)

    def watch(self, threshold: ArrayLike) -> Watch:
        """Draw the noisy threshold once, then ask it value after value."""
        return Watch(self, self._noisy_thresholds(threshold, 1, OperatingSystem()), OperatingSystem())

    def first(self, values: Iterable[Any], threshold: ArrayLike) -> int | None:
        """The position of the first value that is found above the threshold, or None. Reads no value past it."""
        watch = self.watch(threshold)
        return next((position for position, value in enumerate(values) if watch.ask(value)), None)

    def error(self, confidence: Number = 0.95, *, questions: int) -> float:
        """How far from the threshold a reply can be wrong, over so many questions, with this probability."""
        half = (1 - probability("confidence", confidence)) / 2
        threshold = discrete_laplace_radius(self._threshold_scale, half)
        value = discrete_laplace_radius(2 * self._threshold_scale, half / whole("questions", questions))
        return float((threshold + value) * self.step)

    @classmethod
    def typical(cls, epsilon: Number) -> Self:
        """Values that are counts."""
        return cls(sensitivity=1, epsilon=epsilon)

    def neighbours(self) -> tuple[list[float], list[float]]:
        """The value at the threshold moves against the ones before it."""
        move = self._grid.values(np.array([self._grid.distance(self.sensitivity)]))[0].item()
        return [0] * 4 + [move], [move] * 4 + [0]

    def sample(self, data: ArrayLike, count: int) -> NDArray[np.int64]:
        """Where `count` independent watches with threshold 0 stop; the length of the list if nowhere."""
        values = self._grid.indices("data", data)
        watches = Watch(self, self._noisy_thresholds(0, count, OperatingSystem()), OperatingSystem())
        stops = np.full(count, values.size)
        for position, index in enumerate(values.tolist()):
            if watches.spent:
                break
            stops[watches._ask(index)] = position  # noqa: SLF001 - as `ask` does, of all at once
        return stops

    @property
    def _grid(self) -> Grid:
        return Grid(self.step)

    @property
    def _threshold_scale(self) -> Fraction:
        """In steps: 2 sensitivity / epsilon; the values' noise is twice as wide."""
        return 2 * self._grid.distance(self.sensitivity) / self.epsilon

    def _noisy_thresholds(self, threshold: ArrayLike, count: int, bits: BitSource) -> IntArray:
        index = self._index("threshold", threshold)
        return index + discrete_laplace(self._threshold_scale, count, bits)

    def _above(self, index: int, noisy_thresholds: IntArray, bits: BitSource) -> BoolArray:
        """Whether the value at this index, with noise of its own for each threshold, reaches it."""
        return np.asarray(
            index + discrete_laplace(2 * self._threshold_scale, noisy_thresholds.size, bits) >= noisy_thresholds
        )

    def _index(self, name: str, value: ArrayLike) -> int:
        """Of one number."""
        indices = self._grid.indices(name, value)
        if indices.size != 1:
            raise InvalidArgumentError(name, f"must be one number, not {indices.size}")
        return int(indices[0])


class Watch:
    """A noisy threshold in use: good until its first 'yes', in the one place where it was drawn.

    It says yes once, whoever asks: threads take turns, and what is spent never comes back. A twin could say yes once
    more, so there is none: a watch cannot be copied or pickled, and in a forked process it is of no use. (Several
    thresholds are watches that are asked in step, as an audit does; each of them says yes once.)
    """

    __slots__ = ("_bits", "_live", "_lock", "_mechanism", "_noisy_thresholds", "_process")

    def __init__(self, mechanism: AboveThreshold, noisy_thresholds: IntArray, bits: BitSource) -> None:
        self._mechanism = mechanism
        self._noisy_thresholds = noisy_thresholds
        self._bits = bits
        self._live = np.ones(noisy_thresholds.size, dtype=np.bool_)
        self._lock = Lock()
        self._process = getpid()

    @property
    def spent(self) -> bool:
        """Whether it has said yes."""
        return not self._live.any()

    def ask(self, value: ArrayLike) -> bool:
        """Whether this value is found above the threshold."""
        index = self._mechanism._index("value", value)  # noqa: SLF001 - refused, if it must be, before anything is drawn
        return bool(self._ask(index)[0])

    def _ask(self, index: int) -> BoolArray:
        """Of each threshold, whether the value reaches it now; never again of one that was reached before."""
        if getpid() != self._process:
            raise InvalidArgumentError("watch", "belongs to another process; start a new one, for a new loss")
        with self._lock:
            if self.spent:
                raise InvalidArgumentError(
                    "watch", "has said yes already and is spent; start a new one, for a new loss"
                )
            live = np.flatnonzero(self._live)
            above = self._mechanism._above(index, self._noisy_thresholds[live], self._bits)  # noqa: SLF001 - its half
            self._live[live[above]] = False
            said = np.zeros(self._live.size, dtype=np.bool_)
            said[live[above]] = True
            return said

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        """No copy, shallow or deep, and no pickle: a second holder of the same noise would be a second yes."""
        raise TypeError("a watch cannot be copied or pickled: its noise may be used once")

    def __repr__(self) -> str:
        """Without noise."""
        return f"Watch({self._mechanism!r}, spent={self.spent})"
