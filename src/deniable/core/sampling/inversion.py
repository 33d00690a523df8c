"""Draws from a finite law by comparing a uniform real with cumulative probabilities, one random digit at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from deniable.core.bits import BitSource, words

_GUIDE_PLACES = 16
_WORD_PLACES = 64


@dataclass(frozen=True, slots=True)
class Inversion:
    """The number of thresholds that a uniform real reaches, for thresholds known to any precision.

    The first sixteen digits of the uniform decide nearly always, by one look-up; where a threshold starts with
    the same sixteen digits, 48 more are drawn; where all 64 agree, as many more as it takes. The law is exact.
    """

    thresholds: Callable[[int], Sequence[int]]
    """places -> floor(c * 2^places) for every threshold c, ascending."""
    _floors: NDArray[np.uint64] = field(init=False, repr=False)
    _guide: NDArray[np.int16] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Lay out the look-up: how many thresholds lie below each sixteen-digit prefix, or -1 where one lies in it."""
        floors = np.array(self.thresholds(_WORD_PLACES), dtype=np.uint64)
        prefixes = floors >> np.uint64(_WORD_PLACES - _GUIDE_PLACES)
        guide = np.searchsorted(prefixes, np.arange(1 << _GUIDE_PLACES, dtype=np.uint64)).astype(np.int16)
        guide[prefixes] = -1
        object.__setattr__(self, "_floors", floors)
        object.__setattr__(self, "_guide", guide)

    def draw(self, count: int, bits: BitSource) -> NDArray[np.int16]:
        """`count` independent draws."""
        prefixes = np.frombuffer(bits.read(2 * count), dtype=np.uint16)
        drawn = self._guide[prefixes]
        undecided = np.flatnonzero(drawn < 0)
        if undecided.size:
            high = prefixes[undecided].astype(np.uint64) << np.uint64(_WORD_PLACES - _GUIDE_PLACES)
            low = words(bits, undecided.size) >> np.uint64(_GUIDE_PLACES)
            drawn[undecided] = self._refine(high | low, bits)
        return drawn

    def _refine(self, uniforms: NDArray[np.uint64], bits: BitSource) -> NDArray[np.int16]:
        """Decide by 64 digits, and the few that are still tied one by one."""
        reached = np.searchsorted(self._floors, uniforms, side="left").astype(np.int16)
        at_most = np.searchsorted(self._floors, uniforms, side="right")
        for index in np.flatnonzero(reached != at_most):
            reached[index] = self._settle(int(uniforms[index]), bits)
        return reached

    def _settle(self, uniform: int, bits: BitSource) -> int:
        """Draw further words until no threshold starts with the same digits."""
        places = _WORD_PLACES
        while True:
            floors = self.thresholds(places)
            if uniform not in floors:
                return sum(floor < uniform for floor in floors)
            uniform = uniform << _WORD_PLACES | int(words(bits, 1)[0])
            places += _WORD_PLACES
