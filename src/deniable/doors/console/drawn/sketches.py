"""Small pictures of columns, from the private profile: for whoever has been shown it, and nobody else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from markupsafe import Markup

from deniable.core.shown import printable

if TYPE_CHECKING:
    from deniable.releases.profile.profile import Profile

_WIDE, _HIGH, _MOST = 120, 22, 60
_FAINT = 0.005
"""Of the highest bar: cells at both ends that are lower are left out."""


def sketches(profile: Profile | None) -> dict[tuple[str, str], Markup]:
    """By table and column; nothing, if there is no profile to be shown."""
    if profile is None:
        return {}
    from deniable.releases.profile.profile import around, shown  # noqa: PLC0415 - most have no profile

    found: dict[tuple[str, str], Markup] = {}
    for table in profile.tables.values():
        for name, column in table.columns.items():
            middle = shown(column.quantile(0.5)[0], column.kind)
            words = f"{name}: median about {middle}, missing {around(column.missing, whole=False)}; noisy"
            found[table.name, name] = sketch([float(height) for height in column.heights], words)
        for name, listed in table.listed.items():
            said = zip((*listed.values, "other", "missing"), listed.noisy, strict=True)
            words = f"{name}: " + ", ".join(f"{value} about {max(0.0, many):,.0f}" for value, many in said)
            found[table.name, name] = sketch([max(0.0, many) for many in listed.noisy], f"{words}; noisy")
    return found


def sketch(heights: Sequence[float], words: str) -> Markup:
    """Bars without axes: how values are spread, at a glance; the words say it to whoever does not see it."""
    top = max([*heights, 1e-9])
    clear = [place for place, height in enumerate(heights) if height > _FAINT * top]
    kept = _gathered(heights[clear[0] : clear[-1] + 1] if clear else [])
    top, width = max([*kept, 1e-9]), _WIDE / max(1, len(kept))
    bars = Markup("").join(
        Markup('<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>').format(
            place * width, _HIGH - _HIGH * height / top, max(width - 0.6, 0.6), _HIGH * height / top
        )
        for place, height in enumerate(kept)
    )
    said = printable(words)
    return Markup(
        '<svg class="sketch" viewBox="0 0 {} {}" role="img" aria-label="{}"><title>{}</title>{}</svg>',
    ).format(_WIDE, _HIGH, said, said, bars)


def _gathered(heights: Sequence[float]) -> list[float]:
    """Neighbours together, until they fit."""
    each = -(-len(heights) // _MOST)
    return [sum(heights[start : start + each]) for start in range(0, len(heights), max(1, each))]
