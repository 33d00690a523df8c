"""Which columns of an outer query keep an interval, and how that is computed beside them.

A column keeps its interval through whatever goes row by row: plain names, arithmetic, conditions, joins, UNION ALL,
sorting and LIMIT. The ends of intervals then run along as columns of their own. Where rows are put together, ranked or
made different from each other, they are not carried, and the answer says so.

An expression over several noisy numbers needs intervals that hold for all of them at once: with m numbers, each is
taken at confidence 1 - (1 - c) / m, so that together they hold with c (Boole's inequality). The same number of two rows
counts twice.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from sqlglot import ErrorLevel, exp

from deniable.core.algebra.expression import Kind
from deniable.planner.aggregates.statistics import Statistic
from deniable.planner.outer.ends import Value, combined, constant, lost
from deniable.planner.outer.natures import gathers
from deniable.planner.plan import Bound, Output
from deniable.policy import DeclaredTable

_RANGED = frozenset(Kind) - {Kind.TEXT, Kind.BOOLEAN}
_NUMBERS = frozenset({Kind.INTEGER, Kind.NUMBER})
_SIDES = ("low", "high")
_SCALAR = frozenset({"expressions", "from_"})
"""What a scalar subquery may have, so that it is one number of a question without keys."""


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


def end_name(column: str, side: str, level: int) -> str:
    """What one end of a column's interval is called in a noisy table."""
    return f"{side} {level} of {column}"


def ranged(bound: Bound) -> list[Output]:
    """The outputs of a question that have an interval."""
    statistics = frozenset().union(*(statistic.names for statistic in bound.statistics))
    return [one for one in bound.outputs if statistics & one.rests_on and one.value.kind in _RANGED]


def carried(tree: exp.Expression, noisy: Mapping[str, Bound], public: Mapping[str, DeclaredTable]) -> Carried:
    """What can be said of the columns of this statement over these tables."""
    known: dict[str, _Rows] = {name: _noisy(name, bound) for name, bound in noisy.items()}
    known |= {name: _Rows([(column, _exact(column)) for column in table.columns]) for name, table in public.items()}
    copied = tree.copy()
    try:
        found = _Carry(known).query(copied, {})
    except _UnknownError:
        return Carried()
    exact = tuple(place for place, (_, value) in enumerate(found.columns) if value.exact)
    bands = tuple(place for place, (_, value) in enumerate(found.columns) if value.carried)
    if not bands or found.emit is None:
        return Carried(exact=exact)
    levels = tuple(sorted({len(found.columns[place][1].rests or ()) for place in bands}))
    found.emit([(place, (len(found.columns[place][1].rests or ()),)) for place in bands], levels)
    return Carried(copied.sql(dialect="duckdb", unsupported_level=ErrorLevel.IGNORE), bands, exact, levels)


class _UnknownError(Exception):
    """The columns of a part cannot be told from its text."""


Wanted = Sequence[tuple[int, Sequence[int]]]
"""Which columns' ends are wanted, each at which levels."""


@dataclass(frozen=True, slots=True)
class _Rows:
    """What a table or a query gives: its columns, and how to make it give their ends too."""

    columns: list[tuple[str, Value]]
    emit: Callable[[Wanted, Sequence[int]], None] | None = None
    """Adds the ends of some columns, in this order; all levels are those that any column needs. None: it cannot."""


def _noisy(table: str, bound: Bound) -> _Rows:
    """A noisy table has the ends of all its intervals already."""
    ranges = {output.name for output in ranged(bound)}
    statistics = frozenset().union(*(statistic.names for statistic in bound.statistics))
    chosen = frozenset().union(*(base.names for base in bound.statistics if not isinstance(base, Statistic)))
    columns = []
    for output in bound.outputs:
        number = output.value.kind in _NUMBERS and not chosen & output.rests_on  # a choice's interval is made once
        if output.name in ranges:
            rests: frozenset[Hashable] | None = frozenset({(table, output.name)})
        else:
            rests = None if statistics & output.rests_on else frozenset()
        columns.append((output.name, replace(_exact(output.name), rests=rests, number=number)))
    return _Rows(columns, lambda _wanted, _levels: None)


def _exact(name: str) -> Value:
    return constant(exp.column(name, quoted=True))


