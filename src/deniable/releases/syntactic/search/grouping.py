"""Equal keys become one number each: the only group-by there is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

_DENSE = 4
"""An array of all possible keys is worth it while it has at most so many entries for each key that is there."""
_LARGEST = 1 << 62


def combined(codes: Sequence[IntArray], radices: Sequence[int]) -> tuple[IntArray, int]:
    """One number for each combination of codes, in the same order, below the number that comes with it.

    Where the product of the radices is too large for 64 bits, the part that is combined so far is numbered anew.

    Example:
        >>> combined([np.array([0, 1]), np.array([2, 0])], [2, 3])
        (array([2, 3]), 6)
    """
    keys = np.zeros(len(codes[0]), np.int64)
    domain = 1
    for code, radix in zip(codes, radices, strict=True):
        if domain > _LARGEST // radix:
            distinct, keys = numbered(keys, domain)
            domain = len(distinct)
        if domain > 1:
            keys *= radix
        keys += code
        domain *= radix
    return keys, domain


def numbered(keys: IntArray, domain: int) -> tuple[IntArray, IntArray]:
    """The distinct keys in order, and for each key its number among them. Hashes or marks; never sorts all keys."""
    if domain <= _DENSE * len(keys) + 1024:
        there = np.zeros(domain, bool)
        there[keys] = True
        distinct = np.flatnonzero(there)
        places = np.empty(domain, np.int64)
        places[distinct] = np.arange(len(distinct))
        return distinct, places[keys]
    encoded = pa.array(keys).dictionary_encode()
    found = encoded.dictionary.to_numpy()
    order = np.argsort(found)
    places = np.empty(len(found), np.int64)
    places[order] = np.arange(len(found))
    return found[order], places[encoded.indices.to_numpy()]


def joined(codes: Sequence[IntArray], radices: Sequence[int]) -> tuple[IntArray, tuple[IntArray, ...]]:
    """The number of each combination of codes, in the order of the codes, and the codes of each number.

    Example:
        >>> joined([np.array([1, 0, 1]), np.array([2, 0, 2])], [2, 3])
        (array([1, 0, 1]), (array([0, 1]), array([0, 2])))
    """
    keys, number = numbered(*combined(codes, radices))
    some = np.empty(len(keys), np.int64)
    some[number] = np.arange(len(number))
    return number, tuple(code[some] for code in codes)


def added(of: IntArray, amounts: IntArray, number: int) -> IntArray:
    """The sum of the amounts of each of `number` groups. Sums below 2^53 are exact in doubles."""
    return np.bincount(of, amounts, number).astype(np.int64)
