"""FROM, JOIN, WITH, subqueries and IN (SELECT ...): which rows a SELECT ranges over.

Nothing here may let one unit's rows depend on another's: private tables join on the unit, aggregates inside a subquery
are taken per unit, and everything else is row by row or public.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from deniable.core.algebra.expression import Expression, size
from deniable.core.algebra.relation import depth, tables
from deniable.core.errors import Refused
from deniable.planner.expressions.translate import translate
from deniable.planner.parse import position
from deniable.planner.relations.clauses import check_inner, parts_of, refuse_others
from deniable.planner.relations.joins.explosions import cut
from deniable.planner.relations.joins.items import Item, closed, is_comma, is_plain, joined
from deniable.planner.relations.joins.join import beside, opened, satisfied
from deniable.planner.relations.names import declared, homes, own_name, qualifier
from deniable.planner.relations.rows import Names, Origin, both
from deniable.planner.relations.scopes import RowScope, condition
from deniable.planner.relations.stacked import stacked
from deniable.planner.relations.subqueries.correlated import spoken_of
from deniable.planner.relations.subqueries.membership import Members, contained, existing, memberships
from deniable.planner.relations.subqueries.scalars import scalar, scalars
from deniable.planner.relations.subqueries.set_operations import LEFT, RIGHT, among_others, distinct_rows
from deniable.planner.relations.subqueries.subquery import check_once, everything, grouped, is_grouped, row_by_row
from deniable.planner.work import spend
from deniable.policy import Policy

_MOST_TABLES = 16
_DEEPEST = 50
"""So that the statement which is made of them can be written down and read."""
_UNWEIGHED = (
    "Name a contribution, in the policy or for `protect`, or make a profile to find one, as `deniable profile` does: "
    "it weighs each person as one row."
)
_MOST_PARTS = 500
"""Of one column: subqueries can double it at each level, and a question can name it a hundred times."""


@dataclass(frozen=True, slots=True)
class Relations:
    """What the names behind FROM mean: declared tables, and the queries that WITH has named so far."""

    policy: Policy
    named: Mapping[str, Origin]

    def within(self, select: exp.Expression) -> Relations:
        """Beyond the WITH clause of a query."""
        clause, named = select.args.get("with_"), dict(self.named)
        if clause is not None and clause.args.get("recursive"):
            raise Refused("unsupported-clause", "WITH RECURSIVE is not supported.", "Write WITH.", position(clause))
        for query in clause.expressions if clause is not None else []:
            inner = Relations(self.policy, named)
            named[query.alias.lower()] = inner.query(query.this, query.alias, query.args["alias"].columns)
        return Relations(self.policy, named)

    def rows(self, select: exp.Select) -> RowScope:
        """The rows of a SELECT: its tables side by side, those that WHERE leaves."""
        return self._rows(select, self._items(select), parts_of(select.args.get("where")))

    def _rows(self, select: exp.Select, items: list[Item], where: list[exp.Expression]) -> RowScope:
        """The rows of these tables that satisfy all of these conditions; equalities that tie tables tie them."""
        rows, rest = joined(items, where)
        scope = self._members(select, rows)
        _check_size(scope.origin, select)
        if not rest:
            return scope
        if len(rest) == len(parts_of(select.args.get("where"))):
            return replace(scope, origin=scope.origin.only(condition(select.args["where"].this, scope)))
        left: Expression | None = None
        for node in rest:
            left = both(left, condition(node, scope))
        return replace(scope, origin=scope.origin.only(left))

    def _items(self, select: exp.Select) -> list[Item]:
        """The tables behind FROM."""
        origin = select.args.get("from_")
        if origin is None:
            raise Refused("unknown-table", "A question is about a declared table.", f"Write FROM {self._names()}.")
        return self._listed(origin.this, select.args.get("joins") or ())

    def _listed(self, first: exp.Expression, joins: Sequence[exp.Join]) -> list[Item]:
        """Tables and how they are joined. A comma binds less than JOIN, which matters where rows can stay alone."""
        groups = [self._item(first, None)]
        for join in joins:
            if is_comma(join):
                groups.append([])
            groups[-1] += self._item(join.this, join)
        return groups[0] if len(groups) == 1 else [item for group in groups for item in closed(group)]

    def _item(self, node: exp.Expression, join: exp.Join | None) -> list[Item]:
        """One table, or those that brackets hold together; where they do so for no reason, as if they did not."""
        bracketed = _is_bracketed(node)
        inner = node.this if bracketed else node
        joins = inner.args.get("joins") or ()
        if not bracketed and not joins:
            return [Item.of(self._table(node), node, join)]
        if bracketed:
            refuse_others(node, ("this", "alias"))
        items = self._listed(_alone(inner), joins)
        alias = node.args.get("alias") if bracketed else None
        if alias is None and (join is None or is_plain(join)) and all(item.plain for item in items):
            last = replace(items[-1], on=(*items[-1].on, *Item.of(items[-1].origin, node, join).on))
            return [*items[:-1], last]
        rows, _ = joined(items, [])
        if alias is not None:
            titles = [column.name for column in alias.columns]
            names = everything(rows)
            check_once([name for name, _ in names], node)
            if titles and len(titles) != len(names):
                hint = f"Give it {len(names)} names, or none."
                raise Refused("unsupported-form", f"{alias.name!r} has {len(names)} columns.", hint, position(node))
            called = zip(titles or [name for name, _ in names], (value for _, value in names), strict=True)
            rows = rows.called(alias.name, dict(called))
        return [Item.of(rows, node, join)]

    def query(self, node: exp.Expression, alias: str, columns: Sequence[exp.Identifier] = ()) -> Origin:
        """The rows of a subquery, under an alias."""
        if isinstance(node, exp.Subquery):
            refuse_others(node, ("this",))
            return self.query(node.this, alias, columns)
        if isinstance(node, exp.SetOperation):
            found = self.within(node)._set_operation(node, alias)  # noqa: SLF001 - of its own kind
        elif isinstance(node, exp.Select):
            check_inner(node)
            inner = self.within(node)
            scope = inner.rows(node)
            found = grouped(node, scope) if is_grouped(node) else row_by_row(node, scope)
        else:
            raise Refused("subquery", "This kind of subquery is not supported.", "Write SELECT.", position(node))
        _check_parts(found.columns, node)
        names = list(found.columns)
        if len(columns) > len(names):
            hint = f"Give it at most {len(names)} names: {', '.join(names)}."
            raise Refused("unsupported-form", f"{alias!r} has only {len(names)} columns.", hint, position(columns[-1]))
        titles = [column.name for column in columns] + names[len(columns) :]
        check_once(titles, node)
        return found.called(alias, dict(zip(titles, found.columns.values(), strict=True)))

    def _table(self, node: exp.Expression) -> Origin:
        """One item behind FROM or JOIN."""
        if isinstance(node, exp.Subquery):
            refuse_others(node, ("this", "alias"))
            alias = node.args.get("alias")
            return self.query(node.this, node.alias or "", alias.columns if alias is not None else ())
        if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Identifier):
            reason = "A question is about declared tables."
            raise Refused("unknown-table", reason, f"Write FROM {self._names()}.", position(node))
        alias = node.args.get("alias")
        refuse_others(node, ("this", "alias", "db", "catalog"))
        if alias is not None and alias.columns:
            reason = "Other names for a table's columns are not supported."
            raise Refused("unsupported-clause", reason, "Rename them in SELECT.", position(node))
        if node.name.lower() in self.named and not qualifier(node):
            known = self.named[node.name.lower()]
            return known.called(node.alias or node.name, known.columns)
        table = declared(node, self.policy)
        if table is None:
            reason = f"There is no table {'.'.join([*qualifier(node), node.name])!r}."
            raise Refused("unknown-table", reason, f"There is {self._names()}.", position(node))
        if table.unweighed:
            reason = f"The policy does not say how many rows of one person count in {table.name!r}."
            raise Refused("no-contribution", reason, _UNWEIGHED, position(node))
        if node.alias:
            return Origin.of(table, node.alias)
        return replace(Origin.of(table, own_name(table)), homes={own_name(table): homes(table, self.policy)})

    def _set_operation(self, node: exp.SetOperation, alias: str) -> Origin:
        """UNION ALL of any number of parts; the others in words of that, of DISTINCT and of EXISTS."""
        refuse_others(node, ("this", "expression", "distinct", "with_"))
        parts = [self.query(part, alias) for part in (node.this, node.expression)]
        _check_alike(parts, node)
        if isinstance(node, exp.Union) and not node.args.get("distinct"):
            return stacked(parts)
        columns = list(zip(*(part.columns.items() for part in parts), strict=False))
        names = [name for (name, _), _ in columns]
        if isinstance(node, exp.Union):
            return self._between((stacked(parts),), names).query(distinct_rows(names), alias)
        if not isinstance(node, exp.Intersect | exp.Except):
            raise Refused("subquery", "This kind of subquery is not supported.", "Write SELECT.", position(node))
        if any(len(part.columns) != len(columns) for part in parts):
            reason = f"The parts of {node.key.upper()} have different columns."
            raise Refused("unsupported-form", reason, "Select the same.", position(node))
        whose = tuple(part.unit for part in parts)
        if any(one.nullable and other.nullable and (one, other) != whose for (_, one), (_, other) in columns):
            reason = f"{node.key.upper()} of columns that can be NULL is not supported."
            hint = "Select only the column that names the person, or have the others declared with nulls = false."
            raise Refused("unsupported-form", reason, hint, position(node))
        return self._between(parts, names).query(among_others(node, names), alias)

    def _between(self, parts: Sequence[Origin], names: Sequence[str]) -> Relations:
        """With the parts of a set operation, whose columns all have the names of the first part's."""
        called = {
            name: part.called(name, dict(zip(names, part.columns.values(), strict=True)))
            for name, part in zip((LEFT, RIGHT), parts, strict=False)
        }
        return Relations(self.policy, {**self.named, **called})

    def _members(self, select: exp.Select, rows: Origin) -> RowScope:
        """`x IN (SELECT ...)` and EXISTS: each is one more table beside the rows, in which a row is or is not."""
        found: dict[exp.Expression, Expression] = {}
        for one in scalars(select):
            if one not in found and (beside_one := self._scalar(one, rows, found)) is not None:
                rows, found[one] = beside_one
        for node in memberships(select):
            rows = opened(rows)
            scope = RowScope(rows, found)
            if node in found:
                continue
            if isinstance(node, exp.Exists):
                rows, found[node] = existing(node, self._set(node.this, scope), rows)
            else:
                value = translate(node.this, scope)
                rows, found[node] = contained(node, value, self._set(node.args["query"], scope), rows)
        return RowScope(rows, found)

    def _scalar(
        self, node: exp.Subquery, rows: Origin, found: Mapping[exp.Expression, Expression]
    ) -> tuple[Origin, Expression] | None:
        """The rows beside a subquery for one value, and that value; None: it is about everybody, and so no row's."""
        select: exp.Expression = node
        while isinstance(select, exp.Subquery):
            refuse_others(select, ("this", "alias"))
            select = select.this
        if not isinstance(select, exp.Select) or select.args.get("from_") is None:
            return None
        within = self.within(select)
        items = within._items(select)  # noqa: SLF001 - of its own kind
        tables = {alias: names for item in items for alias, names in item.origin.names.items()}
        spoken = spoken_of(parts_of(select.args.get("where")), tables, rows)
        if not spoken.pairs and any(item.origin.private for item in items):
            return None
        check_inner(select)
        meant = scalar(select, spoken)
        left = opened(rows.numbered())
        other = within.query(meant.query, meant.alias)
        both_sides = cut(beside(left, other, satisfied(meant.ties), outer=bool(meant.ties), node=node), node)
        value = translate(meant.value, RowScope(both_sides, found))
        names = {alias: names for alias, names in both_sides.names.items() if alias != meant.alias}
        return replace(both_sides, names=names), value

    def _set(self, node: exp.Expression, scope: RowScope) -> Members:
        """The rows of a subquery that can speak of the row outside of it, if it does so by equalities in WHERE."""
        select = node
        while isinstance(select, exp.Subquery):
            refuse_others(select, ("this",))
            select = select.this
        if not isinstance(select, exp.Select) or is_grouped(select):
            return Members(self.query(node, ""), ())
        check_inner(select)
        if select.args.get("from_") is None and isinstance(node.parent, exp.Exists):
            raise Refused("subquery", "This subquery has no table.", "Write FROM.", position(select))
        within = self.within(select)
        items = within._items(select)  # noqa: SLF001 - of its own kind
        tables = {alias: names for item in items for alias, names in item.origin.names.items()}
        spoken = spoken_of(parts_of(select.args.get("where")), tables, scope.origin)
        inner = within._rows(select, items, spoken.local)  # noqa: SLF001 - as above
        pairs = tuple((translate(one, scope), translate(other, inner)) for one, other in spoken.pairs)
        besides: Expression | None = None
        for part in spoken.alone:
            besides = both(besides, condition(part, scope))
        chosen = row_by_row(select, inner) if isinstance(node.parent, exp.In) else inner.origin
        extents = [(name, translate(one, scope), translate(other, inner)) for name, one, other in spoken.extents]
        return Members(chosen, pairs, besides, extents[0] if extents else None)

    def _names(self) -> str:
        return ", ".join(name for name, table in self.policy.tables.items() if not table.public)