@dataclass(slots=True)
class _Carry:
    """Goes through a statement from the inside out."""

    tables: Mapping[str, _Rows]
    instances: count[int] = field(default_factory=count)
    emitted: list[tuple[_Rows, Wanted]] = field(default_factory=list)

    def query(self, node: exp.Expression, named: Mapping[str, _Rows]) -> _Rows:
        within = self._within(node, named)
        if isinstance(node, exp.Subquery):
            return self.query(node.this, within)
        if isinstance(node, exp.SetOperation):
            return self._stacked(node, within)
        if isinstance(node, exp.Select):
            return self._select(node, within)
        raise _UnknownError

    def _within(self, node: exp.Expression, named: Mapping[str, _Rows]) -> Mapping[str, _Rows]:
        clause, found = node.args.get("with_"), dict(named)
        for cte in [] if clause is None else clause.expressions:
            rows = self.query(cte.this, found)
            titles = [column.name for column in cte.args["alias"].columns]
            if titles:
                raise _UnknownError
            found[cte.alias.lower()] = rows
        return found

    def _stacked(self, node: exp.SetOperation, named: Mapping[str, _Rows]) -> _Rows:
        one, other = (self.query(part, named) for part in (node.this, node.expression))
        if len(one.columns) != len(other.columns) or node.args.get("by_name"):
            raise _UnknownError
        plain = isinstance(node, exp.Union) and not node.args.get("distinct")
        emits = [part.emit for part in (one, other)]
        columns = []
        for (name, left), (_, right) in zip(one.columns, other.columns, strict=True):
            exact = left.exact and right.exact
            both = left.rests is not None and right.rests is not None and plain and None not in emits
            rests = max((left.rests or frozenset(), right.rests or frozenset()), key=len) if both else None
            columns.append((name, replace(_exact(name), rests=frozenset() if exact else rests, number=left.number)))

        def emit(wanted: Wanted, levels: Sequence[int]) -> None:
            for part in emits:
                if part is not None:
                    part(wanted, levels)

        return _Rows(columns, emit if plain and None not in emits else None)

    def _select(self, select: exp.Select, named: Mapping[str, _Rows]) -> _Rows:
        scope = self._scope(select, named)
        _spread(select, scope)
        columns: list[tuple[str, Value]] = []
        for node in select.expressions:
            value = scope.value(node.unalias())
            name = node.alias or (node.name if isinstance(node, exp.Column) else "")
            columns.append((name, value))
            if node.alias:
                scope.aliases.setdefault(node.alias.lower(), value)
        if gathers(select):
            return _Rows([(name, value if value.exact else lost(exp.Null())) for name, value in columns])

        def emit(wanted: Wanted, levels: Sequence[int]) -> None:
            scope.emit(levels)
            for place, own in wanted:
                name, value = columns[place]
                for level in own:
                    for side, end in zip(_SIDES, value.ends(level), strict=True):
                        title = end_name(name, side, level)
                        select.append("expressions", exp.alias_(end, title, quoted=True))

        return _Rows(columns, emit)

    def _scope(self, select: exp.Select, named: Mapping[str, _Rows]) -> _Scope:
        scope, first = _Scope(self, named), select.args.get("from_")
        if select.args.get("laterals") or _says_all(select):
            raise _UnknownError
        if first is not None:
            scope.add(first.this)
        for join in select.args.get("joins") or ():
            scope.join(join)
        return scope


