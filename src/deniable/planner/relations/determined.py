"""Columns that a group key determines: `SELECT shops.name ... GROUP BY shop_id`, where `id` is the key of public shops.

They are read off the key after the noise, from what the public table says: nothing is asked or paid for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from fractions import Fraction
from unicodedata import normalize

from deniable.core.algebra.expression import Call, Column, Expression, Kind, Literal
from deniable.core.algebra.relation import Beside, Joined
from deniable.planner.expressions.functions import call
from deniable.planner.expressions.keys import Domain, GroupKey, conjuncts, real
from deniable.planner.relations.rows import Origin
from deniable.planner.work import spend
from deniable.policy import Entry

Combinations = tuple[tuple[str, ...], tuple[tuple[Entry, ...], ...]]
"""Names of keys, and the values that they can have together; all of them NULL, where nothing is joined."""
_MOST = 2_000
"""Rows of a public table that are written into an answer's algebra."""


def determined(value: Expression, origin: Origin, keys: Sequence[GroupKey]) -> Expression | None:
    """The value of this column for each value of a group key, if that says which it is.

    The key of its public table does, and so does any other column of it whose values each stand beside one alone.
    """
    if not isinstance(value, Column) or value.name not in origin.entries:
        return None
    found = next((one for one in _deciding(value, origin, keys) if len(one[1]) <= _MOST), None)
    if found is None:
        return None
    by, entries = found
    spend(len(entries))
    seen = Column(by.name, by.value.kind, by.value.range, by.value.nullable)
    branches = [
        part
        for entry, found in entries.items()
        if found is not None
        for part in (call("equal", seen, _literal(entry, seen.kind)), _literal(found, value.kind))
    ]
    return call("case", *branches) if branches else Literal(None, value.kind)


def _deciding(
    value: Column, origin: Origin, keys: Sequence[GroupKey]
) -> Iterator[tuple[GroupKey, Mapping[Entry, Entry]]]:
    """The group keys that say which value this column has, and what they say."""
    key, entries = origin.entries[value.name]
    names = _equal(origin, key)
    for one in keys:
        if not isinstance(one.value, Column):
            continue
        if one.value.name in names and entries:
            yield one, entries
        elif origin.entries.get(one.value.name, ("", {}))[0] == key:
            told = _told(origin.entries[one.value.name][1], entries)
            if told is not None:
                yield one, told


def _told(by: Mapping[Entry, Entry], entries: Mapping[Entry, Entry]) -> Mapping[Entry, Entry] | None:
    """The value beside each value of another column of the same rows, if it is always the same; beside NULL, NULL."""
    spend(len(entries))
    found: dict[Entry, Entry] = {}
    for key, value in entries.items():
        if found.setdefault(_as_key(by[key]), value) != value:
            return None
    return found if found.pop(None, None) is None else None


def listed_numbers(value: Expression, origin: Origin) -> Domain | None:
    """The real numbers of a public column: as group keys, those that are there."""
    if not isinstance(value, Column) or value.kind is not Kind.NUMBER or value.name not in origin.entries:
        return None
    entries = origin.entries[value.name][1].values()
    there = [real(float(one)) for one in entries if isinstance(one, int | float | Fraction)]
    return (*dict.fromkeys(sorted(there)), *([None] if value.nullable else []))


def undetermined(keys: Sequence[GroupKey], origin: Origin) -> tuple[GroupKey, ...]:
    """The keys without those that others determine: `GROUP BY shops.id, shops.name` has one group for each shop."""
    found = list(keys)
    for key in keys:
        others = [other for other in found if other is not key]
        if determined(key.value, origin, others) is not None:
            found = others
    return tuple(found)


def possible(keys: Sequence[GroupKey], origin: Origin) -> tuple[Combinations, ...]:
    """Which values of keys stand side by side in the rows of one public table, if all keys are columns of it."""
    tables: dict[str, list[GroupKey]] = {}
    for key in keys:
        if isinstance(key.value, Column) and key.value.name in origin.entries and key.domain is not None:
            tables.setdefault(origin.entries[key.value.name][0], []).append(key)
    return tuple(_together(found, origin) for found in tables.values() if len(found) > 1)


def _together(keys: Sequence[GroupKey], origin: Origin) -> Combinations:
    columns = [origin.entries[key.value.name][1] for key in keys if isinstance(key.value, Column)]
    spend(sum(map(len, columns)))
    rows = dict.fromkeys(zip(*(map(_as_key, column.values()) for column in columns), strict=True))
    return tuple(key.name for key in keys), (*rows, (None,) * len(keys))


def _as_key(value: Entry) -> Entry:
    """Texts and real numbers as group keys have them."""
    if isinstance(value, float):
        return real(value)
    return normalize("NFC", value) if isinstance(value, str) else value


def _equal(origin: Origin, name: str) -> set[str]:
    """The columns that equal this one in every row; those of an outer join only if nothing else is joined on.

    Where nothing belongs to a row, the key finds nothing either, and both are NULL.
    """
    found = {name}
    for part in _equalities(origin):
        names = {argument.name for argument in part.arguments if isinstance(argument, Column)}
        if len(names) == len(part.arguments) and names & found:
            found |= names
    return found


def _equalities(origin: Origin) -> Iterable[Call]:
    if not isinstance(origin.table, Joined):
        return
    for other in origin.table.others:
        parts = list(conjuncts(other.condition)) if isinstance(other, Beside) else []
        if isinstance(other, Beside) and other.outer and len(parts) > 1:
            continue
        yield from (part for part in parts if isinstance(part, Call) and part.function == "equal")


def _literal(value: Entry, kind: Kind) -> Literal:
    if isinstance(value, bool | str | date) or value is None:
        return Literal(value, kind)
    return Literal(Fraction(value), kind)
