"""What names mean: before the aggregates, columns of the rows; after them, keys, aggregates and aliases."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from sqlglot import exp

from deniable.core.errors import Refused
from deniable.core.expression import Column, Expression, Kind
from deniable.planner.aggregates.aggregates import Aggregate, build
from deniable.planner.aggregates.statistics import Statistics
from deniable.planner.choices.syntax import chosen
from deniable.planner.expressions.functions import longest
from deniable.planner.expressions.keys import GroupKey
from deniable.planner.expressions.translate import Scope, meaning, translate
from deniable.planner.parse import position
from deniable.planner.relations.rows import Origin


@dataclass(frozen=True, slots=True)
class RowScope:
    """Inside aggregates, WHERE and GROUP BY: one row."""

    origin: Origin
    members: Mapping[exp.Expression, Expression] = field(default_factory=dict)
    """What `x IN (SELECT ...)` means, where rows are joined to it."""

    def special(self, node: exp.Expression) -> Expression | None:
        """Whether the row is among others; nothing else is special in a row."""
        return self.members.get(node) if isinstance(node, exp.In) else None

    def column(self, node: exp.Column) -> Expression:
        """A declared column. What is not declared does not exist."""
        found = [
            {name.lower(): value for name, value in names.items()}
            for alias, names in self.origin.names.items()
            if not node.table or node.table.lower() == alias.lower()
        ]
        if not found:
            raise Refused("unknown-table", f"There is no table {node.table!r} here.", "", position(node))
        meant = [names[node.name.lower()] for names in found if node.name.lower() in names]
        if not meant:
            raise self._unknown(node, [name for names in found for name in names])
        if any(other != meant[0] for other in meant[1:]):
            hint = "Write the table before it: table.column."
            raise Refused("ambiguous-column", f"{node.name!r} is in several tables.", hint, position(node))
        return meant[0]

    def _unknown(self, node: exp.Column, names: list[str]) -> Refused:
        written = {name.lower(): name for name in self.origin.columns}
        close = get_close_matches(node.name.lower(), names, n=1)
        there = ", ".join(dict.fromkeys(written[name] for name in names))
        hint = f"Did you mean {written[close[0]]!r}?" if close else f"There are: {there}."
        return Refused("unknown-column", f"There is no column {node.name!r}.", hint, position(node))


@dataclass(slots=True)
class GroupScope(ABC):
    """Around aggregates, in HAVING and in ORDER BY: one group."""

    row: RowScope
    keys: Sequence[GroupKey]
    aliases: Mapping[str, Expression] = field(default_factory=dict)
    found: dict[exp.Expression, Expression] = field(default_factory=dict)
    """What aggregates mean that were met before."""

    @abstractmethod
    def aggregate(self, node: exp.Expression) -> Expression:
        """What an aggregate means here."""

    def special(self, node: exp.Expression) -> Expression | None:
        """An aggregate, or a key."""
        if isinstance(node, _AGGREGATE):
            return self._placed(node)
        if isinstance(node, exp.Literal | exp.Boolean | exp.Null):
            return None
        try:
            value = meaning(node, self.row)
        except Refused:
            return None
        matching = [key for key in self.keys if key.value == value]
        length = longest(value) if value.kind is Kind.TEXT else None
        return Column(matching[0].name, value.kind, value.range, value.nullable, length) if matching else None

    def column(self, node: exp.Column) -> Expression:
        """An alias of the answer; a column that is not a key has no one value per group."""
        if not node.table and node.name.lower() in self.aliases:
            return self.aliases[node.name.lower()]
        self.row.column(node)
        raise Refused(
            "not-grouped",
            f"{node.name!r} has no single value per group.",
            f"Put it into GROUP BY, or into an aggregate such as AVG({node.name}).",
            position(node),
        )

    def _placed(self, node: exp.Expression) -> Expression:
        """A refusal without a place is about the whole aggregate."""
        if node in self.found:
            return self.found[node]
        try:
            return self.found.setdefault(node, self.aggregate(node))
        except Refused as refusal:
            if refusal.position is not None:
                raise
            raise Refused(refusal.code, refusal.reason, refusal.hint, position(node)) from None


@dataclass(slots=True, kw_only=True)
class OutputScope(GroupScope):
    """A group of the answer: aggregates are noisy, and rest on statistics that are shared."""

    statistics: Statistics
    counted: frozenset[str]
    """Names of the counts that the question pays for anyway."""

    def aggregate(self, node: exp.Expression) -> Expression:
        """The output of one aggregate."""
        return build(taken_apart(node, self.row), self.statistics, self.counted)


def aggregates(nodes: Sequence[exp.Expression]) -> Iterator[exp.Expression]:
    """Every aggregate in these parts of the question, with its FILTER."""
    for node in nodes:
        for part in node.walk(prune=lambda found: isinstance(found, _AGGREGATE)):
            if isinstance(part, _AGGREGATE):
                yield part


def taken_apart(node: exp.Expression, row: RowScope) -> Aggregate:
    """The kind of an aggregate, its arguments (none for *) and its filter."""
    where = condition(node.expression.this, row) if isinstance(node, exp.Filter) else None
    aggregate: exp.Expression = node.this if isinstance(node, exp.Filter) else node
    if (choice := chosen(aggregate)) is not None:
        name, value, constants = choice
        return Aggregate(name, () if value is None else (translate(value, row),), where, constants)
    if isinstance(aggregate, exp.ApproxDistinct):
        aggregate = exp.Count(this=exp.Distinct(expressions=[aggregate.this]))
    kind, parts = _AGGREGATES.get(type(aggregate), ("", ()))
    if not kind or any(value for name, value in aggregate.args.items() if name not in (*parts, "big_int")):
        hint = (
            "Use COUNT, SUM, AVG, VARIANCE, STDDEV, MEDIAN, QUANTILE_CONT, MIN, MAX, MODE, COVAR, CORR or REGR_SLOPE."
        )
        raise Refused("unknown-aggregate", f"{aggregate.key.upper()} is not answered.", hint, position(node))
    if isinstance(aggregate.this, exp.Distinct):
        return _distinct(kind, aggregate.this, row, where)
    if isinstance(aggregate.this, exp.Star) and parts == _ONE:
        return Aggregate(kind, (), where)
    if any(aggregate.args.get(part) is None for part in parts):
        raise Refused("unsupported-form", f"{aggregate.key.upper()} takes more arguments.", "", position(node))
    return Aggregate(kind, tuple(translate(aggregate.args[part], row) for part in parts), where)


def condition(node: exp.Expression, scope: Scope) -> Expression:
    """A condition on rows."""
    value = translate(node, scope)
    if value.kind is not Kind.BOOLEAN:
        raise Refused("type-mismatch", f"This is {value.kind.value}, not a condition.", "Compare it.", position(node))
    return value


def _distinct(kind: str, argument: exp.Distinct, row: RowScope, where: Expression | None) -> Aggregate:
    """Units, or different values, can be counted; nothing is added up without repeats."""
    if kind != "count" or len(argument.expressions) != 1:
        reason = "Only units, and values of one column, can be counted without repeats."
        raise Refused("distinct", reason, "Write COUNT(DISTINCT column).", position(argument))
    value = translate(argument.expressions[0], row)
    if row.origin.unit is not None and value == row.origin.unit:  # with one row for each unit, rows are units
        return Aggregate("count" if row.origin.single else "units", (), where)
    return Aggregate("distinct", (value,), where)


_AGGREGATE: tuple[type[exp.Expression], ...] = (exp.Filter, exp.WithinGroup, exp.AggFunc)  # type: ignore[assignment]
_ONE, _TWO = ("this",), ("this", "expression")
_AGGREGATES: dict[type[exp.Expression], tuple[str, tuple[str, ...]]] = {
    exp.Count: ("count", _ONE),
    exp.Sum: ("sum", _ONE),
    exp.Avg: ("average", _ONE),
    exp.VariancePop: ("variance", _ONE),
    exp.Variance: ("variance of a sample", _ONE),
    exp.StddevPop: ("deviation", _ONE),
    exp.Stddev: ("deviation of a sample", _ONE),
    exp.StddevSamp: ("deviation of a sample", _ONE),
    exp.CovarPop: ("covariance", _TWO),
    exp.CovarSamp: ("covariance of a sample", _TWO),
    exp.Corr: ("correlation", _TWO),
    exp.RegrSlope: ("slope", _TWO),
    exp.RegrIntercept: ("intercept", _TWO),
}
"""What each is called here, and where its arguments stand."""
