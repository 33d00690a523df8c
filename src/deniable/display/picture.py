"""Noisy numbers as a picture: bars with error bars, series beside each other, axes that say what they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deniable.core.errors import InvalidArgumentError
from deniable.core.extras import needed
from deniable.core.shown import label, percent

if TYPE_CHECKING:
    import pyarrow as pa

_MOMENTS = ("date", "time")
"""How types of days, moments and times of day begin."""
_MOST_SERIES = 8
"""As many colours as can be told apart."""
_MOST_BARS = 60
"""Beyond these, a line with a band."""
_MOST_TICKS = 30
_FEW = 6
_ROOM = 0.8
"""Of the distance between two places, for the bars of one."""


def figure_axes(what: str, places: int) -> Any:  # noqa: ANN401 - matplotlib has no types
    """Axes on a figure of their own, as wide as so many places need; or what to install for that."""
    figure = needed(what, "matplotlib.figure", "plot").Figure
    return figure(figsize=(max(4.0, min(16.0, 0.45 * places + 2)), 4), layout="constrained").add_subplot()


def plotted(table: pa.Table, intervals: pa.Table, column: str | None, confidence: Fraction) -> Any:  # noqa: ANN401 - same
    """One noisy column of a table, by its keys."""
    noisy = [name.removesuffix("_low") for name in intervals.column_names[::2]]
    counted = [name for name in noisy if not str(table.schema.field(name).type).startswith(_MOMENTS)]
    if not counted:
        raise InvalidArgumentError("plot", "needs a column of noisy numbers: there is none")
    if column is not None and column not in counted:
        raise InvalidArgumentError("column", f"must be one of {', '.join(counted)}, not {column!r}")
    chosen = column or counted[0]
    names = [name for name in table.column_names if name not in noisy]
    keys = [tuple(label(value) for value in row) for row in zip(*(table[name].to_pylist() for name in names))]  # noqa: B905 - one length
    numbers = [
        np.array(part.to_pylist(), dtype=np.float64)
        for part in (table[chosen], intervals[f"{chosen}_low"], intervals[f"{chosen}_high"])
    ]
    points = KeyedPoints(tuple(names), keys or [(chosen,)] * table.num_rows, *numbers)
    axes = figure_axes("plot", len(points.keys))
    points.draw(axes)
    axes.set(ylabel=chosen, title=f"{chosen}, with {percent(confidence)} intervals")
    return axes


@dataclass(frozen=True, slots=True, eq=False)
class KeyedPoints:
    """Noisy numbers with their intervals, told apart by keys."""

    names: tuple[str, ...]
    keys: Sequence[tuple[str, ...]]
    value: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def draw(self, axes: Any) -> None:  # noqa: ANN401 - same
        """The first key along the axis, the others as series; if there are too many of these, all along the axis."""
        places, series, titles = self._laid_out()
        ticks, kinds = list(dict.fromkeys(places)), list(dict.fromkeys(series))
        at = np.array([ticks.index(place) for place in places], dtype=np.float64)
        width = _ROOM / max(1, len(kinds))
        for number, kind in enumerate(kinds):
            mine = np.array([one == kind for one in series], dtype=bool) & np.isfinite(self.value)
            shifted = at[mine] + (number - (len(kinds) - 1) / 2) * width
            self._drawn(axes, shifted, mine, width, kind)
        step = -(-len(ticks) // _MOST_TICKS) or 1
        turned = len(ticks) > _FEW or any(len(tick) > 2 * _FEW for tick in ticks)
        axes.set_xticks(
            range(0, len(ticks), step), ticks[::step], rotation=45 if turned else 0, ha="right" if turned else "center"
        )
        if len(ticks) == 1:
            axes.set_xlim(-1.5, 1.5)  # a bar as wide as the picture says nothing
        if titles[0]:
            axes.set_xlabel(titles[0])
        if len(kinds) > 1:
            axes.legend(title=titles[1])

    def _laid_out(self) -> tuple[list[str], list[str], tuple[str, str]]:
        """Where each point stands, in which series, and what both are called."""
        firsts, others = [key[0] for key in self.keys], [" / ".join(key[1:]) for key in self.keys]
        if len(set(others)) <= _MOST_SERIES:
            return firsts, others, (self.names[0] if self.names else "", " / ".join(self.names[1:]))
        if len(set(firsts)) <= _MOST_SERIES:
            return others, firsts, (" / ".join(self.names[1:]), self.names[0])
        return [" / ".join(key) for key in self.keys], [""] * len(self.keys), (" / ".join(self.names), "")

    def _drawn(self, axes: Any, at: NDArray[np.float64], mine: NDArray[np.bool_], width: float, name: str) -> None:  # noqa: ANN401 - same
        """Bars, as long as they can be told apart. What is not finite has no end to be drawn."""
        value = self.value[mine]
        low, high = (np.where(np.isfinite(end[mine]), end[mine], value) for end in (self.low, self.high))
        if len(set(at.tolist())) > _MOST_BARS:
            self._crowd(axes, at, (value, low, high), name)
            return
        away = [np.maximum(0, value - low), np.maximum(0, high - value)]
        axes.bar(at, value, width * 0.95, yerr=away, capsize=3 if width > 0.2 else 1, alpha=0.8, label=name)  # noqa: PLR2004 - room for a cap

    def _crowd(self, axes: Any, at: NDArray[np.float64], band: tuple[NDArray[np.float64], ...], name: str) -> None:  # noqa: ANN401 - same
        """One key is a line with a band; of several, neighbours have nothing to do with each other: points."""
        value, low, high = band
        if len(self.names) > 1 and not name:
            axes.vlines(at, low, high, linewidth=1, alpha=0.4)
            axes.plot(at, value, ".", markersize=4)
        else:
            axes.fill_between(at, low, high, alpha=0.3, linewidth=0)
            axes.plot(at, value, linewidth=1, label=name)
