"""A nearly noiseless answer beside plain DuckDB's: row by row, in any order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal

import pyarrow as pa

from deniable.curator import NoisyAnswer
from deniable.curator.public.answer import PublicAnswer

_NEAR, _FEW = 1e-3, 3
"""How far real numbers may be apart, as a part of them; and how many people a hidden group may have, more or less."""

Row = tuple[object, ...]


def verdict(answer: NoisyAnswer | PublicAnswer, plain: pa.Table, *, limited: bool) -> str:
    """`right`, or WRONG and where.

    Groups that nobody is in may be there besides, and private groups of few people may be missing. `limited`: only the
    first rows were asked for, and `plain` has all of them.
    """
    if len(answer.table.column_names) != len(plain.column_names):
        return "WRONG: it has other columns"
    noisy = {name.removesuffix("_low") for name in answer.intervals.column_names}
    places = [place for place, name in enumerate(answer.table.column_names) if name in noisy]
    waiting: dict[Row, list[Row]] = {}
    for row in _rows(plain):
        waiting.setdefault(_words(row), []).append(row)
    for row in _rows(answer.table):
        there = waiting.get(_words(row), [])
        found = next((other for other in there if all(map(_near, row, other))), None)
        if found is not None:
            there.remove(found)
        elif any(_size(row[place]) > _NEAR for place in places) or not (places or _listed(row)):
            return f"WRONG: {row}, and not {there[:2]}"
    left = [row for rows in waiting.values() for row in rows]
    counted = places or range(len(plain.column_names))
    missing = [row for row in left if max((_size(row[place]) for place in counted), default=0) > _FEW]
    if limited or not missing:
        return "right"
    return f"WRONG: {len(missing)} of {plain.num_rows} rows are missing, such as {missing[0]}"


def explained(found: str, notes: Sequence[str]) -> str:
    """What is wrong only because of groups without rows, or of few people, if the answer says so."""
    said = any(note.startswith("a noisy answer ") for note in notes)
    return found.replace("WRONG", "differs by groups of nobody or of few, as its notes say") if said else found


def _rows(table: pa.Table) -> Iterable[Row]:
    columns = [column.to_pylist() for column in table.columns]
    return zip(*columns, strict=True) if columns else ()


def _words(row: Row) -> Row:
    """What is no number: it tells rows apart before numbers are compared."""
    return tuple(_plain(value) for value in row)


def _plain(value: object) -> object:
    if isinstance(value, bool) or value is None or isinstance(value, int | float | Decimal):
        return None
    return str(value)[:10] if isinstance(value, date | datetime) else value


def _listed(row: Row) -> bool:
    """Whether these are values that the policy declares: some may be in no row."""
    return not any(isinstance(value, int | float | Decimal) for value in row)


def _size(value: object) -> float:
    return abs(float(value)) if isinstance(value, int | float | Decimal) else 0.0


def _near(one: object, other: object) -> bool:
    if isinstance(one, int | float | Decimal) and isinstance(other, int | float | Decimal):
        whole = isinstance(one, int) and isinstance(other, int)
        return abs(float(one) - float(other)) <= (_NEAR if whole else _NEAR * max(1.0, abs(float(other))))
    return _size(one) <= _NEAR and _size(other) <= _NEAR
