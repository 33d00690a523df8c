"""What a custodian is shown of a file: the types of its columns, and what is in them. Never part of an answer.

It reads as the engine reads: what is NULL here is NULL in every question, and what is a date here is a date there.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from deniable.core.algebra.expression import Column, Kind
from deniable.engines.duckdb.dialect import DuckDBDialect
from deniable.engines.duckdb.lockdown import MISTRUSTED
from deniable.engines.sql.columns import read
from deniable.engines.sql.dialect import Stored
from deniable.files.formats import FileFormat
from deniable.files.kinds import is_instant, kind_of, misfit
from deniable.files.scan import HERE, columns, quoted, reading, respelling
from deniable.files.source import DataFile
from deniable.files.tables import unreadable

_SAMPLE = 20_480
"""Lines of a text file from which its types are guessed."""

_GUESSES = {
    "BIGINT": r"TRY_CAST({0} AS BIGINT) IS NOT NULL AND regexp_full_match(trim({0}), '[+-]?(0|[1-9][0-9]*)')",
    "DOUBLE": r"TRY_CAST({0} AS DOUBLE) IS NOT NULL AND NOT regexp_full_match(trim({0}), '[+-]?0[0-9].*')",
    "BOOLEAN": "TRY_CAST({0} AS BOOLEAN) IS NOT NULL",
    "DATE": "regexp_matches({0}, '^ *[0-9][0-9][0-9][0-9]')"
    " AND COALESCE(TRY_CAST({0} AS TIMESTAMP) = TRY_CAST(TRY_CAST({0} AS DATE) AS TIMESTAMP), false)",
    "TIMESTAMP": "regexp_matches({0}, '^ *[0-9][0-9][0-9][0-9]') AND TRY_CAST({0} AS TIMESTAMP) IS NOT NULL"
    " AND NOT regexp_matches({0}, '[0-9](Z|z|[+-][0-9:]+)$')",
    "TIMESTAMP WITH TIME ZONE": "regexp_matches({0}, '^ *[0-9][0-9][0-9][0-9]-')"
    " AND TRY_CAST({0} AS TIMESTAMP WITH TIME ZONE) IS NOT NULL",
}
"""What every text in a column must be, to be read as one of these by the engine's own casts. 02138 is a code, and
1/2/24 no day of the year 1, as which it would be read. None may be NULL: bool_and would pass over it."""
_NUMBER = {
    ".": r"[+-]?(0|[1-9][0-9]*)(\.[0-9]+)?",
    ",": r"[+-]?(0|[1-9][0-9]{0,2}(\.[0-9]{3})+|[1-9][0-9]*)(,[0-9]+)?",
}
"""As it is read, by what stands before the fraction."""
_SIGNED = r"[+-]?\p{Sc}? ?[+-]?(0|[1-9][0-9]{0,2}([.,\x27 ][0-9]{3})+|[1-9][0-9]*)([.,][0-9]+)? ?[%\p{Sc}]?"
"""A number as people write it, with signs that are not read."""
_CODE = "0[0-9]+"
_WIDE = frozenset({"UBIGINT", "HUGEINT", "UHUGEINT"})
"""What can hold whole numbers of more than 64 bits, with their sign."""
_MOST = 0.9
_FOREIGN_DAY = r"[0-9]{1,2}[./-][0-9]{1,2}[./-]([0-9]{2}|[0-9]{4})"


@dataclass(frozen=True, slots=True)
class Looked:
    """What is in one column, as the engine reads it."""

    name: str
    type: str
    """DuckDB's name of what is stored."""
    kind: Kind | None
    """None: it cannot be declared, and nothing was looked up."""
    low: int | float | date | None = None
    high: int | float | date | None = None
    """The smallest and the largest value, of whole numbers, finite numbers and dates."""
    values: tuple[str, ...] | None = None
    """Of a text column, in order; None if they are many."""
    complete: bool = False
    """Whether no row is without a value."""
    instant: bool = False
    """Whether it is a timestamp with a time zone, and was read in UTC."""
    foreign_days: bool = False
    """Whether every text seems to be a day in a form that is not read as one, such as 31.12.2025."""
    mostly_numbers: bool = False
    """Whether nine texts in ten, but not all, would be read as numbers, such as 12, 15 and n/a; no codes like 02138."""
    signed_numbers: bool = False
    """Whether nine texts in ten are numbers to people alone, such as 12%, $5 and 1,234.50."""
    too_long: bool = False
    """Whether some whole numbers have more than 64 bits, so that it can only be declared as a number, or as a text."""


def types(file: DataFile) -> dict[str, str]:
    """The columns and DuckDB's names of their types; those of a text file are guessed, from its first rows.

    None is guessed to be an instant, which only a policy with a time zone can declare.
    """
    return _types(file, [kind for kind in _GUESSES if not is_instant(kind)])


def _types(file: DataFile, guesses: Collection[str]) -> dict[str, str]:
    found = columns(file)
    texts = [name for name in found if file.untyped(name)]
    if not texts:
        return found
    tests = ", ".join(_test(file, name, kind) for name in texts for kind in guesses)
    passed = iter(row(file, f"SELECT {tests} FROM (FROM {HERE} LIMIT {_SAMPLE})"))  # noqa: S608 - quoted
    fits = {name: [kind for kind in guesses if next(passed)] for name in texts}
    return found | {name: kinds[0] for name, kinds in fits.items() if kinds}


def look(file: DataFile, few: int) -> list[Looked]:
    """Every column, with the values of those texts that have at most `few` different ones."""
    try:
        return _look(file, few)
    except unreadable() as error:
        raise file.unreadable("file", error) from None


