"""Keys as small numbers, for an engine that groups by an array where it knows how far they reach.

A histogram by group has hundreds of thousands of groups, and a hash table of them is most of its work. Two kinds of
keys hide how far they reach: a text, and a step of a grid, which is divided for in doubles. A text whose values are
known becomes its place among them. A step is looked up in the list of all steps, where it finds itself: so the engine
learns its range from a constant, and from no row and no file. What was grouped is said in the keys' own words again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, floor

from deniable.core.algebra.expression import Call, Column, Expression, Kind
from deniable.core.algebra.query import Key
from deniable.engines.sql.dialect import Arrays, Dialect
from deniable.engines.sql.statements.rows import Rows

_FEW = 10
"""Bits of keys whose groups any table holds as well."""
_STEPS = 1 << 16
"""In one list."""
_CHARACTERS = 1 << 16
"""Of all texts that a key can have."""
_SIGN = "\u212a"
"""A text that no key has: the sign for Kelvin, which Unicode's form C writes as K. Among places, it stands for a
missing text; in the answer, for all texts that are not known."""


@dataclass(frozen=True, slots=True)
class Coded:
    """The keys of a step that groups rows, and how the next one says them."""

    lists: Mapping[str, str]
    """What keys are looked up in, by name; all in one row, which stands beside every row."""
    small: tuple[str, ...]
    own: tuple[str, ...]
    """The keys that the small ones stand for, made of k0, k1, ..."""


def coded(rows: Rows) -> Coded | None:
    """The keys as small numbers; nothing where the engine has no arrays, or the groups are few or too many for one."""
    arrays = rows.dialect.arrays
    sizes = [_size(key) for key in rows.named]
    if arrays is None or not all(sizes) or not _FEW < sum((size + 1).bit_length() for size in sizes) <= arrays.bits:
        return None
    lists: dict[str, str] = {}
    small: list[str] = []
    own: list[str] = []
    for key, name, value in zip(rows.named, rows.keys, rows.values, strict=True):
        if key.value.kind is Kind.TEXT:
            small.append(_placed(value, key, arrays, rows.dialect))
            own.append(_said(name, rows.dialect))
        elif _is_hidden(key.value):
            low, high = _ends(key.value)
            lists[f"all_{name}"] = arrays.numbers.format(low, high + 1)
            small.append(arrays.picked.format(f"lists.all_{name}", f"{value} + {1 - low}"))
            own.append(name)
        else:
            small.append(value)
            own.append(name)
    return Coded(lists, tuple(small), tuple(own))


def _placed(value: str, key: Key, arrays: Arrays, dialect: Dialect) -> str:
    """A text as its place among those known; others have none."""
    there = f"COALESCE({value}, {dialect.text(_SIGN)})" if None in (key.known or ()) else value
    return arrays.placed.format(there, ", ".join(map(dialect.text, _texts(key))))


def _said(name: str, dialect: Dialect) -> str:
    """A place as its text."""
    found, sign = f"CAST({name} AS {dialect.types[Kind.TEXT]})", dialect.text(_SIGN)
    return f"CASE WHEN {name} IS NULL THEN {sign} WHEN {found} <> {sign} THEN {found} END"


def _size(key: Key) -> int:
    """How many values a key can have, if an array can be told; else zero."""
    if key.value.kind is Kind.TEXT:
        texts = _texts(key)
        short = sum(map(len, texts)) <= _CHARACTERS and not any("\x00" in text for text in texts)
        return len(texts) if short and _SIGN not in (key.known or ()) else 0
    if key.value.kind not in (Kind.INTEGER, Kind.DATE) or not key.value.range.finite:
        return 0
    low, high = _ends(key.value)
    return high - low + 1 if high - low < _STEPS and (isinstance(key.value, Column) or _is_grid(key.value)) else 0


def _texts(key: Key) -> tuple[str, ...]:
    """The texts that are known, each once, and what stands for a missing one, if that is known."""
    return tuple(dict.fromkeys(_SIGN if text is None else str(text) for text in key.known or ()))


def _ends(value: Expression) -> tuple[int, int]:
    return ceil(value.range.low or 0), floor(value.range.high or 0)


def _is_grid(value: Expression) -> bool:
    """Whether its range is enforced by the call itself."""
    return isinstance(value, Call) and value.function == "grid"


def _is_hidden(value: Expression) -> bool:
    return isinstance(value, Call) and _is_grid(value) and value.arguments[0].kind is Kind.NUMBER
