"""What names mean: before the aggregates, columns of the rows; after them, keys, aggregates and aliases."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from sqlglot import exp

from deniable.core.algebra.expression import Call, Column, Expression, Kind, Literal
from deniable.core.errors import Refused
from deniable.planner.aggregates.makers import Aggregate
from deniable.planner.aggregates.statistics import Statistics
from deniable.planner.aggregates.table import COUNT, DISTINCT, SUM, UNITS, AggregateFunction, proposal
from deniable.planner.aggregates.written import written
from deniable.planner.expressions.allow_list import longest
from deniable.planner.expressions.functions import call
from deniable.planner.expressions.keys import GroupKey
from deniable.planner.expressions.translate import NAMED, Scope, meaning, translate
from deniable.planner.parse import position
from deniable.planner.relations.alone import check_skipped
from deniable.planner.relations.determined import determined
from deniable.planner.relations.names import qualifier
from deniable.planner.relations.rows import MERGED, Origin
from deniable.planner.relations.usual import within_usual
from deniable.planner.wording.own_words import advised, spelled
from deniable.planner.work import spend

_NAMES_A_STEP = 16
"""How many names are gone through while a part of an expression is understood."""


@dataclass(frozen=True, slots=True)
class RowScope:
    """Inside aggregates, WHERE and GROUP BY: one row."""

    origin: Origin
    members: Mapping[exp.Expression, Expression] = field(default_factory=dict)
    """What `x IN (SELECT ...)`, and a subquery for one value, means, where rows are joined to it."""

    def special(self, node: exp.Expression) -> Expression | None:
        """Whether the row is among others, and the value of a subquery; nothing else is special in a row."""
        return self.members.get(node) if isinstance(node, exp.In | exp.Exists | exp.Subquery) else None

    def column(self, node: exp.Column) -> Expression:
        """A declared column. What is not declared does not exist."""
        merged = {name.lower(): value for name, value in self.origin.names.get(MERGED, {}).items()}
        if not node.table and node.name.lower() in merged:
            return merged[node.name.lower()]
        found = [
            {name.lower(): value for name, value in names.items()}
            for alias, names in self.origin.names.items()
            if alias != MERGED and (not node.table or node.table.lower() == alias.lower())
        ]
        if not found or not self._at_home(node):
            path = ".".join([*qualifier(node), node.table])
            hint = f"Write {' or '.join(f'{name}.{node.name}' for name in self.origin.names)}."
            raise Refused("unknown-table", f"There is no table {path!r} here.", hint, position(node))
        spend(sum(map(len, found)) // _NAMES_A_STEP)
        meant = [names[node.name.lower()] for names in found if node.name.lower() in names]
        if not meant:
            raise self._unknown(node, [name for names in found for name in names])
        if any(other != meant[0] for other in meant[1:]):
            hint = "Write the table before it: table.column."
            raise Refused("ambiguous-column", f"{node.name!r} is in several tables.", hint, position(node))
        return meant[0]

    def _at_home(self, node: exp.Column) -> bool:
        """Whether what stands before the column's table is where that table lies; an alias lies nowhere."""
        path = qualifier(node)
        homes = {alias.lower(): paths for alias, paths in self.origin.homes.items()}
        return not path or path in homes.get(node.table.lower(), frozenset())

    def _unknown(self, node: exp.Column, names: list[str]) -> Refused:
        spend(len(names))
        spelled = {name.lower(): name for name in self.origin.columns}
        close = get_close_matches(node.name.lower(), names, n=1)
        there = ", ".join(dict.fromkeys(spelled[name] for name in names))
        hint = f"Did you mean {_written(spelled[close[0]])}?" if close else f"There are: {there}."
        if isinstance(node.this, exp.Identifier) and node.this.quoted and not node.table and not close:
            hint = f"A text is written in single quotes: {exp.Literal.string(node.name).sql()}. {hint}"
        return Refused("unknown-column", f"There is no column {node.name!r}.", hint, position(node))


