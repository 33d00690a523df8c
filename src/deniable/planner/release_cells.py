"""Cells and conditions on them: attributes of a release as group keys, and which cells satisfy a condition.

Everything is written as SQL and goes through the same parse and bind as a question, so nothing is understood here that
would not be understood there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from fractions import Fraction
from math import floor, prod

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from deniable.core.algebra.expression import Call, Column, Expression, Kind, Literal, names
from deniable.core.calendar import counted
from deniable.core.errors import Refused
from deniable.planner.aggregates.statistics import Statistic
from deniable.planner.bind import bind_cells
from deniable.planner.expressions.evaluate import Band, Result, evaluate, labelled, labels, truth_of
from deniable.planner.expressions.keys import Value
from deniable.planner.parse import parse
from deniable.planner.plan import Bound
from deniable.policy import DeclaredTable, Policy

_SELECT = "SELECT "
_PRESENT = tuple(kind for kind in Kind if kind is not Kind.TEXT)
_CONDITION = "condition of cells"
_MOST_CELLS = 1 << 22
"""Cells that a condition is looked up in."""


@dataclass(frozen=True, slots=True)
class ReleaseCells:
    """The rows of one table, told apart by some attributes."""

    policy: Policy
    table: DeclaredTable
    attributes: tuple[str, ...]
    """As they were asked for."""
    where: str | None
    bound: Bound
    """The question how many rows each cell has."""

    @classmethod
    def of(cls, policy: Policy, table: str | None, attributes: Sequence[str], where: str | None) -> ReleaseCells:
        """The cells of these attributes, or a refusal that says where and why not."""
        found = _table(policy, table)
        try:
            bound = bind_cells(_question(found, attributes, where, exp.Boolean(this=True)), policy)
        except Refused as refusal:
            raise Refused(refusal.code, refusal.reason, refusal.hint) from None
        return cls(policy, found, tuple(attributes), where, bound)

    @property
    def domains(self) -> tuple[tuple[Value | Fraction, ...] | None, ...]:
        """The values of each attribute; None: only the data knows. Of numbers with a step, all its multiples."""
        steps = [_stepped(attribute, self.table) for attribute in self.attributes]
        return tuple(
            key.domain
            if step is None or key.domain is None
            else tuple(value * step if isinstance(value, int) else value for value in key.domain)
            for key, step in zip(self.bound.keys, steps, strict=True)
        )

    @property
    def counts(self) -> tuple[Statistic, ...]:
        """What is counted in each cell: its rows."""
        return tuple(statistic for statistic in self.bound.statistics if isinstance(statistic, Statistic))

    @property
    def ordered(self) -> tuple[bool, ...]:
        """Which attributes have an order."""
        return tuple(key.value.kind in _PRESENT for key in self.bound.keys)

    def values_question(self, attribute: str) -> str:
        """In SQL: which values does an attribute have, and how many rows each?"""
        question = _question(self.table, (), self.where, exp.Boolean(this=True))
        node = _attribute(attribute, self.table)
        question.set("expressions", [node.copy(), *question.expressions[1:]])
        question.set("group", exp.Group(expressions=[node]))
        return question.sql(dialect="duckdb")

    def columns(self, condition: str) -> tuple[str, ...]:
        """The columns that a condition needs besides the attributes; none, if these tell apart all that it is about."""
        node = _expression(condition)
        try:
            bind_cells(_question(self.table, self.attributes, self.where, node), self.policy)
        except Refused as refusal:
            if refusal.code != "not-grouped":
                raise _moved(refusal) from None
        else:
            return ()
        declared = {name.lower(): name for name in self.table.columns}
        found = [declared.get(column.name.lower(), column.name) for column in node.find_all(exp.Column)]
        return tuple(dict.fromkeys(found))

    def satisfying(
        self, condition: str, domains: Sequence[tuple[Value, ...]]
    ) -> tuple[tuple[int, ...], NDArray[np.bool_]]:
        """The attributes that a condition is about, and for every combination of their values whether it holds.

        Refused if the condition is about anything else. NULL is neither true nor false, as in SQL's WHERE.
        """
        bound, value = self._condition(condition)
        used = names(value)
        if used - {key.name for key in bound.keys}:
            raise Refused("unsupported-form", "A condition on cells cannot have aggregates.", "Compare attributes.")
        axes = tuple(axis for axis, key in enumerate(bound.keys) if key.name in used)
        shape = tuple(len(domains[axis]) for axis in axes)
        rows = prod(shape)
        if rows > _MOST_CELLS:
            hint = "Use coarser columns, such as age // 5, or fewer of them."
            raise Refused("too-many-cells", f"The condition is about {rows:,} cells.", hint)
        columns: dict[str, Result] = {}
        for place, axis in enumerate(axes):
            codes = np.arange(rows) // prod(shape[place + 1 :]) % shape[place]
            columns[bound.keys[axis].name] = _column(domains[axis], bound.keys[axis].value.kind, codes)
        return axes, truth_of(evaluate(value, columns, rows)).value.reshape(shape)

    def compared(self, condition: str) -> Mapping[str, frozenset[str | int]]:
        """With which texts, or numbers, a condition compares attributes."""
        bound, value = self._condition(condition)
        attributes = {key.name: name for key, name in zip(bound.keys, self.attributes, strict=True)}
        found: dict[str, frozenset[str | int]] = {}
        waiting, seen = [value], set[int]()
        while waiting:
            part = waiting.pop()
            if not isinstance(part, Call) or id(part) in seen:
                continue
            seen.add(id(part))
            waiting += part.arguments
            constants = _shown([one for one in part.arguments if isinstance(one, Literal)])
            for column in part.arguments:
                if isinstance(column, Column) and column.name in attributes:
                    name = attributes[column.name]
                    found[name] = found.get(name, frozenset()) | constants
        return found

    def _condition(self, condition: str) -> tuple[Bound, Expression]:
        """A condition over these cells' keys."""
        node = _expression(condition)
        try:
            bound = bind_cells(_question(self.table, self.attributes, self.where, node), self.policy)
        except Refused as refusal:
            raise _moved(refusal, self.attributes) from None
        value = bound.outputs[0].value
        if value.kind is not Kind.BOOLEAN:
            raise Refused("type-mismatch", f"This is {value.kind.value}, not a condition.", "Compare it.")
        return bound, value


