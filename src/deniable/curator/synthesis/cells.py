"""The columns of synthetic tables as group keys, from the policy alone.

Rows are counted by questions of our own, which go through the same parse and bind as any other: so how rows of one unit
weigh, and how tables are joined, is decided there and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from deniable.core.algebra.expression import Kind
from deniable.core.algebra.query import WEIGHT
from deniable.core.errors import Refused
from deniable.curator.synthesis.columns import check_known, domain_of, keys_of, quoted
from deniable.planner import bind_cells, parse
from deniable.planner.aggregates.statistics import Statistic
from deniable.planner.expressions.keys import Value
from deniable.planner.plan import Bound
from deniable.policy import DeclaredColumn, DeclaredTable, Policy
from deniable.releases.synthetic.measured.domain import ColumnDomain, Part
from deniable.releases.synthetic.synthesis import Synthesis

MOST_COLUMNS = 60
"""Of one table, with those of its parents: pairs grow with the square."""

Selected = Mapping[tuple[str, str], tuple[Value, ...]]
"""Values that the policy does not list, by table and column, as they were selected privately."""

_SOME = tuple(f"value {place}" for place in range(20))
"""Before values are selected, a price is that of about so many."""


@dataclass(frozen=True, slots=True)
class TableCells:
    """One table's rows, told apart by its columns; those of its parents come first."""

    name: str
    columns: tuple[ColumnDomain, ...]
    bound: Bound
    """The question how many rows there are of each combination."""
    given: int = 0
    parent: str | None = None
    children: tuple[str, ...] = ()
    """Tables whose number of rows, by parent, are the last columns."""
    unlisted: tuple[tuple[str, str], ...] = ()
    """Tables and columns whose values the policy does not list."""

    @property
    def statistic(self) -> Statistic:
        """What is counted: rows."""
        (count,) = self.bound.statistics
        if not isinstance(count, Statistic) or count.total is None:
            raise TypeError("rows are counted")
        return count

    @property
    def factor(self) -> int:
        """What makes an exact count a number of rows / 2^20."""
        return int(self.statistic.worth * WEIGHT)

    @property
    def reach(self) -> int:
        """The most that one unit weighs, in rows / 2^20."""
        return self.statistic.reach * self.factor


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A key in SQL, and what it is made of: a column of a table, or the number of rows in the table of this name."""

    sql: str
    source: tuple[DeclaredTable, DeclaredColumn, Part | None] | str


def table_cells(policy: Policy, wanted: Synthesis, selected: Selected) -> tuple[TableCells, ...]:
    """The tables in the order in which they are made: parents first."""
    tables = _tables(policy, wanted)
    chosen = {table.name: _columns(table, dict(wanted.columns).get(table.name)) for table in tables}
    parent = _parent(tables)
    if parent is None:
        return tuple(_alone(policy, table, chosen[table.name], selected) for table in tables)
    children = [table for table in tables if table is not parent]
    first = _parents(policy, parent, chosen[parent.name], children, selected)
    return (first, *(_children(policy, first, table, chosen[table.name], selected) for table in children))


def _tables(policy: Policy, wanted: Synthesis) -> list[DeclaredTable]:
    private = {name: table for name, table in policy.tables.items() if not table.public}
    named = list(private) if wanted.tables is None else list(dict.fromkeys(wanted.tables))
    for name in [*named, *(name for name, _ in (*wanted.columns, *wanted.constraints))]:
        if name not in private or name not in named:
            hint = f"There is {', '.join(private)}."
            raise Refused("unknown-table", f"There is no private table {name!r} to be made up.", hint)
    return [private[name] for name in named]


def _columns(table: DeclaredTable, wanted: Sequence[str] | None) -> list[DeclaredColumn]:
    """Those that are wanted; the unit's column is made up, not measured."""
    names = list(table.columns) if wanted is None else list(dict.fromkeys(wanted))
    for name in names:
        if name not in table.columns:
            hint = f"There is {', '.join(table.columns)}."
            raise Refused("unknown-column", f"Table {table.name!r} has no column {name!r}.", hint)
    return [table.columns[name] for name in names if name != table.unit]


def _parent(tables: Sequence[DeclaredTable]) -> DeclaredTable | None:
    """The table that has one row for each unit, if the others belong to units, too."""
    single = [table for table in tables if table.unit is not None and table.contribution == 1]
    linked = len(tables) > 1 and len(single) == 1 and all(table.unit is not None for table in tables)
    return single[0] if linked else None


