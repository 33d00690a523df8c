"""What a subquery makes of its rows: columns row by row, or one row per unit and key."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from deniable.core.algebra.expression import Column, Expression
from deniable.core.algebra.relation import UNIT, Field, Grouped
from deniable.core.errors import Refused
from deniable.planner.expressions.keys import Domain, GroupKey, domain
from deniable.planner.expressions.translate import translate
from deniable.planner.parse import position
from deniable.planner.relations.clauses import referred, refuse_others, terms, title
from deniable.planner.relations.rows import ALONE, MERGED, Origin
from deniable.planner.relations.scopes import RowScope, aggregates, condition
from deniable.planner.relations.subqueries.per_unit import UnitScope
from deniable.planner.relations.usual import usual_range


def row_by_row(select: exp.Select, scope: RowScope) -> Origin:
    """Columns are expressions over the rows below; nothing is computed yet."""
    fields = [found for node in select.expressions for found in _fields(node, scope)]
    check_once([name for name, _ in fields], select)
    return scope.origin.called("", dict(fields))


def _fields(node: exp.Expression, scope: RowScope) -> list[tuple[str, Expression]]:
    """One column, or all columns of a table for its star."""
    star = node if isinstance(node, exp.Star) else node.this if isinstance(node, exp.Column) else None
    if not isinstance(star, exp.Star):
        return [(title(node), translate(node, scope))]
    refuse_others(star, ())
    wanted = node.table.lower() if isinstance(node, exp.Column) else None
    if wanted is None:
        return everything(scope.origin)
    chosen = [names for alias, names in scope.origin.names.items() if alias.lower() == wanted and alias != MERGED]
    if not chosen:
        hint = f"Write {' or '.join(f'{alias}.*' for alias in scope.origin.names if alias != MERGED)}."
        raise Refused("unknown-table", f"There is no table {wanted!r} here.", hint, position(node))
    return [field for names in chosen for field in names.items()]


def everything(origin: Origin) -> list[tuple[str, Expression]]:
    """All columns of all tables, those that USING made one only once and first."""
    merged = origin.names.get(MERGED, {})
    once = {name.lower() for name in merged}
    tables = [names for alias, names in origin.names.items() if alias != MERGED]
    others = [(name, value) for names in tables for name, value in names.items() if name.lower() not in once]
    return [*merged.items(), *others]


def is_grouped(select: exp.Select) -> bool:
    """Whether rows are put together in it."""
    grouped = select.args.get("group") or select.args.get("having") or select.args.get("distinct")
    return bool(grouped) or next(aggregates(select.expressions), None) is not None


def grouped(select: exp.Select, scope: RowScope) -> Origin:
    """One row per unit, or per unit and further keys; of public rows, per keys."""
    origin = scope.origin
    if origin.alone:
        raise Refused("unit-join", ALONE, "Put the private table first.", position(select))
    nodes = [referred(node, select, scope) for node in terms(select, "group")]
    if (distinct := select.args.get("distinct")) is not None:
        if distinct.args.get("on") is not None:
            raise Refused("distinct", "DISTINCT ON is not supported.", "Write DISTINCT.", position(select))
        if nodes or next(aggregates(select.expressions), None) is not None:
            hint = "Leave DISTINCT out: each row of GROUP BY is there once."
            raise Refused("distinct", "DISTINCT and aggregates do not go together here.", hint, position(select))
        nodes = [node.unalias() for node in select.expressions]
    values = list(dict.fromkeys(translate(node, scope) for node in nodes))
    _check_own(origin, values, select)
    others = [value for value in values if value != origin.unit]
    keys = [GroupKey(f"k{place}", value, None) for place, value in enumerate(others)]
    unit = None if origin.unit is None else replace(origin.unit, name=UNIT, nullable=False)
    whose = [] if origin.unit is None else [GroupKey(UNIT, origin.unit, None)]
    inner = UnitScope(scope, [*whose, *keys])
    check_once([title(node) for node in select.expressions], select)
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
        links={key.name: table for key in keys if (table := origin.leads(key.value)) is not None},
        key=keys[0].name if len(keys) == 1 and origin.leads(keys[0].value) is not None else None,
        usual={
            name: within
            for measure, name in inner.measures.items()
            if origin.private and (within := usual_range(measure, origin.contribution)) is not None
        },
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
    if origin.unit not in values and not any(origin.leads(value) for value in values):
        reason = "A subquery that puts rows together must have one row per person."
        hint = "Put the column that names the person into GROUP BY, or ask for the aggregate itself."
        raise Refused("subquery", reason, hint, position(select))


def check_once(titles: list[str], node: exp.Expression) -> None:
    """A subquery's columns have different names."""
    lower = [name.lower() for name in titles]
    if len(set(lower)) < len(lower):
        twice = next(name for name in titles if lower.count(name.lower()) > 1)
        raise Refused("unsupported-form", f"Two columns are called {twice!r}.", "Rename one.", position(node))
