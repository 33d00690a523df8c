"""An anonymized table as its classes: rows that look alike, and the sensitive values among them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deniable.attacks.cells import canonical, covers, plain
from deniable.core.errors import InvalidArgumentError
from deniable.releases.syntactic.disclosure import values_left
from deniable.releases.syntactic.search.classes import ClassValues
from deniable.releases.syntactic.search.grouping import FloatArray, IntArray, joined

WEIGHT = "weight"
"""How many people a row of a release stands for, if it has such a column."""
_MOST_PAIRS = 50_000_000


@dataclass(frozen=True, slots=True)
class PublishedClasses:
    """Rows that agree in the columns `on` are one class."""

    on: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    """What each class shows, in the order of `on`."""
    values: tuple[str, ...]
    """The sensitive values that occur."""
    pairs: ClassValues
    """How many people of each class have each value."""
    row: IntArray
    """The class of each row."""

    @classmethod
    def of(cls, release: pa.Table, on: Sequence[str], sensitive: str) -> PublishedClasses:
        """Group a release."""
        require(release, [*on, sensitive], "release")
        if sensitive in on:
            raise InvalidArgumentError("sensitive", f"column {sensitive!r} cannot also be one to match on")
        codes, cells = distinct(release, on)
        value, names = factorized(release[sensitive])
        weights = np.zeros((len(cells), len(names)))
        weight = release[WEIGHT].to_numpy() if WEIGHT in release.column_names else np.ones(release.num_rows)
        np.add.at(weights, (codes, value), np.maximum(weight.astype(np.float64), 0))
        return cls(tuple(on), tuple(cells), tuple(names), ClassValues.weighed(weights), codes)

    @property
    def weights(self) -> FloatArray:
        """How many people of each class have each value, as a matrix."""
        weights = np.zeros((len(self.cells), len(self.values)))
        weights[self.pairs.of, self.pairs.value] = self.pairs.count
        return weights

    @property
    def sizes(self) -> FloatArray:
        """People of each class."""
        return np.asarray(np.bincount(self.pairs.of, self.pairs.count, len(self.cells)), dtype=np.float64)

    @property
    def overall(self) -> FloatArray:
        """The share of each value in the whole release."""
        counts = np.bincount(self.pairs.value, self.pairs.count, len(self.values))
        return np.asarray(counts / max(counts.sum(), 1e-300))

    @property
    def values_left(self) -> IntArray:
        """How many values each class leaves open."""
        return values_left(self.pairs, len(self.cells))

    def without(self, values: Sequence[str]) -> PublishedClasses:
        """What is left to whoever can rule these values out."""
        possible = np.array([value not in values for value in self.values])
        return replace(self, pairs=ClassValues.weighed(self.weights * possible))

    def beliefs(self, people: pa.Table) -> FloatArray:
        """For each listed person, the weight of each sensitive value among the rows that can be theirs."""
        require(people, self.on, "public list")
        codes, cells = distinct(people, self.on)
        person, klass = matches(cells, self.cells)
        sums = [np.bincount(person, weight[klass], len(cells)) for weight in self.weights.T]
        return np.asarray(sums, dtype=np.float64).T[codes]

    def rows_each(self, people: pa.Table) -> FloatArray:
        """For each listed person, how many rows can be theirs."""
        return np.asarray(self.beliefs(people).sum(axis=1))


def require(table: pa.Table, columns: Sequence[str], what: str) -> None:
    """There must be rows, and these columns."""
    if not table.num_rows:
        raise InvalidArgumentError(what, "is empty: it has no rows")
    if not columns:
        raise InvalidArgumentError(what, "needs at least one column to match on")
    for column in columns:
        if column not in table.column_names:
            raise InvalidArgumentError(
                what, f"has no column {column!r}; its columns are {', '.join(table.column_names)}"
            )


def factorized(column: pa.ChunkedArray) -> tuple[IntArray, list[str]]:
    """Whole numbers for texts, and the texts; a missing value is a text without letters."""
    texts = pc.fill_null(column.cast(pa.string()), "").combine_chunks()
    coded = (texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts).dictionary_encode()
    return coded.indices.to_numpy(zero_copy_only=False).astype(np.int64), coded.dictionary.to_pylist()


def distinct(table: pa.Table, on: Sequence[str]) -> tuple[IntArray, list[tuple[str, ...]]]:
    """For each row the number of its combination of cells, and the combinations."""
    parts = [factorized(table[column]) for column in on]
    number, found = joined([codes for codes, _ in parts], [len(texts) for _, texts in parts])
    names = [[texts[code] for code in codes.tolist()] for codes, (_, texts) in zip(found, parts, strict=True)]
    return number, list(zip(*names, strict=True))


def matches(
    people: Sequence[tuple[str, ...]],
    classes: Sequence[tuple[str, ...]],
    fit: Callable[[str, str], bool] = covers,
) -> tuple[IntArray, IntArray]:
    """Which combination of plain values fits which combination of cells: the pairs, in the order of the first.

    Columns whose cells were all left as they are are joined by sorting; the others by a table of which distinct cell
    fits which distinct value. No pair of rows is looked at by itself.
    """
    columns = [([row[column] for row in people], [row[column] for row in classes]) for column in range(len(classes[0]))]
    untouched = [
        all(plain(cell) for cell in set(cells)) and (fit is covers or all(plain(value) for value in set(values)))
        for values, cells in columns
    ]
    person, klass = _candidates(
        _joined([values for (values, _), same in zip(columns, untouched, strict=True) if same], len(people)),
        _joined([cells for (_, cells), same in zip(columns, untouched, strict=True) if same], len(classes)),
    )
    for (values, cells), same in zip(columns, untouched, strict=True):
        if same:
            continue
        distinct_cells, cell_of = _codes(cells)
        distinct_values, value_of = _codes(values)
        table = np.array([[fit(cell, value) for cell in distinct_cells] for value in distinct_values], dtype=bool)
        kept = table[value_of[person], cell_of[klass]]
        person, klass = person[kept], klass[kept]
    return person, klass


def _joined(columns: Sequence[Sequence[str]], rows: int) -> list[str]:
    """The texts of several columns as one; the same for all rows if there is none."""
    if not columns:
        return [""] * rows
    return ["\x1f".join(canonical(text) for text in row) for row in zip(*columns, strict=True)]


def _candidates(people: Sequence[str], classes: Sequence[str]) -> tuple[IntArray, IntArray]:
    """Pairs that agree in every column that was left as it is."""
    _, code = _codes([*people, *classes])
    of_people, of_classes = code[: len(people)], code[len(people) :]
    order = np.argsort(of_classes, kind="stable")
    first = np.searchsorted(of_classes[order], of_people, side="left")
    number = np.searchsorted(of_classes[order], of_people, side="right") - first
    if (pairs := int(number.sum())) > _MOST_PAIRS:
        raise InvalidArgumentError("release", f"has too much to compare ({pairs:,} pairs): match on more columns")
    person = np.repeat(np.arange(len(people)), number)
    offset = np.arange(pairs) - np.repeat(np.cumsum(number) - number, number)
    return person, order[np.repeat(first, number) + offset].astype(np.int64)


def _codes(texts: Sequence[str]) -> tuple[list[str], IntArray]:
    """The distinct texts, and the number of each."""
    found, inverse = np.unique(np.array(texts, dtype=object).astype(str), return_inverse=True)
    return found.tolist(), inverse.reshape(-1).astype(np.int64)