@dataclass(slots=True)
class _Scope:
    """The tables of one SELECT."""

    carry: _Carry
    named: Mapping[str, _Rows]
    tables: dict[str, list[tuple[str, Value]]] = field(default_factory=dict)
    merged: set[str] = field(default_factory=set)
    aliases: dict[str, Value] = field(default_factory=dict)
    below: list[_Rows] = field(default_factory=list)
    done: bool = False

    def add(self, node: exp.Expression) -> None:
        """One item behind FROM or JOIN."""
        if node.args.get("joins"):
            raise _UnknownError
        if isinstance(node, exp.Table):
            rows = self.named.get(node.name.lower()) or self.carry.tables.get(node.name)
            alias = node.args.get("alias")
        elif isinstance(node, exp.Subquery) and not isinstance(node.this, exp.Table):
            rows, alias = self.carry.query(node.this, self.named), node.args.get("alias")
        else:
            raise _UnknownError
        if rows is None or (alias is not None and alias.columns) or not _different(rows):
            raise _UnknownError
        if alias is None and not isinstance(node, exp.Table):
            name = f"unnamed {next(self.carry.instances)}"
            node.set("alias", exp.TableAlias(this=exp.to_identifier(name, quoted=True)))
        name = node.alias or node.name
        if name.lower() in (known.lower() for known in self.tables):
            raise _UnknownError
        instance = next(self.carry.instances)
        self.below.append(rows)
        self.tables[name] = [(column, _seen(name, column, value, rows, instance)) for column, value in rows.columns]

    def join(self, join: exp.Join) -> None:
        """A table beside the others. What USING makes one is that of the first table."""
        if join.args.get("method") or (join.args.get("using") and join.side in {"RIGHT", "FULL"}):
            raise _UnknownError
        if join.kind not in {"", "INNER", "CROSS", "OUTER"}:
            raise _UnknownError
        self.add(join.this)
        self.merged |= {name.name.lower() for name in join.args.get("using") or ()}

    def emit(self, levels: Sequence[int]) -> None:
        """All ends of all columns below, once."""
        if self.done:
            return
        self.done = True
        for rows in self.below:
            wanted = [(place, levels) for place, (_, value) in enumerate(rows.columns) if value.carried]
            if rows.emit is not None and wanted and not any(rows is known for known, _ in self.carry.emitted):
                self.carry.emitted.append((rows, wanted))
                rows.emit(wanted, levels)

    def value(self, node: exp.Expression) -> Value:
        """What is known of an expression over these tables."""
        if isinstance(node, exp.Paren):
            return self.value(node.this)  # whatever takes the ends puts brackets around them
        if isinstance(node, exp.Column):
            return self._column(node)
        if isinstance(node, exp.Subquery | exp.Window):
            return self._scalar(node) if isinstance(node, exp.Subquery) else self._shifted(node)
        if isinstance(node, exp.Query | exp.AggFunc | exp.Exists | exp.Filter):
            return lost(node)
        children = [child for child in node.iter_expressions() if not isinstance(child, exp.DataType | exp.Var)]
        parts = [self.value(child) for child in children if isinstance(child, exp.Expression)]
        if all(part.exact for part in parts):
            return constant(node)
        return combined(node, parts)

    def _scalar(self, node: exp.Subquery) -> Value:
        """`(SELECT COUNT(*) FROM ...)`: one number of a noisy table, whose ends are there too."""
        select = node.this
        plain = isinstance(select, exp.Select) and {name for name, part in select.args.items() if part} <= _SCALAR
        if not plain or len(select.expressions) != 1 or not isinstance(select.args["from_"].this, exp.Table):
            return lost(node)
        if select.args["from_"].this.name not in self.carry.tables:
            return lost(node)
        inner = _Scope(self.carry, {})
        inner.add(select.args["from_"].this.copy())
        value = inner.value(select.expressions[0].unalias())

        def ends(level: int) -> tuple[exp.Expression, exp.Expression]:
            low, high = (_with(node, end) for end in value.ends(level))
            return low, high

        return replace(value, ends=ends) if value.carried else lost(node)

    def _shifted(self, node: exp.Window) -> Value:
        """LAG and LEAD in an order that no noise decides: the number of another row, with its ends."""
        moved, order = node.this, node.args.get("order")
        value = self.value(moved.this) if isinstance(moved, exp.Lag | exp.Lead) else lost(node)
        beside = [*(node.args.get("partition_by") or ()), *(term.this for term in (order.expressions if order else ()))]
        beside += [part for part in (moved.args.get("offset"), moved.args.get("default")) if part is not None]
        named = node.args.get("alias") is not None or node.args.get("spec") is not None
        if named or order is None or not value.carried or not all(self.value(part).exact for part in beside):
            return lost(node)
        instance = next(self.carry.instances)

        def ends(level: int) -> tuple[exp.Expression, exp.Expression]:
            found = []
            for end in value.ends(level):
                copied = node.copy()
                copied.this.set("this", end)
                found.append(copied)
            return found[0], found[1]

        return replace(value, rests=frozenset((instance, one) for one in value.rests or ()), ends=ends)

    def _column(self, node: exp.Column) -> Value:
        matching = [
            value
            for name, columns in self.tables.items()
            if not node.table or node.table.lower() == name.lower()
            for column, value in columns
            if column.lower() == node.name.lower()
        ]
        if matching:
            return matching[0]
        return self.aliases.get(node.name.lower(), lost(node)) if not node.table else lost(node)


def _different(rows: _Rows) -> bool:
    """Whether each column has a name that is no other's."""
    names = [name.lower() for name, _ in rows.columns]
    return "" not in names and len(set(names)) == len(names)


def _seen(table: str, column: str, value: Value, rows: _Rows, instance: int) -> Value:
    """A column of a table as the SELECT around it names it; its noisy numbers are those of this one mention."""
    place = exp.column(column, table=table, quoted=True)
    if value.exact:
        return constant(place, number=value.number)
    if value.rests is None or rows.emit is None:
        return lost(place)

    def ends(level: int) -> tuple[exp.Expression, exp.Expression]:
        low, high = (exp.column(end_name(column, side, level), table=table, quoted=True) for side in _SIDES)
        return low, high

    return Value(frozenset((instance, one) for one in value.rests), ends, value.number)


def _with(node: exp.Subquery, end: exp.Expression) -> exp.Expression:
    """The same scalar subquery, of another column."""
    copied = node.copy()
    copied.this.set("expressions", [end])
    return copied


def _spread(select: exp.Select, scope: _Scope) -> None:
    """Stars as the columns that they stand for: the ends of intervals are not among them."""
    listed: list[exp.Expression] = []
    for node in select.expressions:
        star = node if isinstance(node, exp.Star) else node.this if isinstance(node, exp.Column) else None
        if not isinstance(star, exp.Star):
            listed.append(node)
            continue
        if any(value for value in star.args.values()):
            raise _UnknownError
        wanted = node.table.lower() if isinstance(node, exp.Column) else None
        merged: set[str] = set()
        for name, columns in scope.tables.items():
            if wanted is not None and wanted != name.lower():
                continue
            for column, _ in columns:
                if wanted is None and column.lower() in scope.merged:
                    if column.lower() in merged:
                        continue
                    merged.add(column.lower())
                listed.append(exp.column(column, table=name, quoted=True))
    select.set("expressions", listed)


def _says_all(select: exp.Select) -> bool:
    """ORDER BY ALL and GROUP BY ALL would speak of ends, too."""
    order, group = select.args.get("order"), select.args.get("group")
    terms = [] if order is None else [term.this for term in order.expressions]
    return any(isinstance(term, exp.Var) for term in terms) or (group is not None and bool(group.args.get("all")))
