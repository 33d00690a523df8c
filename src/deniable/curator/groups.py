"""Exact answers laid out on all groups there can be, so that which groups exist in the data does not show."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.files.arrow import TYPES
from deniable.planner.choices.histogram import CELL, Choice, Quantile
from deniable.planner.expressions.keys import GroupKey


def all_groups(keys: Sequence[GroupKey]) -> dict[str, pa.Array]:
    """The key columns of every combination of known key values, in one fixed order."""
    domains = [pa.array(key.domain or (), type=TYPES[key.value.kind]) for key in keys]
    cells = prod(len(values) for values in domains)
    columns, after = {}, cells
    for key, values in zip(keys, domains, strict=True):
        after //= len(values) or 1
        columns[key.name] = values.take(pa.array(np.arange(cells) // after % max(1, len(values))))
    return columns


def side_by_side(groups: pa.Table, names: Sequence[str], rows: Sequence[tuple[object, ...]]) -> NDArray[np.bool_]:
    """Which groups have a combination of keys that is among these; from public tables, so that it may be known.

    Example:
        >>> groups = pa.table({"shop": ["a", "a", "b", None], "town": ["Ulm", "Bonn", "Bonn", None]})
        >>> side_by_side(groups, ["shop", "town"], [("a", "Ulm"), ("b", "Bonn"), (None, None)]).tolist()
        [True, False, True, True]
    """
    import pyarrow.compute as pc  # noqa: PLC0415 - same

    wanted, found = np.zeros(len(rows), dtype=np.int64), np.zeros(groups.num_rows, dtype=np.int64)
    for place, name in enumerate(names):
        values = pa.array([row[place] for row in rows], type=groups.schema.field(name).type)
        known = pc.unique(values)
        codes = [pc.fill_null(pc.index_in(one, value_set=known), -1).to_numpy() for one in (values, groups[name])]
        wanted, found = (whole * (len(known) + 1) + one for whole, one in zip((wanted, found), codes, strict=True))
    return np.isin(found, wanted)


def laid_out(exact: pa.Table, keys: Sequence[GroupKey], totals: Sequence[str]) -> dict[str, NDArray[np.int64]]:
    """Each total as a vector over all groups; zero where the data has no such group.

    Rows whose keys are not among the known values belong to no group, and are left out.
    """
    places, known = _places(exact, keys)
    columns = {}
    for name in totals:
        column = np.zeros(prod(len(key.domain or ()) for key in keys), dtype=np.int64)
        column[places[known]] = exact[name].to_numpy()[known]
        columns[name] = column
    return columns


def by_set(left: NDArray[np.int64]) -> dict[int, NDArray[np.int64]]:
    """Where counts by several sets of keys are: each set's rows, by the number of the keys that it leaves out.

    Example:
        >>> {keys: rows.tolist() for keys, rows in by_set(np.array([1, 2, 1])).items()}
        {1: [0, 2], 2: [1]}
    """
    order = np.argsort(left, kind="stable")
    numbers, starts = np.unique(left[order], return_index=True)
    return dict(zip(numbers.tolist(), np.split(order, starts[1:]), strict=True)) if left.size else {}


def counted(exact: pa.Table, keys: Sequence[GroupKey], choice: Choice) -> NDArray[np.int64]:
    """The histogram of a choice: a row for each group there can be, with all its cells."""
    import pyarrow.compute as pc  # noqa: PLC0415 - slow to load, and a price does without

    if isinstance(choice, Quantile):
        places, known = _places(exact, keys)
        there = pc.is_valid(exact[CELL]).to_numpy()
        cells = pc.fill_null(exact[CELL], 0).to_numpy() - choice.cells.first
        places = places * choice.candidates + np.clip(cells, 0, choice.candidates - 1)
        known = known & there
    else:
        places, known = _places(exact, (*keys, choice.key))
    groups = prod(len(key.domain or ()) for key in keys)
    counts = np.zeros(groups * choice.candidates, dtype=np.int64)
    np.add.at(counts, places[known], exact[choice.histogram.name].to_numpy()[known])
    return counts.reshape(groups, choice.candidates)


def _places(exact: pa.Table, keys: Sequence[GroupKey]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The number of the group that each row belongs to, and whether it belongs to one."""
    import pyarrow.compute as pc  # noqa: PLC0415 - same

    places = np.zeros(exact.num_rows, dtype=np.int64)
    known = np.ones(exact.num_rows, dtype=np.bool_)
    for key in keys:
        values = pa.array(key.domain or (), type=TYPES[key.value.kind])
        found = pc.index_in(exact[key.name].cast(values.type), value_set=values, skip_nulls=False)
        codes = pc.fill_null(found, -1).to_numpy().astype(np.int64)
        known &= codes >= 0
        places = places * len(values) + codes
    return places, known
