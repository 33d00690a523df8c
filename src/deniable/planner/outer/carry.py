"""Which columns of an outer query keep an interval, and how that is computed beside them.

A column keeps its interval through whatever goes row by row: plain names, arithmetic, conditions, joins, UNION ALL,
sorting and LIMIT. The ends of intervals then run along as columns of their own. Where rows are put together, ranked or
made different from each other, they are not carried, and the answer says so.

An expression over several noisy numbers needs intervals that hold for all of them at once: with m numbers, each is
taken at confidence 1 - (1 - c) / m, so that together they hold with c (Boole's inequality). The same number of two rows
counts twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from sqlglot import ErrorLevel, exp

from deniable.planner.outer.ends import Value, lost
from deniable.planner.outer.natures import gathers
from deniable.planner.outer.rows import (
    SIDES,
    CarriedRows,
    UnknownColumnsError,
    Wanted,
    end_name,
    exact_column,
    noisy_rows,
)
from deniable.planner.outer.scope import OuterScope, spread
from deniable.planner.plan import Bound
from deniable.policy import DeclaredTable


@dataclass(frozen=True, slots=True)
class Carried:
    """The statement with the ends of intervals behind its columns; nothing of it, where no column keeps one."""

    sql: str | None = None
    bands: tuple[int, ...] = ()
    """The places of the columns that keep an interval: their ends, low and high, follow in this order."""
    exact: tuple[int, ...] = ()
    """The places of those that no noise is in."""
    levels: tuple[int, ...] = ()
    """How many noisy numbers an interval must hold for at once: each is one kind of ends in the noisy tables."""


def carried(tree: exp.Expression, noisy: Mapping[str, Bound], public: Mapping[str, DeclaredTable]) -> Carried:
    """What can be said of the columns of this statement over these tables."""
    known: dict[str, CarriedRows] = {name: noisy_rows(name, bound) for name, bound in noisy.items()}
    known |= {
        name: CarriedRows([(column, exact_column(column)) for column in table.columns])
        for name, table in public.items()
    }
    copied = tree.copy()
    try:
        found = _Carry(known).query(copied, {})
    except UnknownColumnsError:
        return Carried()
    exact = tuple(place for place, (_, value) in enumerate(found.columns) if value.exact)
    bands = tuple(place for place, (_, value) in enumerate(found.columns) if value.carried)
    if not bands or found.emit is None:
        return Carried(exact=exact)
    levels = tuple(sorted({len(found.columns[place][1].rests or ()) for place in bands}))
    found.emit([(place, (len(found.columns[place][1].rests or ()),)) for place in bands], levels)
    return Carried(copied.sql(dialect="duckdb", unsupported_level=ErrorLevel.IGNORE), bands, exact, levels)


@dataclass(slots=True)
class _Carry:
    """Goes through a statement from the inside out."""

    tables: Mapping[str, CarriedRows]
    instances: count[int] = field(default_factory=count)
    emitted: list[tuple[CarriedRows, Wanted]] = field(default_factory=list)

    def query(self, node: exp.Expression, named: Mapping[str, CarriedRows]) -> CarriedRows:
        within = self._within(node, named)
        if isinstance(node, exp.Subquery):
            return self.query(node.this, within)
        if isinstance(node, exp.SetOperation):
            return self._stacked(node, within)
        if isinstance(node, exp.Select):
            return self._select(node, within)
        raise UnknownColumnsError

    def _within(self, node: exp.Expression, named: Mapping[str, CarriedRows]) -> Mapping[str, CarriedRows]:
        clause, found = node.args.get("with_"), dict(named)
        for cte in [] if clause is None else clause.expressions:
            rows = self.query(cte.this, found)
            titles = [column.name for column in cte.args["alias"].columns]
            if titles:
                raise UnknownColumnsError
            found[cte.alias.lower()] = rows
        return found

    def _stacked(self, node: exp.SetOperation, named: Mapping[str, CarriedRows]) -> CarriedRows:
        one, other = (self.query(part, named) for part in (node.this, node.expression))
        if len(one.columns) != len(other.columns) or node.args.get("by_name"):
            raise UnknownColumnsError
        plain = isinstance(node, exp.Union) and not node.args.get("distinct")
        emits = [part.emit for part in (one, other)]
        columns = []
        for (name, left), (_, right) in zip(one.columns, other.columns, strict=True):
            exact = left.exact and right.exact
            both = left.rests is not None and right.rests is not None and plain and None not in emits
            rests = max((left.rests or frozenset(), right.rests or frozenset()), key=len) if both else None
            columns.append(
                (name, replace(exact_column(name), rests=frozenset() if exact else rests, number=left.number))
            )

        def emit(wanted: Wanted, levels: Sequence[int]) -> None:
            for part in emits:
                if part is not None:
                    part(wanted, levels)

        return CarriedRows(columns, emit if plain and None not in emits else None)

    def _select(self, select: exp.Select, named: Mapping[str, CarriedRows]) -> CarriedRows:
        scope = self._scope(select, named)
        spread(select, scope)
        columns: list[tuple[str, Value]] = []
        for node in select.expressions:
            value = scope.value(node.unalias())
            name = node.alias or (node.name if isinstance(node, exp.Column) else "")
            columns.append((name, value))
            if node.alias:
                scope.aliases.setdefault(node.alias.lower(), value)
        if gathers(select):
            return CarriedRows([(name, value if value.exact else lost(exp.Null())) for name, value in columns])

        def emit(wanted: Wanted, levels: Sequence[int]) -> None:
            scope.emit(levels)
            for place, own in wanted:
                name, value = columns[place]
                for level in own:
                    for side, end in zip(SIDES, value.ends(level), strict=True):
                        title = end_name(name, side, level)
                        select.append("expressions", exp.alias_(end, title, quoted=True))

        return CarriedRows(columns, emit)

    def _scope(self, select: exp.Select, named: Mapping[str, CarriedRows]) -> OuterScope:
        scope, first = OuterScope(self, named), select.args.get("from_")
        if select.args.get("laterals") or _says_all(select):
            raise UnknownColumnsError
        if first is not None:
            scope.add(first.this)
        for join in select.args.get("joins") or ():
            scope.join(join)
        return scope


def _says_all(select: exp.Select) -> bool:
    """ORDER BY ALL and GROUP BY ALL would speak of ends, too."""
    order, group = select.args.get("order"), select.args.get("group")
    terms = [] if order is None else [term.this for term in order.expressions]
    return any(isinstance(term, exp.Var) for term in terms) or (group is not None and bool(group.args.get("all")))
