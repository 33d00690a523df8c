"""FROM, JOIN, WITH, subqueries and IN (SELECT ...): which rows a SELECT ranges over.

Nothing here may let one unit's rows depend on another's: private tables join on the unit, aggregates inside a subquery
are taken per unit, and everything else is row by row or public.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from deniable.core.algebra.expression import Column, Expression, size
from deniable.core.algebra.relation import UNIT, Field, Grouped, depth, tables
from deniable.core.errors import Refused
from deniable.planner.expressions.keys import Domain, GroupKey, domain
from deniable.planner.expressions.translate import translate
from deniable.planner.parse import position
from deniable.planner.relations.clauses import check_inner, referred, refuse_others, terms, title
from deniable.planner.relations.joins import joined, opened
from deniable.planner.relations.membership import among, memberships
from deniable.planner.relations.per_unit import UnitScope
from deniable.planner.relations.rows import Names, Origin, stacked
from deniable.planner.relations.scopes import RowScope, aggregates, condition
from deniable.planner.work import spend
from deniable.policy import Policy

_MOST_TABLES = 16
_DEEPEST = 50
"""So that the statement which is made of them can be written down and read."""
_MOST_PARTS = 500
"""Of one column: subqueries can double it at each level, and a question can name it a hundred times."""


@dataclass(frozen=True, slots=True)
class Relations:
    """What the names behind FROM mean: declared tables, and the queries that WITH has named so far."""

    policy: Policy
    named: Mapping[str, Origin]

    def within(self, select: exp.Select) -> Relations:
        """Beyond the WITH clause of a SELECT."""
        clause, named = select.args.get("with_"), dict(self.named)
        if clause is not None and clause.args.get("recursive"):
            raise Refused("unsupported-clause", "WITH RECURSIVE is not supported.", "Write WITH.", position(clause))
        for query in clause.expressions if clause is not None else []:
            inner = Relations(self.policy, named)
            named[query.alias.lower()] = inner.query(query.this, query.alias, query.args["alias"].columns)
        return Relations(self.policy, named)

    def rows(self, select: exp.Select) -> RowScope:
        """The rows of a SELECT: its tables side by side, those that WHERE leaves."""
        origin = select.args.get("from_")
        if origin is None:
            raise Refused("unknown-table", "A question is about a declared table.", f"Write FROM {self._names()}.")
        others = [(node, self._table(node.this)) for node in select.args.get("joins") or ()]
        scope = self._members(select, joined(self._table(origin.this), others))
        _check_size(scope.origin, select)
        where = condition(select.args["where"].this, scope) if select.args.get("where") else None
        return replace(scope, origin=scope.origin.only(where))

    def query(self, node: exp.Expression, alias: str, columns: Sequence[exp.Identifier] = ()) -> Origin:
        """The rows of a subquery, under an alias."""
        if isinstance(node, exp.Subquery):
            refuse_others(node, ("this",))
            return self.query(node.this, alias, columns)
        if isinstance(node, exp.Union):
            found = self._union(node, alias)
        elif isinstance(node, exp.Select):
            check_inner(node)
            inner = self.within(node)
            scope = inner.rows(node)
            found = _grouped(node, scope) if _is_grouped(node) else _row_by_row(node, scope)
        else:
            raise Refused("subquery", "This kind of subquery is not supported.", "Write SELECT.", position(node))
        _check_parts(found.columns, node)
        names = list(found.columns)
        if len(columns) > len(names):
            raise Refused("unsupported-form", f"{alias!r} has only {len(names)} columns.", "", position(columns[-1]))
        titles = [column.name for column in columns] + names[len(columns) :]
        _check_once(titles, node)
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
        refuse_others(node, ("this", "alias"))
        if alias is not None and alias.columns:
            raise Refused(
                "unsupported-clause",
                "Other names for a table's columns are not supported.",
                "Rename them in SELECT.",
                position(node),
            )
        if node.name.lower() in self.named:
            known = self.named[node.name.lower()]
            return known.called(node.alias or node.name, known.columns)
        declared = {name.lower(): table for name, table in self.policy.tables.items()}
        if node.name.lower() not in declared:
            reason = f"There is no table {node.name!r}."
            raise Refused("unknown-table", reason, f"There is {self._names()}.", position(node))
        return Origin.of(declared[node.name.lower()], node.alias or node.name)

    def _union(self, node: exp.Union, alias: str) -> Origin:
        """UNION ALL of any number of parts."""
        if node.args.get("distinct") or node.args.get("by_name"):
            raise Refused(
                "unsupported-clause", "UNION is only supported as UNION ALL.", "Write UNION ALL.", position(node)
            )
        refuse_others(node, ("this", "expression", "distinct"))
        parts = [self.query(part, alias) for part in (node.this, node.expression)]
        _check_alike(parts, node)
        return stacked(parts)

    def _members(self, select: exp.Select, rows: Origin) -> RowScope:
        """`x IN (SELECT ...)`: each is one more table beside the rows, which has a row for x or has not."""
        found: dict[exp.Expression, Expression] = {}
        for node in memberships(select):
            rows = opened(rows)
            if node not in found:
                value = translate(node.this, RowScope(rows, found))
                rows, found[node] = among(node, rows, value, self.query(node.args["query"], ""))
        return RowScope(rows, found)

    def _names(self) -> str:
        return ", ".join(name for name, table in self.policy.tables.items() if not table.public)


def _row_by_row(select: exp.Select, scope: RowScope) -> Origin:
    """Columns are expressions over the rows below; nothing is computed yet."""
    fields = [found for node in select.expressions for found in _fields(node, scope)]
    _check_once([name for name, _ in fields], select)
    return scope.origin.called("", dict(fields))


def _fields(node: exp.Expression, scope: RowScope) -> list[tuple[str, Expression]]:
    """One column, or all columns of a table for its star."""
    star = node if isinstance(node, exp.Star) else node.this if isinstance(node, exp.Column) else None
    if not isinstance(star, exp.Star):
        return [(title(node), translate(node, scope))]
    refuse_others(star, ())
    wanted = node.table.lower() if isinstance(node, exp.Column) else None
    chosen = [names for alias, names in scope.origin.names.items() if wanted is None or alias.lower() == wanted]
    if not chosen:
        raise Refused("unknown-table", f"There is no table {wanted!r} here.", "", position(node))
    return [field for names in chosen for field in names.items()]


def _is_grouped(select: exp.Select) -> bool:
    grouped = select.args.get("group") or select.args.get("having") or select.args.get("distinct")
    return bool(grouped) or next(aggregates(select.expressions), None) is not None


def _grouped(select: exp.Select, scope: RowScope) -> Origin:
    """One row per unit, or per unit and further keys; of public rows, per keys."""
    origin = scope.origin
    nodes = [referred(node, select, scope) for node in terms(select, "group")]
    if (distinct := select.args.get("distinct")) is not None:
        if distinct.args.get("on") is not None:
            raise Refused("distinct", "DISTINCT ON is not supported.", "Write DISTINCT.", position(select))
        if nodes or next(aggregates(select.expressions), None) is not None:
            raise Refused("distinct", "DISTINCT and aggregates do not go together here.", "", position(select))
        nodes = [node.unalias() for node in select.expressions]
    values = list(dict.fromkeys(translate(node, scope) for node in nodes))
    _check_own(origin, values, select)
    others = [value for value in values if value != origin.unit]
    keys = [GroupKey(f"k{place}", value, None) for place, value in enumerate(others)]
    unit = None if origin.unit is None else replace(origin.unit, name=UNIT, nullable=False)
    whose = [] if origin.unit is None else [GroupKey(UNIT, origin.unit, None)]
    inner = UnitScope(scope, [*whose, *keys])
    _check_once([title(node) for node in select.expressions], select)
    names = {title(node): _known(translate(node, inner), unit) for node in select.expressions}
    inner.aliases = {name.lower(): (value,) for name, value in names.items()}
    having = select.args.get("having")
    where = None if having is None else condition(having.this, inner)
    return Origin(
        table=Grouped(
            origin.table,
            None if origin.unit is None else origin.unit.name,
            origin.where,
            tuple(Field(key.name, key.value) for key in keys),
            tuple(replace(measure, name=name) for measure, name in inner.measures.items()),
        ),
        where=where,
        unit=unit,
        private=origin.private,
        person=origin.person,
        single=unit is not None and not keys,
        contribution=origin.contribution if keys else 1,
        keys=origin.keys if keys else 1,
        names={"": names},
        values={key.name: found for key in keys if (found := _listed(key.value, origin))},
        steps={},
        most=origin.most if keys else 1,
        matches=origin.matches if keys else (),
        works=origin.works,
    )


def _listed(value: Expression, origin: Origin) -> Domain | None:
    """The values of a key, if they are few enough to be listed."""
    try:
        return domain(value, origin.where, origin.values)
    except Refused:
        return None


def _known(value: Expression, unit: Column | None) -> Expression:
    """The unit's column is never NULL here: rows without a unit are gone."""
    return unit if unit is not None and isinstance(value, Column) and value.name == UNIT else value


def _check_own(origin: Origin, values: list[Expression], select: exp.Select) -> None:
    """Private rows are put together only with others of the same unit."""
    if not origin.private:
        return
    if origin.unit is None:
        reason = "In this table each row is protected on its own, so rows cannot be put together in a subquery."
        raise Refused("subquery", reason, "Ask for the aggregate itself.", position(select))
    if origin.unit not in values:
        reason = "A subquery that puts rows together must have one row per person."
        hint = "Put the column that names the person into GROUP BY, or ask for the aggregate itself."
        raise Refused("subquery", reason, hint, position(select))


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


def _check_once(titles: list[str], node: exp.Expression) -> None:
    lower = [name.lower() for name in titles]
    if len(set(lower)) < len(lower):
        twice = next(name for name in titles if lower.count(name.lower()) > 1)
        raise Refused("unsupported-form", f"Two columns are called {twice!r}.", "Rename one.", position(node))