@dataclass(slots=True)
class GroupScope(ABC):
    """Around aggregates, in HAVING and in ORDER BY: one group."""

    row: RowScope
    keys: Sequence[GroupKey]
    aliases: Mapping[str, Sequence[Expression]] = field(default_factory=dict)
    """What each name of the answer means: one thing, or several, and then it cannot be used."""
    found: dict[exp.Expression, Expression] = field(default_factory=dict)
    """What aggregates mean that were met before."""
    shown: dict[str, Column] = field(default_factory=dict)
    """Keys that were met before, by their names."""

    @abstractmethod
    def aggregate(self, node: exp.Expression) -> Expression:
        """What an aggregate means here."""

    def special(self, node: exp.Expression) -> Expression | None:
        """An aggregate, or a key."""
        if isinstance(node, _AGGREGATE):
            return self._placed(node)
        if isinstance(node, exp.Literal | exp.Boolean | exp.Null):
            return None
        if isinstance(node, exp.Anonymous) and _stray(node) and (meant := proposal(node.name)):
            reason = f"{node.name} is not on the list of functions."
            raise Refused("unknown-function", reason, f"Did you mean {meant}?", position(node))
        if not self.keys:
            return None
        try:
            value = meaning(node, self.row)
        except Refused:
            return None
        matching = [key for key in self.keys if key.value.range == value.range and key.value == value]
        return self._key(matching[0]) if matching else None

    def _key(self, key: GroupKey) -> Column:
        """A key as a column of the answer's algebra."""
        if key.name not in self.shown:
            length = longest(key.value) if key.value.kind is Kind.TEXT else None
            self.shown[key.name] = Column(key.name, key.value.kind, key.range, key.value.nullable, length)
        return self.shown[key.name]

    def column(self, node: exp.Column) -> Expression:
        """An alias of the answer; a column that is not a key has no one value per group."""
        found = self.alias(node)
        if found is not None:
            return found
        meant = self.row.column(node)
        value = determined(meant, self.row.origin, self.keys)
        if value is not None:
            return value
        numeric = meant.kind in (Kind.INTEGER, Kind.NUMBER)
        name = node.this.sql()
        example = f"AVG({name})" if numeric else f"COUNT(DISTINCT {name})"
        raise Refused(
            "not-grouped",
            f"{node.name!r} has no single value per group.",
            f"Write GROUP BY {name}, or put it into an aggregate such as {example}.",
            position(node),
        )

    def alias(self, node: exp.Expression) -> Expression | None:
        """What a bare name means among the columns of the answer, if it is one of their names.

        In ORDER BY such a name comes before the columns of the tables; elsewhere, and inside expressions, after them.
        """
        if not isinstance(node, exp.Column) or node.table or node.name.lower() not in self.aliases:
            return None
        first, *others = self.aliases[node.name.lower()]
        if others:
            reason = f"Several columns of the answer are called {node.name!r}."
            raise Refused("ambiguous-column", reason, "Give each a name of its own.", position(node))
        return first

    def _placed(self, node: exp.Expression) -> Expression:
        """A refusal without a place is about the whole aggregate."""
        if node in self.found:
            return self.found[node]
        try:
            return self.found.setdefault(node, self.aggregate(node))
        except Refused as refusal:
            if refusal.position is not None:
                raise
            hint = _bounded(node, refusal.hint) if refusal.code == "needs-bounds" else refusal.hint
            raise Refused(refusal.code, refusal.reason, hint, position(node)) from None


@dataclass(slots=True, kw_only=True)
class OutputScope(GroupScope):
    """A group of the answer: aggregates are noisy, and rest on statistics that are shared."""

    statistics: Statistics
    counted: frozenset[str]
    """Names of the counts that the question pays for anyway."""

    def aggregate(self, node: exp.Expression) -> Expression:
        """The output of one aggregate."""
        function, aggregate = taken_apart(node, self.row)
        return function.make(aggregate, self.statistics, self.counted)


