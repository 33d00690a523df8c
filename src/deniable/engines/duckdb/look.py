"""What a custodian is shown of a file: the types of its columns, and what is in them. Never part of an answer.

It reads as the engine reads: what is NULL here is NULL in every question, and what is a date here is a date there.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

import duckdb

from deniable.core.algebra.expression import Column, Kind
from deniable.engines.duckdb.columns import read
from deniable.engines.duckdb.lockdown import MISTRUSTED
from deniable.files.kinds import kind_of
from deniable.files.scan import attached, checked, columns, quoted
from deniable.files.source import DataFile

_SAMPLE = 20_480
"""Lines of a CSV file from which its types are guessed."""

_GUESSES = {
    "BIGINT": r"TRY_CAST({0} AS BIGINT) IS NOT NULL AND regexp_full_match(trim({0}), '[+-]?(0|[1-9][0-9]*)')",
    "DOUBLE": r"TRY_CAST({0} AS DOUBLE) IS NOT NULL AND NOT regexp_full_match(trim({0}), '[+-]?0[0-9].*')",
    "BOOLEAN": "TRY_CAST({0} AS BOOLEAN) IS NOT NULL",
    "DATE": "TRY_CAST({0} AS TIMESTAMP) = TRY_CAST(TRY_CAST({0} AS DATE) AS TIMESTAMP)",
    "TIMESTAMP": r"TRY_CAST({0} AS TIMESTAMP) IS NOT NULL AND NOT regexp_matches({0}, '[0-9](Z|z|[+-][0-9:]+)$')",
}
"""What every text in a column must be, to be read as one of these by the engine's own casts. 02138 is a code."""


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


def types(file: DataFile) -> dict[str, str]:
    """The columns and DuckDB's names of their types; those of a CSV file are guessed, from its first rows."""
    stored = columns(file)
    if not file.is_text:
        return stored
    tests = ", ".join(_test(quoted(name), guess) for name in stored for guess in _GUESSES.values())
    passed = iter(_row(file, f"SELECT {tests} FROM (FROM {checked(file)} LIMIT {_SAMPLE})"))  # noqa: S608 - quoted
    fits = {name: [kind for kind in _GUESSES if next(passed)] for name in stored}
    return {name: kinds[0] if kinds else stored[name] for name, kinds in fits.items()}


def look(file: DataFile, few: int) -> list[Looked]:
    """Every column, with the values of those texts that have at most `few` different ones."""
    try:
        return _look(file, few)
    except (duckdb.Error, OSError) as error:
        raise file.unreadable("file", error) from None


def _look(file: DataFile, few: int) -> list[Looked]:
    stored = columns(file)
    kinds = {name: (guessed, kind_of(guessed)) for name, guessed in types(file).items()}
    declared = {name: Column(name, kind) for name, (_, kind) in kinds.items() if kind is not None}
    read_as = {name: read(quoted(name), stored[name], column) for name, column in declared.items()}
    facts = ", ".join(_facts(read_as[name], column.kind) for name, column in declared.items())
    found = iter(_row(file, f"SELECT {facts} FROM {checked(file)}") if facts else ())  # noqa: S608 - quoted
    looked = []
    for name, (guessed, kind) in kinds.items():
        if kind is None:
            looked.append(Looked(name, guessed, None))
            continue
        complete, low, high = (next(found) for _ in range(3))
        values = _values(file, read_as[name], few) if kind is Kind.TEXT else None
        looked.append(Looked(name, guessed, kind, low, high, values, complete))
    return looked


def repeats(file: DataFile, column: str) -> bool:
    """Whether some value occurs twice, or is missing."""
    counts = f"COUNT(DISTINCT {quoted(column)}) < COUNT(*)"
    return bool(_row(file, f"SELECT {counts} FROM {checked(file)}")[0])  # noqa: S608 - quoted


def _test(name: str, guess: str) -> str:
    """A column without any value passes none."""
    return f"COALESCE(bool_and({guess.format(name)}) FILTER (WHERE {name} IS NOT NULL), false)"


def _facts(value: str, kind: Kind) -> str:
    """Whether it is complete, and its ends, where its kind has some."""
    complete = f"COUNT(*) = COUNT({value})"
    if kind in (Kind.TEXT, Kind.BOOLEAN):
        return f"{complete}, NULL, NULL"
    finite = f" FILTER (WHERE isfinite({value}))" if kind is Kind.NUMBER else ""
    return f"{complete}, MIN({value}){finite}, MAX({value}){finite}"


def _values(file: DataFile, value: str, few: int) -> tuple[str, ...] | None:
    """The different texts in order, if they are few."""
    distinct = f"SELECT DISTINCT {value} AS v FROM {checked(file)} WHERE {value} IS NOT NULL LIMIT {few + 1}"  # noqa: S608 - quoted
    (found,) = _row(file, f"SELECT COALESCE(list(v), []) FROM ({distinct})")  # noqa: S608 - same
    return tuple(sorted(found)) if len(found) <= few else None


def _row(file: DataFile, sql: str) -> tuple[Any, ...]:
    """The only row of an answer, without the optimizer's rules that the engine does without."""
    with duckdb.connect(config={"disabled_optimizers": MISTRUSTED}) as connection:
        for statement in attached(file):
            connection.execute(statement)
        return connection.execute(sql).fetchall()[0]
