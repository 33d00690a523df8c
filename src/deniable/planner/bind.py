"""Names to meanings: a syntax tree and a policy become a question about declared columns only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from fractions import Fraction
from itertools import count
from math import prod

from sqlglot import exp

from deniable.core.algebra.expression import Column, Expression, Kind
from deniable.core.errors import Refused, asking
from deniable.planner.aggregates.statistics import Base, Statistic, Statistics
from deniable.planner.choices.syntax import spread
from deniable.planner.divided import divided
from deniable.planner.expressions.evaluate import computable
from deniable.planner.expressions.keys import MOST_GROUPS, GroupKey, domain
from deniable.planner.expressions.translate import translate
from deniable.planner.listing import as_groups, listed
from deniable.planner.parallel import parallel
from deniable.planner.parse import QUESTION, position
from deniable.planner.plan import Bound, OrderTerm, Output
from deniable.planner.relations.clauses import ordinal, referred, small, terms, title
from deniable.planner.relations.determined import listed_numbers, possible, undetermined
from deniable.planner.relations.from_clause import Relations
from deniable.planner.relations.scopes import OutputScope, RowScope, aggregates, taken_apart
from deniable.planner.relations.usual import sentences
from deniable.planner.wording.spellings import clocked
from deniable.planner.work import counted
from deniable.policy import Policy

_MOST_STATISTICS = 100


def bind(select: exp.Select, policy: Policy, now: datetime | None = None) -> Bound:
    """The question in terms of the policy, or a refusal that says where and why not.

    `now` is what CURRENT_DATE and its like are read from; None: the clock.
    """
    return _listed_or_found(bind_cells(select, policy, now))


def bind_cells(select: exp.Select, policy: Policy, now: datetime | None = None) -> Bound:
    """`bind`, however many known groups there would be: for releases, which add up cells and never list them all."""
    with asking(select.meta.get(QUESTION, "")), counted():
        plain, said = clocked(select, policy, now)
        return replace(_bound(plain, policy), clock=said)


def _bound(select: exp.Select, policy: Policy) -> Bound:
    select = as_groups(spread(select))
    row = Relations(policy, {}).within(select).rows(select)
    origin = row.origin
    if not origin.private:
        raise _public(select, policy)
    keys = _keys(select, row)
    scope = _scope(select, row, keys)
    written = [_output(node, scope) for node in select.expressions]
    names = apart([output.name for output in written])
    outputs = tuple(Output(name, output.value) for name, output in zip(names, written, strict=True))
    _check_distinct(select, keys, outputs)
    scope.aliases = _aliases(select, outputs)
    having = _having(select, scope)
    order = tuple(_order(node, scope, outputs) for node in terms(select, "order"))
    found = tuple(sorted(scope.statistics.found.values(), key=lambda statistic: statistic.name))
    found, shared = parallel(found)
    if any(key.domain is None for key in keys):
        found = tuple(_kept(statistic, origin.keys) for statistic in found)
    if not found:
        keys = listed(select, origin, keys)
    if len(found) > _MOST_STATISTICS:
        raise Refused("too-many-statistics", f"This needs {len(found)} statistics at once.", "Ask for fewer columns.")
    bound = Bound(
        source=origin.source,
        person=origin.person,
        neighbours=policy.neighbours,
        most_keys=origin.keys,
        keys=keys,
        statistics=found,
        shared=shared,
        possible=possible(keys, origin),
        outputs=outputs,
        having=having,
        order=order,
        limit=_whole(select, "limit"),
        offset=_whole(select, "offset") or 0,
        usual=tuple(sentences(_summed(found), origin.columns, origin.usual)),
        alone=bool(origin.alone),
    )
    return divided(bound, scope.statistics)


def _summed(statistics: Sequence[Base]) -> Iterator[Expression]:
    """What is computed of each row."""
    for statistic in statistics:
        if not isinstance(statistic, Statistic):
            yield statistic.histogram.cell
        elif statistic.total is not None:
            yield statistic.total.row


def _public(select: exp.Select, policy: Policy) -> Refused:
    """Rows that are public, and have no price, unless a subquery is about others."""
    private = {name.lower() for name, table in policy.tables.items() if not table.public}
    for table in select.find_all(exp.Table):
        if table.name.lower() in private:
            reason = "A subquery about private rows is not supported beside public ones."
            hint = f"Ask about {table.name} in a question of its own."
            return Refused("subquery", reason, hint, position(table))
    reason = "Everything here is public, so it has no price: ask, and the answer is exact and free."
    hint = "Ask about a private table, or join it: FROM private JOIN public ON ..."
    return Refused("public-table", reason, hint, position(select.args["from_"]))


def _keys(select: exp.Select, row: RowScope) -> tuple[GroupKey, ...]:
    """GROUP BY columns, expressions, ordinals or aliases."""
    keys: list[GroupKey] = []
    nodes: dict[str, exp.Expression] = {}
    for number, node in enumerate(terms(select, "group")):
        meant = referred(node, select, row)
        value = translate(meant, row)
        try:
            found = domain(value, row.origin.where, row.origin.values)
        except Refused as refusal:
            raise Refused(refusal.code, refusal.reason, refusal.hint, position(meant)) from None
        if found is None and row.origin.person and value == row.origin.unit:
            reason = "Each group would be one person, and is never shown."
            hint = f"Write COUNT(DISTINCT {title(meant)}) without it, or group by what many people share."
            raise Refused("rows", reason, hint, position(meant))
        if found is None:
            found = listed_numbers(value, row.origin)
        nodes[f"k{number}"] = meant
        keys.append(GroupKey(f"k{number}", value, found))
    left = undetermined(keys, row.origin)
    for key in left:
        if key.value.kind is Kind.NUMBER and key.domain is None:
            meant = nodes[key.name]
            hint = f"Group by ROUND({title(meant)}, 1)."
            raise Refused("real-key", "Real numbers cannot be group keys.", hint, position(meant))
    return left


def _scope(select: exp.Select, row: RowScope, keys: tuple[GroupKey, ...]) -> OutputScope:
    """The scope of the answer; counts are found first, because sums of the same rows can share them."""
    origin = row.origin
    scratch = Statistics(origin.source, origin.steps, grouped=bool(keys))
    parts = [part for part in (*select.expressions, select.args.get("having"), select.args.get("order")) if part]
    for node in dict.fromkeys(aggregates(parts)):
        function, aggregate = taken_apart(node, row)
        if function.counts:
            scratch.count(aggregate.rows)
    statistics = Statistics(origin.source, origin.steps, grouped=bool(keys), keys=keys, declared=origin.values)
    return OutputScope(row, keys, statistics=statistics, counted=frozenset(scratch.found))


def _listed_or_found(bound: Bound) -> Bound:
    """The question with private keys, if its known groups are too many to list and can be found in the data instead."""
    if any(key.domain is None for key in bound.keys) or not bound.statistics:
        return bound
    crowd = prod(len(key.domain or ()) for key in bound.keys)
    plain = all(
        isinstance(one, Statistic) and (one.total is not None or (one.distinct is None and one.filter is None))
        for one in bound.statistics
    )
    if crowd <= MOST_GROUPS or not plain:
        return bound
    return replace(
        bound,
        keys=tuple(replace(key, domain=None) for key in bound.keys),
        statistics=tuple(_kept(statistic, bound.most_keys) for statistic in bound.statistics),
        possible=(),
        crowd=crowd,
    )


def _kept(statistic: Base, most: int) -> Base:
    """Under private keys, a unit counts once in each of the groups that are kept for it."""
    if not isinstance(statistic, Statistic) or statistic.total is not None or statistic.distinct is not None:
        return statistic
    return replace(statistic, worth=Fraction(1), reach=most)


def _check_distinct(select: exp.Select, keys: tuple[GroupKey, ...], outputs: tuple[Output, ...]) -> None:
    """Groups differ by their keys, so rows that show all keys are distinct already."""
    shown = {output.value.name for output in outputs if isinstance(output.value, Column)}
    clause = select.args.get("distinct")
    if clause is not None and (clause.args.get("on") or not {key.name for key in keys} <= shown):
        raise Refused("distinct", "DISTINCT only works if all group keys are shown.", "Leave it out.")


def _output(node: exp.Expression, scope: OutputScope) -> Output:
    value = translate(node, scope)
    if not computable(value):
        hint = "Ask for its parts and compute it from the answer: that costs nothing more."
        raise Refused("unsupported-output", "This cannot be computed from aggregates.", hint, position(node))
    return Output(title(node), value)


def apart(names: Sequence[str]) -> list[str]:
    """Columns of one name get numbers, from the second on: the next that no other column is called by.

    Example:
        >>> apart(["n", "n", "n_1"])
        ['n', 'n_2', 'n_1']
    """
    taken, seen, found = {name.lower() for name in names}, set[str](), []
    for name in names:
        shown = name
        if name.lower() in seen:
            shown = next(other for number in count(1) if (other := f"{name}_{number}").lower() not in taken)
            taken.add(shown.lower())
        seen.add(shown.lower())
        found.append(shown)
    return found


def _aliases(select: exp.Select, outputs: tuple[Output, ...]) -> dict[str, tuple[Expression, ...]]:
    """What the names of the answer mean, as written and as shown; several things, if it was written twice."""
    found: dict[str, dict[Expression, None]] = {}
    for node, output in zip(select.expressions, outputs, strict=True):
        for name in {title(node).lower(), output.name.lower()}:
            found.setdefault(name, {})[output.value] = None
    return {name: tuple(values) for name, values in found.items()}


def _having(select: exp.Select, scope: OutputScope) -> Expression | None:
    having = select.args.get("having")
    if having is None:
        return None
    value = translate(having.this, scope)
    if value.kind is not Kind.BOOLEAN or not computable(value):
        raise Refused("type-mismatch", "HAVING needs a condition on the answer.", "Compare a column.", position(having))
    return value


def _order(node: exp.Expression, scope: OutputScope, outputs: tuple[Output, ...]) -> OrderTerm:
    term = node.this
    if node.args.get("nulls_first") or node.args.get("with_fill"):
        raise Refused("unsupported-form", "NULLs are always sorted last.", "Leave out NULLS FIRST.", position(node))
    if isinstance(term, exp.Literal) and not term.is_string:
        ordinal(term, [exp.Null()] * len(outputs))
        return OrderTerm(outputs[int(str(term.this)) - 1].value, bool(node.args.get("desc")))
    value = scope.alias(term.unnest()) or translate(term, scope)
    if not computable(value):
        raise Refused(
            "unsupported-output", "The answer cannot be sorted by this.", "Sort the answer yourself.", position(node)
        )
    return OrderTerm(value, bool(node.args.get("desc")))


def _whole(select: exp.Select, clause: str) -> int | None:
    """LIMIT and OFFSET are constants."""
    found = select.args.get(clause)
    if found is None:
        return None
    extra = any(value for name, value in found.args.items() if name != "expression")
    if extra or not isinstance(found.expression, exp.Literal) or not small(str(found.expression.this)):
        raise Refused(
            "bad-limit", f"{clause.upper()} needs a whole number.", f"Write {clause.upper()} 10.", position(found)
        )
    return int(str(found.expression.this))