def _table(policy: Policy, name: str | None) -> DeclaredTable:
    """The named table, or the only private one."""
    private = {title: table for title, table in policy.tables.items() if not table.public}
    if name is None:
        if len(private) == 1:
            return next(iter(private.values()))
        hint = f"Write workload.on(...) with one of: {', '.join(private)}."
        raise Refused("unknown-table", "The policy has several private tables.", hint)
    if name not in private:
        raise Refused("unknown-table", f"There is no private table {name!r}.", f"There is {', '.join(private)}.")
    return private[name]


def _question(
    table: DeclaredTable, attributes: Sequence[str], where: str | None, condition: exp.Expression
) -> exp.Select:
    """How many rows each cell has, and whether a condition holds in it."""
    question = parse("SELECT COUNT(*) FROM t")
    question.args["from_"].set("this", exp.Table(this=exp.Identifier(this=table.name, quoted=True)))
    own = exp.Alias(this=_on_steps(condition, table), alias=exp.Identifier(this=_CONDITION, quoted=True))
    question.set("expressions", [own, *question.expressions])
    if attributes:
        question.set("group", exp.Group(expressions=[_attribute(one, table) for one in attributes]))
    if where is not None:
        question.set("where", exp.Where(this=_expression(where)))
    return question


def _expression(text: str) -> exp.Expression:
    """The one expression that a text consists of."""
    select = parse(_SELECT + text) if text.strip() else parse(text)
    extra = any(value for name, value in select.args.items() if name != "expressions")
    if extra or len(select.expressions) != 1 or isinstance(select.expressions[0], exp.Alias | exp.Star):
        raise Refused("syntax", f"{text!r} is not one expression.", "Write, for example, age // 10, or age > 30.")
    node: exp.Expression = select.expressions[0]
    return node


