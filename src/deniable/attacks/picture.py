"""What an attack found, as data for a picture; whoever shows it decides how to draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Point = tuple[float, float]


class Style(Enum):
    """How the points of a series are drawn."""

    LINE = "line"
    DOTS = "dots"
    STEPS = "steps"


@dataclass(frozen=True, slots=True)
class Series:
    """Points with a name."""

    name: str
    points: tuple[Point, ...]
    style: Style = Style.LINE


@dataclass(frozen=True, slots=True)
class Mark:
    """A place on an axis that has a meaning: a threshold, what guessing gives, what the theory allows."""

    at: float
    label: str
    upright: bool = False
    """Whether the mark stands on the horizontal axis."""


@dataclass(frozen=True, slots=True)
class Graph:
    """Series over two axes."""

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Bars:
    """One bar for each label, of shares between 0 and 1."""

    title: str
    y_label: str
    bars: tuple[tuple[str, float], ...]
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class MarkedTable:
    """A small table, in which some cells give somebody away."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    bright: frozenset[tuple[int, int]] = frozenset()
    """Row and column of the cells to look at."""


Picture = Graph | Bars | MarkedTable


def line(name: str, x: Sequence[float] | FloatArray, y: Sequence[float] | FloatArray) -> Series:
    """A line through points."""
    return Series(name, _points(x, y))


def dots(name: str, x: Sequence[float] | FloatArray, y: Sequence[float] | FloatArray) -> Series:
    """Points alone."""
    return Series(name, _points(x, y), Style.DOTS)


def histogram(name: str, values: FloatArray, edges: FloatArray) -> Series:
    """The share of values between each two edges, as steps."""
    shares = np.histogram(values, bins=edges)[0] / max(1, values.size)
    return Series(name, _points(edges, np.append(shares, shares[-1])), Style.STEPS)


def two_histograms(
    title: str, x_label: str, groups: dict[str, FloatArray], ends: tuple[float, float], threshold: Mark
) -> Graph:
    """Two groups of numbers that a threshold tells apart, or does not; numbers beyond the ends are in the last bars."""
    edges = np.linspace(*ends, 31)
    series = tuple(histogram(name, values.clip(*ends), edges) for name, values in groups.items())
    return Graph(title, x_label, "share of people", series, (threshold,))


def _points(x: Sequence[float] | FloatArray, y: Sequence[float] | FloatArray) -> tuple[Point, ...]:
    """Pairs of plain numbers; what has no value has no place."""
    pairs = zip(np.asarray(x, dtype=np.float64).tolist(), np.asarray(y, dtype=np.float64).tolist(), strict=True)
    return tuple(pair for pair in pairs if np.isfinite(pair).all())
