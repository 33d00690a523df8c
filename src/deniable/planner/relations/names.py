"""Qualified names: which declared table `clinic.public.visits` means, and what may stand before a column.

A policy's tables lie in one schema, which may be called `public` or `main` (as PostgreSQL and DuckDB do) or after the
population, and in one catalog, which is called after the population. A declared name may itself have dots
(`[tables."sales.orders"]`): then these parts are its schema. Any other qualifier means another table, and is refused.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from deniable.policy import DeclaredTable, Policy

Path = tuple[str, ...]
"""The parts of a name, outermost first, in lower case."""

_SCHEMAS = ("public", "main")


def qualifier(node: exp.Table | exp.Column) -> Path:
    """What stands before the name of a table, or before that of a column's table."""
    parts = (node.args.get("catalog"), node.args.get("db"))
    names = (part.name if isinstance(part, exp.Expression) else part for part in parts if part is not None)
    return tuple(name.lower() for name in names)  # between two points stands an empty one


def declared(node: exp.Table, policy: Policy) -> DeclaredTable | None:
    """The table that a name means, however much of its path is written."""
    wanted = (*qualifier(node), node.name.lower())
    found = [table for table in policy.tables.values() if wanted in _spellings(table, policy)]
    return found[0] if len(found) == 1 else None


def homes(table: DeclaredTable, policy: Policy) -> frozenset[Path]:
    """What may stand before the table's last name."""
    return frozenset(path[:-1] for path in _spellings(table, policy) if path[-1] == own_name(table).lower())


def own_name(table: DeclaredTable) -> str:
    """What a table is called where no alias is given: the last part of its name."""
    return table.name.rpartition(".")[2]


def rename(node: exp.Table, table: DeclaredTable, name: str) -> None:
    """Call a declared table by another name; its columns are found by its alias, which is its own name without one."""
    if not node.alias:
        node.set("alias", exp.TableAlias(this=exp.to_identifier(own_name(table), quoted=True)))
    node.set("this", exp.to_identifier(name, quoted=True))
    _drop_path(node)


def drop_paths(tree: exp.Expression) -> None:
    """Leave nothing before the tables of columns."""
    for column in tree.find_all(exp.Column):
        _drop_path(column)


def _drop_path(node: exp.Table | exp.Column) -> None:
    node.set("db", None)
    node.set("catalog", None)


def _spellings(table: DeclaredTable, policy: Policy) -> frozenset[Path]:
    return frozenset(_paths(table.name.lower(), policy.population.lower()))


def _paths(name: str, population: str) -> Iterator[Path]:
    yield (name,)
    *schema, last = name.split(".")
    schemas = [tuple(schema)] if schema else [(word,) for word in (*_SCHEMAS, population)]
    for path in schemas:
        yield (*path, last)
        yield (population, *path, last)
    if schema:
        yield (last,)
