"""Quantiles and most common values as choices among cells that public facts give."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import prod, ulp

from deniable.core.algebra.expression import Column, Expression, Kind
from deniable.core.algebra.query import WEIGHT
from deniable.core.calendar import DAY, SECOND
from deniable.core.errors import Refused
from deniable.planner.aggregates.statistics import Statistics, bounds, named, present
from deniable.planner.choices.histogram import (
    CELL,
    MOST_TOGETHER,
    ROW,
    CellHistogram,
    EqualCells,
    Mode,
    Quantile,
    most_cells,
)
from deniable.planner.choices.syntax import MOST_ENTRIES
from deniable.planner.expressions.functions import call
from deniable.planner.expressions.keys import GroupKey, domain
from deniable.planner.work import VALUES_A_STEP, spend

_FEWEST_CELLS = 64
_MOST_VALUES = 1 << 16
_EXTREMES = {Fraction(0): ("minimum", (1,)), Fraction(1): ("maximum", (-1,))}
"""The least value is sought from above, the largest from below: beyond them nothing but the bounds is sure."""


def quantile(statistics: Statistics, value: Expression, where: Expression | None, share: Fraction) -> Column:
    """The value that `share` of the rows do not exceed."""
    place = call(_NUMBERS[value.kind], value) if value.kind in _NUMBERS else value
    low, high = bounds(place)
    groups = _groups(statistics, _FEWEST_CELLS)
    declared = statistics.steps.get(value.name) if isinstance(value, Column) else None
    whole = place.kind is Kind.INTEGER
    cells = _cells(low, high, declared, groups, whole=whole, clock=_NUMBERS.get(value.kind) == "microseconds")
    if value.kind not in _NUMBERS and cells.step < ulp(max(abs(float(low)), abs(float(high)))):
        reason = "These values have more digits than are told apart here."
        raise Refused("type-mismatch", reason, "Take a constant off first: MIN(x - 9007199254740992).")
    label, sides = _EXTREMES.get(
        share, ("median" if share == Fraction(1, 2) else f"quantile {float(share):g}", (-1, 0, 1))
    )
    histogram = _histogram(statistics, cells.of(place), present(where, value))
    kind = value.kind if value.kind in _NUMBERS else Kind.INTEGER if cells.whole else Kind.NUMBER
    choice = Quantile(named(share, cells, histogram, kind), label, histogram, cells, share, sides, kind)
    statistics.found.setdefault(choice.name, choice)
    return choice.column


_NUMBERS = {Kind.DATE: "days", Kind.TIMESTAMP: "microseconds", Kind.TIME: "microseconds"}
"""What is chosen by the number that stands for it."""
_CLOCK = tuple(Fraction(SECOND) * seconds for seconds in (1, 10, 60, 600, 3600, 6 * 3600))
"""The steps in which people read clocks, in microseconds; beyond, days."""


def _cells(
    low: Fraction, high: Fraction, declared: Fraction | None, groups: int, *, whole: bool, clock: bool
) -> EqualCells:
    """Cells as fine as values can be; where a clock has too many of them, in steps that people read clocks in."""
    if not clock:
        return EqualCells.over(low, high, Fraction(1) if whole else declared, groups, whole=whole)
    own = declared or Fraction(1)
    coarser = (step for step in (own, *_CLOCK) if step >= own and (high - low) / step < most_cells(groups))
    cells = EqualCells.over(low, high, next(coarser, Fraction(DAY)), groups, whole=True)
    return replace(cells, coarse=cells.step != own)


def most_common(statistics: Statistics, value: Expression, where: Expression | None, places: int, place: int) -> Column:
    """The value at one of the first places, by how many rows have it."""
    if value.kind is Kind.NUMBER:
        raise Refused("type-mismatch", "Real numbers have no most common value.", "Use MEDIAN, or FLOOR(x / width).")
    values = domain(value, statistics.source.where, dict(statistics.declared))
    if values is None:
        raise Refused(
            "needs-values",
            "The possible values are not known, so none can be chosen.",
            "List them: WHERE column IN (...), or ask the custodian to declare them.",
        )
    there = tuple(entry for entry in values if entry is not None)
    spend(4 * len(there) // VALUES_A_STEP)
    if len(there) > _MOST_VALUES:
        raise Refused("too-many-groups", f"There are {len(there):,} values to choose from.", "Use buckets of them.")
    if not 1 <= place <= places <= min(len(there), MOST_ENTRIES):
        raise Refused("unsupported-form", f"There are only {min(len(there), MOST_ENTRIES)} values.", "Ask for fewer.")
    _groups(statistics, len(there))
    histogram = _histogram(statistics, value, present(where, value))
    label = "most common value" if places == 1 else f"{places} most common values"
    choice = Mode(named(places, there, histogram), label, histogram, GroupKey(CELL, value, there), places)
    statistics.found.setdefault(choice.name, choice)
    return choice.column(place)


def _histogram(statistics: Statistics, cell: Expression, where: Expression | None) -> CellHistogram:
    """Shared by all quantiles of the same values."""
    source = statistics.source
    row = ROW if source.unit is None else WEIGHT
    reach = ROW if source.unit is None else source.contribution * WEIGHT
    return CellHistogram(named("histogram", cell, where), cell, where, row, reach)


def _groups(statistics: Statistics, cells: int) -> int:
    """How many groups there are, if so many cells of each are not too many; private keys are refused later."""
    number = prod(len(key.domain or ()) or 1 for key in statistics.keys)
    if number * cells > MOST_TOGETHER:
        most = MOST_TOGETHER // cells
        raise Refused("too-many-groups", f"This is answered for at most {most:,} groups.", "Group by fewer keys.")
    return number
