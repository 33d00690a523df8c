"""The report: one page that needs nothing else, for whoever gets the tables. How good they are, and what for."""

from __future__ import annotations

from html import escape
from math import ceil, sqrt
from typing import TYPE_CHECKING

import numpy as np

from deniable.core.shown import percent
from deniable.releases.synthetic.measured.bins import sums
from deniable.releases.synthetic.report.answers import labels, levels

if TYPE_CHECKING:
    from deniable.core.grid import IntArray
    from deniable.releases.synthetic.measured.domain import ColumnDomain
    from deniable.releases.synthetic.report.release import SyntheticRelease, SyntheticTable

_STYLE = """
:root { color-scheme: light; --ink: #1f2933; --dim: #5b6773; --paper: #f6f8fa; --card: #fff; --line: #d9e0e7; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 76rem; background: var(--paper); color: var(--ink);
       font: 16px/1.55 system-ui, sans-serif; }
h1 { font-size: 2rem; margin: 0 0 .5rem; } h2 { font-size: 1.5rem; margin: 2.5rem 0 .5rem; }
p, li { max-width: 48rem; } small, .dim { color: var(--dim); }
.caution { border-left: 4px solid #c2410c; padding-left: .9rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(19rem, 1fr)); gap: 1rem; }
figure { margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .6rem;
         overflow-x: auto; }
figcaption { font-weight: 600; font-size: .92rem; } svg text { font: 11px system-ui, sans-serif; fill: var(--ink); }
svg text.pale { fill: #fff; } svg text.number { font-size: 10px; text-anchor: middle; }
.wide { overflow-x: auto; } table { border-collapse: collapse; margin: 1rem 0; font-size: .92rem; }
th, td { text-align: left; padding: .25rem 1rem .25rem 0; border-bottom: 1px solid var(--line); }
.key { display: inline-block; width: .8em; height: .8em; margin: 0 .3em 0 .9em; }
"""
_NOISY, _MADE_UP = "#8aa4b8", "#d9822b"
_STYLE += f".noisy {{ background: {_NOISY}; }} .made {{ background: {_MADE_UP}; }}\n"
"""All styles stand here and none in the page's elements: a page that is served forbids the others."""
_CELL = 38
_WORST = 0.2
"""The distance that is as dark as can be."""
_SCALE = (0.0, 0.01, 0.05, 0.1, _WORST)
"""Distances whose colours are explained."""
_MOST_BARS = 60
"""Of one chart; neighbours are put together."""
_NAMED = 5
"""How many pairs are named that are farthest off."""
_HOW = {"finely": "on fine bins", "coarsely": "on coarse bins", "no": "no"}
_PALE = 0.6
"""From where on dark ink would not be seen."""
_LONGEST = 18
"""Characters of a name beside a picture."""


def page(release: SyntheticRelease) -> str:
    """All of it as HTML, without scripts, fonts or network."""
    sizes = ", ".join(f"{escape(name)} ({table.num_rows:,} rows)" for name, table in release.tables.items())
    notes = "".join(f"<li>{escape(note)}</li>" for note in release.notes)
    parts = [
        "<h1>Synthetic tables</h1>",
        f"<p>Made-up rows that look like private ones: {sizes}. No row is a real one.</p>",
        f"<p>Paid for with {escape(str(release.loss))}. It can be shared and computed with freely.</p>",
        f"<ul>{notes}</ul>",
        _CAUTIONS,
        *(_table(release, part) for part in release.parts),
    ]
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Synthetic tables</title>'
    return (
        f'<!doctype html><html lang="en"><head>{head}<style>{_STYLE}</style></head><body>{"".join(parts)}</body></html>'
    )


