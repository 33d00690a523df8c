"""Pictures of what an attack found, as SVG: no dependency, and crisp at every size."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, floor, log10
from xml.sax.saxutils import escape

from deniable.attacks.picture import Bars, Graph, Mark, Picture, Series, Sheet, Style

WIDTH = 640
_COLOURS = ("#1668a7", "#c2410c", "#3f7d20", "#7c3aed")
_INK, _DIM, _GRID, _PAPER, _BRIGHT = "#1f2933", "#6b7785", "#e3e8ee", "#ffffff", "#ffd9c2"
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 24, 66, 48
_HEIGHT = 340
_ROW = 24


def draw(picture: Picture) -> str:
    """One picture as one SVG document."""
    match picture:
        case Graph():
            return _document([_title(picture.title), *_graph(picture)], _HEIGHT)
        case Bars():
            body, height = _bars(picture)
        case Sheet():
            body, height = _sheet(picture)
    return _document([_title(picture.title), *body], height)


def _document(parts: Sequence[str], height: float) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" height="{height:g}" '
        f'role="img" font-family="system-ui, sans-serif" font-size="12" fill="{_INK}">'
    )
    paper = f'<rect width="{WIDTH}" height="{height:g}" rx="8" fill="{_PAPER}"/>'
    return "\n".join([head, paper, *parts, "</svg>"]) + "\n"


def _title(text: str) -> str:
    """Long ones are written smaller, so that they stay on the paper."""
    size = min(14.0, 14 * 76 / max(1, len(text)))
    return _text(16, 24, text, extra=f'font-size="{size:.1f}" font-weight="600"')


def _text(x: float, y: float, text: str, *, anchor: str = "start", colour: str = _INK, extra: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" {extra}>{escape(text)}</text>'


def _stroke(x1: float, y1: float, x2: float, y2: float, colour: str, extra: str = "") -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" {extra}/>'


class _Frame:
    """Where numbers lie on the paper."""

    def __init__(self, graph: Graph) -> None:
        points = [point for series in graph.series for point in series.points]
        self.x_ticks = _ticks([x for x, _ in points] + [mark.at for mark in graph.marks if mark.upright])
        self.y_ticks = _ticks([y for _, y in points] + [mark.at for mark in graph.marks if not mark.upright])

    def x(self, value: float) -> float:
        """Across."""
        low, high = self.x_ticks[0], self.x_ticks[-1]
        return _LEFT + (value - low) / (high - low) * (WIDTH - _LEFT - _RIGHT)

    def y(self, value: float) -> float:
        """Up."""
        low, high = self.y_ticks[0], self.y_ticks[-1]
        return _HEIGHT - _BOTTOM - (value - low) / (high - low) * (_HEIGHT - _BOTTOM - _TOP)


def _graph(graph: Graph) -> list[str]:
    frame = _Frame(graph)
    parts = []
    for tick in frame.y_ticks:
        parts.append(_stroke(_LEFT, frame.y(tick), WIDTH - _RIGHT, frame.y(tick), _GRID))
        parts.append(_text(_LEFT - 8, frame.y(tick) + 4, f"{tick:g}", anchor="end", colour=_DIM))
    parts += [
        _text(frame.x(tick), _HEIGHT - _BOTTOM + 18, f"{tick:g}", anchor="middle", colour=_DIM)
        for tick in frame.x_ticks
    ]
    middle = (_LEFT + WIDTH - _RIGHT) / 2
    parts.append(_text(middle, _HEIGHT - 10, graph.x_label, anchor="middle", colour=_DIM))
    upright = f'transform="rotate(-90 16 {(_TOP + _HEIGHT - _BOTTOM) / 2:.1f})"'
    parts.append(_text(16, (_TOP + _HEIGHT - _BOTTOM) / 2, graph.y_label, anchor="middle", colour=_DIM, extra=upright))
    for number, series in enumerate(graph.series):
        parts += _series(series, frame, _COLOURS[number % len(_COLOURS)])
    parts += _legend([series.name for series in graph.series])
    for number, mark in enumerate(graph.marks):
        parts += _mark_on_graph(mark, frame, number)
    return parts


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
    return [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>']


def _legend(names: Sequence[str]) -> list[str]:
    parts, x = [], float(_LEFT)
    for number, name in enumerate(names):
        colour = _COLOURS[number % len(_COLOURS)]
        parts.append(f'<rect x="{x:.1f}" y="36" width="11" height="11" rx="2" fill="{colour}"/>')
        parts.append(_text(x + 16, 46, name))
        x += 34 + 6.8 * len(name)
    return parts


def _mark_on_graph(mark: Mark, frame: _Frame, number: int) -> list[str]:
    dashes = 'stroke-dasharray="5 4"'
    if mark.upright:
        x = frame.x(mark.at)
        end = "end" if x > WIDTH * 0.8 else "start"
        label = _text(x + (-5 if end == "end" else 5), _TOP + 12 + 15 * number, mark.label, anchor=end, colour=_DIM)
        return [_stroke(x, _TOP, x, _HEIGHT - _BOTTOM, _DIM, dashes), label]
    y = frame.y(mark.at)
    label = _text(WIDTH - _RIGHT - 4, y - 5, mark.label, anchor="end", colour=_DIM)
    return [_stroke(_LEFT, y, WIDTH - _RIGHT, y, _DIM, dashes), label]


def _bars(picture: Bars) -> tuple[list[str], float]:
    """Lying bars: labels of any length have room."""
    left = min(260.0, 24 + 6.6 * max((len(label) for label, _ in picture.bars), default=0))
    right = WIDTH - 60.0
    bottom = 60 + 28.0 * len(picture.bars)

    def across(share: float) -> float:
        return left + max(0.0, min(1.0, share)) * (right - left)

    parts = []
    for number, (label, share) in enumerate(picture.bars):
        y = 56 + 28 * number
        parts.append(_text(left - 8, y + 14, label, anchor="end"))
        parts.append(f'<rect x="{left:.1f}" y="{y}" width="{right - left:.1f}" height="19" rx="3" fill="{_GRID}"/>')
        width = max(0.0, across(share) - left)
        parts.append(f'<rect x="{left:.1f}" y="{y}" width="{width:.1f}" height="19" rx="3" fill="{_COLOURS[0]}"/>')
        parts.append(_text(right + 6, y + 14, f"{share:.1%}", colour=_DIM))
    for number, mark in enumerate(picture.marks):
        x = across(mark.at)
        parts.append(_stroke(x, 50, x, bottom, _COLOURS[1], 'stroke-dasharray="5 4"'))
        label = f"{mark.label} {mark.at:.1%}"
        side = "end" if x > WIDTH * 0.75 else "middle"
        parts.append(_text(x, bottom + 14 + 15 * number, label, anchor=side, colour=_COLOURS[1]))
    foot = bottom + 24 + 15 * len(picture.marks)
    parts.append(_text((left + right) / 2, foot, picture.y_label, anchor="middle", colour=_DIM))
    return parts, foot + 12


def _sheet(picture: Sheet) -> tuple[list[str], float]:
    """A table; bright cells are the ones to look at."""
    table = (picture.columns, *picture.rows)
    widths = [18 + 7.0 * max(len(row[place]) for row in table) for place in range(len(picture.columns))]
    scale = min(1.0, (WIDTH - 32) / sum(widths))
    starts = [16 + scale * sum(widths[:place]) for place in range(len(widths))]
    parts = []
    if any(picture.columns):
        parts = [_text(x + 6, 52, name, colour=_DIM) for x, name in zip(starts, picture.columns, strict=True)]
    top = 60 if any(picture.columns) else 40
    for number, row in enumerate(picture.rows):
        y = top + _ROW * number
        parts.append(_stroke(16, y, 16 + scale * sum(widths), y, _GRID))
        for place, cell in enumerate(row):
            if (number, place) in picture.bright:
                parts.append(
                    f'<rect x="{starts[place]:.1f}" y="{y + 1}" width="{scale * widths[place] - 2:.1f}" '
                    f'height="{_ROW - 2}" rx="3" fill="{_BRIGHT}"/>'
                )
            if cell:
                parts.append(_text(starts[place] + 6, y + 16, cell))
    return parts, top + _ROW * len(picture.rows) + 14


def _ticks(values: Sequence[float]) -> list[float]:
    """About five round numbers around all of these."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    if high - low < 1e-12:  # noqa: PLR2004 - all the same
        low, high = low - 0.5, high + 0.5
    power = 10 ** floor(log10((high - low) / 4))
    step = min((factor * power for factor in (1, 2, 2.5, 5, 10)), key=lambda size: abs((high - low) / size - 5))
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    return [round(step * number, 10) for number in range(first, last + 1)]
