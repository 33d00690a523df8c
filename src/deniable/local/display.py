"""Estimates as a picture: points with bars from low to high."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from deniable.core.shown import percent
from deniable.display.picture import figure_axes

if TYPE_CHECKING:
    from deniable.local.estimate import Estimate

_MOST_TICKS = 40
_FEW = 6


def plot(estimate: Estimate) -> Any:  # noqa: ANN401 - matplotlib has no types
    """A figure of its own."""
    axes = figure_axes("plot", np.size(estimate.value))
    draw(estimate, axes)
    axes.set_title(f"{estimate.people:,} people, with {percent(estimate.confidence)} intervals")
    return axes


def draw(estimate: Estimate, axes: Any) -> None:  # noqa: ANN401 - matplotlib has no types
    """Points with bars from low to high."""
    value, low, high = (np.ravel(part) for part in (estimate.value, *estimate.interval))
    places = np.arange(value.size)
    axes.vlines(places, low, high, linewidth=2, alpha=0.6)
    axes.plot(places, value, "o", markersize=4)
    if value.size <= _MOST_TICKS:
        axes.set_xticks(places, estimate.labels, rotation=45 if value.size > _FEW else 0)
    axes.set_xlim(-0.75, max(value.size, 1) - 0.25)
    axes.set(xlabel="value", ylabel="estimate")
