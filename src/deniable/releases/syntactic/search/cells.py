"""One group-by of (quasi-identifiers, sensitive columns) -> count. Everything else works on its cells, not on rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deniable.core.bits import OperatingSystem, words
from deniable.core.errors import InvalidArgumentError
from deniable.releases.syntactic.hierarchies.column import QuasiIdentifier, column
from deniable.releases.syntactic.hierarchies.kinds import Hierarchy
from deniable.releases.syntactic.search.classes import ClassValues, EquivalenceClasses
from deniable.releases.syntactic.search.grouping import IntArray, added, combined, joined, numbered


@dataclass(frozen=True, slots=True)
class Sensitive:
    """A sensitive column: its distinct values, and how many rows have each."""

    name: str
    values: pa.Array
    counts: IntArray


@dataclass(frozen=True, slots=True)
class CellCounts:
    """Each combination of values that occurs, with the number of its rows."""

    columns: tuple[QuasiIdentifier, ...]
    sensitive: tuple[Sensitive, ...]
    codes: tuple[IntArray, ...]
    """For each quasi-identifier: the value of each distinct combination of quasi-identifiers (a *point*)."""
    point: IntArray
    """For each cell: its point."""
    secrets: tuple[IntArray, ...]
    """For each sensitive column: the value of each cell."""
    counts: IntArray
    """For each cell: its rows."""
    rows: IntArray | None
    """The cell of each row; only if other columns are kept, which have to follow their rows."""

    @property
    def total(self) -> int:
        """All rows."""
        return int(self.counts.sum())

    @property
    def points(self) -> int:
        """How many distinct combinations of quasi-identifiers there are."""
        return len(self.codes[0])

    @property
    def sizes(self) -> IntArray:
        """The rows of each point."""
        return added(self.point, self.counts, self.points)

    def rows_of(self, place: int) -> IntArray:
        """The rows of each value of a quasi-identifier."""
        return added(self.codes[place], self.sizes, len(self.columns[place].values))

    def classes(self) -> EquivalenceClasses:
        """The finest classes: one for each point."""
        groups = tuple(column.groups[0][codes] for column, codes in zip(self.columns, self.codes, strict=True))

        def pairs() -> list[ClassValues]:
            return [
                ClassValues.grouped(self.point, secret, self.counts, self.points, len(sensitive.values))
                for sensitive, secret in zip(self.sensitive, self.secrets, strict=True)
            ]

        return EquivalenceClasses(groups, self.sizes, pairs)


def cells(
    table: pa.Table, hierarchies: Mapping[str, Hierarchy], sensitive: Sequence[str], *, follow_rows: bool = False
) -> CellCounts:
    """The cells of a table."""
    if not table.num_rows:
        raise InvalidArgumentError("frame", "has no rows")
    names = [*hierarchies, *sensitive]
    coded = [_coded(table[name], name) for name in names]
    raw, rows, counts = _distinct([codes for codes, _ in coded], [len(values) for _, values in coded], follow_rows)
    encoded = [_in_order(codes, values) for codes, (_, values) in zip(raw, coded, strict=True)]
    keys = [codes for codes, _ in encoded]
    columns, codes = [], []
    for (name, hierarchy), code, (_, values) in zip(hierarchies.items(), keys, encoded, strict=False):
        made, position = column(name, values.to_pylist(), hierarchy)
        columns.append(made)
        codes.append(position[code])
    point, points = joined(codes, [len(column.values) for column in columns])
    secrets = keys[len(columns) :]
    order = np.lexsort((*reversed(secrets), point))
    back = np.empty(len(order), np.int64)
    back[order] = np.arange(len(order))
    return CellCounts(
        tuple(columns),
        tuple(
            Sensitive(name, values, added(secret, counts, len(values)))
            for name, secret, (_, values) in zip(sensitive, secrets, encoded[len(columns) :], strict=True)
        ),
        points,
        point[order],
        tuple(secret[order] for secret in secrets),
        counts[order],
        None if rows is None else back[rows],
    )


def shuffled(groups: IntArray) -> IntArray:
    """The places of all entries, group by group and within a group in an order that nobody can foresee."""
    return np.lexsort((words(OperatingSystem(), len(groups)), groups))


def _coded(column: pa.ChunkedArray, name: str) -> tuple[IntArray, pa.Array]:
    """A code for each row and the values, in any order; NULL is the last of them, and not-a-number is NULL."""
    if pa.types.is_nested(column.type):
        raise InvalidArgumentError(name, "holds lists or structures; name columns of plain values")
    if pa.types.is_null(column.type):
        column = column.cast(pa.string())
    if pa.types.is_dictionary(column.type) and not _plain(column.unify_dictionaries().chunk(0).dictionary):
        column = column.cast(column.type.value_type)
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    whole = column.unify_dictionaries().combine_chunks()
    encoded = whole if isinstance(whole, pa.DictionaryArray) else whole.chunk(0)
    codes, values = encoded.indices, encoded.dictionary
    if codes.null_count:
        codes = codes.fill_null(len(values))
        values = pa.concat_arrays([values, pa.nulls(1, values.type)])
    return codes.to_numpy(), values


def _plain(dictionary: pa.Array) -> bool:
    """Whether every value stands once in it, and none is NULL or not a number."""
    return not (
        pa.types.is_floating(dictionary.type) or dictionary.null_count or len(dictionary.unique()) < len(dictionary)
    )


def _in_order(codes: IntArray, values: pa.Array) -> tuple[IntArray, pa.Array]:
    """The values that occur, sorted (NULL last), and the codes that they have then. A dictionary may list others."""
    there = np.bincount(codes, minlength=len(values)) > 0
    order = pc.sort_indices(values).to_numpy()
    order = order[there[order]]
    places = np.zeros(len(values), np.int64)
    places[order] = np.arange(len(order))
    return places[codes], values.take(pa.array(order))


def _distinct(
    codes: Sequence[IntArray],
    radices: Sequence[int],
    follow_rows: bool,  # noqa: FBT001 - what is needed later
) -> tuple[list[IntArray], IntArray | None, IntArray]:
    """The distinct combinations as codes, the combination of each row if it is needed, and the rows of each."""
    keys, domain = combined(codes, radices)
    rows: IntArray | None = None
    product = np.prod(np.array(radices, float))
    if follow_rows or product > domain:
        distinct, rows = numbered(keys, domain)
        counts = np.bincount(rows, minlength=len(distinct))
        first = np.empty(len(distinct), np.int64)
        first[rows] = np.arange(len(rows))
        return [code[first].astype(np.int64) for code in codes], rows if follow_rows else None, counts
    keys.sort()  # a sort of whole numbers is cheaper than any hash
    starts = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
    counts = np.diff(np.r_[starts, len(keys)])
    rest, parts = keys[starts], []
    for radix in reversed(radices):
        rest, part = np.divmod(rest, radix)
        parts.append(part)
    return parts[::-1], rows, counts
