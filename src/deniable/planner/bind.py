"""Names to meanings: a syntax tree and a policy become a question about declared columns only."""

from __future__ import annotations

from collections import Counter

from sqlglot import ErrorLevel, exp

from deniable.core.errors import Refused
from deniable.core.expression import Expression, Kind
from deniable.core.query import Source
from deniable.planner.aggregates import needs_count
from deniable.planner.evaluate import computable
from deniable.planner.forms import spread
from deniable.planner.keys import Domain, GroupKey, domain
from deniable.planner.parse import position
from deniable.planner.plan import Bound, Order, Output
from deniable.planner.scopes import OutputScope, RowScope, aggregates, condition, taken_apart
from deniable.planner.statistics import Statistics
from deniable.planner.translate import translate
from deniable.policy import Policy, Table

_MOST_STATISTICS = 100


def bind(select: exp.Select, policy: Policy) -> Bound:
    """The question in terms of the policy, or a refusal that says where and why not."""
    select = spread(select)
    table, alias = _table(select, policy)
    row = RowScope(table, alias)
    where = condition(select.args["where"].this, row) if select.args.get("where") else None
    source = Source(table.name, table.unit, table.contribution, where)
    keys = _keys(select, row, where)
    scope = _scope(select, row, source, keys)
    outputs = _apart([_output(node, scope) for node in select.expressions])
    scope.aliases = {output.name.lower(): output.value for output in outputs}
    having = _having(select, scope)
    order = tuple(_order(node, scope, outputs) for node in _terms(select, "order"))
    found = tuple(sorted(scope.statistics.found.values(), key=lambda statistic: statistic.name))
    if not found:
        raise Refused("no-aggregate", "Rows are never shown, only statistics of them.", "Add COUNT(*), SUM or AVG.")
    if len(found) > _MOST_STATISTICS:
        raise Refused("too-many-statistics", f"This needs {len(found)} statistics at once.", "Ask for fewer columns.")
    return Bound(
        source=source,
        neighbours=policy.neighbours,
        most_keys=table.keys or table.contribution,
        keys=keys,
        statistics=found,
        outputs=outputs,
        having=having,
        order=order,
        limit=_whole(select, "limit"),
        offset=_whole(select, "offset") or 0,
    )


def _table(select: exp.Select, policy: Policy) -> tuple[Table, str]:
    """The one private table."""
    origin = select.args.get("from_")
    node = origin.this if origin else None
    if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Identifier):
        raise Refused("unknown-table", "A question is about a declared table.", f"Write FROM {_names(policy)}.")
    named = node.args.get("alias")
    if any(value for name, value in node.args.items() if name not in ("this", "alias")) or (named and named.columns):
        raise Refused("unsupported-clause", "Only a table's plain name is answered.", "", position(node))
    tables = {name.lower(): table for name, table in policy.tables.items()}
    table = tables.get(node.name.lower())
    if table is None:
        raise Refused(
            "unknown-table", f"There is no table {node.name!r}.", f"There is {_names(policy)}.", position(node)
        )
    if table.public:
        raise Refused("public-table", f"{table.name!r} is public: read it directly.", "", position(node))
    return table, node.alias or table.name


def _names(policy: Policy) -> str:
    return ", ".join(name for name, table in policy.tables.items() if not table.public)


def _keys(select: exp.Select, row: RowScope, where: Expression | None) -> tuple[GroupKey, ...]:
    """GROUP BY columns, expressions, ordinals or aliases."""
    group = select.args.get("group")
    if group is not None and any(value for name, value in group.args.items() if name != "expressions"):
        raise Refused("unsupported-clause", "ROLLUP, CUBE and GROUPING SETS are not answered.", "", position(group))
    aliases = {node.alias.lower(): node.this for node in select.expressions if isinstance(node, exp.Alias)}
    declared: dict[str, Domain] = {
        name: column.values for name, column in row.table.columns.items() if column.values is not None
    }
    keys: list[GroupKey] = []
    for number, node in enumerate(_terms(select, "group")):
        meant = _referred(node, select, aliases, row)
        value = translate(meant, row)
        try:
            found = domain(value, where, declared)
        except Refused as refusal:
            raise Refused(refusal.code, refusal.reason, refusal.hint, position(meant)) from None
        if value.kind is Kind.NUMBER and found is None:
            raise Refused("real-key", "A real number is no key.", "Group by FLOOR(x / width).", position(meant))
        keys.append(GroupKey(f"k{number}", value, found))
    return tuple(keys)


