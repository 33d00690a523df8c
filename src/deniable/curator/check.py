"""Does a policy fit the files that it names? It looks at columns' names and types, not at rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from deniable.core.algebra.expression import Kind
from deniable.core.errors import InvalidArgumentError
from deniable.engines import Engine
from deniable.files.kinds import misfit, unit_misfit
from deniable.policy import DeclaredColumn, DeclaredTable, InvalidPolicyError, Policy, Problem


@dataclass(frozen=True, slots=True)
class Seen:
    """One declared column, what analysts can do with it, and what is wrong with it."""

    table: str
    column: str
    kind: str
    allows: str
    problem: str


def check(policy: Policy, engine: Engine) -> list[Seen]:
    """Every declared column of every table, beside the file's."""
    return [seen for table in policy.tables.values() for seen in _seen(table, engine)]


def ensure(policy: Policy, engine: Engine) -> None:
    """Refuse to open what does not fit, before anyone asks: a question that must fail would still be charged."""
    wrong = [seen for seen in check(policy, engine) if seen.problem]
    if wrong:
        instead = "correct the policy or the file; see: deniable check"
        problems = [Problem(f"tables.{seen.table}.columns.{seen.column}", seen.problem, instead) for seen in wrong]
        raise InvalidPolicyError(policy.origin, problems)


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
        return f"is not in the file, which has {', '.join(found)}"
    fault = unit_misfit if column.name == table.unit else misfit
    return fault(stored, column.kind, column.zone)


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