def _is_bracketed(node: exp.Expression) -> bool:
    """Whether these are brackets around tables, and not around a SELECT."""
    if not isinstance(node, exp.Subquery):
        return False
    inner = node.this
    joined = isinstance(inner, exp.Subquery) and bool(inner.args.get("joins") or inner.alias)
    return isinstance(inner, exp.Table) or joined or _is_bracketed(inner)


def _alone(node: exp.Expression) -> exp.Expression:
    """A table without what is joined to it."""
    found = node.copy()
    found.set("joins", None)
    return found


def _check_alike(parts: list[Origin], node: exp.Expression) -> None:
    """Equal values of the unit are one unit, so all parts have one, or none has and no table is there twice."""
    if len({(part.private, part.unit is None) for part in parts}) > 1:
        reason = "Private and public tables, or tables of people and of rows, cannot be stacked."
        raise Refused("unit-join", reason, "Ask about them one by one.", position(node))
    kinds = {part.unit.kind for part in parts if part.unit is not None}
    if len(kinds) > 1:
        raise Refused(
            "unit-join", "These tables name people by different types.", "Ask about them one by one.", position(node)
        )
    if not parts[0].private or parts[0].person:
        return
    read = [name for part in parts for name in tables(part.table)]
    if parts[0].unit is not None or len(set(read)) < len(read):
        reason = "Where each row is protected on its own, only different tables can be stacked, before they are joined."
        raise Refused("unit-join", reason, "Ask about them one by one.", position(node))


def _check_size(origin: Origin, node: exp.Expression) -> None:
    if len(tables(origin.table)) > _MOST_TABLES:
        reason = f"This reads tables more than {_MOST_TABLES} times."
        raise Refused("too-long", reason, "Join fewer at once.", position(node))
    if depth(origin.table) > _DEEPEST:
        reason = f"More than {_DEEPEST} subqueries rest on each other."
        raise Refused("too-long", reason, "Compute less in subqueries.", position(node))


def _check_parts(names: Names, node: exp.Expression) -> None:
    parts = [size(value, _MOST_PARTS) for value in names.values()]
    spend(sum(parts))
    if any(part >= _MOST_PARTS for part in parts):
        raise Refused("too-long", "A column of this subquery is too long.", "Compute less in it.", position(node))
