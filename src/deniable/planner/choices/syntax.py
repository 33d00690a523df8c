"""The many ways to write a quantile or a most common value, each as one."""

from __future__ import annotations

from fractions import Fraction

from sqlglot import exp

from deniable.core.errors import Refused
from deniable.planner.parse import position

_FINEST = 10_000
"""Quantiles have at most four decimals."""
_LONGEST = 20
MOST_ENTRIES = 100
"""Of a list that is spread over columns."""
_MOST_COLUMNS = 256
"""Of all lists together."""


def spread(select: exp.Select) -> exp.Select:
    """Columns that are lists become a column for each entry: QUANTILE_CONT(x, [...]) and APPROX_TOP_K(x, k)."""
    entries = [_entries(node) for node in select.expressions]
    if all(found[0] is node for node, found in zip(select.expressions, entries, strict=True)):
        return select
    columns = [column for found in entries for column in found]
    if len(columns) > _MOST_COLUMNS:
        reason = f"All lists together have more than {_MOST_COLUMNS} entries."
        raise Refused("too-many-statistics", reason, "Ask for fewer.", position(select))
    wide = select.copy()
    wide.set("expressions", columns)
    return wide


def plain(node: exp.Expression) -> exp.Expression:
    """PERCENTILE_CONT(q) WITHIN GROUP (ORDER BY x) as PERCENTILE_CONT(x, q), MODE() as MODE(x); others as they are.

    From the largest value down, q counts from above.
    """
    if not isinstance(node, exp.WithinGroup):
        return node
    call, order = node.this, node.expression
    terms = order.expressions if isinstance(order, exp.Order) else []
    given = {name for name, value in call.args.items() if value}
    if len(terms) != 1 or given != _WITHIN.get(type(call)):
        raise Refused(
            "unsupported-form",
            "This form of WITHIN GROUP is not supported.",
            "Write MEDIAN(x) or QUANTILE_CONT(x, 0.25).",
            position(node),
        )
    (term,) = terms
    if isinstance(call, exp.Mode):
        return exp.Mode(this=term.this.copy())
    found = share(call.this, node)
    rank = exp.Literal.number(f"{float(1 - found if term.args.get('desc') else found):.4f}")
    turned: exp.Expression = type(call)(this=term.this.copy(), expression=rank)
    return turned


_WITHIN: dict[type[exp.Expression], set[str]] = {
    exp.PercentileCont: {"this"},
    exp.PercentileDisc: {"this"},
    exp.Mode: set(),
}
"""Which arguments each has where its values stand in an ORDER BY."""


def share(node: exp.Expression | None, around: exp.Expression) -> Fraction:
    """A constant between 0 and 1."""
    number = _number(node)
    if number is None or number > 1 or _FINEST % number.denominator:
        hint = "Write QUANTILE_CONT(x, 0.25), or a list of such numbers as a column of its own."
        reason = "A quantile is a number between 0 and 1 with at most four decimals."
        raise Refused("unsupported-form", reason, hint, position(around))
    return number


def place(node: exp.Expression | None, around: exp.Expression) -> Fraction:
    """A whole constant from 1 on."""
    number = _number(node)
    if number is None or number < 1 or number.denominator != 1:
        hint = "Write APPROX_TOP_K(x, 3), as a column of its own."
        raise Refused("unsupported-form", "APPROX_TOP_K needs the number of values.", hint, position(around))
    return number


def second(call: exp.Expression) -> str:
    """Where the parser keeps an aggregate's second argument."""
    return "quantile" if isinstance(call, exp.Quantile | exp.ApproxQuantile) else "expression"


def _entries(node: exp.Expression) -> list[exp.Expression]:
    """The columns that one column stands for, with the entry in their names."""
    inner = node.this if isinstance(node, exp.Alias) else node
    bare = inner.this if isinstance(inner, exp.Filter) else inner
    call = bare.this if isinstance(bare, exp.WithinGroup) else bare
    if isinstance(call, exp.PercentileCont | exp.PercentileDisc | exp.Quantile | exp.ApproxQuantile):
        part = "this" if isinstance(bare, exp.WithinGroup) else second(call)
        entries = call.args[part].expressions if isinstance(call.args.get(part), exp.Array) else []
        endings = [_percent(share(entry, call)) for entry in entries[: MOST_ENTRIES + 1]]
    elif isinstance(call, exp.ApproxTopK) and not call.args.get("counters"):
        part = "counters"
        most = min(int(place(call.args.get("expression"), call)), MOST_ENTRIES + 1)
        entries = [exp.Literal.number(number) for number in range(1, most + 1)]
        endings = [str(number) for number in range(1, most + 1)]
    else:
        return [node]
    if not entries:
        return [node]
    if len(entries) > MOST_ENTRIES:
        raise Refused(
            "too-many-statistics", f"A list has at most {MOST_ENTRIES} entries.", "Ask for fewer.", position(node)
        )
    columns = []
    for entry, ending in zip(entries, endings, strict=True):
        copy = node.copy()
        _same_call(copy).set(part, entry.copy())
        if isinstance(copy, exp.Alias):
            copy.set("alias", exp.to_identifier(f"{node.alias}_{ending}", quoted=True))
        columns.append(copy)
    return columns


def _same_call(node: exp.Expression) -> exp.Expression:
    """The aggregate inside an alias, a FILTER and a WITHIN GROUP."""
    while isinstance(node, exp.Alias | exp.Filter | exp.WithinGroup):
        node = node.this
    return node


def _number(node: exp.Expression | None) -> Fraction | None:
    """A plain constant that is not negative."""
    text = str(node.this) if isinstance(node, exp.Literal) and not node.is_string else ""
    if not text or len(text) > _LONGEST or not text.replace(".", "", 1).isdecimal() or not text.isascii():
        return None
    return Fraction(text)


def _percent(rank: Fraction) -> str:
    """p25, p99_9."""
    return f"p{float(100 * rank):g}".replace(".", "_")
