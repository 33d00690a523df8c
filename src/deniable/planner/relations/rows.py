"""What a SELECT ranges over: rows, whose they are, how much of them one unit may own, and what their names mean.

Row by row, subqueries and CTEs leave no trace: their columns are expressions over the rows below, and their conditions
are added up. What remains is a relation of the closed algebra (core/algebra/relation.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Self

from deniable.core.algebra.expression import Column, Expression, Kind, Range, columns, renamed
from deniable.core.algebra.query import Source
from deniable.core.algebra.relation import (
    ROW,
    UNIT,
    LookedUp,
    Matches,
    Numbered,
    Relation,
    Work,
)
from deniable.planner.expressions.functions import call
from deniable.planner.expressions.keys import Domain, conjuncts
from deniable.planner.relations.alone import rejects
from deniable.policy import DeclaredTable, Entry

MOST_WEIGHT = 10**9
"""As in a policy: nobody has more rows than this that should all count."""

ALONE = "A subquery cannot keep the rows of a public table that no private row matches."
"""Those rows belong to nobody."""

Names = Mapping[str, Expression]
"""What each name of a table means."""

MERGED = "\0"
"""Stands in the place of an alias for columns that USING or NATURAL made one: a bare name means these first."""


@dataclass(frozen=True, slots=True)
class Side:
    """A part of a join in which a unit can have several rows."""

    place: int
    unit: str
    contribution: int
    most: int
    by: tuple[Column, ...]
    """All that a question can see of a row."""
    key: Column | None
    """The declared key of its rows."""
    found: bool = False
    """Whether something is joined to it along that key: then as many rows of each key are met as there are, not all."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Rows of a relation that satisfy `where`."""

    table: Relation
    where: Expression | None
    unit: Column | None
    """The column that names the unit; None: all is public, or the unit is the row."""
    private: bool
    person: bool
    """Whether the protected unit is more than one row of a declared table."""
    single: bool
    """Whether a unit has one row at most."""
    contribution: int
    """The most that one unit may weigh, in rows: what it can have if it keeps to its tables' contributions."""
    keys: int
    """In how many groups a unit may count where keys are private."""
    names: Mapping[str, Names]
    """By table or alias."""
    values: Mapping[str, Domain]
    """The declared values of the relation's columns."""
    steps: Mapping[str, Fraction]
    """The declared steps of the relation's columns."""
    most: int
    """The most rows of one unit that are put beside others, not counting public rows that match."""
    matches: tuple[Matches, ...] = ()
    """The public rows that stand beside each of them."""
    works: tuple[Work, ...] = ()
    """What the rows of one unit can become, for each join so far."""
    sides: tuple[Side, ...] = ()
    """Of a join: the parts in which a unit can have several rows."""
    homes: Mapping[str, frozenset[tuple[str, ...]]] = field(default_factory=dict)
    """What may be written before a table that stands here under its own name."""
    links: Mapping[str, str] = field(default_factory=dict)
    """The columns by which the policy finds whose a row is, and the table whose key they hold."""
    key: str | None = None
    """The column of a declared table that the policy says nobody has twice."""
    entries: Mapping[str, tuple[str, Mapping[Entry, Entry]]] = field(default_factory=dict)
    """The columns of public tables that were read: the key that each follows from, and its value for each of these."""
    alone: frozenset[str] = frozenset()
    """The columns that are NULL in public rows which stay alone in an outer join: those rows are not among these."""
    usual: Mapping[str, Range] = field(default_factory=dict)
    """Where what was measured for each person usually lies."""

    @classmethod
    def of(cls, table: DeclaredTable, alias: str) -> Self:
        """A declared table, whose rows name their unit or the rows by which it is found."""
        unit = None if table.unit is None else table.columns[table.unit].expression
        relation: Relation = table.name
        if table.path:
            relation, unit = looked_up(table), Column(UNIT, table.path[-1].kind, nullable=False)
        links = {} if unit is None or table.key is None else {table.key: table.name}
        return cls(
            table=relation,
            where=None,
            unit=unit,
            private=not table.public,
            person=unit is not None,
            single=unit is None,
            contribution=table.contribution,
            keys=table.keys,
            names={alias: _columns(table)},
            values={name: column.values for name, column in table.columns.items() if column.values is not None},
            steps={name: column.step for name, column in table.columns.items() if column.step is not None},
            most=1 if unit is None else table.most,
            links={**links, **{step.column: step.table for step in table.path[:1]}},
            key=table.key,
            entries={name: (table.key, found) for name, found in table.entries.items() if table.key is not None},
        )

    @property
    def source(self) -> Source:
        """The rows of a question. Where a unit has one row at most, the row is the unit, and nothing is weighed."""
        unit = None if self.single or self.unit is None else self.unit.name
        return Source(self.table, unit, self.contribution if unit is not None else 1, self.where, self.works)

    @property
    def columns(self) -> Names:
        """Of all tables together; where two have the same name, of the first."""
        found: dict[str, Expression] = {}
        for names in self.names.values():
            for name, value in names.items():
                found.setdefault(name, value)
        return found

    def leads(self, value: Expression) -> str | None:
        """The table whose key this is, by which a row's unit is found."""
        return self.links.get(value.name) if isinstance(value, Column) else None

    def is_key(self, value: Expression) -> bool:
        """Whether this is the declared key of the rows, which are those of one table."""
        return self.key is not None and isinstance(value, Column) and value.name == self.key

    def only(self, where: Expression | None) -> Origin:
        """The rows that satisfy one more condition; those that stay alone may not."""
        alone = frozenset() if where is not None and rejects(where, self.alone) else self.alone
        return replace(self, where=both(self.where, where), alone=alone)

    def called(self, alias: str, names: Names) -> Origin:
        """The same rows under one alias, with these names."""
        return replace(self, names={alias: names}, homes={})

    def prefixed(self, prefix: str) -> Origin:
        """As a part of a join."""
        return replace(
            self,
            where=None if self.where is None else renamed(self.where, prefix),
            unit=None if self.unit is None else replace(self.unit, name=prefix + self.unit.name),
            names={alias: _all(names, prefix) for alias, names in self.names.items()},
            values={prefix + name: values for name, values in self.values.items()},
            steps={prefix + name: step for name, step in self.steps.items()},
            links={prefix + name: table for name, table in self.links.items()},
            key=None if self.key is None else prefix + self.key,
            entries={prefix + name: (prefix + key, found) for name, (key, found) in self.entries.items()},
            alone=frozenset(prefix + name for name in self.alone),
            usual={prefix + name: within for name, within in self.usual.items()},
        )

    def numbered(self) -> Origin:
        """With a name for each row, if the row is the unit: a join can make several of one."""
        if not self.private or self.unit is not None:
            return self
        unit = Column(ROW, Kind.INTEGER, nullable=False)
        return replace(self, table=Numbered(self.table), unit=unit, single=False)

    @property
    def numbered_rows(self) -> bool:
        """Whether the unit is a row's number: another one after every change, so it may only tell rows apart."""
        return self.unit is not None and self.unit.name.endswith(ROW)

    def side(self, place: int) -> tuple[Side, ...]:
        """What it is as the part of a join at this place, if a unit can have several rows in it."""
        if self.unit is None or self.single or self.numbered_rows:
            return ()
        seen = [*self.columns.values(), self.unit, *([] if self.where is None else [self.where])]
        by = {column.name: column for value in seen for column in columns(value)}
        keys = [value for value in self.columns.values() if self.is_key(value) and isinstance(value, Column)]
        seen_in_order = tuple(by[name] for name in sorted(by))
        return (Side(place, self.unit.name, self.contribution, self.most, seen_in_order, keys[0] if keys else None),)

    def missing(self) -> Origin:
        """As the part of an outer join that may not be there: any column can be NULL. Needs to be settled."""
        names = {
            alias: {name: replace(value, nullable=True) for name, value in names.items() if isinstance(value, Column)}
            for alias, names in self.names.items()
        }
        return replace(self, names=names)


def _columns(table: DeclaredTable) -> Names:
    """The declared columns; what a unit was found by is there."""
    found = {name: column.expression for name, column in table.columns.items()}
    return found | {step.column: replace(found[step.column], nullable=False) for step in table.path[:1]}


def looked_up(table: DeclaredTable) -> LookedUp:
    """The rows of a table, each with the unit that is found by its key; by several keys, one after the other."""
    *before, last = table.path
    through: str | LookedUp = last.table
    unit = last.unit
    for step, after in zip(reversed(before), reversed(table.path), strict=False):
        through, unit = LookedUp(step.table, after.column, through, after.key, unit), UNIT
    first = table.path[0]
    return LookedUp(table.name, first.column, through, first.key, unit)


def both(one: Expression | None, other: Expression | None) -> Expression | None:
    """Two conditions that must both hold."""
    if one is None or other is None:
        return one if other is None else other
    return call("and", *conjuncts(one), *conjuncts(other))


def owner(unit: Column) -> Column:
    """The unit's column after rows without a unit are gone."""
    return replace(unit, name=UNIT, nullable=False)


def _all(names: Names, prefix: str) -> Names:
    return {name: renamed(value, prefix) for name, value in names.items()}
