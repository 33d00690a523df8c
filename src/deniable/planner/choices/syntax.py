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
_HALF = Fraction(1, 2)


def chosen(node: exp.Expression) -> tuple[str, exp.Expression | None, tuple[Fraction, ...]] | None:
    """What is chosen, from which values, and with which constants; None if the node is no choice."""
    if isinstance(node, exp.WithinGroup):
        return _within_group(node)
    value = node.this if isinstance(node.this, exp.Expression) else None
    found: tuple[str, tuple[Fraction, ...], tuple[str, ...]]
    match node:
        case exp.Median():
            found = "quantile", (_HALF,), ("this",)
        case exp.Min():
            found = "quantile", (Fraction(0),), ("this",)
        case exp.Max():
            found = "quantile", (Fraction(1),), ("this",)
        case exp.PercentileCont() | exp.PercentileDisc():
            found = "quantile", (_share(node.args.get("expression"), node),), ("this", "expression")
        case exp.Quantile() | exp.ApproxQuantile():
            found = "quantile", (_share(node.args.get("quantile"), node),), ("this", "quantile")
        case exp.Mode():
            found = "mode", (Fraction(1), Fraction(1)), ("this",)
        case exp.ApproxTopK():
            places, place = (_place(node.args.get(name), node) for name in ("expression", "counters"))
            found = "mode", (places, place), ("this", "expression", "counters")
        case _:
            return None
    kind, constants, known = found
    if any(given for name, given in node.args.items() if name not in known) or isinstance(
        value, exp.Distinct | exp.Star
    ):
        raise Refused(
            "unsupported-form", f"This form of {_name(node)} is not answered.", "Use a plainer form.", position(node)
        )
    return kind, value, constants


def spread(select: exp.Select) -> exp.Select:
    """Columns that are lists become a column for each entry: QUANTILE_CONT(x, [...]) and APPROX_TOP_K(x, k)."""
    columns = [column for node in select.expressions for column in _entries(node)]
    if len(columns) == len(select.expressions):
        return select
    if len(columns) > _MOST_COLUMNS:
        reason = f"All lists together have more than {_MOST_COLUMNS} entries."
        raise Refused("too-many-statistics", reason, "Ask for fewer.", position(select))
    wide = select.copy()
    wide.set("expressions", columns)
    return wide


def _entries(node: exp.Expression) -> list[exp.Expression]:
    """The columns that one column stands for, with the entry in their names."""
    inner = node.this if isinstance(node, exp.Alias) else node
    plain = inner.this if isinstance(inner, exp.Filter) else inner
    call = plain.this if isinstance(plain, exp.WithinGroup) else plain
    if isinstance(call, exp.PercentileCont | exp.PercentileDisc | exp.Quantile | exp.ApproxQuantile):
        part = "this" if isinstance(plain, exp.WithinGroup) else _argument(call)
        entries = call.args[part].expressions if isinstance(call.args.get(part), exp.Array) else []
        endings = [_percent(_share(entry, call)) for entry in entries[: MOST_ENTRIES + 1]]
    elif isinstance(call, exp.ApproxTopK) and not call.args.get("counters"):
        part = "counters"
        number = int(_place(call.args.get("expression"), call))
        entries = [exp.Literal.number(place + 1) for place in range(min(number, MOST_ENTRIES + 1))]
        endings = [str(place + 1) for place in range(len(entries))]
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


def _argument(call: exp.Expression) -> str:
    return "quantile" if isinstance(call, exp.Quantile | exp.ApproxQuantile) else "expression"


def _within_group(node: exp.WithinGroup) -> tuple[str, exp.Expression | None, tuple[Fraction, ...]]:
    """PERCENTILE_CONT(q) and MODE() name their values in an ORDER BY; from the largest down, q counts from above."""
    call, order = node.this, node.expression
    terms = order.expressions if isinstance(order, exp.Order) else []
    extra = [name for name, given in call.args.items() if given and name != "this"]
    if len(terms) != 1 or extra or not isinstance(call, exp.PercentileCont | exp.PercentileDisc | exp.Mode):
        raise Refused(
            "unsupported-form",
            "This form of WITHIN GROUP is not answered.",
            "Write MEDIAN(x) or QUANTILE_CONT(x, 0.25).",
            position(node),
        )
    term = terms[0]
    if isinstance(call, exp.Mode):
        return "mode", term.this, (Fraction(1), Fraction(1))
    share = _share(call.this, node)
    return "quantile", term.this, (1 - share if term.args.get("desc") else share,)


def _share(node: exp.Expression | None, around: exp.Expression) -> Fraction:
    """A constant between 0 and 1."""
    number = _number(node)
    if number is None or number > 1 or _FINEST % number.denominator:
        hint = "Write QUANTILE_CONT(x, 0.25), or a list of such numbers as a column of its own."
        reason = "A quantile is a number between 0 and 1 with at most four decimals."
        raise Refused("unsupported-form", reason, hint, position(around))
    return number


def _place(node: exp.Expression | None, around: exp.Expression) -> Fraction:
    """A whole constant from 1 on."""
    number = _number(node)
    if number is None or number < 1 or number.denominator != 1:
        hint = "Write APPROX_TOP_K(x, 3), as a column of its own."
        raise Refused("unsupported-form", "APPROX_TOP_K needs how many values to name.", hint, position(around))
    return number


def _number(node: exp.Expression | None) -> Fraction | None:
    """A plain constant that is not negative."""
    text = str(node.this) if isinstance(node, exp.Literal) and not node.is_string else ""
    if not text or len(text) > _LONGEST or not text.replace(".", "", 1).isdecimal() or not text.isascii():
        return None
    return Fraction(text)


def _percent(share: Fraction) -> str:
    """p25, p99_9."""
    return f"p{float(100 * share):g}".replace(".", "_")


def _name(node: exp.Expression) -> str:
    return node.key.upper()
