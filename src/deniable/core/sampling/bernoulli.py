"""Coins with an exact probability: p/q, exp(-x), or any real known by its digits."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from deniable.core.bits import BitSource, words
from deniable.core.sampling.digits import Digits, exponential, rational

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_WORD_PLACES = 64


def bernoulli(probability: Fraction, size: int, bits: BitSource) -> BoolArray:
    """True with probability p/q, exactly, `size` times."""
    return coin(rational(probability), size, bits)


def coin(probability: Digits, size: int, bits: BitSource) -> BoolArray:
    """True with the probability that `probability` spells out: a uniform real below it."""
    uniforms = words(bits, size)
    if (floor := probability(_WORD_PLACES)) >> _WORD_PLACES:
        return np.ones(size, dtype=np.bool_)
    heads = uniforms < np.uint64(floor)
    for index in np.flatnonzero(uniforms == np.uint64(floor)):
        heads[index] = _below(int(uniforms[index]), probability, bits)
    return heads


def coins(chances: FloatArray, margins: FloatArray, exact: Callable[[int], Digits], bits: BitSource) -> BoolArray:
    """For each i: True with the probability that exact(i) spells out, which lies within margins[i] of chances[i].

    A uniform word is compared with an interval that surely holds the probability; only where the word falls into the
    interval, about once in a trillion draws, is the exact probability asked for. (2^-52 is the rounding of the word.)
    """
    uniforms = words(bits, chances.size)
    approximate = uniforms.astype(np.float64) * 2.0**-_WORD_PLACES
    heads = approximate < chances
    unsure = np.abs(approximate - chances) <= margins + (approximate + 2.0**-10) * 2.0**-52
    for index in np.flatnonzero(unsure):
        heads[index] = _below(int(uniforms[index]), exact(int(index)), bits)
    return heads


def bernoulli_exponentials(multiples: IntArray, rate: Fraction, bits: BitSource) -> BoolArray:
    """For each multiple m >= 0: True with probability exp(-m * rate), exactly; rate >= 0."""
    exponents = multiples.astype(np.float64) * float(rate)
    return exponential_coins(exponents, exponents * 2.0**-50, lambda index: int(multiples[index]) * rate, bits)


def exponential_coins(
    exponents: FloatArray, errors: FloatArray, exact: Callable[[int], Fraction], bits: BitSource
) -> BoolArray:
    """For each i: True with probability exp(-exact(i)), exactly; `exponents` are within `errors` of the exact ones."""
    chances = np.exp(-exponents)
    margins = chances * (np.expm1(np.minimum(errors, 700.0)) + 2.0**-48)
    return coins(chances, margins, lambda index: exponential(exact(index)), bits)


def _below(uniform: int, probability: Digits, bits: BitSource) -> bool:
    """Whether the real that starts with this word lies below the probability; more words while they tie."""
    places = _WORD_PLACES
    while uniform == (floor := probability(places)):
        uniform = uniform << _WORD_PLACES | int(words(bits, 1)[0])
        places += _WORD_PLACES
    return uniform < floor
