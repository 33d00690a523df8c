"""What classes disclose about whoever is in them: the arithmetic that reports and attacks share.

- Homogeneity (Machanavajjhala et al. 2007): one value is left, so that finding the class is enough.
- Background knowledge (same): whoever can rule values out is left with fewer.
- Skewness (Li, Li, Venkatasubramanian 2007): a value is far more frequent in a class than in the table.
- Composition (Ganta, Kasiviswanathan, Smith 2008): who is in two tables has a value that both of their classes have.
"""

from __future__ import annotations

import numpy as np

from deniable.releases.syntactic.search.classes import ClassValues
from deniable.releases.syntactic.search.grouping import FloatArray, IntArray


def values_left(pairs: ClassValues, classes: int) -> IntArray:
    """How many values each class leaves open; one is certainty."""
    return np.bincount(pairs.of, minlength=classes)


def largest(pairs: ClassValues, classes: int) -> FloatArray:
    """How many rows of each class have its most frequent value."""
    most = np.zeros(classes)
    np.maximum.at(most, pairs.of, pairs.count)
    return most


def worst_shares(pairs: ClassValues, classes: int) -> FloatArray:
    """For each value, its largest share of any class."""
    sizes = np.bincount(pairs.of, pairs.count, classes)
    worst = np.zeros(pairs.width)
    np.maximum.at(worst, pairs.value, pairs.count / sizes[pairs.of])
    return worst


def left_by_both(first: ClassValues, second: ClassValues, one: IntArray, other: IntArray) -> IntArray:
    """How many values are in class one[i] of the first table and in class other[i] of the second, for each i.

    Example:
        >>> ours = ClassValues.weighed(np.array([[1, 1, 0], [0, 2, 2]]))
        >>> theirs = ClassValues.weighed(np.array([[0, 1, 3]]))
        >>> left_by_both(ours, theirs, np.array([0, 1]), np.array([0, 0])).tolist()
        [1, 2]
    """
    starts, ends = np.searchsorted(first.of, one), np.searchsorted(first.of, one, side="right")
    lengths = ends - starts
    place = np.repeat(starts - np.r_[0, np.cumsum(lengths)[:-1]], lengths) + np.arange(lengths.sum())
    wanted = np.repeat(other, lengths) * first.width + first.value[place]
    hits = np.isin(wanted, second.of * second.width + second.value)
    return np.bincount(np.repeat(np.arange(len(one)), lengths), hits, len(one)).astype(np.int64)
