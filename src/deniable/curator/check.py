"""Does a policy fit the files that it names? For custodians: it looks at columns' names and types, not at rows."""

from __future__ import annotations

from dataclasses import dataclass

from deniable.core.errors import InvalidArgumentError
from deniable.core.expression import Kind
from deniable.curator.opening import engine_of
from deniable.policy import Column, Policy

_FITS = {
    Kind.INTEGER: ("INT", "HUGEINT", "UINT", "BIGINT", "SMALLINT", "TINYINT"),
    Kind.NUMBER: ("INT", "DOUBLE", "FLOAT", "DECIMAL", "REAL", "BIGINT", "SMALLINT", "TINYINT", "HUGEINT"),
    Kind.TEXT: ("VARCHAR", "ENUM", "UUID"),
    Kind.BOOLEAN: ("BOOL",),
    Kind.DATE: ("DATE", "TIMESTAMP"),
}


@dataclass(frozen=True, slots=True)
class Seen:
    """One declared column, what analysts can do with it, and what is wrong with it."""

    table: str
    column: str
    kind: str
    allows: str
    problem: str


def check(policy: Policy) -> list[Seen]:
    """Every declared column of every table, beside the file's."""
    engine = engine_of(policy)
    try:
        seen = []
        for name, table in policy.tables.items():
            problem, found = "", {}
            try:
                found = engine.describe(name)
            except (InvalidArgumentError, OSError) as error:
                problem = str(error)
            for column in table.columns.values():
                wrong = problem or _problem(column, found.get(column.name))
                seen.append(
                    Seen(name, column.name, column.kind.value, _allows(column, column.name == table.unit), wrong)
                )
        return seen
    finally:
        engine.close()


def _problem(column: Column, kind: str | None) -> str:
    if kind is None:
        return "is not in the file"
    fits = any(kind.upper().startswith(prefix) for prefix in _FITS[column.kind])
    return "" if fits else f"is {kind} in the file; what cannot be read as {column.kind.value} will be NULL"


def _allows(column: Column, is_unit: bool) -> str:  # noqa: FBT001 - a fact, not a switch
    """What a question can use it for."""
    if is_unit:
        return "COUNT(DISTINCT ...): it names the unit"
    uses = ["COUNT"]
    if column.kind in (Kind.INTEGER, Kind.NUMBER):
        uses.append("SUM, AVG, VARIANCE" if column.low is not None else "sums only within LEAST and GREATEST")
    listed = column.values is not None or column.kind is Kind.BOOLEAN
    ranged = column.kind in (Kind.INTEGER, Kind.DATE) and column.low is not None
    uses.append(
        "GROUP BY" if listed or ranged else "GROUP BY with delta" if column.kind is not Kind.NUMBER else "buckets"
    )
    return "; ".join(uses)