def _attribute(text: str, table: DeclaredTable) -> exp.Expression:
    """An attribute as a group key; a column with a step is grouped by its steps."""
    try:
        node = _expression(text)
    except Refused as refusal:
        raise _moved(refusal) from None
    if not list(node.find_all(exp.Column)):
        raise Refused(
            "bad-attribute", f"There is no column in {text!r}.", "Write a column, or an expression of columns."
        )
    step = _stepped(text, table)
    return node if step is None else _steps(node, step)


def _stepped(text: str, table: DeclaredTable) -> Fraction | None:
    """The step of the column that a text names, if it is a number with bounds and a step."""
    node = _expression(text)
    return _step_of(node, table) if isinstance(node, exp.Column) else None


def _step_of(node: exp.Column, table: DeclaredTable) -> Fraction | None:
    declared = {name.lower(): column for name, column in table.columns.items()}
    column = declared.get(node.name.lower())
    if column is None or column.kind is not Kind.NUMBER or column.low is None or column.high is None:
        return None
    return column.step


def _steps(node: exp.Expression, step: Fraction) -> exp.Expression:
    """How many steps from zero, to the nearest."""
    return exp.Floor(
        this=exp.Add(
            this=exp.Div(this=node.copy(), expression=_number(step), typed=False, safe=False),
            expression=_number(Fraction(1, 2)),
        )
    )


def _on_steps(condition: exp.Expression, table: DeclaredTable) -> exp.Expression:
    """A condition in which columns with a step are rounded to it, as the cells are."""

    def rounded(node: exp.Expression) -> exp.Expression:
        step = _step_of(node, table) if isinstance(node, exp.Column) else None
        if step is None:
            return node
        return exp.Paren(this=exp.Mul(this=_steps(node, step), expression=_number(step)))

    return condition.transform(rounded)


def _number(value: Fraction) -> exp.Expression:
    """A literal; what has no finite decimal is a quotient."""
    top, bottom = exp.Literal.number(value.numerator), exp.Literal.number(value.denominator)
    if value.denominator == 1:
        return top
    return exp.Paren(this=exp.Div(this=top, expression=bottom, typed=False, safe=False))


def _moved(refusal: Refused, attributes: Sequence[str] = ()) -> Refused:
    """The place in the text that was given, which stood behind SELECT."""
    place = refusal.position
    moved = None if place is None else (max(0, place[0] - len(_SELECT)), max(0, place[1] - len(_SELECT)))
    if refusal.code == "not-grouped":
        known = ", ".join(attributes)
        return Refused("no-cells", "The release does not distinguish this.", f"It distinguishes: {known}.", moved)
    return Refused(refusal.code, refusal.reason, refusal.hint, moved, refusal.question.removeprefix(_SELECT))


def _shown(constants: Sequence[Literal]) -> frozenset[str | int]:
    """Texts, and the numbers of everything else that has one."""
    texts = {one.value for one in constants if isinstance(one.value, str)}
    return frozenset({*texts, *(floor(one.range.low) for one in constants if one.range.low is not None)})


def _column(values: Sequence[Value], kind: Kind, codes: NDArray[np.int64]) -> Result:
    """Numbers, days and moments as numbers, everything else as labels."""
    if labelled(values, kind):
        return labels(values)[codes]
    numbers = (counted(value) if isinstance(value, date | time) else value for value in values)
    floats = np.array([np.nan if value is None else float(value) for value in numbers])
    return Band.exactly(floats[codes])
