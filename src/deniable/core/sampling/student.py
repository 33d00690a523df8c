"""Heavy-tailed noise for smooth sensitivity: Student's t with three degrees of freedom, on the whole numbers."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import numpy as np

from deniable.core.bits import BitSource, words
from deniable.core.sampling.batches import IntArray, in_pieces, until_full
from deniable.core.sampling.bernoulli import bernoulli, coins
from deniable.core.sampling.digits import Digits, rational
from deniable.core.sampling.geometric import LIMIT
from deniable.core.sampling.uniform import uniform

_HALF = Fraction(1, 2)


def discrete_student(scale: Fraction, size: int, bits: BitSource) -> IntArray:
    """Draws x with probability proportional to 1 / (scale^2 + x^2)^2, exactly; 0 < scale <= 2^54. Saturates at 2^62.

    Rejection: |x| is proposed uniformly within block j of length M = ceil(scale), j drawn with Pr[j >= i] = 1/(i+1)^2,
    with a random sign (minus zero is refused). As |x| >= j * scale, the target is at most 9/5 * M / scale^4 times the
    proposal: (j+1)^2 (j+2)^2 / ((2j+3) (1+j^2)^2) has its maximum, 9/5, at j = 1.
    """
    block = ceil(scale)
    squared = scale**2

    def chance(place: int, distance: int) -> Fraction:
        flat = Fraction((place + 1) ** 2 * (place + 2) ** 2, 2 * place + 3)
        return Fraction(5, 9) * flat * (squared / (squared + distance**2)) ** 2

    def accepted(count: int) -> IntArray:
        places = np.minimum(_reciprocal(count, bits), _reciprocal(count, bits)) - 1
        within = uniform(block, count, bits)
        minus = bernoulli(_HALF, count, bits)
        floats = places.astype(np.float64)
        sizes = floats * block + within
        flat = ((floats + 1) * (floats + 2)) ** 2 / (2 * floats + 3)
        chances = 5 / 9 * flat * (1 / (1 + (sizes / float(scale)) ** 2)) ** 2

        def exact(index: int) -> Digits:
            return rational(chance(int(places[index]), int(places[index]) * block + int(within[index])))

        kept = coins(chances, chances * 2.0**-44, exact, bits)
        drawn = np.minimum(np.minimum(places, LIMIT // block) * block + within, LIMIT)
        kept &= ~(minus & (drawn == 0))
        signed: IntArray = np.where(minus, -drawn, drawn)[kept]
        return signed

    return in_pieces(size, lambda count: until_full(count, accepted))


def _reciprocal(count: int, bits: BitSource) -> IntArray:
    """Draws i >= 1 with Pr[i >= n] = 1/n, exactly: the whole part of 1/u for a uniform real u. Saturates at 2^62.

    A word w says that u * 2^64 lies between w and w + 1; where that leaves 1/u open, more words decide.
    """
    uniforms = words(bits, count)
    whole = np.uint64(2**64 - 1)
    most = whole // np.maximum(uniforms, np.uint64(1))
    least = whole // (np.minimum(uniforms, whole - np.uint64(1)) + np.uint64(1))
    unsure = (most != least) | (uniforms & (uniforms - np.uint64(1)) == 0) | (uniforms == whole)
    drawn: IntArray = np.minimum(least, np.uint64(LIMIT)).astype(np.int64)
    for index in np.flatnonzero(unsure):
        drawn[index] = min(_settle(int(uniforms[index]), bits), LIMIT)
    return drawn


def _settle(uniform_word: int, bits: BitSource) -> int:
    """The whole part of 1/u, with as many words as it takes."""
    places = 64
    while uniform_word == 0 or (1 << places) // uniform_word != (1 << places) // (uniform_word + 1):
        uniform_word = uniform_word << 64 | int(words(bits, 1)[0])
        places += 64
        if uniform_word and (1 << places) // uniform_word > LIMIT:
            return LIMIT
    return (1 << places) // uniform_word
