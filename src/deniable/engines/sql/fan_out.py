"""How many public rows can belong to one row: counted before a question is accepted, in public tables only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from deniable.core.algebra.expression import Kind
from deniable.core.algebra.query import ExactQuery
from deniable.core.algebra.relation import Cut, Joined, LookedUp, Matches, Relation, Stacked
from deniable.engines.sql.relations import Tables, spelled

Count = Callable[[Matches], int]
"""The most rows of a public relation that can belong to one row."""


def count(matches: Matches, tables: Tables) -> str:
    """The largest group of rows that agree in all keys. NULL equals nothing."""
    rows = spelled(matches.table, tables)
    keys = [f"{rows.speller.identity(key)} AS k{place}" for place, key in enumerate(matches.keys)]
    inner = rows.select(None, matches.where, [*keys, "1"])
    names = [f"k{place}" for place in range(len(keys))]
    there = f" WHERE {' AND '.join(f'{name} IS NOT NULL' for name in names)}" if names else ""
    grouped = f" GROUP BY {', '.join(names)}" if names else ""
    sizes = f"SELECT COUNT(*) AS size FROM ({inner}) AS r{there}{grouped}"  # noqa: S608 - our own algebra, all names quoted
    return f"SELECT CAST(COALESCE(MAX(size), 0) AS {tables.dialect.types[Kind.INTEGER]}) AS most FROM ({sizes}) AS s"  # noqa: S608 - as above


def lightened(query: ExactQuery, matched: Count) -> ExactQuery:
    """The query without the cuts that it does not need: where one public row matches at most, rows stay as they are."""
    return replace(query, source=replace(query.source, table=_needed(query.source.table, matched)))


def _needed(relation: Relation, matched: Count) -> Relation:
    match relation:
        case str() | LookedUp():
            return relation
        case Cut(table=table, unless=unless):
            inner = _needed(table, matched)
            spared = unless is not None and all(matched(matches) <= 1 for matches in unless)
            return inner if spared else replace(relation, table=inner)
        case Stacked(parts=parts):
            return Stacked(tuple(replace(part, table=_needed(part.table, matched)) for part in parts))
        case Joined(first=first, others=others):
            beside = tuple(replace(other, table=_needed(other.table, matched)) for other in others)
            return Joined(_needed(first, matched), beside)
        case _:
            return replace(relation, table=_needed(relation.table, matched))
