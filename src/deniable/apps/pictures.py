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
_STYLE = (
    "body{font-family:system-ui,sans-serif;margin:2rem;color:#222;background:#fff}"
    "main{display:grid;grid-template-columns:repeat(auto-fill,minmax(24rem,1fr));gap:1.5rem}"
    "figure{margin:0}figcaption{font-size:.9rem;color:#555}img{width:100%}"
)


def page(release: Release | None, path: Path) -> None:
    """Write the page; without a release, only check that it could be written."""
    if path.suffix not in (".html", ".htm"):
        raise InvalidArgumentError("pictures", f"must end in .html, not be {str(path)!r}")
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - an extra
    except ImportError:
        raise InvalidArgumentError("pictures", "needs matplotlib: pip install 'deniable[plot]'") from None
    if release is None:
        return
    pieces = release.task.pieces[:_MOST]
    figures = "".join(_figure(Figure, *release.part(place)) for place in range(len(pieces)))
    left = len(release.task.pieces) - len(pieces)
    more = f"<p>{left:,} parts more are in the table.</p>" if left else ""
    about = (
        f"strategy {release.design.name}; bands and ± at {float(release.confidence):.0%} confidence; "
        f"paid {release.loss!r}"
    )
    text = (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>Release</title><style>{_STYLE}</style>"
        f"<h1>Release</h1><p>{escape(about)}</p><main>{figures}</main>{more}</html>\n"
    )
    write(path, text, "pictures")


def _figure(make: Any, title: str, keys: dict[str, pa.Array], counts: NDArray[Any], radius: NDArray[Any]) -> str:  # noqa: ANN401 - matplotlib has no types
    """The picture of one part, inside the page."""
    figure = make(figsize=(5, 3.2), layout="constrained")
    names = list(keys)
    if len(names) == 2 and names[0].endswith("_from"):  # noqa: PLR2004 - first and last value
        _map(figure, *_triangle(keys, counts, radius), names)
    elif len(names) == 2:  # noqa: PLR2004 - two attributes
        first, second = (_order(keys[name]) for name in names)
        shape = (len(first), len(second))
        _map(figure, counts.reshape(shape), radius.reshape(shape), [first, second], names)
    else:
        labels = [" / ".join(str(value) for value in row) for row in zip(*(keys[name].to_pylist() for name in names))]  # noqa: B905 - one length
        _line(figure, labels or ["all"], counts, radius)
    stored = BytesIO()
    figure.savefig(stored, format="png", dpi=110)
    image = b64encode(stored.getvalue()).decode()
    caption = f"{escape(title)}: {counts.size:,} answers, ± {float(np.median(radius)):,.3g} (median)"
    picture = f'<img alt="{escape(title)}" src="data:image/png;base64,{image}">'
    return f"<figure>{picture}<figcaption>{caption}</figcaption></figure>"


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


def _map(figure: Any, counts: NDArray[Any], radius: NDArray[Any], values: list[list[object]], names: list[str]) -> None:  # noqa: ANN401 - same
    """Counts, and beside them how far off they may be."""
    for axes, grid, title in zip(figure.subplots(1, 2), (counts, radius), ("count", "±"), strict=True):
        shown = axes.imshow(grid, aspect="auto", cmap="viridis" if title == "count" else "magma")
        figure.colorbar(shown, ax=axes, shrink=0.8)
        axes.set(title=title, xlabel=names[1], ylabel=names[0])
        for places, labels, turned in ((axes.set_yticks, values[0], 0), (axes.set_xticks, values[1], 90)):
            some = list(range(0, len(labels), max(1, len(labels) // _TICKS)))
            places(some, [str(labels[place]) for place in some], fontsize=7, rotation=turned)


def _line(figure: Any, labels: list[str], counts: NDArray[Any], radius: NDArray[Any]) -> None:  # noqa: ANN401 - same
    """Bars, or a line where there are many, with the band around them."""
    axes = figure.add_subplot()
    places = np.arange(counts.size)
    if counts.size <= 40:  # noqa: PLR2004 - as many bars as can be told apart
        axes.bar(places, counts, yerr=radius, capsize=2, alpha=0.8)
    else:
        axes.fill_between(places, counts - radius, counts + radius, alpha=0.3, linewidth=0)
        axes.plot(places, counts, linewidth=1)
    some = list(range(0, counts.size, max(1, counts.size // _TICKS)))
    axes.set_xticks(some, [labels[place] for place in some], rotation=30, ha="right", fontsize=7)
    axes.set_ylabel("count")
