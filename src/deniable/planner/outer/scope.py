"""The tables of one SELECT of an outer query: what its names mean, and which of its columns keep an interval."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from sqlglot import exp

from deniable.planner.outer.ends import Value, combined, constant, lost
from deniable.planner.outer.rows import SIDES, CarriedRows, UnknownColumnsError, Wanted, end_name

_SCALAR = frozenset({"expressions", "from_"})
"""What a scalar subquery may have, so that it is one number of a question without keys."""


class Walk(Protocol):
    """Whoever goes through the whole statement."""

    @property
    def tables(self) -> Mapping[str, CarriedRows]:
        """Noisy and public ones."""

    @property
    def instances(self) -> Iterator[int]:
        """A number for each mention of a table."""

    @property
    def emitted(self) -> list[tuple[CarriedRows, Wanted]]:
        """The parts that give ends already."""

    def query(self, node: exp.Expression, named: Mapping[str, CarriedRows]) -> CarriedRows:
        """What a subquery gives."""


@dataclass(slots=True)
class OuterScope:
    """The tables of one SELECT."""

    walk: Walk
    named: Mapping[str, CarriedRows]
    tables: dict[str, list[tuple[str, Value]]] = field(default_factory=dict)
    merged: set[str] = field(default_factory=set)
    aliases: dict[str, Value] = field(default_factory=dict)
    below: list[CarriedRows] = field(default_factory=list)
    done: bool = False

    def add(self, node: exp.Expression) -> None:
        """One item behind FROM or JOIN."""
        if node.args.get("joins"):
            raise UnknownColumnsError
        if isinstance(node, exp.Table):
            rows = self.named.get(node.name.lower()) or self.walk.tables.get(node.name)
            alias = node.args.get("alias")
        elif isinstance(node, exp.Subquery) and not isinstance(node.this, exp.Table):
            rows, alias = self.walk.query(node.this, self.named), node.args.get("alias")
        else:
            raise UnknownColumnsError
        if rows is None or (alias is not None and alias.columns) or not _different(rows):
            raise UnknownColumnsError
        if alias is None and not isinstance(node, exp.Table):
            name = f"unnamed {next(self.walk.instances)}"
            node.set("alias", exp.TableAlias(this=exp.to_identifier(name, quoted=True)))
        name = node.alias or node.name
        if name.lower() in (known.lower() for known in self.tables):
            raise UnknownColumnsError
        instance = next(self.walk.instances)
        self.below.append(rows)
        self.tables[name] = [(column, _seen(name, column, value, rows, instance)) for column, value in rows.columns]

    def join(self, join: exp.Join) -> None:
        """A table beside the others. What USING makes one is that of the first table."""
        if join.args.get("method") or (join.args.get("using") and join.side in {"RIGHT", "FULL"}):
            raise UnknownColumnsError
        if join.kind not in {"", "INNER", "CROSS", "OUTER"}:
            raise UnknownColumnsError
        self.add(join.this)
        self.merged |= {name.name.lower() for name in join.args.get("using") or ()}

    def emit(self, levels: Sequence[int]) -> None:
        """All ends of all columns below, once."""
        if self.done:
            return
        self.done = True
        for rows in self.below:
            wanted = [(place, levels) for place, (_, value) in enumerate(rows.columns) if value.carried]
            if rows.emit is not None and wanted and not any(rows is known for known, _ in self.walk.emitted):
                self.walk.emitted.append((rows, wanted))
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
        if select.args["from_"].this.name not in self.walk.tables:
            return lost(node)
        inner = OuterScope(self.walk, {})
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
        instance = next(self.walk.instances)

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


def _different(rows: CarriedRows) -> bool:
    """Whether each column has a name that is no other's."""
    names = [name.lower() for name, _ in rows.columns]
    return "" not in names and len(set(names)) == len(names)


def _seen(table: str, column: str, value: Value, rows: CarriedRows, instance: int) -> Value:
    """A column of a table as the SELECT around it names it; its noisy numbers are those of this one mention."""
    place = exp.column(column, table=table, quoted=True)
    if value.exact:
        return constant(place, number=value.number)
    if value.rests is None or rows.emit is None:
        return lost(place)

    def ends(level: int) -> tuple[exp.Expression, exp.Expression]:
        low, high = (exp.column(end_name(column, side, level), table=table, quoted=True) for side in SIDES)
        return low, high

    return Value(frozenset((instance, one) for one in value.rests), ends, value.number)


def _with(node: exp.Subquery, end: exp.Expression) -> exp.Expression:
    """The same scalar subquery, of another column."""
    copied = node.copy()
    copied.this.set("expressions", [end])
    return copied


def spread(select: exp.Select, scope: OuterScope) -> None:
    """Stars as the columns that they stand for: the ends of intervals are not among them."""
    listed: list[exp.Expression] = []
    for node in select.expressions:
        star = node if isinstance(node, exp.Star) else node.this if isinstance(node, exp.Column) else None
        if not isinstance(star, exp.Star):
            listed.append(node)
            continue
        if any(value for value in star.args.values()):
            raise UnknownColumnsError
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
