"""Queries that hold a row for each pair of a unit and a group, asked for some units at a time.

A hundred million pairs are more than memory holds: put aside on disk and read again, they take longer than the rows
take to be read several times. A unit's rows are all in one part (equal units have equal hashes), so parts add up to
exactly what all units together give.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from deniable.core.grid import RANGE

AT_ONCE = 1 << 24
"""Rows of one part, on average; their pairs take up to 1.5 GB."""
_WIDE = pa.decimal128(38, 0)


def together(parts: Sequence[pa.Table], keys: Sequence[str]) -> pa.Table:
    """Every number added up by group: wide, then cut as each part's was, so that nothing wraps."""
    whole = pa.concat_tables(parts)
    numbers = [name for name in whole.column_names if name not in keys]
    for name in numbers:
        whole = whole.set_column(whole.schema.get_field_index(name), name, whole[name].cast(_WIDE))
    added = whole.group_by(list(keys)).aggregate([(name, "sum") for name in numbers])
    columns = {name: added[name] for name in keys} | {name: _cut(added[f"{name}_sum"]) for name in numbers}
    return pa.table(columns, schema=parts[0].schema)


def _cut(sums: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow.compute as pc  # noqa: PLC0415 - takes long to import, and few tables are so large

    most, least = (pa.scalar(limit, pa.int64()).cast(_WIDE) for limit in (RANGE, -RANGE))
    wide = sums.cast(_WIDE)
    return pc.max_element_wise(pc.min_element_wise(wide, most), least).cast(pa.int64())
