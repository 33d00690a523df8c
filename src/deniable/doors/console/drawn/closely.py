"""A long line as numbers, for the script that shows any part of it closely."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, date, datetime, time
from decimal import Decimal
from operator import attrgetter

from deniable.doors.console.drawn.points import Point, Points

_LONG = 60
"""Places, from which on a line is looked at in parts."""


def numbers(points: Points) -> str:
    """As JSON: places along the axis, and each series with its ends; empty, if the picture shows all there is."""
    along = {one.place: _number(one.along) for one in points.all}
    if not points.line or len(along) < _LONG or None in along.values():
        return ""
    placed = {(one.series, one.place): one for one in points.all}

    def each(name: str, end: Callable[[Point], float]) -> list[float | None]:
        found = (placed.get((name, place)) for place in along)
        return [None if one is None else end(one) for one in found]

    series = [{end: each(name, attrgetter(end)) for end in ("value", "low", "high")} for name in points.series]
    moments = isinstance(points.all[0].along, date)
    names = points.series if len(points.series) > 1 else [points.column]
    return json.dumps({"time": moments, "along": list(along.values()), "names": names, "series": series})


def _number(value: object) -> float | None:
    """Where it stands: moments in seconds, as of UTC."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=value.tzinfo or UTC).timestamp()
    if isinstance(value, date):
        return datetime.combine(value, time(), UTC).timestamp()
    return float(value) if isinstance(value, int | float | Decimal) else None
