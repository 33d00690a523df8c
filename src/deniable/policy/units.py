"""Units that are found through keys: `unit = "order_id -> orders.customer_id"`.

A row of such a table does not name the person it belongs to, but a row of another table that does: directly, or
through a third. The way is checked once all tables are known. It may be written in full, or as `order_id -> orders`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from deniable.policy.problems import closest
from deniable.policy.section import Section
from deniable.policy.table import ARROW, DeclaredTable, Step

_LONGEST = 8
"""Steps on the way to a unit: whatever needs more goes in circles, or takes too long to look up."""


def found(tables: dict[str, DeclaredTable], sections: Mapping[str, Section]) -> dict[str, DeclaredTable]:
    """The tables, where each knows the whole way to its unit; what is wrong with a way is noted in its section."""
    return {name: _found(table, tables, sections[name]) for name, table in tables.items()}


def _found(table: DeclaredTable, tables: Mapping[str, DeclaredTable], section: Section) -> DeclaredTable:
    if table.unit is None or ARROW not in table.unit:
        return table
    path = _path(table, tables, section)
    if not path:
        return table
    whole = replace(table, unit=None, path=path)
    if _parts(table.unit)[1:] not in ([path[0].table], _parts(whole.way)[1:]):
        section.problem("unit", f"leads elsewhere: '{table.unit}'", f'write unit = "{whole.way}"')
    return whole


def _path(table: DeclaredTable, tables: Mapping[str, DeclaredTable], section: Section) -> tuple[Step, ...]:
    """The steps from a table to the one that names the unit; none, if something is missing on the way."""
    steps: list[tuple[str, DeclaredTable]] = []
    here = table
    while ARROW in (here.unit or ""):
        column, target = _parts(here.unit or "")[:2]
        there = _named(target, tables)
        problem = _problem(here, column, target, there, tables)
        if problem is None and (there is None or len(steps) >= _LONGEST):
            problem = f"'{table.unit}' comes back to where it was", "end at a table that names the person"
        if problem is not None or there is None:
            section.problem("unit", *(problem or ("", "")))
            return ()
        steps.append((column, there))
        here = there
    kind = here.columns[here.unit or ""].kind if (here.unit or "") in here.columns else None
    if kind is None:
        return ()  # noted where that unit is declared
    return tuple(
        Step(column, there.name, there.key or "", _parts(there.unit or "")[0], kind) for column, there in steps
    )


def _problem(
    here: DeclaredTable, column: str, target: str, there: DeclaredTable | None, tables: Mapping[str, DeclaredTable]
) -> tuple[str, str] | None:
    """What is wrong with one step, and what to write instead."""
    if column not in here.columns:
        hint = f'{closest(column, here.columns)}declare it: {column} = {{ type = "integer" }}'
        return f"'{column}' is not among the columns of {here.name}", hint
    if there is None:
        return f"there is no table '{target}'", f"{closest(target.partition('.')[0], tables)}declare it"
    if there.public or there.unit is None:
        return f"{there.name} has no unit, so nobody's rows are found by it", "name a table with a unit"
    if there.key is None:
        return f"{there.name} has no key", f'write key = "{column}" there: the column that {column} is looked up in'
    if there.key in there.columns and there.columns[there.key].kind is not here.columns[column].kind:
        return f"'{column}' and {there.name}.{there.key} are of different types", "declare them alike"
    return None


def _named(target: str, tables: Mapping[str, DeclaredTable]) -> DeclaredTable | None:
    """The table of `orders` or `orders.customer_id`; names of tables may have dots."""
    return tables.get(target) or tables.get(target.rpartition(".")[0])


def _parts(unit: str) -> list[str]:
    return [part.strip() for part in unit.split(ARROW)]