def rejected(file: DataFile) -> str:
    """What its reader says of the first line that is no row; nothing if all are. Reads every row."""
    if not file.is_text:
        return ""
    try:
        row(file, f"SELECT COUNT(COLUMNS(*)) FROM {HERE}")  # noqa: S608 - a constant
    except unreadable() as error:
        return str(file.unreadable("file", error)).removeprefix("file ")
    return ""


def counted(file: DataFile, column: str) -> tuple[int, int]:
    """The rows, and the different values of a column."""
    rows, distinct = row(file, f"SELECT COUNT(*), COUNT(DISTINCT {quoted(column)}) FROM {HERE}")  # noqa: S608 - quoted
    return rows, distinct


def _look(file: DataFile, few: int) -> list[Looked]:
    found = columns(file)
    kinds = {name: (guessed, _declarable(guessed)) for name, guessed in _types(file, _GUESSES).items()}
    too_long = _too_long(file, found)
    kinds |= {name: (kinds[name][0], Kind.NUMBER) for name in too_long}
    told = replace(file, declared={name: kind for name, (_, kind) in kinds.items() if kind is not None})
    declared = {
        name: Column(name, kind, zone="UTC" if is_instant(stored) else None)
        for name, (stored, kind) in kinds.items()
        if kind is not None
    }
    read_as = {
        name: read(Stored(quoted(name), found[name]), column, DuckDBDialect()) for name, column in declared.items()
    }
    decimal = file.layout.decimal
    facts = ", ".join(_facts(read_as[name], column.kind, decimal) for name, column in declared.items())
    looked_up = iter(row(told, f"SELECT {facts} FROM {HERE}") if facts else ())  # noqa: S608 - quoted
    looked = []
    for name, (guessed, kind) in kinds.items():
        if kind is None:
            looked.append(Looked(name, guessed, None))
            continue
        complete, low, high, *forms = (next(looked_up) for _ in range(6))
        values = _values(told, read_as[name], few) if kind is Kind.TEXT else None
        seen = Looked(name, guessed, kind, low, high, values, complete, is_instant(guessed), *map(bool, forms))
        mostly, signed = seen.mostly_numbers and file.untyped(name), seen.signed_numbers and not seen.mostly_numbers
        looked.append(replace(seen, mostly_numbers=mostly, signed_numbers=signed, too_long=name in too_long))
    return looked


def _too_long(file: DataFile, stored: dict[str, str]) -> list[str]:
    """The columns of whole numbers in which some have more than 64 bits."""
    wide = [name for name, kind in stored.items() if kind in _WIDE]
    ends = ", ".join(
        f"COALESCE(MIN({quoted(one)}) < {-(1 << 63)} OR MAX({quoted(one)}) >= {1 << 63}, false)" for one in wide
    )
    found = row(file, f"SELECT {ends} FROM {HERE}") if wide else ()  # noqa: S608 - quoted
    return [name for name, beyond in zip(wide, found, strict=True) if beyond]


def _declarable(stored: str) -> Kind | None:
    """The kind of a stored type, if a policy can declare it; instants need a zone besides."""
    if is_instant(stored):
        return Kind.TIMESTAMP
    kind = kind_of(stored)
    return None if kind is None or misfit(stored, kind) else kind


def _test(file: DataFile, name: str, kind: str) -> str:
    """Whether every text in a column can be read so. A column without any value passes none."""
    cell, declared = quoted(name), kind_of(kind)
    if file.format is FileFormat.CSV and declared is not None:
        cell = respelling(cell, declared, file.layout)
    guess = _GUESSES[kind].format(cell)
    return f"COALESCE(bool_and({guess}) FILTER (WHERE {quoted(name)} IS NOT NULL), false)"


def _facts(value: str, kind: Kind, decimal: str) -> str:
    """Whether it is complete, its ends, where its kind has some, and of texts whether they are days or numbers."""
    complete = f"COUNT(*) = COUNT({value})"
    if kind is Kind.TEXT:
        foreign = f"bool_and({_like(value, _FOREIGN_DAY)}) FILTER (WHERE {value} IS NOT NULL)"
        plain, signed = (_most(value, pattern) for pattern in (_NUMBER[decimal], _SIGNED))
        codes = f"COUNT(*) FILTER (WHERE {_like(value, _CODE)})"
        return f"{complete}, NULL, NULL, {foreign}, {codes} = 0 AND {plain}, {codes} = 0 AND {signed}"
    if kind is Kind.BOOLEAN:
        return f"{complete}, NULL, NULL, false, false, false"
    finite = f" FILTER (WHERE isfinite({value}))" if kind is Kind.NUMBER else ""
    return f"{complete}, MIN({value}){finite}, MAX({value}){finite}, false, false, false"


def _like(value: str, pattern: str) -> str:
    return f"regexp_full_match(trim({value}), '{pattern}')"


def _most(value: str, pattern: str) -> str:
    """Whether nine in ten are so."""
    return f"COUNT(*) FILTER (WHERE {_like(value, pattern)}) > {_MOST} * COUNT({value})"


def _values(file: DataFile, value: str, few: int) -> tuple[str, ...] | None:
    """The different texts in order, if they are few."""
    distinct = f"SELECT DISTINCT {value} AS v FROM {HERE} WHERE {value} IS NOT NULL LIMIT {few + 1}"  # noqa: S608 - quoted
    (found,) = row(file, f"SELECT COALESCE(list(v), []) FROM ({distinct})")  # noqa: S608 - same
    return tuple(sorted(found)) if len(found) <= few else None


def row(file: DataFile, sql: str) -> tuple[Any, ...]:
    """The only row of an answer, without the optimizer's rules that the engine does without."""
    with reading(file, disabled_optimizers=MISTRUSTED) as connection:
        return connection.execute(sql).fetchall()[0]
