"""UNION ALL: rows of several parts one after the other, and what is then known of their columns."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from deniable.core.algebra.expression import Column, Expression, Kind, Literal, Range
from deniable.core.algebra.relation import Field, Projected, Stacked
from deniable.core.errors import Refused
from deniable.planner.expressions.allow_list import longest
from deniable.planner.expressions.functions import call
from deniable.planner.expressions.keys import Domain
from deniable.planner.expressions.ranges import union
from deniable.planner.relations.rows import ALONE, MOST_WEIGHT, Origin, owner
from deniable.planner.relations.usual import within_usual


def stacked(parts: list[Origin]) -> Origin:
    """UNION ALL: columns by position, named as in the first part."""
    first = parts[0]
    columns = [[value for names in part.names.values() for value in names.values()] for part in parts]
    if any(len(values) != len(columns[0]) for values in columns):
        raise Refused("unsupported-form", "The parts of a UNION ALL have different columns.", "Select the same.")
    if any(part.alone for part in parts):
        raise Refused("unit-join", ALONE, "Put the private table first.")
    if first.numbered_rows:
        raise Refused("unit-join", "Where each row is a unit of its own, it cannot be joined so.", "Use JOIN.")
    fields = [_Stack.of(f"c{place}", [values[place] for values in columns], parts) for place in range(len(columns[0]))]
    named, alone = iter(fields), len(parts) == 1
    projected = tuple(
        Projected(
            part.table,
            None if part.unit is None else part.unit.name,
            part.where,
            tuple(Field(field.column.name, field.values[place]) for field in fields),
        )
        for place, part in enumerate(parts)
    )
    return Origin(
        table=projected[0] if alone else Stacked(projected),
        where=None,
        unit=None if first.unit is None else owner(first.unit),
        private=first.private,
        person=first.person,
        single=first.single if alone else first.unit is None,
        contribution=min(MOST_WEIGHT, sum(part.contribution for part in parts)),
        keys=min(MOST_WEIGHT, sum(part.keys for part in parts)),
        names={alias: {name: next(named).named for name in names} for alias, names in first.names.items()},
        values={field.column.name: field.listed for field in fields if field.listed is not None},
        steps={field.column.name: field.step for field in fields if field.step is not None},
        most=min(MOST_WEIGHT, sum(part.most for part in parts)),
        matches=tuple(found for part in parts for found in part.matches),
        works=tuple(found for part in parts for found in part.works),
        homes=first.homes,
        links={field.column.name: field.link for field in fields if field.link is not None},
        key=next((field.column.name for field in fields if first.is_key(field.values[0])), None) if alone else None,
        usual={field.column.name: field.usual for field in fields if field.usual is not None},
    )


def settled(rows: Origin) -> Origin:
    """A relation's rows with nothing left to compute: names are columns, and no condition is open."""
    values = [value for names in rows.names.values() for value in names.values()]
    if rows.where is None and all(isinstance(value, Column) for value in values):
        return rows
    return stacked([rows])


@dataclass(frozen=True, slots=True)
class _Stack:
    """One column of UNION ALL, as each part has it."""

    column: Column
    values: tuple[Expression, ...]
    named: Expression
    listed: Domain | None
    step: Fraction | None
    link: str | None
    usual: Range | None

    @classmethod
    def of(cls, name: str, values: list[Expression], parts: list[Origin]) -> Self:
        kind = _common(values)
        there = [value.range for value in values if not _null(value)]
        within, maybe = union(*there) if there else Range(), any(value.nullable for value in values)
        column = Column(name, kind, within, maybe, max(map(longest, values)) if kind is Kind.TEXT else None)
        unit = parts[0].unit
        whose = unit is not None and all(value == part.unit for value, part in zip(values, parts, strict=True))
        listed = [part.values.get(_name(value)) for value, part in zip(values, parts, strict=True)]
        steps = {part.steps.get(_name(value)) for value, part in zip(values, parts, strict=True)}
        links = {part.leads(value) for value, part in zip(values, parts, strict=True)}
        return cls(
            column=column,
            values=tuple(value if value.kind is kind else _as(value, kind) for value in values),
            named=owner(unit) if whose and unit is not None else column,
            listed=None if None in listed else tuple(dict.fromkeys(entry for each in listed for entry in each or ())),
            step=steps.pop() if len(steps) == 1 else None,
            link=links.pop() if len(links) == 1 else None,
            usual=_usual(values, parts),
        )


def _usual(values: list[Expression], parts: list[Origin]) -> Range | None:
    """Where the values of all parts usually lie, if they have no bounds but that is known."""
    found = [within_usual(value, part.usual) for value, part in zip(values, parts, strict=True)]
    there = [value.range for value in found if not _null(value)]
    return union(*there) if found != values and all(one.finite for one in there) else None


def _name(value: Expression) -> str:
    return value.name if isinstance(value, Column) else ""


def _common(values: list[Expression]) -> Kind:
    """The kind that all of them can be read as; a NULL constant takes any."""
    kinds = {value.kind for value in values if not _null(value)}
    if kinds == {Kind.INTEGER, Kind.NUMBER}:
        return Kind.NUMBER
    if len(kinds) > 1:
        raise Refused("type-mismatch", "The parts of a UNION ALL have columns of different kinds.", "Cast them.")
    return kinds.pop() if kinds else Kind.NUMBER


def _as(value: Expression, kind: Kind) -> Expression:
    return Literal(None, kind) if _null(value) else call("to_number", value)


def _null(value: Expression) -> bool:
    return isinstance(value, Literal) and value.value is None
