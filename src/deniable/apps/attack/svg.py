"""Pictures of what an attack found, as SVG: no dependency, and crisp at every size."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import pairwise
from math import ceil, floor, inf, log10
from xml.sax.saxutils import escape

from deniable.attacks.picture import Bars, Graph, Mark, MarkedTable, Picture, Series, Style

WIDTH = 480
_COLOURS = ("#1668a7", "#c2410c", "#3f7d20", "#7c3aed")
_INK, _DIM, _GRID, _PAPER, _BRIGHT = "#1f2933", "#5b6673", "#e3e8ee", "#ffffff", "#ffd9c2"
_LEFT, _RIGHT, _BOTTOM = 58, 20, 58
_PLOT = 220
"""How tall the field of a graph is."""
_ROW = 24
_LINE = 18
_TITLE, _LABEL = 52, 58
"""Letters on a line."""
_SHORT = 60
"""A line that goes no further across would be overlooked: its points are drawn."""
_HALO = f'paint-order="stroke" stroke="{_PAPER}" stroke-width="4" stroke-linejoin="round"'


def draw(picture: Picture, beside: Sequence[Picture] = ()) -> str:
    """One picture as one SVG document, on the scale that it shares with those that are shown beside it."""
    title = wrap(picture.title, _TITLE)
    alike = [wrap(other.title, _TITLE) for other in beside if type(other) is type(picture)]
    top = 16 + _LINE * max(map(len, [title, *alike]))
    match picture:
        case Graph():
            like = [picture, *(other for other in beside if isinstance(other, Graph) and _same_axes(picture, other))]
            body, height = _graph(picture, _Frame(like, top + 34))
        case Bars():
            body, height = _bars(picture, [other for other in beside if isinstance(other, Bars)], top)
        case MarkedTable():
            body, height = _sheet(picture, top)
    return _document([*_title(title), *body], height)


def _same_axes(one: Graph, other: Graph) -> bool:
    return (one.x_label, one.y_label) == (other.x_label, other.y_label)


def _document(parts: Sequence[str], height: float) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" height="{height:g}" '
        f'role="img" font-family="system-ui, sans-serif" font-size="13" fill="{_INK}">'
    )
    paper = f'<rect width="{WIDTH}" height="{height:g}" rx="8" fill="{_PAPER}"/>'
    return "\n".join([head, paper, *parts, "</svg>"]) + "\n"


def _title(lines: Sequence[str]) -> list[str]:
    style = 'font-size="14" font-weight="600"'
    return [_text(16, 24 + _LINE * number, line, extra=style) for number, line in enumerate(lines)]


def _text(x: float, y: float, text: str, *, anchor: str = "start", colour: str = _INK, extra: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" {extra}>{escape(text)}</text>'


def _stroke(x1: float, y1: float, x2: float, y2: float, colour: str, extra: str = "") -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" {extra}/>'


class _Frame:
    """Where numbers lie on the paper: a scale that fits all of some graphs."""

    def __init__(self, graphs: Sequence[Graph], top: float) -> None:
        points = [point for graph in graphs for series in graph.series for point in series.points]
        marks = [mark for graph in graphs for mark in graph.marks]
        self.x_ticks = _ticks([x for x, _ in points] + [mark.at for mark in marks if mark.upright])
        self.y_ticks = _ticks([y for _, y in points] + [mark.at for mark in marks if not mark.upright])
        self.top, self.bottom = top, top + _PLOT

    def x(self, value: float) -> float:
        """Across."""
        low, high = self.x_ticks[0], self.x_ticks[-1]
        return _LEFT + (value - low) / (high - low) * (WIDTH - _LEFT - _RIGHT)

    def y(self, value: float) -> float:
        """Up."""
        low, high = self.y_ticks[0], self.y_ticks[-1]
        return self.bottom - (value - low) / (high - low) * (self.bottom - self.top)


def _graph(graph: Graph, frame: _Frame) -> tuple[list[str], float]:
    parts = []
    for tick in frame.y_ticks:
        parts.append(_stroke(_LEFT, frame.y(tick), WIDTH - _RIGHT, frame.y(tick), _GRID))
        parts.append(
            _text(_LEFT - 8, frame.y(tick) + 4, _shown(tick, graph.y_label, frame.y_ticks), anchor="end", colour=_DIM)
        )
    parts += [
        _text(
            frame.x(tick), frame.bottom + 18, _shown(tick, graph.x_label, frame.x_ticks), anchor="middle", colour=_DIM
        )
        for tick in frame.x_ticks
    ]
    middle = (_LEFT + WIDTH - _RIGHT) / 2
    below = wrap(graph.x_label, _LABEL)
    parts += [
        _text(middle, frame.bottom + 38 + 16 * number, line, anchor="middle", colour=_DIM)
        for number, line in enumerate(below)
    ]
    centre = (frame.top + frame.bottom) / 2
    upright = f'transform="rotate(-90 14 {centre:.1f})"'
    parts.append(_text(14, centre, graph.y_label, anchor="middle", colour=_DIM, extra=upright))
    for number, series in enumerate(graph.series):
        parts += _series(series, frame, _COLOURS[number % len(_COLOURS)])
    parts += _legend([series.name for series in graph.series], frame.top - 26)
    parts += _marks(graph.marks, frame)
    return parts, frame.bottom + _BOTTOM + 16 * (len(below) - 1)


def _shown(tick: float, label: str, ticks: Sequence[float]) -> str:
    """A number of an axis; shares in percent."""
    return f"{100 * tick:g}%" if label.startswith("share") and max(ticks) <= 1 else f"{tick:,g}"


def _series(series: Series, frame: _Frame, colour: str) -> list[str]:
    places = [(frame.x(x), frame.y(y)) for x, y in series.points]
    if series.style is Style.DOTS:
        return [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2" fill="{colour}" fill-opacity="0.65"/>' for x, y in places]
    if series.style is Style.STEPS:
        places = [place for (x, y), (end, _) in pairwise(places) for place in ((x, y), (end, y))]
        if not places:
            return []
        floor_y = frame.y(max(0.0, frame.y_ticks[0]))
        outline = " ".join(f"{x:.1f},{y:.1f}" for x, y in [(places[0][0], floor_y), *places, (places[-1][0], floor_y)])
        return [f'<polygon points="{outline}" fill="{colour}" fill-opacity="0.28" stroke="{colour}"/>']
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    short = bool(places) and places[-1][0] - places[0][0] < _SHORT
    ends = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places if short]
    return [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>', *ends]


def _legend(names: Sequence[str], y: float) -> list[str]:
    parts, x = [], float(_LEFT)
    for number, name in enumerate(names):
        colour = _COLOURS[number % len(_COLOURS)]
        parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="11" height="11" rx="2" fill="{colour}"/>')
        parts.append(_text(x + 16, y + 10, name))
        x += 36 + 7.2 * len(name)
    return parts


def _marks(marks: Sequence[Mark], frame: _Frame) -> list[str]:
    """Dashed lines; their labels stand apart from each other, and on paper where they cross a line."""
    dashes = 'stroke-dasharray="5 4"'
    parts, labels = [], []
    for number, mark in enumerate(mark for mark in marks if mark.upright):
        x = frame.x(mark.at)
        end = "end" if x > WIDTH * 0.7 else "start"
        parts.append(_stroke(x, frame.top, x, frame.bottom, _DIM, dashes))
        place = (x + (-5 if end == "end" else 5), frame.top + 12 + 16 * number)
        labels.append(_text(*place, mark.label, anchor=end, colour=_DIM, extra=_HALO))
    lying = sorted((mark for mark in marks if not mark.upright), key=lambda mark: -mark.at)
    last = -inf
    for mark in lying:
        y = frame.y(mark.at)
        parts.append(_stroke(_LEFT, y, WIDTH - _RIGHT, y, _DIM, dashes))
        last = max(y - 5, last + 15)
        labels.append(_text(WIDTH - _RIGHT - 4, last, mark.label, anchor="end", colour=_DIM, extra=_HALO))
    return parts + labels


def _bars(picture: Bars, beside: Sequence[Bars], top: float) -> tuple[list[str], float]:
    """Lying bars: labels of any length have room."""
    names = [label for shown in (picture, *beside) for label, _ in shown.bars]
    left = min(210.0, 24 + 7.2 * max(map(len, names), default=0))
    right = WIDTH - 60.0
    top += 12
    bottom = top + 4 + 28.0 * len(picture.bars)

    def across(share: float) -> float:
        return left + max(0.0, min(1.0, share)) * (right - left)

    parts = []
    for number, (label, share) in enumerate(picture.bars):
        y = top + 28 * number
        parts.append(_text(left - 8, y + 14, label, anchor="end"))
        parts.append(f'<rect x="{left:.1f}" y="{y:g}" width="{right - left:.1f}" height="19" rx="3" fill="{_GRID}"/>')
        width = max(0.0, across(share) - left)
        parts.append(f'<rect x="{left:.1f}" y="{y:g}" width="{width:.1f}" height="19" rx="3" fill="{_COLOURS[0]}"/>')
        parts.append(_text(right + 6, y + 14, f"{share:.1%}", colour=_DIM))
    for number, mark in enumerate(picture.marks):
        x = across(mark.at)
        parts.append(_stroke(x, top - 6, x, bottom, _COLOURS[1], 'stroke-dasharray="5 4"'))
        label = f"{mark.label} {mark.at:.1%}"
        side = "end" if x > WIDTH * 0.75 else "middle"
        parts.append(_text(x, bottom + 14 + 15 * number, label, anchor=side, colour=_COLOURS[1]))
    foot = bottom + 24 + 15 * len(picture.marks)
    parts.append(_text((left + right) / 2, foot, picture.y_label, anchor="middle", colour=_DIM))
    return parts, foot + 12


def _sheet(picture: MarkedTable, top: float) -> tuple[list[str], float]:
    """A table; bright cells are the ones to look at."""
    table = (picture.columns, *picture.rows)
    widths = [18 + 7.2 * max(len(row[place]) for row in table) for place in range(len(picture.columns))]
    scale = min(1.0, (WIDTH - 32) / sum(widths))
    starts = [16 + scale * sum(widths[:place]) for place in range(len(widths))]
    parts = []
    if any(picture.columns):
        top += 20
        parts = [_text(x + 6, top - 2, name, colour=_DIM) for x, name in zip(starts, picture.columns, strict=True)]
    top += 6
    for number, row in enumerate(picture.rows):
        y = top + _ROW * number
        parts.append(_stroke(16, y, 16 + scale * sum(widths), y, _GRID))
        for place, cell in enumerate(row):
            if (number, place) in picture.bright:
                parts.append(
                    f'<rect x="{starts[place]:.1f}" y="{y + 1:g}" width="{scale * widths[place] - 2:.1f}" '
                    f'height="{_ROW - 2}" rx="3" fill="{_BRIGHT}"/>'
                )
            if cell:
                parts.append(_text(starts[place] + 6, y + 16, cell))
    return parts, top + _ROW * len(picture.rows) + 14


def wrap(text: str, most: int) -> list[str]:
    """Lines of at most so many letters."""
    return textwrap.wrap(text, most) or [""]


def _ticks(values: Sequence[float]) -> list[float]:
    """About five round numbers around all of these; whole ones, if these are."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    if high - low < 1e-12:  # noqa: PLR2004 - all the same
        low, high = low - 0.5, high + 0.5
    power = 10 ** floor(log10((high - low) / 4))
    steps = [factor * power for factor in (1, 2, 2.5, 5, 10)]
    if all(float(value).is_integer() for value in values) and high - low > 1:
        steps = [step for step in steps if float(step).is_integer()] or [1]
    step = min(steps, key=lambda size: abs((high - low) / size - 5))
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    return [round(step * number, 10) for number in range(first, last + 1)]
