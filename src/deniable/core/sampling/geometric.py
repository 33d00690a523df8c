"""Geometric noise: 0, 1, 2, ... with probability falling by exp(-1/scale) at each step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from deniable.core.bits import BitSource
from deniable.core.sampling.batches import IntArray, in_pieces
from deniable.core.sampling.digits import exponential_bracket
from deniable.core.sampling.inversion import Inversion

_DIGIT_PLACES = 8
_BASE = 1 << _DIGIT_PLACES
LIMIT = 1 << 62
"""Draws saturate here; see `LARGEST_SCALE`."""
LARGEST_SCALE = 1 << 54
"""At this scale a draw reaches LIMIT with probability exp(-256); below, even less often."""


def geometric(scale: Fraction, size: int, bits: BitSource) -> IntArray:
    """Draws x >= 0 with probability proportional to exp(-x / scale), exactly; 0 < scale <= LARGEST_SCALE.

    Written in base 256, the digits of x are independent (exp(-x / scale) is a product over digits), so each is
    drawn by itself from a table. The leading digit is unbounded: past the table's end the law starts over.
    The time does not depend on the values drawn, but for that restart (probability below exp(-45)).
    """
    law = _law(scale)
    return in_pieces(size, lambda count: _draw(law, count, bits))


@dataclass(frozen=True, slots=True)
class _Law:
    """The tables of a scale: the leading digit, and the ones below it from high to low."""

    leading: Inversion
    lower: tuple[Inversion, ...]


@lru_cache(maxsize=64)
def _law(scale: Fraction) -> _Law:
    """Enough lower digits that the leading one ends before 256, except with probability exp(-45)."""
    lower: list[Inversion] = []
    step = 1 / scale
    while step * _BASE < 45:  # noqa: PLR2004 - the exponent that the docstring names
        lower.append(Inversion(_Thresholds(step, closed=True)))
        step *= _BASE
    return _Law(Inversion(_Thresholds(step, closed=False)), tuple(reversed(lower)))


def _draw(law: _Law, count: int, bits: BitSource) -> IntArray:
    """One piece: the leading digit, then each lower digit below it."""
    weight = _DIGIT_PLACES * len(law.lower)
    drawn = law.leading.draw(count, bits).astype(np.int64)
    unfinished = np.flatnonzero(drawn == _BASE)
    while unfinished.size:
        further = law.leading.draw(unfinished.size, bits)
        drawn[unfinished] += further
        unfinished = unfinished[further == _BASE]
    drawn = np.minimum(drawn, LIMIT >> weight)
    for digit in law.lower:
        drawn <<= _DIGIT_PLACES
        drawn |= digit.draw(count, bits)
    return np.minimum(drawn, LIMIT)


@dataclass(frozen=True, slots=True)
class _Thresholds:
    """The cumulative probabilities of one digit d, which has probability proportional to exp(-d * step).

    closed: d is 0 to 255, cumulative (1 - r^j) / (1 - r^256) for j = 1 to 255, with r = exp(-step).
    open:   d is 0, 1, 2, ..., cumulative 1 - r^j for j = 1 to 256; 256 thresholds reached means 'at least 256'.
    """

    step: Fraction
    closed: bool

    def __call__(self, places: int) -> Sequence[int]:
        """All thresholds at `places`, from brackets of the powers of r, at ever higher precision until they settle."""
        working = places + 64
        while (floors := self._floors(places, working)) is None:
            working *= 2
        return floors

    def _floors(self, places: int, working: int) -> Sequence[int] | None:
        """The floors, or None if this working precision leaves one of them open."""
        one = 1 << working
        ratio = exponential_bracket(self.step, working)
        low, high = one, one
        complements = []
        for _ in range(_BASE):
            low, high = (low * ratio[0]) >> working, ((high * ratio[1]) >> working) + 1
            complements.append((one - high, one - low))
        total = complements.pop() if self.closed else (one, one)
        if total[0] <= 0:
            return None
        floors = [
            ((least << places) // total[1], (most << places) // total[0] if most < total[0] else (1 << places) - 1)
            for least, most in complements
        ]
        return [least for least, _ in floors] if all(least == most for least, most in floors) else None
