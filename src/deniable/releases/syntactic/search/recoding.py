"""What every method hands back: which points share a class, and what each class is called. And the table of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.releases.syntactic.hierarchies.kinds import Label
from deniable.releases.syntactic.hierarchies.values import STAR
from deniable.releases.syntactic.search.cells import CellCounts, shuffled
from deniable.releases.syntactic.search.classes import EquivalenceClasses
from deniable.releases.syntactic.search.grouping import BoolArray, FloatArray, IntArray, added, joined
from deniable.releases.syntactic.search.losses import Node


@dataclass(frozen=True, slots=True)
class Recoding:
    """Classes of points, with one label for each quasi-identifier."""

    of: IntArray
    """The class of each point."""
    codes: tuple[IntArray, ...]
    """For each quasi-identifier: the number of the label of each class."""
    labels: tuple[tuple[Label, ...], ...]
    """For each quasi-identifier: its labels."""
    spans: tuple[FloatArray, ...]
    """For each quasi-identifier: how much of the column each label covers."""
    covers: tuple[IntArray, ...]
    """For each quasi-identifier: how many rows of the table have a value that each label covers."""
    suppressed: BoolArray
    """Whether a class is suppressed: '*' everywhere, whatever its labels."""

    @property
    def number(self) -> int:
        """How many classes there are."""
        return len(self.suppressed)

    def classes(self, cells: CellCounts) -> EquivalenceClasses:
        """The classes with their sizes and values, suppressed ones too."""
        return cells.classes().merged(self.of, self.codes, self.number)


def full_domain(cells: CellCounts, node: Node, kept: BoolArray) -> Recoding:
    """Every column at its level; `kept` says which classes are, in the order of their codes."""
    levels = list(zip(cells.columns, node, strict=True))
    groups = [column.groups[level][codes] for (column, level), codes in zip(levels, cells.codes, strict=True)]
    of, codes = joined(groups, [column.sizes[level] for column, level in levels])
    return Recoding(
        of,
        codes,
        tuple(column.labels[level] for column, level in levels),
        tuple(column.span(column.groups[level], column.sizes[level]) for column, level in levels),
        tuple(
            added(column.groups[level], cells.rows_of(place), column.sizes[level])
            for place, (column, level) in enumerate(levels)
        ),
        ~kept,
    )


def published(cells: CellCounts, recoding: Recoding, others: pa.Table | None) -> pa.Table:
    """The table as it leaves: sorted by what it says, so that the order of the rows says nothing more.

    An order that is kept from the original links two releases row by row (Sweeney 2002, unsorted matching). With other
    columns, which follow their rows, rows of a class are shuffled.
    """
    stars = [len(labels) for labels in recoding.labels]
    codes = [np.where(recoding.suppressed, star, code) for code, star in zip(recoding.codes, stars, strict=True)]
    rank, _ = joined(codes, [star + 1 for star in stars])
    of = recoding.of[cells.point]
    expand: Callable[[NDArray[Any]], NDArray[Any]]
    if cells.rows is None or others is None:
        order = np.lexsort((*reversed(cells.secrets), rank[of]))
        expand = partial(_repeated, order, cells.counts[order])
    else:
        moved = shuffled(rank[of][cells.rows])
        expand = partial(np.take, indices=cells.rows[moved])
        others = others.take(pa.array(moved))
    columns = {
        column.name: _text_column(code[of], (*labels, STAR), expand)
        for column, code, labels in zip(cells.columns, codes, recoding.labels, strict=True)
    }
    for sensitive, secret in zip(cells.sensitive, cells.secrets, strict=True):
        columns[sensitive.name] = _value_column(expand(secret.astype(np.int32)), sensitive.values)
    return pa.table(
        columns if others is None else columns | dict(zip(others.column_names, others.columns, strict=True))
    )


def _repeated(order: IntArray, counts: IntArray, of_cells: NDArray[Any]) -> NDArray[Any]:
    """What cells have, for each of their rows, cell after cell in this order."""
    return np.repeat(of_cells[order], counts)


def _text_column(codes: IntArray, labels: Sequence[Label], expand: Callable[[NDArray[Any]], NDArray[Any]]) -> pa.Array:
    """Labels as a dictionary-encoded text, from the label of each cell; the label None is NULL.

    The dictionary lists the labels that are shown and no others: one of a suppressed row would give that row away.
    """
    shown = np.bincount(codes, minlength=len(labels)) > 0
    labels = [label if is_shown else None for label, is_shown in zip(labels, shown, strict=True)]
    names = list(dict.fromkeys(label for label in labels if label is not None))
    places = {name: place for place, name in enumerate(names)}
    table = np.array([-1 if label is None else places[label] for label in labels], np.int32)
    indices = expand(table[codes])
    missing = indices < 0 if (indices < 0).any() else None
    return pa.DictionaryArray.from_arrays(pa.array(indices, mask=missing), pa.array(names, pa.string()))


def _value_column(codes: IntArray, values: pa.Array) -> pa.Array:
    """Sensitive values as they are: texts dictionary-encoded, others plain."""
    if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        return values.take(pa.array(codes))
    known = len(values) - values.null_count
    indices = pa.array(codes, mask=codes >= known if values.null_count else None)
    return pa.DictionaryArray.from_arrays(indices, values.slice(0, known))
