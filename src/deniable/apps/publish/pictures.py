"""A page of small pictures: one for each part of a release, with its error band. One file, no network."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.core.errors import InvalidArgumentError
from deniable.files.atomic import write
from deniable.releases.linear.release import Release

_MOST = 60
_TICKS = 8
_BARS = 15
"""As many lying bars as can be read."""
_NUMBERS = 90
"""As many cells of a map as have room for their number."""
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;padding:0 1rem;max-width:80rem}"
    "body{color:#222;background:#fff}"
    "main{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,28rem),1fr));gap:2rem 1.5rem}"
    "figure{margin:0}figcaption{font-size:.9rem;color:#555}figcaption b{display:block;color:#222;font-size:1rem}"
    "img{width:100%}"
)


def page(release: Release | None, path: Path) -> None:
    """Write the page; without a release, only check that it could be written."""
    if path.suffix not in (".html", ".htm"):
        raise InvalidArgumentError("pictures", f"must end in .html, not be {str(path)!r}")
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise InvalidArgumentError("pictures", "needs matplotlib: pip install 'deniable[plot]'") from None
    if release is None:
        return
    pieces = release.task.pieces[:_MOST]
    figures = "".join(_figure(Figure, *release.part(place)) for place in range(len(pieces)))
    left = len(release.task.pieces) - len(pieces)
    more = f"<p>{left:,} parts more are in the table.</p>" if left else ""
    about = (
        f"Strategy: {release.design.name}. Bands and ± hold for each answer with "
        f"{100 * float(release.confidence):g}% confidence. Privacy budget spent: {release.loss}."
    )
    text = (
        f"<!doctype html><html lang=en><meta charset=utf-8>"
        f"<meta name=viewport content='width=device-width, initial-scale=1'><title>Release</title>"
        f"<style>{_STYLE}</style><h1>Release</h1><p>{escape(about)}</p><main>{figures}</main>{more}</html>\n"
    )
    write(path, text, "pictures")


def _figure(make: Any, title: str, keys: dict[str, pa.Array], counts: NDArray[Any], radius: NDArray[Any]) -> str:  # noqa: ANN401 - matplotlib has no types
    """The picture of one part, inside the page."""
    names = list(keys)
    if len(names) == 2 and names[0].endswith("_from"):  # noqa: PLR2004 - first and last value
        column = names[0].removesuffix("_from")
        figure = _maps(make, *_triangle(keys, counts, radius), (f"from {column}", f"to {column}"))
    elif len(names) == 2:  # noqa: PLR2004 - two attributes
        first, second = (_order(keys[name]) for name in names)
        shape = (len(first), len(second))
        figure = _maps(make, counts.reshape(shape), radius.reshape(shape), [first, second], (names[0], names[1]))
    else:
        labels = [" / ".join(map(_shown, row)) for row in zip(*(keys[name].to_pylist() for name in names))]  # noqa: B905 - one length
        name = " / ".join(f"up to {name.removesuffix('_to')}" if name.endswith("_to") else name for name in names)
        figure = (_bars if counts.size <= _BARS else _line)(make, labels or ["all"], counts, radius, name)
    stored = BytesIO()
    figure.savefig(stored, format="png", dpi=150)
    image = b64encode(stored.getvalue()).decode()
    many = "1 answer" if counts.size == 1 else f"{counts.size:,} answers"
    off = f"± {float(radius.flat[0]):,.3g}" if _flat(radius) else f"± {radius.min():,.3g} to {radius.max():,.3g}"
    caption = f"<figcaption><b>{escape(title)}</b>{many}, {off}</figcaption>"
    return f'<figure>{caption}<img alt="{escape(title)}" src="data:image/png;base64,{image}"></figure>'


def _flat(numbers: NDArray[Any]) -> bool:
    """Whether all of them would have one colour."""
    known = numbers[~np.isnan(numbers)]
    return bool(known.size == 0 or np.ptp(known) <= 1e-6 * max(1.0, float(np.abs(known).max())))


def _shown(value: object) -> str:
    return "(missing)" if value is None else str(value)


def _order(column: pa.Array) -> list[object]:
    """The values of a column, each once, in their order."""
    return list(dict.fromkeys(column.to_pylist()))


def _triangle(
    keys: dict[str, pa.Array], counts: NDArray[Any], radius: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any], list[list[object]]]:
    """Ranges by their first and last value; what is no range stays empty."""
    values = _order(list(keys.values())[0])  # noqa: RUF015 - a dictionary has no first value
    size = len(values)
    maps = [np.full((size, size), np.nan) for _ in range(2)]
    for grid, numbers in zip(maps, (counts, radius), strict=True):
        grid[np.triu_indices(size)] = numbers
    return maps[0], maps[1], [values, values]


def _maps(
    make: Any,  # noqa: ANN401 - same
    counts: NDArray[Any],
    radius: NDArray[Any],
    values: list[list[object]],
    names: tuple[str, str],
) -> Any:  # noqa: ANN401 - same
    """Counts; and below them how far off they may be, unless that is the same everywhere: one colour says nothing."""
    panels = [("count", counts, "viridis"), ("± at this confidence", radius, "magma")]
    shown = [panel for panel in panels if not _flat(panel[1])] or panels[:1]
    rows, columns = counts.shape
    wide = columns > rows
    grids = [(title, grid.T if wide else grid, colours) for title, grid, colours in shown]  # the longer side stands
    (left, below), ticks = (names[::-1], values[::-1]) if wide else (names, values)
    tall = min(6.0, max(2.2, 0.9 + 0.26 * max(rows, columns)))
    figure = make(figsize=(6, tall * len(grids)), layout="constrained")
    for axes, (title, grid, colours) in zip(np.ravel(figure.subplots(len(grids), 1)), grids, strict=True):
        drawn = axes.imshow(grid, aspect="auto", cmap=colours)
        figure.colorbar(drawn, ax=axes, label=title)
        axes.set(xlabel=below, ylabel=left)
        for places, labels in ((axes.set_yticks, ticks[0]), (axes.set_xticks, ticks[1])):
            some = _some(len(labels))
            places(some, [_shown(labels[place]) for place in some], fontsize=8)
        long = max(len(_shown(label)) for label in ticks[1]) > 60 // max(1, len(_some(len(ticks[1]))))
        axes.tick_params(axis="x", rotation=30 if long else 0)
        if np.isfinite(grid).sum() <= _NUMBERS:
            _write(axes, grid, drawn)
    return figure


def _write(axes: Any, grid: NDArray[Any], drawn: Any) -> None:  # noqa: ANN401 - same
    """The number of each cell, light on dark and dark on light."""
    for (row, column), value in np.ndenumerate(grid):
        if np.isfinite(value):
            bright = drawn.norm(value) > 0.6  # noqa: PLR2004 - where both colour maps turn light
            axes.text(
                column, row, f"{value:,.0f}", ha="center", va="center", fontsize=7, color="black" if bright else "white"
            )


def _some(many: int) -> list[int]:
    """Places of labels that have room."""
    return list(range(0, many, max(1, -(-many // _TICKS) if many > _BARS else 1)))


def _bars(make: Any, labels: list[str], counts: NDArray[Any], radius: NDArray[Any], name: str) -> Any:  # noqa: ANN401 - same
    """Lying bars, each with its label beside it and its error."""
    figure = make(figsize=(6, 0.9 + 0.32 * counts.size), layout="constrained")
    axes = figure.add_subplot()
    axes.barh(np.arange(counts.size), counts, xerr=radius, capsize=3, height=0.7, color="#4a90c4")
    axes.set_yticks(np.arange(counts.size), labels, fontsize=8)
    axes.set(xlabel="count", ylabel=name if counts.size > 1 else "", ylim=(counts.size - 0.4, -0.6))
    axes.axvline(0, color="black", linewidth=0.8)
    return figure


def _line(make: Any, labels: list[str], counts: NDArray[Any], radius: NDArray[Any], name: str) -> Any:  # noqa: ANN401 - same
    """A line with the band around it."""
    figure = make(figsize=(6, 3.4), layout="constrained")
    axes = figure.add_subplot()
    places = np.arange(counts.size)
    axes.fill_between(places, counts - radius, counts + radius, alpha=0.3, linewidth=0)
    axes.plot(places, counts, linewidth=1)
    some = _some(counts.size)
    axes.set_xticks(some, [labels[place] for place in some], rotation=30, ha="right", fontsize=8)
    axes.set(xlabel=name, ylabel="count")
    return figure
