"""Pictures of a table before and after: drawn as SVG for pages, with matplotlib for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from deniable.core.errors import InvalidArgumentError
from deniable.releases.syntactic.hierarchies.values import STAR, text_of
from deniable.releases.syntactic.report.risks import released_sizes

if TYPE_CHECKING:
    from deniable.releases.syntactic.report.anonymized_table import AnonymizedTable
    from deniable.releases.syntactic.search.grouping import IntArray

Bars = list[tuple[str, float]]

_MOST = 40
_WIDTH, _HEIGHT = 440, 190
_LETTER = 6.5
"""How wide a letter is, about."""
_BEFORE, _AFTER = "#8c96a8", "#2a77b4"


def class_sizes(release: AnonymizedTable) -> str:
    """How many rows are in classes of which size, before and after."""
    before, after = size_bars(release.cells.sizes), size_bars(released_sizes(release.cells, release.recoding))
    return _side_by_side("rows by the size of their class", before, after)


def columns_before_and_after(release: AnonymizedTable) -> list[str]:
    """For each quasi-identifier, how many rows have which value."""
    return [
        _side_by_side(column.name, *column_bars(release, place)) for place, column in enumerate(release.cells.columns)
    ]


def size_bars(sizes: IntArray) -> Bars:
    """Rows in classes of 1, 2-3, 4-7, ... rows."""
    power = np.frexp(sizes.astype(float))[1] - 1
    rows = np.bincount(power, sizes)
    names = ["1", *(f"{1 << p}-{(2 << p) - 1}" for p in range(1, len(rows)))]
    return [(name, float(count)) for name, count in zip(names, rows, strict=True)]


def column_bars(release: AnonymizedTable, place: int) -> tuple[Bars, Bars]:
    """Values in their order; labels in the order of the values that they cover."""
    cells, recoding = release.cells, release.recoding
    column = cells.columns[place]
    names = ["NULL" if value is None else text_of(value) for value in column.values]
    before = list(zip(names, cells.rows_of(place).astype(float).tolist(), strict=True))
    label = recoding.codes[place][recoding.of]
    hidden = recoding.suppressed[recoding.of]
    rows = np.bincount(label[~hidden], cells.sizes[~hidden], len(recoding.labels[place]))
    first = np.full(len(rows), len(names))
    np.minimum.at(first, label, cells.codes[place])
    after = [
        ("NULL" if recoding.labels[place][at] is None else str(recoding.labels[place][at]), float(rows[at]))
        for at in np.argsort(first, kind="stable")
        if rows[at]
    ]
    lost = float(cells.sizes[hidden].sum())
    return _few(before), _few([*after, (STAR, lost)] if lost else after)


def figure(release: AnonymizedTable) -> Any:  # noqa: ANN401 - matplotlib has no types
    """One row of pictures for the classes and for each quasi-identifier."""
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - an extra
    except ImportError:
        raise InvalidArgumentError("plot", "needs matplotlib: pip install 'deniable[plot]'") from None
    pictures = [
        ("class size", size_bars(release.cells.sizes), size_bars(released_sizes(release.cells, release.recoding))),
        *((column.name, *column_bars(release, place)) for place, column in enumerate(release.cells.columns)),
    ]
    drawn = Figure(figsize=(10, 2.2 * len(pictures)), layout="constrained")
    axes = drawn.subplots(len(pictures), 2, squeeze=False)
    for (name, *sides), pair in zip(pictures, axes, strict=True):
        for bars, side, title, colour in zip(sides, pair, ("before", "after"), (_BEFORE, _AFTER), strict=True):
            side.bar(range(len(bars)), [height for _, height in bars], color=colour)
            side.set_xticks(range(len(bars)), [_short(label) for label, _ in bars], rotation=60, ha="right", fontsize=6)
            side.set_title(f"{name}, {title}", fontsize=9)
    return drawn


def _few(bars: Bars) -> Bars:
    """Neighbours together, until they fit."""
    if len(bars) <= _MOST:
        return bars
    runs = np.array_split(np.arange(len(bars)), _MOST)
    return [
        (" .. ".join(dict.fromkeys((bars[run[0]][0], bars[run[-1]][0]))), sum(bars[at][1] for at in run))
        for run in runs
    ]


def _side_by_side(title: str, before: Bars, after: Bars) -> str:
    top = max(height for _, height in (*before, *after)) or 1.0
    pictures = "".join(
        _bars(f"{title}, {side}", bars, top, colour)
        for side, bars, colour in (("before", before, _BEFORE), ("after", after, _AFTER))
    )
    return f"<div class='beside'>{pictures}</div>"


def _bars(title: str, bars: Sequence[tuple[str, float]], top: float, colour: str) -> str:
    """Bars with their names below, slanted where they need room; the full name is a tooltip."""
    left = 16 + _LETTER * len(f"{top:,.0f}")
    step = (_WIDTH - left) / max(1, len(bars))
    parts = [f"<text x='0' y='13' font-size='13' font-weight='600'>{escape(title)}</text>"]
    every = max(1, -(-len(bars) // 14))
    flat = all(_LETTER * len(_short(name)) < step * every for name, _ in bars)
    for place, (name, height) in enumerate(bars):
        x, tall = left + place * step, 90 * height / top
        tip = f"<title>{escape(name)}: {height:,.0f} rows</title>"
        parts.append(
            f"<rect x='{x:.1f}' y='{120 - tall:.1f}' width='{max(1.0, step * 0.85):.1f}' height='{max(tall, 0.5):.1f}' "
            f"fill='{colour}'>{tip}</rect>"
        )
        if place % every == 0:
            middle = x + step / 2
            turned = "" if flat else f" transform='rotate(-40 {middle:.1f} 134)'"
            side = "middle" if flat else "end"
            place_of = f"x='{middle:.1f}' y='134' text-anchor='{side}'{turned}"
            parts.append(f"<text {place_of} font-size='11'>{escape(_short(name))}</text>")
    parts.append(f"<text x='{left - 6:.1f}' y='38' font-size='11' text-anchor='end'>{top:,.0f}</text>")
    parts.append(f"<text x='{left - 6:.1f}' y='120' font-size='11' text-anchor='end'>0</text>")
    return (
        f"<svg viewBox='0 0 {_WIDTH} {_HEIGHT}' width='{_WIDTH}' height='{_HEIGHT}' role='img' "
        f"aria-label='{escape(title, quote=True)}' fill='#1d2433' font-family='system-ui, sans-serif'>"
        f"{''.join(parts)}</svg>"
    )


def _short(name: str) -> str:
    return name if len(name) <= 14 else f"{name[:12]}…"  # noqa: PLR2004 - what fits
