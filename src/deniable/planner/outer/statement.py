"""The statement that runs on noisy tables, written out for an empty database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlglot import ErrorLevel, exp

from deniable.core.errors import Refused
from deniable.planner.outer.carry import Carried, carried
from deniable.planner.outer.check import check
from deniable.planner.parse import position
from deniable.planner.plan import Bound
from deniable.planner.relations.clauses import title
from deniable.planner.relations.names import declared, drop_paths, qualifier, rename
from deniable.policy import Policy


@dataclass(frozen=True, slots=True)
class OuterQuery:
    """What is computed from noisy tables. It says nothing to the questions inside: they are asked without it.

    `tree` is kept for refusals, which quote what was written; `public` are the declared public tables that it reads;
    `first` is why the statement is no question by itself.
    """

    sql: str
    tree: exp.Expression
    carried: Carried
    public: tuple[str, ...]
    clock: tuple[str, ...]
    first: Refused | None = field(default=None, compare=False)


def noisy_name(number: int) -> str:
    """What a noisy table is called: a name that no table of a policy has."""
    return f"noisy {number + 1}"


def public_name(name: str) -> str:
    """What a public table is called beside noisy ones."""
    return f"public {name}"


def noisy_table(number: int) -> exp.Table:
    """One of the noisy tables, in a tree."""
    return exp.Table(this=exp.to_identifier(noisy_name(number), quoted=True))


def finished(tree: exp.Expression, policy: Policy, inner: Sequence[Bound], clock: tuple[str, ...]) -> OuterQuery:
    """The statement around these questions, if all of it is allowed and speaks of noisy and public tables alone."""
    check(tree)
    public = _renamed(tree, policy, {noisy_name(number) for number in range(len(inner))})
    written = tree.copy()
    make_total(written)
    known = {noisy_name(number): bound for number, bound in enumerate(inner)}
    facts = {public_name(name): policy.tables[name] for name in public}
    found = carried(written, known, facts)
    return OuterQuery(text(written), tree, found, public, clock)


def text(tree: exp.Expression) -> str:
    """The tree in DuckDB's SQL."""
    return tree.sql(dialect="duckdb", unsupported_level=ErrorLevel.IGNORE, comments=False)


def _renamed(tree: exp.Expression, policy: Policy, noisy: set[str]) -> tuple[str, ...]:
    """Public tables by the names that they have beside noisy ones, and columns without what stands before tables."""
    queries = {query.alias.lower() for query in tree.find_all(exp.CTE)}
    found: dict[str, None] = {}
    for node in list(tree.find_all(exp.Table)):
        if not qualifier(node) and (node.name in noisy or node.name.lower() in queries):
            continue
        table = declared(node, policy)
        if table is None or not table.public:
            hint = f"Write FROM {', '.join(name for name, one in policy.tables.items() if one.public) or 'a subquery'}."
            raise Refused("unknown-table", f"There is no table {node.name!r} here.", hint, position(node))
        found[table.name] = None
        rename(node, table, public_name(table.name))
    drop_paths(tree)
    return tuple(found)


def entitled(tree: exp.Expression) -> exp.Expression:
    """The columns of the answer are called as those of questions are: by an alias, or by what is written."""
    first: exp.Expression = tree
    while isinstance(first, exp.SetOperation | exp.Subquery):
        first = first.this
    if isinstance(first, exp.Select):
        columns = [
            node
            if isinstance(node, exp.Alias | exp.Column | exp.Star)
            else exp.alias_(node.copy(), title(node), quoted=True)
            for node in first.expressions
        ]
        first.set("expressions", columns)
    return tree


def make_total(tree: exp.Expression) -> None:
    """What cannot be converted is NULL, and so is what is left of a division by zero: a paid answer is not lost.

    What `//` gives is whole. DuckDB cuts off what is behind the point of whole numbers only, and a noisy sum of whole
    numbers is a double.
    """
    for node in list(tree.find_all(exp.Cast)):
        if type(node) is exp.Cast:
            node.replace(exp.TryCast(**{name: value for name, value in node.args.items() if name != "safe"}))
    for division in reversed(list(tree.find_all(exp.IntDiv, exp.Mod))):  # from the inside out
        divisor = division.expression
        if not _is_nonzero(divisor):
            division.set("expression", exp.Nullif(this=divisor.copy(), expression=exp.Literal.number(0)))
        if isinstance(division, exp.IntDiv):
            division.replace(exp.Trunc(this=division.copy()))


def _is_nonzero(node: exp.Expression) -> bool:
    """Whether it is a number that is written there, and not zero."""
    if isinstance(node, exp.Paren | exp.Neg):
        return _is_nonzero(node.this)
    return isinstance(node, exp.Literal) and not node.is_string and float(str(node.this).replace("_", "")) != 0
