"""Pictures as SVG, made here: a picture that fits the shape of an answer, and an account that falls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from math import ceil, floor, isfinite, log10

import pyarrow as pa
from markupsafe import Markup

from deniable.core.shown import label, percent, plain
from deniable.curator import NoisyAnswer, PublicAnswer

_WIDTH, _HEIGHT = 760, 320
_NARROW, _LOW = 420, 190
"""Of an account."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 76, 16, 14, 58
_MOST_PLACES, _MOST_SERIES = 400, 6
_LINE_FROM = 13
"""Ordered keys, from so many on, are a line with a band; fewer are bars."""
_TICKS, _LABELS, _LONG, _IN_A_ROW, _LEAN = 4, 16, 9, 90, 28


Scale = Callable[[float], float]
"""Where a number stands, from the top."""


@dataclass(frozen=True, slots=True)
class Point:
    """A number at a place, in a series, with its interval."""

    place: str
    series: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class AnswerPicture:
    """A picture, what it shows, and what else could be shown."""

    svg: Markup
    column: str
    columns: tuple[str, ...]
    series: tuple[str, ...]
    caption: str


def chart_of(answer: NoisyAnswer | PublicAnswer, column: str = "") -> AnswerPicture | None:
    """One noisy column by its keys; None, where there is nothing to be compared at a glance."""
    ends = answer.intervals.column_names
    table = answer.table
    noisy = tuple(
        name
        for name, values in zip(table.column_names, table.columns, strict=True)
        if f"{name}_low" in ends and not pa.types.is_temporal(values.type)
    )
    keys = [name for name in table.column_names if f"{name}_low" not in ends]
    if not noisy or not keys or not isinstance(answer, NoisyAnswer):
        return None
    chosen, kind = column if column in noisy else noisy[0], table[keys[0]].type
    ordered = not pa.types.is_string(kind) and not pa.types.is_boolean(kind)
    points = _points(answer, keys, chosen, ordered=ordered)
    series, places = list(dict.fromkeys(one.series for one in points)), {one.place for one in points}
    if not 1 < len(places) <= _MOST_PLACES or len(series) > _MOST_SERIES:
        return None
    words = f"{chosen} by {keys[0]}, with {percent(answer.confidence)} intervals"
    svg = _drawn(points, series, words, line=ordered and len(places) >= _LINE_FROM)
    return AnswerPicture(svg, chosen, noisy, tuple(series) if len(series) > 1 else (), words)


def falling(points: Sequence[tuple[str, float]], cap: float, name: str) -> Markup:
    """What is left of a sum after each charge, from its cap down; a step for each."""
    left = [cap, *(max(0.0, cap - spent) for _, spent in points)]
    wide, high = _NARROW - _LEFT - _RIGHT, _LOW - _TOP - 30
    step = wide / (len(points) + 1)

    def down(rest: float) -> float:
        return round(_TOP + high * (1 - rest / cap), 1)

    corners = [f"{_LEFT},{down(cap)}"]
    for number, rest in enumerate(left[1:]):
        x = round(_LEFT + step * (number + 1), 1)
        corners += [f"{x},{down(left[number])}", f"{x},{down(rest)}"]
    corners.append(f"{_LEFT + wide},{down(left[-1])}")
    ground = f"{_LEFT + wide},{_TOP + high} {_LEFT},{_TOP + high}"
    first, last = (points[0][0][:10], points[-1][0][:10]) if points else ("", "")
    ends = Markup('<text class="tick" x="{}" y="{}">{}</text><text class="tick end" x="{}" y="{}">{}</text>').format(
        _LEFT, _TOP + high + 20, first, _LEFT + wide, _TOP + high + 20, last
    )
    many = f"{len(points)} charge{'s' * (len(points) != 1)}"
    title = f"What is left of {name}: {plain(left[-1])} of {plain(cap)} after {many}"
    return Markup(
        '<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">{}'
        '<polygon class="left" points="{} {}"/><polyline class="fall" points="{}"/>{}</svg>'
    ).format(_NARROW, _LOW, title, _axis(0.0, cap, high, _NARROW), " ".join(corners), ground, " ".join(corners), ends)


def _points(answer: NoisyAnswer, keys: Sequence[str], column: str, *, ordered: bool) -> list[Point]:
    """The first key along the axis, in its own order where it has one; the others as series."""
    table, ends = answer.table, answer.intervals
    parts = (table[column], ends[f"{column}_low"], ends[f"{column}_high"])
    rows = zip(*(table[key].to_pylist() for key in keys), *(part.to_pylist() for part in parts), strict=True)
    sound = [row for row in rows if all(one is not None and isfinite(one) for one in row[-3:])]
    if ordered:
        sound.sort(key=lambda row: (row[0] is None, row[0]) if row[0] is not None else (True, 0))
    return [Point(_short(row[0]), " / ".join(map(_short, row[1:-3])), *map(float, row[-3:])) for row in sound]