_CAUTIONS = """<div class="caution"><p><b>What these tables are good for:</b> trying out code, looking at columns and at
pairs of columns, teaching. <b>What they are not good for:</b></p><ul>
<li>Three and more columns at once were not measured: what they show together follows from their pairs, and may be
wrong.</li>
<li>Standard errors, tests and intervals that are computed from these rows as if they were real are wrong: they do not
know of the noise. Ask the noisy counts instead (<code>release.query</code>), whose intervals are right.</li>
<li>Rare values and rare combinations are mostly noise. Nobody should be looked for here.</li></ul></div>"""


def _table(release: SyntheticRelease, part: SyntheticTable) -> str:
    """One table: its pairs, and its columns."""
    level = percent(release.confidence)
    return (
        f"<h2>{escape(part.name)}</h2>"
        f"<p>Rows were drawn by: {escape(part.method)}. {len(part.measured.tables)} of {len(part.recipe.pairs)} pairs "
        "of columns were measured; the others did not rise above the noise, and are drawn as their columns and the "
        "measured pairs imply.</p>"
        "<p>Each square: which share of rows would have to change for this pair of columns to be as in the data, in "
        f"percent. Darker is worse. Point at a square for its {level} interval. Squares with a dot were not "
        "measured.</p>"
        f"<figure>{_heat(release, part)}</figure>{_worst(release, part)}"
        '<p>Each column, as shares of rows: <span class="key noisy"></span>noisy counts '
        '<span class="key made"></span>synthetic rows.</p>'
        f'<div class="charts">{"".join(_column(part, place) for place, _ in part.own)}</div>'
    )


def _worst(release: SyntheticRelease, part: SyntheticTable) -> str:
    """The pairs that are farthest off, in words: nobody can point at a square on paper, or on a telephone."""
    lines = [line for line in release.quality.to_pylist() if line["table"] == part.name]
    lines = sorted(lines, key=lambda line: -line["distance"])[:_NAMED]
    said = "".join(
        f"<tr><td>{escape(line['one'])} and {escape(line['other'])}</td><td>{line['distance']:.1%}</td>"
        f"<td>{line['low']:.1%} to {line['high']:.1%}</td><td>{_HOW[line['measured']]}</td></tr>"
        for line in lines
    )
    head = "<tr><th>farthest off</th><th>distance</th><th>interval</th><th>measured</th></tr>"
    return f'<div class="wide"><table>{head}{said}</table></div>'


def _heat(release: SyntheticRelease, part: SyntheticTable) -> str:
    """A square for every pair."""
    names = [column.name for column in part.recipe.columns]
    lines = {(line["one"], line["other"]): line for line in release.quality.to_pylist() if line["table"] == part.name}
    longest = max(len(_short(name)) for name in names)
    side, top = 7 * longest + 12, 6 * longest + 12
    drawn = []
    for row, one in enumerate(names):
        y = top + row * _CELL
        drawn.append(f'<text x="{side - 6}" y="{y + 23}" text-anchor="end">{escape(_short(one))}</text>')
        x = side + row * _CELL + 23
        drawn.append(f'<text transform="translate({x} {top - 6}) rotate(-60)">{escape(_short(one))}</text>')
        for column, other in enumerate(names):
            line = lines.get((one, other)) or lines.get((other, one))
            if line is not None and row != column:
                drawn.append(_square(line, side + column * _CELL, y))
    below = top + len(names) * _CELL + 10
    drawn += [_explained(number, distance, side, below) for number, distance in enumerate(_SCALE)]
    width, height = side + max(len(names) + 3, 2 * len(_SCALE) + 1) * _CELL, below + 20
    return f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">{"".join(drawn)}</svg>'


