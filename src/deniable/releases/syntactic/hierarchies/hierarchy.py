"""How values become coarser: masks, intervals, cuts, dates, trees.

A hierarchy says for each value what it is called at level 1, 2, ...; level 0 is the value itself, and above the last
level stands '*', which says nothing. NULL is a value of its own: it stays NULL at every level below '*', unless a tree
names a place for it. Nothing is read from the data but the values that have to be named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from deniable.core.errors import InvalidArgumentError
from deniable.core.number import Number, exact, positive, whole
from deniable.releases.syntactic.hierarchies.drafting import draft_of
from deniable.releases.syntactic.hierarchies.kinds import (
    PERIODS,
    CutsHierarchy,
    DateHierarchy,
    FlatHierarchy,
    Hierarchy,
    IntervalHierarchy,
    MaskHierarchy,
    TreeHierarchy,
)
from deniable.releases.syntactic.hierarchies.trees import paths_of

__all__ = ["Hierarchy", "cuts", "date", "draft", "flat", "interval", "mask", "tree"]


def flat() -> Hierarchy:
    """The value, or '*'."""
    return FlatHierarchy()


def mask(length: int) -> Hierarchy:
    """Texts of so many characters, one more of them hidden at each level, from the right.

    Example:
        >>> [names[0] for names in mask(5).levels(["13053"])]
        ['1305*', '130**', '13***', '1****']
    """
    return MaskHierarchy(whole("mask", length))


def interval(*widths: Number, origin: Number = 0) -> Hierarchy:
    """Intervals of these widths, from narrow to wide; whole numbers are shown as 20-24, others as [20, 25).

    Example:
        >>> [names[0] for names in interval(5, 10, 20, 40).levels([28])]
        ['25-29', '20-29', '20-39', '0-39']
    """
    if not widths:
        raise InvalidArgumentError("interval", "needs at least one width, such as interval(5, 10, 20)")
    checked = tuple(positive("interval", width) for width in widths)
    for narrow, wide in pairwise(checked):
        if wide <= narrow or (wide / narrow).denominator != 1:
            raise InvalidArgumentError("interval", f"widths must be multiples: {wide} is none of {narrow}")
    return IntervalHierarchy(checked, exact("origin", origin))


def cuts(*levels: Iterable[Number]) -> Hierarchy:
    """Pieces between given numbers; several levels, each with some of the cuts of the level before.

    Example:
        >>> cuts([30, 40]).levels([28, 35, 40])
        [['<30', '30-39', '>=40']]
    """
    if not levels:
        raise InvalidArgumentError("cuts", "needs at least one list of numbers, such as cuts([30, 40])")
    checked = tuple(tuple(sorted({exact("cuts", cut) for cut in level})) for level in levels)
    if not all(checked):
        raise InvalidArgumentError("cuts", "needs at least one number in each list")
    for fine, coarse in pairwise(checked):
        if not set(coarse) <= set(fine):
            raise InvalidArgumentError("cuts", "must leave out cuts from level to level, and add none")
    return CutsHierarchy(checked)


def date(*periods: str) -> Hierarchy:
    """Days, then the periods named: month, quarter, year, decade, century.

    Example:
        >>> [names[0] for names in date("month", "year", "decade").levels(["1987-03-05"])]
        ['1987-03', '1987', '1980s']
    """
    wanted = periods or ("month", "year", "decade")
    places = [PERIODS.index(period) if period in PERIODS else -1 for period in wanted]
    if -1 in places or places != sorted(set(places)):
        raise InvalidArgumentError("date", f"periods must be some of {', '.join(PERIODS)}, in this order")
    return DateHierarchy(tuple(wanted))


def tree(source: str | Path | Mapping[Any, Any]) -> Hierarchy:
    """Places by name: from a CSV file (each line a value, then ever coarser names), or from a nested dictionary.

    In a dictionary a key stands above what it maps to: {"Europe": {"North": ["Norway"], "South": ["Italy"]}}. One from
    texts to texts names the one above each: {"Norway": "North", "North": "Europe"}.

    Example:
        >>> places = tree({"Europe": ["Italy", "Norway"], "Asia": ["Japan"]})
        >>> places.levels(["Italy", "Japan"])
        [['Europe', 'Asia']]
    """
    return TreeHierarchy(paths_of(source), repr(str(source)) if isinstance(source, str | Path) else "{...}")


def draft(column: Any) -> Hierarchy:  # noqa: ANN401 - a pandas, Polars or Arrow column, or a list
    """A proposal, looked up in the data: read it, and write down the hierarchy that you mean.

    Example:
        >>> draft([23, 41, 67]), draft(["13053", "14850"]), draft(["M", "F", "F"])
        (hierarchy.interval(5, 10, 20, 40), hierarchy.mask(5), hierarchy.flat())
    """
    kind, settings = draft_of(column)
    makers: dict[str, Callable[..., Hierarchy]] = {"interval": interval, "date": date, "mask": mask, "flat": flat}
    return makers[kind](*settings)