def _drawn(points: Sequence[Point], series: Sequence[str], title: str, *, line: bool) -> Markup:
    least, most = (pick([0.0, *(number for one in points for number in (one.low, one.high))]) for pick in (min, max))
    places = list(dict.fromkeys(one.place for one in points))
    height = _HEIGHT if _leaning(places) else _HEIGHT - _LEAN
    wide, high = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM
    step, span = wide / len(places), most - least or 1.0

    def down(number: float) -> float:
        return round(_TOP + high * (1 - (number - least) / span), 1)

    at = {place: _LEFT + step * (number + 0.5) for number, place in enumerate(places)}
    shapes = Markup()
    for number, name in enumerate(series):
        mine = [one for one in points if one.series == name]
        shapes += _band(mine, at, down, number) if line else _whiskers(mine, at, down, (number, len(series)), step)
    return Markup('<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">{}{}{}</svg>').format(
        _WIDTH, height, title, _axis(least, most, high), shapes, _places(places, at, _TOP + high)
    )


def _whiskers(mine: Sequence[Point], at: dict[str, float], down: Scale, beside: tuple[int, int], step: float) -> Markup:
    """Bars from zero, each with its interval; `beside`: which series of how many."""
    number, many = beside
    width = min(64.0, step * 0.72 / many)
    found = Markup()
    for one in mine:
        middle = at[one.place] + (number - (many - 1) / 2) * width
        top, bottom = sorted((down(one.value), down(0)))
        found += Markup(
            '<g class="series{}"><title>{}</title><rect class="bar" x="{:.1f}" y="{}" width="{:.1f}" height="{:.1f}"/>'
            '<path class="whisker" d="M{:.1f} {}V{}M{:.1f} {}h{:.1f}M{:.1f} {}h{:.1f}"/></g>'
        ).format(
            number,
            _said(one),
            middle - width * 0.46,
            top,
            width * 0.92,
            max(0.5, bottom - top),
            middle,
            down(one.low),
            down(one.high),
            middle - width * 0.18,
            down(one.low),
            width * 0.36,
            middle - width * 0.18,
            down(one.high),
            width * 0.36,
        )
    return found


def _band(mine: Sequence[Point], at: dict[str, float], down: Scale, number: int) -> Markup:
    """A line over what is ordered, in a band of its intervals."""
    upper = [f"{at[one.place]:.1f},{down(one.high)}" for one in mine]
    lower = [f"{at[one.place]:.1f},{down(one.low)}" for one in reversed(mine)]
    middle = [f"{at[one.place]:.1f},{down(one.value)}" for one in mine]
    return Markup(
        '<g class="series{}"><polygon class="band" points="{}"/><polyline class="line" points="{}"/></g>'
    ).format(number, " ".join([*upper, *lower]), " ".join(middle))


def _axis(least: float, most: float, high: float, width: float = _WIDTH) -> Markup:
    """Round numbers, with a line across for each."""
    span = most - least or 1.0
    step = 10.0 ** floor(log10(span / _TICKS))
    step *= next(factor for factor in (1, 2, 5, 10) if span / (step * factor) <= _TICKS + 1)
    found = Markup()
    for number in range(ceil(least / step - 1e-9), floor(most / step + 1e-9) + 1):
        y = _TOP + high * (1 - (number * step - least) / span)
        found += Markup(
            '<line class="{}" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>'
            '<text class="tick end" x="{}" y="{:.1f}">{}</text>'
        ).format("zero" if number == 0 else "grid", _LEFT, width - _RIGHT, y, y, _LEFT - 8, y + 4, plain(number * step))
    return found


def _places(places: Sequence[str], at: dict[str, float], bottom: float) -> Markup:
    """What stands along the axis; of many, some. Long names lean."""
    every = ceil(len(places) / _LABELS)
    leaning = _leaning(places)
    found = Markup()
    for place in places[::every]:
        x, text = at[place], place if len(place) <= 2 * _LONG else f"{place[: 2 * _LONG - 1]}…"
        if leaning:
            found += Markup('<text class="tick end" transform="translate({:.1f} {:.1f}) rotate(-32)">{}</text>').format(
                x + 4, bottom + 16, text
            )
        else:
            found += Markup('<text class="tick middle" x="{:.1f}" y="{:.1f}">{}</text>').format(x, bottom + 20, text)
    return found


def _leaning(places: Sequence[str]) -> bool:
    """Whether names are too long to stand beside each other."""
    longest = max(map(len, places), default=0)
    return min(len(places), _LABELS) * longest > _IN_A_ROW or longest > 2 * _LONG


def _short(value: object) -> str:
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == datetime.min.time() else value.isoformat(sep=" ")
    return value.isoformat() if isinstance(value, date) else label(value)


def _said(one: Point) -> str:
    name = f"{one.place}, {one.series}" if one.series else one.place
    return f"{name}: {plain(one.value)}, between {plain(one.low)} and {plain(one.high)}"
