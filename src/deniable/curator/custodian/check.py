"""Does a policy fit the files that it names?

`check` and `ensure` look at columns' names and types alone, so that a policy that is opened for one file is opened for
its neighbours, too. `look` counts rows: it is for the custodian's eyes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from deniable.core.algebra.expression import Kind
from deniable.core.errors import InvalidArgumentError
from deniable.curator.custodian.draft import FEW, MARK
from deniable.engines import Engine
from deniable.engines.engine import RowCounts
from deniable.files.kinds import misfit, unit_misfit
from deniable.policy import DeclaredColumn, DeclaredTable, InvalidPolicyError, Policy, Problem

_MANY = 20


@dataclass(frozen=True, slots=True)
class Seen:
    """One declared column, what analysts can do with it, and what is wrong with it."""

    table: str
    column: str
    kind: str
    allows: str
    problem: str


@dataclass(frozen=True, slots=True)
class RowFinding:
    """What is in the rows and not as the policy says, with counts. Whoever sees it has seen private data."""

    table: str
    column: str
    what: str
    wrong: bool = False
    """Whether nothing useful can be asked; else it is worth a thought."""


def check(policy: Policy, engine: Engine) -> list[Seen]:
    """Every declared column of every table, beside the file's."""
    return [seen for table in policy.tables.values() for seen in _seen(table, engine)]


def ensure(policy: Policy, engine: Engine) -> None:
    """Refuse to open what does not fit, before anyone asks: a question that must fail would still be charged.

    A public table that does not fit stands in the way of questions about it, and of no others.
    """
    private = [table for table in policy.tables.values() if not table.public]
    _refuse(policy, [found for table in private for found in problems_of(table, engine)])


def problems_of(table: DeclaredTable, engine: Engine) -> list[tuple[str, str, str]]:
    """The table, the column and what is wrong, of every column that does not fit; by names and types alone."""
    return [(seen.table, seen.column, seen.problem) for seen in _seen(table, engine) if seen.problem]


def ensure_all(policy: Policy, engine: Engine) -> None:
    """Refuse an account, which only a custodian makes, for any table that does not fit, or has unreadable columns."""
    _refuse(policy, [found for table in policy.tables.values() for found in problems_of(table, engine)])
    _refuse(policy, [(one.table, one.column, one.what) for one in look(policy, engine) if one.wrong])


def _refuse(policy: Policy, wrong: Sequence[tuple[str, str, str]]) -> None:
    if wrong:
        instead = "correct the policy or the file; see: deniable check"
        problems = [
            Problem(f"tables.{table}.columns.{column}" if column else f"tables.{table}", what, instead)
            for table, column, what in wrong
        ]
        raise InvalidPolicyError(policy.origin, problems)


def look(policy: Policy, engine: Engine) -> list[RowFinding]:
    """Everything in the rows that is not as the policy says, of all columns that are there."""
    found = []
    for table in policy.tables.values():
        fitting = [seen.column for seen in _seen(table, engine) if not seen.problem]
        if not fitting:
            continue
        if broken := engine.broken(table.name):
            found.append(RowFinding(table.name, "", f"{broken}. No question about it is answered", wrong=True))
            continue
        columns = [table.columns[name] for name in fitting]
        names = {name for name in (table.unit, table.key) if name is not None}
        counts = engine.compare(table.name, [(one.expression, one.values) for one in columns], names)
        for column, counted in zip(columns, counts, strict=True):
            found += [RowFinding(table.name, column.name, *what) for what in _found(column, table, counted)]
    return found


def marks(text: str) -> list[int]:
    """The lines of a policy that still say that they were looked up in the data."""
    return [number for number, line in enumerate(text.splitlines(), start=1) if f"# {MARK}" in line]


def _found(column: DeclaredColumn, table: DeclaredTable, counted: RowCounts) -> Iterator[tuple[str, bool]]:
    """In words; and whether it is wrong altogether."""
    of = f"of {counted.rows:,} rows"
    absent = counted.missing + counted.unread
    if counted.unread:
        every = counted.unread == counted.rows - counted.missing
        yield f"{counted.unread:,} {of} cannot be read as {column.kind.value}, and count as missing", every
    if column.name == table.key and counted.distinct is not None:
        again = counted.rows - counted.missing - counted.distinct
        if again:
            yield f"{again:,} {of} have a value that another row has, and the policy says that it is a key", False
    if column.name == table.unit:
        if absent:
            yield f"{absent:,} {of} have no unit, and are left out of every answer", False
        if counted.distinct is not None and 0 < counted.distinct <= FEW < counted.rows:
            yield f"has only {counted.distinct} different values: is this whom you protect?", False
        return
    if absent and not column.nulls:
        yield f"{absent:,} {of} have no value, and the policy says nulls = false", False
    if counted.outside:
        yield f"{counted.outside:,} {of} lie outside of the bounds, and are read as the nearest", False
    if counted.unlisted:
        yield f"{counted.unlisted:,} {of} have a value that is not listed, and are in no group", False


def _seen(table: DeclaredTable, engine: Engine) -> list[Seen]:
    """A table's columns; if its file cannot be read, each says so."""
    unreadable, found = "", {}
    try:
        found = engine.describe(table.name)
    except InvalidArgumentError as error:
        unreadable = str(error)
    return [
        Seen(
            table.name,
            column.name,
            column.type,
            _allows(column, table),
            unreadable or _problem(column, table, found),
        )
        for column in table.columns.values()
    ]


def _problem(column: DeclaredColumn, table: DeclaredTable, found: Mapping[str, str]) -> str:
    """Missing, or of a type that cannot be what is declared."""
    stored = found.get(column.name)
    if stored is None:
        return f"is not in the file, which has {_names(column.name, found)}"
    if table.file is not None and table.file.untyped(column.name):  # of any type, once it is read
        return ""
    fault = unit_misfit if column.name == table.unit else misfit
    return fault(stored, column.kind, column.zone)


def _names(name: str, found: Mapping[str, str]) -> str:
    """Of the columns in a file; if they are many, those that are called much like this one."""
    if len(found) <= _MANY:
        return ", ".join(found)
    alike = get_close_matches(name, found, n=3)
    return f"{len(found):,} columns" + (f", such as {', '.join(alike)}" if alike else "")


def _allows(column: DeclaredColumn, table: DeclaredTable) -> str:
    """What a question can use it for."""
    if table.public:
        return "it is public"
    if column.name == table.unit:
        return "COUNT(DISTINCT ...): it names the unit"
    uses = ["COUNT"]
    if column.kind in (Kind.INTEGER, Kind.NUMBER):
        uses.append("SUM, AVG, VARIANCE" if column.low is not None else "sums within LEAST and GREATEST")
    listed = column.values is not None or column.kind is Kind.BOOLEAN
    ranged = column.kind in (Kind.INTEGER, Kind.DATE) and column.low is not None
    private = "GROUP BY buckets" if column.kind is Kind.NUMBER else "GROUP BY with delta"
    uses.append("GROUP BY" if listed or ranged else private)
    return "; ".join(uses)
