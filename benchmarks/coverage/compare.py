"""A nearly noiseless answer beside plain DuckDB's: group by group, where both have the group."""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal

import pyarrow as pa

from deniable.curator import NoisyAnswer
from deniable.curator.public import PublicAnswer

_NEAR, _FEW = 1e-3, 3
"""How far numbers may be apart, as a part of them; and how many people a hidden group may have, more or less."""


def verdict(answer: NoisyAnswer | PublicAnswer, plain: pa.Table, *, limited: bool) -> str:
    """`right`, or WRONG and where."""
    low = {name.removesuffix("_low") for name in answer.intervals.column_names}
    if len(answer.table.column_names) != len(plain.column_names):
        return "WRONG: it has other columns"
    computed = {field.name for field in answer.table.schema if pa.types.is_floating(field.type)}
    names = enumerate(answer.table.column_names)
    keys = [place for place, name in names if name not in low and (name not in computed or not low)]
    ours, theirs = _by_key(answer.table, keys), _by_key(plain, keys)
    for key, rows in ours.items():
        there = theirs.get(key)
        if there is not None and not _alike(rows, there) and not limited:
            return f"WRONG: {key}: {rows[:3]} and not {there[:3]}"
        noisy = [place for place, name in enumerate(_others(answer.table, keys)) if name in low]
        if there is None and not limited and any(_some(row[place]) for row in rows for place in noisy):
            return f"WRONG: there is no group {key}"
    missing = [
        key
        for key, rows in theirs.items()
        if key not in ours and max((_size(value) for row in rows for value in row), default=0) > _FEW
    ]
    if missing and not limited:
        return f"WRONG: {len(missing)} of {len(theirs)} groups are missing, such as {missing[0]}"
    return "right"


def _others(table: pa.Table, keys: list[int]) -> list[str]:
    return [name for place, name in enumerate(table.column_names) if place not in keys]


def _by_key(table: pa.Table, keys: list[int]) -> dict[tuple[object, ...], list[list[object]]]:
    """The other columns of all rows that share their keys, smallest first: names need not be unique."""
    found: dict[tuple[object, ...], list[list[object]]] = {}
    for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
        key = tuple(_plain(row[place]) for place in keys)
        found.setdefault(key, []).append([value for place, value in enumerate(row) if place not in keys])
    return {key: sorted(rows, key=lambda row: [_size(value) for value in row]) for key, rows in found.items()}


def _alike(ours: list[list[object]], theirs: list[list[object]]) -> bool:
    """Row by row; groups that nobody is in may be there besides."""
    more = ours[len(ours) - len(theirs) :] if len(ours) > len(theirs) else ours
    return len(more) == len(theirs) and all(
        _near(one, other)
        for left, right in zip(more, theirs, strict=True)
        for one, other in zip(left, right, strict=True)
    )


def _plain(value: object) -> object:
    if isinstance(value, datetime) and value.time() == time():
        return value.date()
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
