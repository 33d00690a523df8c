"""Answers for people: in the terminal, in a notebook, as a picture."""

from __future__ import annotations

from html import escape
from math import ceil, isfinite
from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from deniable.core.errors import InvalidArgumentError

if TYPE_CHECKING:
    from deniable.curator.answer import Answer

_MOST_ROWS = 40
_FEW = 6
_STYLE = (
    "<style>.deniable{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    ".deniable td,.deniable th{padding:2px 10px;text-align:right}.deniable tr:nth-child(even){background:#8881}"
    ".deniable .error{color:#888;font-size:85%}</style>"
)


def rich_table(answer: Answer) -> Group:
    """The answer with plus or minus beside each noisy number."""
    header, rows = _cells(answer)
    table = Table(header_style="bold")
    for name in header:
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(*(f"{value} [dim]{error}[/dim]" if error else value for value, error in row))
    return Group(table, Text("\n".join(_footer(answer)), style="dim"))


def html(answer: Answer) -> str:
    """The same as a table for notebooks."""
    header, rows = _cells(answer)
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join(
        "<tr>"
        + "".join(f"<td>{escape(value)} <span class=error>{escape(error)}</span></td>" for value, error in row)
        + "</tr>"
        for row in rows
    )
    footer = "<br>".join(escape(line) for line in _footer(answer))
    return f"{_STYLE}<table class=deniable><tr>{head}</tr>{body}</table><p><small>{footer}</small></p>"


def plot(answer: Answer, column: str | None) -> Any:  # noqa: ANN401 - matplotlib has no types
    """Bars with error bars."""
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - an extra
    except ImportError:
        raise InvalidArgumentError("plot", "needs matplotlib: pip install 'deniable[plot]'") from None
    table, intervals = answer.table, answer.intervals
    noisy = [name.removesuffix("_low") for name in intervals.column_names if name.endswith("_low")]
    chosen = column or next(iter(noisy), "")
    if chosen not in noisy:
        raise InvalidArgumentError("column", f"must be one of {', '.join(noisy)}, not {column!r}")
    values = table[chosen].to_pylist()
    lows, highs = intervals[f"{chosen}_low"].to_pylist(), intervals[f"{chosen}_high"].to_pylist()
    others = [name for name in table.column_names if name not in noisy]
    labels = [" / ".join(str(row[name]) for name in others) for row in table.to_pylist()] if others else [chosen]
    shown = [(place, value) for place, value in enumerate(values) if value is not None]
    figure = Figure(figsize=(max(4.0, min(16.0, 0.45 * len(labels) + 2)), 4), layout="constrained")
    axes = figure.add_subplot()
    below = [value - lows[place] for place, value in shown]
    over = [highs[place] - value for place, value in shown]
    axes.bar([place for place, _ in shown], [value for _, value in shown], yerr=[below, over], capsize=3, alpha=0.8)
    crowded = len(labels) > _FEW
    axes.set_xticks(range(len(labels)), labels, rotation=45 if crowded else 0, ha="right" if crowded else "center")
    axes.set(ylabel=chosen, title=f"{chosen}, with {float(answer.plan.quote.confidence):.0%} intervals")
    return axes


def _cells(answer: Answer) -> tuple[list[str], list[list[tuple[str, str]]]]:
    """Each value as text, with its error."""
    table, intervals = answer.table, answer.intervals
    limits = intervals.slice(0, _MOST_ROWS).to_pylist()
    rows = []
    for row, limit in zip(table.slice(0, _MOST_ROWS).to_pylist(), limits or [{}] * _MOST_ROWS, strict=False):
        rows.append([(_shown(value), _error(limit, name, whole=isinstance(value, int))) for name, value in row.items()])
    return table.column_names, rows


def _error(limits: dict[str, float | None], name: str, *, whole: bool) -> str:
    """Half the interval's width; of whole numbers, a whole number."""
    low, high = limits.get(f"{name}_low"), limits.get(f"{name}_high")
    if low is None or high is None:
        return ""
    half = (high - low) / 2
    return f"± {_shown(ceil(half) if whole and isfinite(half) else half)}"


def _shown(value: object) -> str:
    """Numbers with as many digits as help."""
    if value is None:
        return "NULL"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:,.2f}" if abs(value) >= 1 else f"{value:.4g}"  # noqa: PLR2004
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _footer(answer: Answer) -> list[str]:
    """Price and size, and what is not in the error bars."""
    rows = answer.table.num_rows
    more = f"; {rows - _MOST_ROWS} rows more" if rows > _MOST_ROWS else ""
    paid = "recorded earlier: free" if answer.free else f"paid: {answer.loss!r}"
    price = f"± at {float(answer.plan.quote.confidence):.0%} confidence; {paid}{more}"
    return [price, *(f"note: {caution}" for caution in answer.plan.quote.cautions)]
