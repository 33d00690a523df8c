"""Pictures as SVG, made here: a picture that fits the shape of an answer, and an account that falls."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil, floor, log10

from markupsafe import Markup

from deniable.core.shown import percent, plain
from deniable.curator import NoisyAnswer, PublicAnswer
from deniable.doors.console.drawn.closely import numbers
from deniable.doors.console.drawn.points import Point, points_of

_RIGHT, _TOP, _BOTTOM = 12, 14, 76
_TICKS, _LONG, _LEAN = 4, 18, 46
_MONTH = re.compile(r"\d{4}-\d\d-01")
_LETTER, _MOST_LEANING = 6.2, 14
"""What a letter of a leaning name takes along the axis, and how many fit below it."""


Scale = Callable[[float], float]
"""Where a number stands, from the top."""


@dataclass(frozen=True, slots=True)
class Frame:
    """How large a picture is, and how much can be written below it. Letters are as large in each."""

    kind: str
    width: int
    height: int
    left: int
    labels: int
    in_a_row: int
    """So many letters stand beside each other."""


_LARGE = Frame("large", 680, 318, 70, 16, 80)
_SMALL = Frame("small", 340, 258, 62, 6, 34)
"""For a telephone."""
_ACCOUNT = Frame("account", 340, 176, 50, 2, 34)


@dataclass(frozen=True, slots=True)
class AnswerPicture:
    """A picture, what it shows, and what else could be shown."""

    svg: Markup
    small: Markup
    """The same for narrow windows: one of the two is shown."""
    column: str
    columns: tuple[str, ...]
    series: tuple[str, ...]
    caption: str
    closely: str
    """Its numbers, where there are too many to be told apart; else empty."""


def chart_of(answer: NoisyAnswer | PublicAnswer, column: str = "") -> AnswerPicture | None:
    """One noisy column by its keys; None, where there is nothing to be compared at a glance."""
    found = points_of(answer, column)
    if found is None:
        return None
    series = tuple(found.series)
    words = f"{found.column} by {found.key}, with {percent(answer.confidence)} intervals"
    svg, small = (_drawn(frame, found.all, series, words, line=found.line) for frame in (_LARGE, _SMALL))
    shown = series if len(series) > 1 else ()
    return AnswerPicture(svg, small, found.column, found.columns, shown, words, numbers(found))


def falling(points: Sequence[tuple[str, float]], cap: float, name: str) -> Markup:
    """What is left of a sum over time, from its cap down; a step for each charge."""
    left = [cap, *(max(0.0, cap - spent) for _, spent in points)]
    frame = _ACCOUNT
    wide, high = frame.width - frame.left - _RIGHT, frame.height - _TOP - 30
    moments = [datetime.fromisoformat(when).timestamp() for when, _ in points]
    begun, lasted = (moments[0], moments[-1] - moments[0]) if moments else (0.0, 0.0)

    def down(rest: float) -> float:
        return round(_TOP + high * (1 - rest / cap), 1)

    def along(moment: float) -> float:
        """With some room at both ends: what was there before, and what is there now."""
        part = (moment - begun) / lasted if lasted else 0.5
        return round(frame.left + wide * (0.04 + 0.92 * part), 1)

    corners = [f"{frame.left},{down(cap)}"]
    for moment, before, rest in zip(moments, left, left[1:], strict=False):
        corners += [f"{along(moment)},{down(before)}", f"{along(moment)},{down(rest)}"]
    corners.append(f"{frame.left + wide},{down(left[-1])}")
    ground = f"{frame.left + wide},{_TOP + high} {frame.left},{_TOP + high}"
    first, last = (points[0][0][:10], points[-1][0][:10]) if points else ("", "")
    if first == last and points:  # all on one day: when, then
        first, last = f"{first} {points[0][0][11:16]}", f"{points[-1][0][11:16]} UTC"
        first, last = (first, last) if lasted else (f"{first} UTC", "")
    ends = Markup('<text class="tick" x="{}" y="{}">{}</text><text class="tick end" x="{}" y="{}">{}</text>').format(
        frame.left, _TOP + high + 20, first, frame.left + wide, _TOP + high + 20, last
    )
    many = f"{len(points)} charge{'s' * (len(points) != 1)}"
    title = f"What is left of {name}: {plain(left[-1])} of {plain(cap)} after {many}"
    return Markup(
        '<svg class="chart account" viewBox="0 0 {} {}" role="img" aria-label="{}">{}'
        '<polygon class="left" points="{} {}"/><polyline class="fall" points="{}"/>{}</svg>'
    ).format(
        frame.width,
        frame.height,
        title,
        _axis(0.0, cap, high, frame),
        " ".join(corners),
        ground,
        " ".join(corners),
        ends,
    )


def _drawn(frame: Frame, points: Sequence[Point], series: Sequence[str], title: str, *, line: bool) -> Markup:
    least, most = (pick([0.0, *(number for one in points for number in (one.low, one.high))]) for pick in (min, max))
    places = list(dict.fromkeys(one.place for one in points))
    named = _named(places)
    height = frame.height if _leaning(named, frame) else frame.height - _LEAN
    wide, high = frame.width - frame.left - _RIGHT, frame.height - _TOP - _BOTTOM
    step, span = wide / len(places), most - least or 1.0

    def down(number: float) -> float:
        return round(_TOP + high * (1 - (number - least) / span), 1)

    at = {place: frame.left + step * (number + 0.5) for number, place in enumerate(places)}
    shapes = Markup()
    for number, name in enumerate(series):
        mine = [one for one in points if one.series == name]
        shapes += _band(mine, at, down, number) if line else _whiskers(mine, at, down, (number, len(series)), step)
    return Markup('<svg class="chart {}" viewBox="0 0 {} {}" role="img" aria-label="{}">{}{}{}</svg>').format(
        frame.kind,
        frame.width,
        height,
        title,
        _axis(least, most, high, frame),
        shapes,
        _places(named, [at[place] for place in places], _TOP + high, frame),
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


def _axis(least: float, most: float, high: float, frame: Frame) -> Markup:
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
        ).format(
            "zero" if number == 0 else "grid",
            frame.left,
            frame.width - _RIGHT,
            y,
            y,
            frame.left - 7,
            y + 4,
            _tick(number * step),
        )
    return found


def _named(places: Sequence[str]) -> list[str]:
    """As the axis says them: of months, without the first day of each."""
    months = len(places) > 1 and all(_MONTH.fullmatch(place) for place in places if place != "NULL")
    return [place.removesuffix("-01") if months else place for place in places]


def _places(names: Sequence[str], at: Sequence[float], bottom: float, frame: Frame) -> Markup:
    """What stands along the axis; of many, some. Long names lean."""
    every = ceil(len(names) / frame.labels)
    leaning = _leaning(names, frame)
    found = Markup()
    for name, x in list(zip(names, at, strict=True))[::every]:
        text = _cut(name, min(_MOST_LEANING, int(x / _LETTER)) if leaning else _LONG)
        if leaning:
            found += Markup('<text class="tick end" transform="translate({:.1f} {:.1f}) rotate(-32)">{}</text>').format(
                x + 4, bottom + 16, text
            )
        else:
            found += Markup('<text class="tick middle" x="{:.1f}" y="{:.1f}">{}</text>').format(x, bottom + 20, text)
    return found


def _cut(name: str, most: int) -> str:
    """Without its middle, if it is too long: names that begin alike often end differently."""
    half = (most - 1) // 2
    return name if len(name) <= most else f"{name[: most - 1 - half]}…{name[-half:]}"


def _leaning(places: Sequence[str], frame: Frame) -> bool:
    """Whether names are too long to stand beside each other."""
    longest = max(map(len, places), default=0)
    return min(len(places), frame.labels) * (longest + 1) > frame.in_a_row or longest > _LONG


def _tick(number: float) -> str:
    """Short, so that it fits beside the axis: millions and thousands of millions by their letters."""
    for size, letter in ((1e9, "G"), (1e6, "M")):
        if size <= abs(number) < 1000 * size:
            return f"{number / size:g}{letter}"
    return plain(number)


def _said(one: Point) -> str:
    name = f"{one.place}, {one.series}" if one.series else one.place
    return f"{name}: {plain(one.value)}, between {plain(one.low)} and {plain(one.high)}"
