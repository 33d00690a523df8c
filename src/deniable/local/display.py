"""Estimates for people: in the terminal, in a notebook, as a picture."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.table import Table

from deniable.core.errors import InvalidArgumentError

if TYPE_CHECKING:
    from deniable.local.estimate import Estimate

_MOST_ROWS = 40
_FEW = 6
_STYLE = (
    "<style>.deniable{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    ".deniable td,.deniable th{padding:2px 10px;text-align:right}.deniable tr:nth-child(even){background:#8881}</style>"
)


def line(estimate: Estimate) -> str:
    """One line: the number, or how many there are."""
    said = f"{float(estimate.confidence):.6g} confidence, {estimate.people:,} people"
    if np.size(estimate.value) == 0:
        return f"Estimate(nothing found; {said})"
    if np.ndim(estimate.value):
        return f"Estimate({np.size(estimate.value)} numbers ± at most {np.max(estimate.error):.4g} each; {said})"
    low, high = estimate.interval
    return f"Estimate({estimate.value:.4g}, from {low:.4g} to {high:.4g}; {said})"


def cells(estimate: Estimate) -> list[tuple[str, str, str, str]]:
    """Label, value, low and high as text; the largest first if they are too many to show."""
    value, low, high = (np.ravel(part) for part in (estimate.value, *estimate.interval))
    order = np.arange(value.size) if value.size <= _MOST_ROWS else np.argsort(-value)[:_MOST_ROWS]
    return [(estimate.labels[place], *(f"{part[place]:.4f}" for part in (value, low, high))) for place in order]


def table(estimate: Estimate) -> Table:
    """For the terminal."""
    shown = Table(header_style="bold", caption=footer(estimate), caption_justify="left")
    for name, side in (("", "left"), ("estimate", "right"), ("from", "right"), ("to", "right")):
        shown.add_column(name, justify=side)  # type: ignore[arg-type]
    for row in cells(estimate):
        shown.add_row(*row)
    return shown


def html(estimate: Estimate) -> str:
    """For notebooks."""
    head = "".join(f"<th>{name}</th>" for name in ("", "estimate", "from", "to"))
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in cells(estimate))
    note = f"<p><small>{escape(footer(estimate))}</small></p>"
    return f"{_STYLE}<table class=deniable><tr>{head}</tr>{body}</table>{note}"


def plot(estimate: Estimate) -> Any:  # noqa: ANN401 - matplotlib has no types
    """A figure of its own."""
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - an extra
    except ImportError:
        raise InvalidArgumentError("plot", "needs matplotlib: pip install 'deniable[plot]'") from None
    width = max(4.0, min(16.0, 0.45 * np.size(estimate.value) + 2))
    axes = Figure(figsize=(width, 4), layout="constrained").add_subplot()
    draw(estimate, axes)
    axes.set_title(footer(estimate))
    return axes


def draw(estimate: Estimate, axes: Any) -> None:  # noqa: ANN401 - matplotlib has no types
    """Points with bars from low to high."""
    value, low, high = (np.ravel(part) for part in (estimate.value, *estimate.interval))
    places = np.arange(value.size)
    axes.vlines(places, low, high, linewidth=2, alpha=0.6)
    axes.plot(places, value, "o", markersize=4)
    if value.size <= _MOST_ROWS:
        axes.set_xticks(places, estimate.labels, rotation=45 if value.size > _FEW else 0)
    axes.set_ylabel("estimate")


def footer(estimate: Estimate) -> str:
    """What the interval means."""
    more = np.size(estimate.value) - _MOST_ROWS
    rest = f"; {more:,} smaller ones are not shown" if more > 0 else ""
    return f"{estimate.people:,} people; each interval holds with probability {float(estimate.confidence):.6g}{rest}"
