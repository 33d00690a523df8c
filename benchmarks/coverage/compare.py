"""A nearly noiseless answer beside plain DuckDB's: group by group, where both have the group."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

import pyarrow as pa

from deniable.curator import Answer
from deniable.curator.public import PublicAnswer

_NEAR, _FEW = 1e-3, 3
"""How far numbers may be apart, as a part of them; and how many people a hidden group may have, more or less."""


def verdict(answer: Answer | PublicAnswer, plain: pa.Table, *, limited: bool) -> str:
    """`right`, or WRONG and where."""
    low = {name.removesuffix("_low") for name in answer.intervals.column_names}
    keys = [place for place, name in enumerate(answer.table.column_names) if name not in low]
    ours, theirs = _by_key(answer.table, keys), _by_key(plain, keys)
    if len(answer.table.column_names) != len(plain.column_names):
        return "WRONG: it has other columns"
    for key, row in ours.items():
        if key in theirs and not all(map(_near, row, theirs[key])):
            return f"WRONG: {key}: {row} and not {theirs[key]}"
        if key not in theirs and not limited and any(_some(value) for value in row):
            return f"WRONG: there is no group {key}"
    missing = [key for key in theirs if key not in ours and max(map(_size, theirs[key]), default=0) > _FEW]
    if missing and not limited:
        return f"WRONG: {len(missing)} of {len(theirs)} groups are missing, such as {missing[0]}"
    return "right"


def _by_key(table: pa.Table, keys: list[int]) -> dict[tuple[object, ...], list[object]]:
    rows = list(zip(*(column.to_pylist() for column in table.columns), strict=True))
    return {
        tuple(_plain(row[place]) for place in keys): [value for place, value in enumerate(row) if place not in keys]
        for row in rows
    }


def _plain(value: object) -> object:
    return int(value) if isinstance(value, Decimal | float) and value == int(value) else value


def _size(value: object) -> float:
    return abs(float(value)) if isinstance(value, int | float | Decimal) else 0.0


def _some(value: object) -> bool:
    return _size(value) > _NEAR


def _near(one: object, other: object) -> bool:
    if isinstance(one, date | datetime) or isinstance(other, date | datetime):
        return str(one)[:10] == str(other)[:10]
    if one is None or other is None:
        return _size(one) <= _NEAR and _size(other) <= _NEAR
    return abs(_size(one) - _size(other)) <= _NEAR * max(1.0, _size(other))
