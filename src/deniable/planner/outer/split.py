"""A statement divided: questions about private rows, and what is computed from their noisy answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from deniable.core.errors import Refused, asking
from deniable.planner.bind import bind
from deniable.planner.expressions.translate import translate
from deniable.planner.outer import mixed
from deniable.planner.outer.apart import take_apart
from deniable.planner.outer.natures import Nature, around, conditions, gathered, gathers, sources, subqueries
from deniable.planner.outer.statement import OuterQuery, entitled, finished, noisy_table
from deniable.planner.parse import QUESTION, plain, position
from deniable.planner.plan import Bound
from deniable.planner.relations.clauses import referred, terms
from deniable.planner.relations.from_clause import Relations
from deniable.planner.relations.names import declared, qualifier
from deniable.planner.wording.spellings import clocked
from deniable.policy import Policy

_MOST_TABLES = 32
"""Noisy tables of one statement."""
_CLAUSES = frozenset(
    {"with_", "expressions", "distinct", "from_", "joins", "where", "group", "having", "windows", "qualify", "order"}
    | {"limit", "offset"}
)
_FINAL = frozenset({"ambiguous-column", "no-contribution", "too-complex", "too-long", "unknown-table", "unit-join"})
"""Refusals that taking a SELECT apart cannot mend."""


@dataclass(frozen=True, slots=True)
class SplitStatement:
    """What was asked: questions, and what is made of their answers; nothing, if it is one question."""

    inner: tuple[Bound, ...]
    outer: OuterQuery | None = None


def split(tree: exp.Expression, policy: Policy) -> SplitStatement:
    """The statement as questions and what is around them. A question by itself stays one.

    Raises:
        Refused: a part of it cannot be answered, or private rows would have to meet noisy ones.
    """
    text = tree.meta.get(QUESTION, "")
    try:
        return SplitStatement((bind(plain(tree), policy),))
    except Refused as refusal:
        first = refusal
    with asking(text):
        return _split(tree, policy, first)


def _split(tree: exp.Expression, policy: Policy, first: Refused) -> SplitStatement:
    fixed, clock = clocked(tree, policy)
    fixed.meta[QUESTION] = tree.meta.get(QUESTION, "")
    holder = exp.Subquery(this=entitled(fixed.copy()))
    work = _Split(policy, fixed.meta[QUESTION])
    if first.code in {"too-complex", "too-long"} or work.query(holder.this, _Names(), whole=first) is not Nature.NOISY:
        raise first
    found = holder.this
    found.pop()
    found.meta[QUESTION] = work.text
    outer = finished(found, policy, work.inner, clock)
    return SplitStatement(tuple(work.inner), replace(outer, first=first))


@dataclass(frozen=True, slots=True)
class _Names:
    """The queries that WITH has named so far: what they are, and how those are written that questions may use."""

    natures: Mapping[str, Nature] = field(default_factory=dict)
    written: Mapping[str, exp.CTE] = field(default_factory=dict)

    def used(self, query: exp.Expression) -> list[exp.CTE]:
        """Those that a query uses, and those that these use, in their order."""
        wanted: set[str] = set()
        waiting: list[exp.Expression] = [query]
        while waiting:
            names = {table.name.lower() for table in waiting.pop().find_all(exp.Table) if not qualifier(table)}
            waiting += [self.written[name].this for name in names & self.written.keys() - wanted]
            wanted |= names
        return [written.copy() for name, written in self.written.items() if name in wanted]


@dataclass(slots=True)
class _Split:
    """Goes through a tree from the outside in, and puts noisy tables where its questions were."""

    policy: Policy
    text: str
    inner: list[Bound] = field(default_factory=list)

    def query(self, node: exp.Expression, names: _Names, *, whole: Refused | None = None) -> Nature:
        """What a query's rows are; if they are noisy, it now speaks of noisy tables.

        `whole`: it is all that is asked, and was refused as one question for this reason.
        """
        if isinstance(node, exp.Subquery):
            return self.query(node.this, self._within(node, names), whole=whole)
        if isinstance(node, exp.SetOperation):
            within = self._within(node, names)
            natures = [self.query(part, within) for part in (node.this, node.expression)]
            if {Nature.PRIVATE, Nature.NOISY} <= set(natures):
                raise mixed.stacked(node)
            return Nature.of(natures)
        if isinstance(node, exp.Select):
            return self._select(node, self._within(node, names), whole)
        return Nature.PUBLIC

    def _within(self, query: exp.Expression, names: _Names) -> _Names:
        """Beyond a WITH clause, in which queries of private rows are left out: they run inside questions."""
        clause = query.args.get("with_")
        if clause is None:
            return names
        if clause.args.get("recursive"):
            raise Refused("unsupported-clause", "WITH RECURSIVE is not supported.", "Write WITH.", position(clause))
        natures, written, kept = dict(names.natures), dict(names.written), []
        for cte in list(clause.expressions):
            name, before = cte.alias.lower(), cte.copy()
            if name in natures and any(table.name.lower() == name for table in cte.this.find_all(exp.Table)):
                reason = f"{cte.alias!r} is made of another query of the same name."
                raise Refused("unsupported-form", reason, "Give it a name of its own.", position(cte))
            natures[name] = self.query(cte.this, _Names(natures, written))
            written.pop(name, None)
            if natures[name] is not Nature.NOISY:
                written[name] = before
            kept += [] if natures[name] is Nature.PRIVATE else [cte]
        clause.set("expressions", kept)
        if not kept:
            query.set("with_", None)
        return _Names(natures, written)

    def _select(self, select: exp.Select, names: _Names, whole: Refused | None) -> Nature:
        natures = [self._source(source, names) for source in sources(select)]
        if Nature.PRIVATE in natures:
            if Nature.NOISY in natures:
                raise mixed.beside(select)
            return self._over_rows(select, names, whole)
        for inner in [one for part in (*conditions(select), *around(select)) for one in subqueries(part)]:
            natures.append(self.query(inner, names))
            if natures[-1] is Nature.PRIVATE:
                raise mixed.rows_outside(inner)
        return Nature.of(natures)

    def _source(self, node: exp.Expression, names: _Names) -> Nature:
        """One item behind FROM or JOIN, with what brackets join to it."""
        joined = [self._source(join.this, names) for join in node.args.get("joins") or ()]
        if isinstance(node, exp.Subquery):
            inner = self._source(node.this, names) if isinstance(node.this, exp.Table) else self.query(node.this, names)
            return Nature.of([inner, *joined])
        if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Identifier):
            return Nature.of(joined)
        if node.name.lower() in names.natures and not qualifier(node):
            return Nature.of([names.natures[node.name.lower()], *joined])
        table = declared(node, self.policy)
        if table is None:
            known = ", ".join([*self.policy.tables, *names.natures])
            path = ".".join([*qualifier(node), node.name])
            raise Refused("unknown-table", f"There is no table {path!r}.", f"There is {known}.", position(node))
        return Nature.of([Nature.PUBLIC if table.public else Nature.PRIVATE, *joined])

    def _over_rows(self, select: exp.Select, names: _Names, whole: Refused | None) -> Nature:
        """Rows, or, where they are put together for others than one unit each, a question."""
        aggregated = [found for part in around(select) for found in gathered(part)]
        rows = [*conditions(select), *aggregated]
        self._refuse_mixed(select, rows if gathers(select) else [*rows, *select.expressions], names)
        if not gathers(select) or (whole is None and self._per_unit(select, names)):
            return Nature.PRIVATE
        if not aggregated:
            raise whole or mixed.keys_alone(select)
        lifted = any(subqueries(part) for part in around(select))
        if not lifted and whole is None:
            question = self._inside(select, names)
            try:
                table = self._noisy(bind(plain(question), self.policy))
            except Refused as refusal:
                whole = refusal
            else:
                select.replace(_listed(table, self.inner[table]))
                return Nature.NOISY
        self._taken_apart(select, names, whole, lifted=lifted)
        return Nature.NOISY

    def _taken_apart(self, select: exp.Select, names: _Names, refusal: Refused | None, *, lifted: bool) -> None:
        """Keys and aggregates inside, the rest outside. If that does not help, what was refused before is said."""
        if refusal is not None and (_is_odd(select) or (refusal.code in _FINAL and not lifted)):
            raise refusal
        special = any(select.args.get(clause) for clause in ("qualify", "windows")) or any(
            part.find(exp.Window, exp.Rollup, exp.Cube, exp.GroupingSets, exp.Query)
            for part in (*around(select), *conditions(select)[-1:])
        )
        try:
            apart = take_apart(select, self._inside(select, names), Relations(self.policy, {}))
            bounds = [bind(plain(self._asked(core)), self.policy) for core in apart.cores]
            for core, bound in zip(apart.cores, bounds, strict=True):
                if [output.name for output in bound.outputs] != [column.alias for column in core.expressions]:
                    raise refusal or mixed.spread(select)
        except Refused as other:
            raise (other if special or refusal is None else refusal) from None
        tables = [self._noisy(bound) for bound in bounds]
        outside = apart.outside([(noisy_table(table), self.inner[table]) for table in tables])
        outside.set("with_", select.args.get("with_"))
        select.replace(outside)
        for part in (*around(outside), *conditions(outside)):
            for inner in subqueries(part):
                if self.query(inner, names) is Nature.PRIVATE:
                    raise mixed.rows_outside(inner)

    def _noisy(self, bound: Bound) -> int:
        """The number of the noisy table that a question becomes; the same question is asked once."""
        if bound in self.inner:
            return self.inner.index(bound)
        if len(self.inner) == _MOST_TABLES:
            reason = f"This needs more than {_MOST_TABLES} noisy tables at once."
            raise Refused("too-many-statistics", reason, "Ask for less at once.")
        self.inner.append(bound)
        return len(self.inner) - 1

    def _inside(self, select: exp.Select, names: _Names) -> exp.Select:
        """The SELECT as a question of its own, with the queries that it uses by name."""
        question = select.copy()
        question.set("with_", None)
        used = names.used(question)
        question.set("with_", exp.With(expressions=used) if used else None)
        return self._asked(question)

    def _asked(self, question: exp.Select) -> exp.Select:
        question.meta[QUESTION] = self.text
        return question

    def _per_unit(self, select: exp.Select, names: _Names) -> bool:
        """Whether it is a relation in which each row belongs to one unit, as subqueries of questions are."""
        question = self._inside(select, names)
        try:
            row = Relations(self.policy, {}).within(question).rows(question)
            nodes = [referred(term, question, row) for term in terms(question, "group")]
            if question.args.get("distinct") is not None:
                nodes += [node.unalias() for node in question.expressions]
            values = [translate(node, row) for node in nodes]
        except Refused:
            return False
        unit = row.origin.unit
        return unit is not None and (unit in values or any(row.origin.leads(value) for value in values))

    def _refuse_mixed(self, select: exp.Select, parts: list[exp.Expression], names: _Names) -> None:
        """Where rows are chosen or added up, no noisy number can stand."""
        for inner in [one for part in parts for one in subqueries(part)]:
            trial = _Split(self.policy, self.text)
            holder = exp.Subquery(this=inner.copy())
            try:
                nature = trial.query(holder.this, names)
            except Refused:
                continue  # it is no question; binding the rows says what it is
            if nature is Nature.NOISY:
                raise mixed.two_steps(inner, select)


def _is_odd(select: exp.Select) -> bool:
    """Whether it has a clause that has no meaning in groups, or asks for all columns of rows."""
    clauses = {name for name, value in select.args.items() if value}
    columns = [node.unalias() for node in select.expressions]
    stars = [node for node in columns if isinstance(node, exp.Column) and isinstance(node.this, exp.Star)]
    return not clauses <= _CLAUSES or bool(stars) or any(isinstance(node, exp.Star) for node in columns)


def _listed(table: int, bound: Bound) -> exp.Select:
    """All columns of a noisy table."""
    columns = [exp.column(output.name, quoted=True) for output in bound.outputs]
    return exp.Select(expressions=columns, from_=exp.From(this=noisy_table(table)))