def _referred(
    node: exp.Expression, select: exp.Select, aliases: dict[str, exp.Expression], row: RowScope
) -> exp.Expression:
    """What an ordinal or an alias refers to; columns of the table come before aliases."""
    if isinstance(node, exp.Literal) and not node.is_string:
        return _ordinal(node, select.expressions)
    if isinstance(node, exp.Column) and not node.table and node.name.lower() in aliases:
        declared = {name.lower() for name in row.table.columns}
        return node if node.name.lower() in declared else aliases[node.name.lower()]
    return node


def _ordinal(node: exp.Literal, expressions: list[exp.Expression]) -> exp.Expression:
    text = str(node.this)
    if not _small(text) or not 1 <= int(text) <= len(expressions):
        raise Refused("bad-ordinal", f"There is no column number {text[:20]}.", f"Use 1 to {len(expressions)}.")
    chosen = expressions[int(text) - 1]
    return chosen.this if isinstance(chosen, exp.Alias) else chosen


def _scope(select: exp.Select, row: RowScope, source: Source, keys: tuple[GroupKey, ...]) -> OutputScope:
    """The scope of the answer; counts are found first, because sums of the same rows can share them."""
    steps = {name: column.step for name, column in row.table.columns.items() if column.step is not None}
    scratch = Statistics(source, steps, grouped=bool(keys))
    parts = [part for part in (*select.expressions, select.args.get("having"), select.args.get("order")) if part]
    for node in aggregates(parts):
        aggregate = taken_apart(node, row)
        if needs_count(aggregate):
            scratch.count(aggregate.rows)
    declared = {name: column.values for name, column in row.table.columns.items() if column.values is not None}
    statistics = Statistics(source, steps, grouped=bool(keys), keys=keys, declared=declared)
    return OutputScope(row, keys, statistics, frozenset(scratch.found))


def _output(node: exp.Expression, scope: OutputScope) -> Output:
    value = translate(node, scope)
    if not computable(value):
        hint = "Ask for its parts and compute it from the answer: that costs nothing more."
        raise Refused("unsupported-output", "This cannot be computed around aggregates.", hint, position(node))
    return Output(node.alias or _title(node), value)


def _apart(outputs: list[Output]) -> tuple[Output, ...]:
    """Columns of one name get numbers, from the second on."""
    seen: Counter[str] = Counter()
    named = []
    for output in outputs:
        number = seen[output.name.lower()]
        seen[output.name.lower()] += 1
        named.append(output if not number else Output(f"{output.name}_{number}", output.value))
    return tuple(named)


def _title(node: exp.Expression) -> str:
    """A column's name where no alias is given."""
    if isinstance(node, exp.Column):
        return node.name
    return node.sql(dialect="duckdb", unsupported_level=ErrorLevel.IGNORE).lower()


def _having(select: exp.Select, scope: OutputScope) -> Expression | None:
    having = select.args.get("having")
    if having is None:
        return None
    value = translate(having.this, scope)
    if value.kind is not Kind.BOOLEAN or not computable(value):
        raise Refused("type-mismatch", "HAVING needs a condition on the answer.", "Compare a column.", position(having))
    return value


def _order(node: exp.Expression, scope: OutputScope, outputs: tuple[Output, ...]) -> Order:
    term = node.this
    if node.args.get("nulls_first") or node.args.get("with_fill"):
        raise Refused("unsupported-form", "NULLs are sorted last.", "Leave out NULLS FIRST.", position(node))
    if isinstance(term, exp.Literal) and not term.is_string:
        _ordinal(term, [exp.Null()] * len(outputs))
        return Order(outputs[int(str(term.this)) - 1].value, bool(node.args.get("desc")))
    value = translate(term, scope)
    if not computable(value):
        raise Refused("unsupported-output", "This cannot be sorted by.", "Sort the answer yourself.", position(node))
    return Order(value, bool(node.args.get("desc")))


def _terms(select: exp.Select, clause: str) -> list[exp.Expression]:
    found = select.args.get(clause)
    return list(found.expressions) if found is not None else []


def _small(text: str) -> bool:
    """Whether this is a whole number that can be a position."""
    return text.isdigit() and len(text) <= 15  # noqa: PLR2004 - far beyond any answer


def _whole(select: exp.Select, clause: str) -> int | None:
    """LIMIT and OFFSET are constants."""
    found = select.args.get(clause)
    if found is None:
        return None
    extra = any(value for name, value in found.args.items() if name != "expression")
    if extra or not isinstance(found.expression, exp.Literal) or not _small(str(found.expression.this)):
        raise Refused("bad-limit", f"{clause.upper()} needs a whole number.", "", position(found))
    return int(str(found.expression.this))