def _alone(policy: Policy, table: DeclaredTable, columns: list[DeclaredColumn], selected: Selected) -> TableCells:
    """A table by itself."""
    keys = _wanted("t0", table, columns)
    return _bound(policy, table.name, f"{quoted(table.name)} AS t0", keys, selected)


def _parents(
    policy: Policy,
    table: DeclaredTable,
    columns: list[DeclaredColumn],
    children: Sequence[DeclaredTable],
    selected: Selected,
) -> TableCells:
    """Parents, with the number of rows that each has in the tables of children."""
    keys = _wanted("t0", table, columns)
    keys += [_Wanted(_number(child, place), child.name) for place, child in enumerate(children)]
    joined = [f"{quoted(table.name)} AS t0", *(_numbers(table, child, place) for place, child in enumerate(children))]
    found = _bound(policy, table.name, " ".join(joined), keys, selected)
    return replace(found, children=tuple(child.name for child in children))


def _children(
    policy: Policy, first: TableCells, table: DeclaredTable, columns: list[DeclaredColumn], selected: Selected
) -> TableCells:
    """Rows with what is known of their parents before them; how many siblings a row has is known, too."""
    parent, others = policy.tables[first.name], [policy.tables[name] for name in first.children]
    own = first.columns[: len(first.columns) - len(others)]
    known = [parent.columns[name] for name in dict.fromkeys(column.of or column.name for column in own)]
    same = f"t0.{quoted(table.unit or '')} = t1.{quoted(parent.unit or '')}"
    joined = [f"{quoted(table.name)} AS t0 JOIN {quoted(parent.name)} AS t1 ON {same}"]
    joined += [_numbers(table, child, place) for place, child in enumerate(others)]
    keys = _wanted("t1", parent, known)
    given = len(keys) + len(others)
    keys += [_Wanted(_number(child, place), child.name) for place, child in enumerate(others)]
    keys += _wanted("t0", table, columns)
    found = _bound(policy, table.name, " ".join(joined), keys, selected)
    renamed = tuple(replace(column, name=f"{parent.name}.{column.name}") for column in found.columns[: len(own)])
    return replace(found, columns=(*renamed, *found.columns[len(own) :]), given=given, parent=parent.name)


def _wanted(alias: str, table: DeclaredTable, columns: Sequence[DeclaredColumn]) -> list[_Wanted]:
    return [_Wanted(sql, (table, column, part)) for column in columns for sql, part in keys_of(alias, column)]


def _numbers(table: DeclaredTable, child: DeclaredTable, place: int) -> str:
    """How many rows each unit has in a table, beside the unit's rows."""
    unit = quoted(child.unit or "")
    counted = f"SELECT {unit} AS unit_{place}, COUNT(*) AS n_{place} FROM {quoted(child.name)} GROUP BY {unit}"  # noqa: S608 - names of the policy, quoted; parsed as any question
    return f"LEFT JOIN ({counted}) AS c{place} ON t0.{quoted(table.unit or '')} = c{place}.unit_{place}"


def _number(child: DeclaredTable, place: int) -> str:
    return f"LEAST(COALESCE(c{place}.n_{place}, 0), {child.contribution})"


def _bound(policy: Policy, name: str, joined: str, keys: Sequence[_Wanted], selected: Selected) -> TableCells:
    """The question, bound; and the columns that its keys are."""
    if not 1 < len(keys) <= MOST_COLUMNS:
        many = f"{len(keys)} column{'s' * (len(keys) != 1)}"
        reason = f"Table {name!r} would have {many}, with what is known of its parents."
        raise Refused("synthetic-columns", reason, f"Name two to {MOST_COLUMNS} of them.")
    question = f"SELECT COUNT(*) FROM {joined} GROUP BY {', '.join(key.sql for key in keys)}"  # noqa: S608 - names of the policy, quoted; parsed as any question
    try:
        bound = bind_cells(parse(question), policy)
    except Refused as refusal:
        raise Refused(refusal.code, refusal.reason, refusal.hint) from None
    found, unlisted, known = [], [], []
    for key, wanted in zip(bound.keys, keys, strict=True):
        values, source = key.domain, wanted.source
        if isinstance(source, str):
            found.append(ColumnDomain(f"rows of {source}", Kind.INTEGER, tuple(values or ()), ordered=True))
        else:
            table, column, part = source
            if values is None:
                check_known(column)
                unlisted.append((table.name, column.name))
                values = selected.get((table.name, column.name), _SOME)
            found.append(domain_of(column, part, values))
        known.append(replace(key, domain=tuple(values or ())))
    return TableCells(name, tuple(found), replace(bound, keys=tuple(known)), unlisted=tuple(unlisted))