def _written(name: str) -> str:
    """A name as it is to be typed: `marital-status` without quotes is a difference."""
    return repr(name) if name.isidentifier() else '"' + name.replace('"', '""') + '", in double quotes'


def aggregates(nodes: Sequence[exp.Expression]) -> Iterator[exp.Expression]:
    """Every aggregate in these parts of the question, with its FILTER."""
    for node in nodes:
        for part in node.walk(prune=lambda found: isinstance(found, _AGGREGATE)):
            if isinstance(part, _AGGREGATE):
                yield part


def taken_apart(node: exp.Expression, row: RowScope) -> tuple[AggregateFunction, Aggregate]:
    """Which aggregate it is, and what it is taken of (nothing for *), with its filter."""
    where = condition(node.expression.this, row) if isinstance(node, exp.Filter) else None
    found = written(node.this if isinstance(node, exp.Filter) else node)
    values = tuple(translate(value, row) for value in found.values)
    if found.function not in (COUNT, DISTINCT):
        values = tuple(within_usual(value, row.origin.usual) for value in values)
    values, where = conditional(values, where, zeros=found.function is SUM)
    check_skipped(values, where, row.origin.alone, zeros=found.function is SUM)
    if found.function.adds:
        values = tuple(call("to_integer", value) if value.kind is Kind.BOOLEAN else value for value in values)
    if found.function is DISTINCT and row.origin.unit is not None and values == (row.origin.unit,):
        units = COUNT if row.origin.single else UNITS  # with one row for each unit, rows are units
        return units, Aggregate((), where)
    return found.function, Aggregate(values, where, found.constants)


def conditional(
    values: tuple[Expression, ...], where: Expression | None, *, zeros: bool
) -> tuple[tuple[Expression, ...], Expression | None]:
    """`CASE WHEN c THEN x END` is x of the rows where c holds, since aggregates skip NULL, and sums zeros as well."""
    match values:
        case (Call(function="case", arguments=(holds, value, *rest)),) if not rest or _nothing(rest, zeros=zeros):
            return (value,), holds if where is None else call("and", where, holds)
        case _:
            return values, where


def _nothing(rest: Sequence[Expression], *, zeros: bool) -> bool:
    """Whether all that a CASE gives otherwise adds nothing."""
    return len(rest) == 1 and isinstance(rest[0], Literal) and (rest[0].value is None or (zeros and rest[0].value == 0))


def _bounded(node: exp.Expression, otherwise: str) -> str:
    """How to write an aggregate so that it has bounds, in the question's own words."""
    inner = node.this if isinstance(node, exp.Filter | exp.WithinGroup) else node
    value = inner.this if isinstance(inner, exp.AggFunc) else None
    if not isinstance(value, exp.Expression) or isinstance(value, exp.Distinct):
        return otherwise
    columns = ", ".join(dict.fromkeys(column.name for column in value.find_all(exp.Column)))
    clamped = f"{spelled(inner)}(LEAST(GREATEST({value.sql(dialect='duckdb')}, 0), 100))"
    return f"Write {clamped}, with ends of your own, or ask the custodian for bounds of {columns or 'it'}."


def _stray(node: exp.Anonymous) -> bool:
    """Whether nothing is known of a function."""
    return node.name.lower() not in NAMED and not advised(node.name)


def condition(node: exp.Expression, scope: Scope) -> Expression:
    """A condition on rows."""
    value = translate(node, scope)
    if value.kind is not Kind.BOOLEAN:
        raise Refused("type-mismatch", f"This is {value.kind.value}, not a condition.", "Compare it.", position(node))
    return value


_AGGREGATE: tuple[type[exp.Expression], ...] = (exp.Filter, exp.WithinGroup, exp.AggFunc)  # type: ignore[assignment]