def _square(line: dict[str, object], x: int, y: int) -> str:
    distance = float(str(line["distance"]))
    dark = _dark(distance)
    said = f"{line['one']} x {line['other']}: {distance:.1%}, between {line['low']:.1%} and {line['high']:.1%}"
    title = escape(f"{said}; measured: {line['measured']}")
    dot = f'<circle cx="{x + 30}" cy="{y + 6}" r="2.5" fill="#5b6773"/>' if line["measured"] == "no" else ""
    box = f'<rect x="{x}" y="{y}" width="{_CELL - 2}" height="{_CELL - 2}" fill="{_colour(dark)}" stroke="#d9e0e7"/>'
    pale = " pale" if dark > _PALE else ""
    number = f'<text class="number{pale}" x="{x + 18}" y="{y + 22}">{max(0.0, distance):.1%}</text>'.replace("%", "")
    return f"<g><title>{title}</title>{box}{dot}{number}</g>"


def _explained(number: int, distance: float, x: int, y: int) -> str:
    """What a colour means."""
    left, more = x + 2 * number * _CELL, "" if distance < _WORST else " or more"
    box = f'<rect x="{left}" y="{y}" width="12" height="12" fill="{_colour(_dark(distance))}" stroke="#d9e0e7"/>'
    return f'{box}<text x="{left + 17}" y="{y + 10}">{distance:.0%}{more}</text>'


def _dark(distance: float) -> float:
    return sqrt(min(1.0, max(0.0, distance) / _WORST))


def _colour(dark: float) -> str:
    return f"rgb({round(255 - 175 * dark)},{round(255 - 215 * dark)},{round(255 - 190 * dark)})"


def _column(part: SyntheticTable, place: int) -> str:
    """Noisy and synthetic shares, side by side."""
    column, counted = part.recipe.columns[place], part.measured.counted
    measured = levels(part.measured, place)
    plain = measured[0][1] if len(measured) == 1 else counted.counts[place].estimate
    bins = bars(column, part.measured.bins[place].fine)
    names = labels(column, bins)
    left = sums(bins, plain) / counted.rows
    right = np.bincount(bins[part.rows[place]], minlength=left.size) / max(part.rows[place].size, 1)
    return f"<figure><figcaption>{escape(column.name)}</figcaption>{_bars(names, left, right)}</figure>"


def bars(column: ColumnDomain, fine: IntArray) -> IntArray:
    """Which places share a bar. Of ordered values, as many in each: a bar is tall only if its values are common.

    What is missing, or not listed, has a bar of its own behind them. Without an order, the bins that were measured.
    """
    places = np.arange(column.size)
    if column.size <= _MOST_BARS:
        return places
    if column.ordered:
        wide = ceil(column.present / _MOST_BARS)
        last = (column.present - 1) // wide
        return np.where(places < column.present, places // wide, places - column.present + last + 1)
    return fine if int(fine.max()) < _MOST_BARS else fine * _MOST_BARS // (int(fine.max()) + 1)


def _bars(names: list[str], left: np.ndarray, right: np.ndarray) -> str:
    """Two bars for each bin; the first and the last are named, few are all named on pointing at them."""
    width, height = 280, 120
    most = max(float(left.max()), float(right.max()), 1e-9)
    step = width / len(names)
    drawn = []
    for number, name in enumerate(names):
        title = escape(f"{name}: noisy {left[number]:.2%}, synthetic {right[number]:.2%}")
        boxes = ""
        for shift, share, colour in ((0.0, left[number], _NOISY), (0.45, right[number], _MADE_UP)):
            tall = max(0.0, float(share)) / most * (height - 4)
            x = step * (number + shift)
            boxes += (
                f'<rect x="{x:.1f}" y="{height - tall:.1f}" width="{step * 0.43:.1f}" height="{tall:.1f}" '
                f'fill="{colour}"/>'
            )
        drawn.append(f"<g><title>{title}</title>{boxes}</g>")
    ends = (
        f'<text x="0" y="{height + 14}">{escape(_short(names[0]))}</text>'
        f'<text x="{width}" y="{height + 14}" text-anchor="end">{escape(_short(names[-1]))}</text>'
    )
    return f'<svg viewBox="0 0 {width} {height + 18}" width="100%" role="img">{"".join(drawn)}{ends}</svg>'


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
