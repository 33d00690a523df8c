"""Defences that publish a table once: what they have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.attacks.classes import factorized
from deniable.attacks.defences.defence import Defence, FloatArray, IntArray
from deniable.attacks.population import SENSITIVE
from deniable.core.errors import InvalidArgumentError


class Publisher(Defence):
    """A defence that publishes people as a table without names."""

    @abstractmethod
    def publish(self, people: pa.Table, order: Sequence[str] = ("zip", "age", "sex")) -> pa.Table:
        """The release. `order` is by which columns the publisher prefers to tell people apart."""


def partition(people: pa.Table, order: Sequence[str], allowed: Callable[[IntArray], bool]) -> IntArray:
    """The class of each person: all people, divided at medians again and again, as long as both halves are allowed.

    Halves never overlap: each is a range of one column. The first column of `order` that can be divided is (LeFevre,
    DeWitt, Ramakrishnan 2006). `allowed` is given the row numbers of a class.
    """
    columns = [factorized_in_order(people[name]) for name in order]
    everyone = np.arange(people.num_rows)
    if not allowed(everyone):
        raise InvalidArgumentError("release", f"is not possible: not even all {everyone.size} people may be one class")
    classes, waiting, number = np.zeros(everyone.size, dtype=np.int64), [everyone], 0
    while waiting:
        rows = waiting.pop()
        halves = _divided(rows, columns, allowed)
        if halves is None:
            classes[rows] = number
            number += 1
        else:
            waiting.extend(halves)
    return classes


def _divided(
    rows: IntArray, columns: Sequence[IntArray], allowed: Callable[[IntArray], bool]
) -> tuple[IntArray, IntArray] | None:
    """Two halves at the median of the first column where both are allowed."""
    for column in columns:
        values = column[rows]
        middle = np.median(values)
        for lower in (values <= middle, values < middle):
            if 0 < lower.sum() < rows.size and allowed(rows[lower]) and allowed(rows[~lower]):
                return rows[lower], rows[~lower]
    return None


def factorized_in_order(column: pa.ChunkedArray) -> IntArray:
    """Whole numbers that are ordered as the texts are: zip codes and ages of two digits as numbers, sexes by letter."""
    return np.unique(column.to_numpy(zero_copy_only=False).astype(str), return_inverse=True)[1].astype(np.int64)


def sensitive_shares(people: pa.Table) -> Callable[[IntArray], FloatArray]:
    """A function that says how the sensitive values are distributed among some rows."""
    value, names = factorized(people[SENSITIVE])
    return lambda rows: np.bincount(value[rows], minlength=len(names)) / rows.size


def generalised(people: pa.Table, classes: IntArray) -> pa.Table:
    """Everybody in a class shows the same range of zip codes and ages, and the same sex or a star."""
    return pa.table(
        {
            "zip": _ranges(people["zip"], classes),
            "age": _ranges(people["age"], classes),
            "sex": _same_or_star(people["sex"], classes),
            SENSITIVE: people[SENSITIVE],
        }
    )


def _ranges(column: pa.ChunkedArray, classes: IntArray) -> NDArray[np.str_]:
    numbers = column.to_numpy(zero_copy_only=False).astype(np.int64)
    low = np.full(classes.max() + 1, np.iinfo(np.int64).max)
    high = np.full(classes.max() + 1, np.iinfo(np.int64).min)
    np.minimum.at(low, classes, numbers)
    np.maximum.at(high, classes, numbers)
    wide = np.char.add(np.char.add(low.astype(str), "-"), high.astype(str))
    return np.where(low == high, low.astype(str), wide)[classes]


def _same_or_star(column: pa.ChunkedArray, classes: IntArray) -> NDArray[np.str_]:
    code, names = factorized(column)
    low, high = np.full(classes.max() + 1, len(names)), np.full(classes.max() + 1, -1)
    np.minimum.at(low, classes, code)
    np.maximum.at(high, classes, code)
    return np.where(low == high, np.array(names)[low], "*")[classes]
