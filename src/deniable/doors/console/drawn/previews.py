"""Error bars before there is an answer: how far off a column would be in groups of a few sizes."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from deniable.core.shown import error
from deniable.planner import Quote
from deniable.planner.plan import Preview

_MOST_COLUMNS = 3


@dataclass(frozen=True, slots=True)
class PreviewCell:
    """An error, and where its bar begins and ends, in percent of the width: the number itself stands in the middle."""

    error: str
    part: str
    """Of the number itself."""
    low: float
    high: float
    hidden: bool
    """Whether the error is as large as the number itself."""
    drawn: bool = True

    @classmethod
    def of(cls, one: Preview) -> PreviewCell:
        """An error that is larger than the number fills the whole width; of a number that is not known, all is open."""
        if not one.value or not isfinite(one.error):
            return cls(error(one.error), "", 50.0, 50.0, hidden=False, drawn=False)
        part = one.error / abs(one.value)
        half, hidden = 50 * min(1.0, part), part >= 1
        said = "noise hides it" if hidden else f"{100 * part:.0f}%" if part >= _ONE_PERCENT else "below 1%"
        return cls(error(one.error), said, round(50 - half, 1), round(50 + half, 1), hidden=hidden)


_ONE_PERCENT = 0.01


@dataclass(frozen=True, slots=True)
class DrawnPreview:
    """Columns, and a row of cells for each size of a group."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[PreviewCell, ...]], ...]


def previewed(quote: Quote | None) -> DrawnPreview:
    """The first columns of a quote about which the size of a group says something; nothing, where there are none."""
    shown = () if quote is None else quote.previews
    errors: dict[str, set[float]] = {}
    for one in shown:
        errors.setdefault(one.column, set()).add(one.error)
    telling = {one.column: None for one in shown if one.value or len(errors[one.column]) > 1}
    columns = tuple(telling)[:_MOST_COLUMNS]
    sizes: dict[int, list[PreviewCell]] = {}
    for one in shown:
        if one.column in columns:
            sizes.setdefault(one.rows, []).append(PreviewCell.of(one))
    return DrawnPreview(columns, tuple((f"{size:,}", tuple(cells)) for size, cells in sizes.items()))
