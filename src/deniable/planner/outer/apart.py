"""One SELECT about private rows, taken apart: keys and aggregates are asked inside, the rest is computed outside.

Windows over aggregates, functions that no question knows, QUALIFY, sorting with NULLS FIRST: all of it comes after the
rows of each group are put together, so it can be computed from the groups. The order of SQL is kept: HAVING becomes the
WHERE of what is outside, and windows, QUALIFY, DISTINCT, ORDER BY and LIMIT follow as they did.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count

from sqlglot import exp

from deniable.core.algebra.expression import Expression
from deniable.core.errors import Refused
from deniable.planner.expressions.translate import meaning, translate
from deniable.planner.outer.grouping_sets import grouping_sets
from deniable.planner.outer.natures import AGGREGATE
from deniable.planner.plan import Bound
from deniable.planner.relations.clauses import referred, title
from deniable.planner.relations.from_clause import Relations
from deniable.planner.relations.scopes import RowScope

_SET = "grouping set"
"""The column that says which set of keys a row belongs to."""
_AS_IT_IS = (exp.Query, exp.Literal, exp.Boolean, exp.Null, exp.Star, exp.Identifier)
_LATER = ("windows", "qualify", "distinct", "order", "limit", "offset")


@dataclass(slots=True)
class Apart:
    """A SELECT in two parts."""

    cores: list[exp.Select]
    """Questions of keys and aggregates: one, or one for each set of keys."""
    sets: list[list[str]]
    """The names of the keys that each has."""
    names: list[str]
    """The columns of all of them together, keys first."""
    outer: exp.Select
    """What is computed from them, without its FROM."""

    def outside(self, tables: list[tuple[exp.Table, Bound]]) -> exp.Select:
        """What is computed from noisy tables, which are put under each other where there are several."""
        found = self.outer.copy()
        if len(tables) == 1:
            found.set("from_", exp.From(this=tables[0][0]))
            return found
        parts: list[exp.Expression] = [self._part(number, table) for number, (table, _) in enumerate(tables)]
        stack = parts[0]
        for part in parts[1:]:
            stack = exp.Union(this=stack, expression=part, distinct=False)
        alias = exp.TableAlias(this=exp.to_identifier("sets", quoted=True))
        found.set("from_", exp.From(this=exp.Subquery(this=stack, alias=alias)))
        return found

    def _part(self, number: int, table: exp.Table) -> exp.Select:
        keys = {name for one in self.sets for name in one}
        columns = [
            exp.alias_(exp.Null(), name, quoted=True)
            if name in keys and name not in self.sets[number]
            else exp.column(name, quoted=True)
            for name in self.names
        ]
        columns.append(exp.alias_(exp.Literal.number(number), _SET, quoted=True))
        return exp.Select(expressions=columns, from_=exp.From(this=table))


def take_apart(select: exp.Select, question: exp.Select, relations: Relations) -> Apart:
    """The two parts of `select`, which as a question of its own, with the queries that it names, is `question`."""
    row = relations.within(question).rows(question)
    sets = [[referred(term, select, row) for term in terms] for terms in grouping_sets(select.args.get("group"))]
    work = _Work(select, row)
    for terms in sets:
        for term in terms:
            work.key(term)
    held = [list(dict.fromkeys(work.key(term) for term in terms)) for terms in sets]
    work.held = held
    outer = work.outer()
    cores = [work.core(question, keys) for keys in held]
    return Apart(cores, held, [*work.keys.values(), *work.values.values()], outer)


@dataclass(slots=True)
class _Work:
    """Takes a SELECT apart: finds what must be asked, and writes the rest in its terms."""

    select: exp.Select
    row: RowScope
    keys: dict[Expression, str] = field(default_factory=dict)
    written: dict[str, exp.Expression] = field(default_factory=dict)
    values: dict[exp.Expression, str] = field(default_factory=dict)
    held: list[list[str]] = field(default_factory=list)

    def key(self, term: exp.Expression) -> str:
        """The name of a key."""
        value = translate(term, self.row)
        if value not in self.keys:
            self.keys[value] = self._name(term)
            self.written[self.keys[value]] = term
        return self.keys[value]

    def core(self, question: exp.Select, keys: list[str]) -> exp.Select:
        """The question about these keys."""
        found = exp.Select(
            expressions=[
                *(exp.alias_(self.written[name].copy(), name, quoted=True) for name in keys),
                *(exp.alias_(node.copy(), name, quoted=True) for node, name in self.values.items()),
            ],
            group=exp.Group(expressions=[self.written[name].copy() for name in keys]) if keys else None,
        )
        for clause in ("with_", "from_", "joins", "laterals", "where"):
            if question.args.get(clause):
                part = question.args[clause]
                found.set(clause, [one.copy() for one in part] if isinstance(part, list) else part.copy())
        return found

    def outer(self) -> exp.Select:
        """What is computed from the answer."""
        columns = [
            node if isinstance(node, exp.Star) else exp.alias_(self._outside(node.unalias()), title(node), quoted=True)
            for node in self.select.expressions
        ]
        found = exp.Select(expressions=columns)
        having = self.select.args.get("having")
        if having is not None:
            found.set("where", exp.Where(this=self._outside(having.this)))
        for clause in _LATER:
            part = self.select.args.get(clause)
            if isinstance(part, list):
                found.set(clause, [self._outside(one) for one in part])
            elif clause == "order" and part is not None:
                found.set(clause, exp.Order(expressions=[self._ordered(term) for term in part.expressions]))
            elif part is not None:
                found.set(clause, self._outside(part))
        return found

    def _ordered(self, term: exp.Expression) -> exp.Expression:
        """In ORDER BY a bare name is first of all that of a column of the answer."""
        inner = term.this.unnest()
        if isinstance(inner, exp.Column) and not inner.table and inner.name.lower() in self._aliases:
            return term.copy()
        return self._outside(term)

    @property
    def _aliases(self) -> set[str]:
        return {title(node).lower() for node in self.select.expressions}

    def _outside(self, node: exp.Expression) -> exp.Expression:
        """The same with the names of keys and aggregates instead of themselves."""
        if isinstance(node, _AS_IT_IS) or self._is_alias(node):
            return node.copy()
        if isinstance(node, exp.Grouping | exp.GroupingId):
            return self._grouping(node)
        key = None if isinstance(node, AGGREGATE) else self._key_of(node)
        if key is not None:
            return exp.column(key, quoted=True)
        if isinstance(node, (*AGGREGATE, exp.Column)):
            return self._value(node)
        head = node.this if isinstance(node, exp.Window) else None
        return self._below(node, head)

    def _is_alias(self, node: exp.Expression) -> bool:
        """Whether it names a column of the answer; columns of the tables come first."""
        if not isinstance(node, exp.Column) or node.table or node.name.lower() not in self._aliases:
            return False
        return node.name.lower() not in {name.lower() for name in self.row.origin.columns}

    def _below(self, node: exp.Expression, head: exp.Expression | None = None) -> exp.Expression:
        """With its parts outside; `head`, the function of a window, stays what it is, over parts that are outside."""
        found = type(node)()
        found.meta.update(node.meta)
        for name, value in node.args.items():
            if isinstance(value, list):
                parts = [self._outside(one) if isinstance(one, exp.Expression) else one for one in value]
                found.set(name, parts)
            elif value is head and isinstance(value, exp.Expression):
                between = isinstance(value, exp.Filter | exp.IgnoreNulls | exp.RespectNulls)
                found.set(name, self._below(value, value.this if between else None))
            else:
                found.set(name, self._outside(value) if isinstance(value, exp.Expression) else value)
        return found

    def _value(self, node: exp.Expression) -> exp.Expression:
        if node not in self.values:
            self.values[node] = self._name(node)
        return exp.column(self.values[node], quoted=True)

    def _key_of(self, node: exp.Expression) -> str | None:
        if not self.keys or not isinstance(node, exp.Column | exp.Condition):
            return None
        try:
            return self.keys.get(meaning(node, self.row))
        except Refused:
            return None

    def _grouping(self, node: exp.Expression) -> exp.Expression:
        """A number whose bits say which of its terms a row's set leaves out."""
        names = [self.key(term) for term in node.expressions]
        if not any(set(names) <= {name for one in self.held for name in one} for _ in names):
            raise Refused("not-grouped", "GROUPING takes keys of GROUP BY.", "Put it into GROUP BY.")
        bits = [sum((name not in held) << place for place, name in enumerate(reversed(names))) for held in self.held]
        if len(self.held) == 1:
            return exp.Literal.number(bits[0])
        cases = [
            exp.If(this=exp.column(_SET, quoted=True).eq(number), true=exp.Literal.number(bit))
            for number, bit in enumerate(bits)
        ]
        return exp.Case(ifs=cases)

    def _name(self, node: exp.Expression) -> str:
        """What it is called, as written; with a number, if that is taken."""
        wanted, taken = title(node), {name.lower() for name in (*self.keys.values(), *self.values.values(), _SET)}
        if wanted.lower() not in taken:
            return wanted
        return next(name for number in count(1) if (name := f"{wanted}_{number}").lower() not in taken)
