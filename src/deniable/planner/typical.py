"""What rows are expected to add, where the mean of their column is known: for quotes, and for nothing else.

The error of an average depends on where it lies between the bounds: the farther from the middle, the more the noise of
the count weighs. Without a mean, a quote is for the end of the bounds, so that no average is less exact than quoted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction

from deniable.core.algebra.expression import Call, Column, Expression
from deniable.planner.aggregates.statistics import Base, Statistic
from deniable.planner.plan import Bound, Noisy, Single

_Distance = tuple[Fraction, Fraction]
"""From the middle of a grid: in the answer's unit, and in steps."""


def expecting(bound: Bound, means: Mapping[str, Fraction]) -> Bound:
    """A question whose statistics expect rows of these means; nothing else of it changes."""
    return replace(bound, statistics=tuple(_expecting(base, means) for base in bound.statistics)) if means else bound


def at_an_end(parts: Iterable[Single]) -> list[Single]:
    """The same noise, for rows at the upper end of their bounds, unless their mean is known; none, if all are known.

    Nor where rows add squares or products, whose ends do not follow from those of the values.
    """
    found = list(parts)
    unknown = [part for part in found if isinstance(part, Noisy) and _has_place(part.statistic)]
    moved = {part.statistic.name: replace(part, statistic=_placed(part.statistic, _end)) for part in unknown}
    if not moved or any(moved[part.statistic.name].statistic is part.statistic for part in unknown):
        return []
    return [moved.get(part.statistic.name, part) if isinstance(part, Noisy) else part for part in found]


def _has_place(base: Statistic) -> bool:
    """Whether what a row adds is computed from a value whose mean is not known."""
    return base.total is not None and base.total.row is not None and not base.known


def _expecting(base: Base, means: Mapping[str, Fraction]) -> Base:
    if not isinstance(base, Statistic):
        return base
    found = _placed(base, lambda place: _to_mean(place, means))
    return base if found is base else replace(found, known=True)


def _placed(base: Statistic, distance: Callable[[Expression], _Distance | None]) -> Statistic:
    """Whose rows lie so far from the middle of their grid; the same, where nothing is known of that."""
    if base.total is None or base.total.row is None:
        return base
    row = base.total.row
    if (found := distance(row)) is not None:
        return replace(base, typical=found[0])
    match row:  # both ends of the bounds share a row: planner/divided.py
        case Call(function="subtract" | "add", arguments=(_, Call(function="coalesce", arguments=(place, _)))):
            if (found := distance(place)) is not None:
                side = 1 if row.function == "add" else -1
                return replace(base, typical=Fraction(1, 2) + side * found[1] / base.total.reach)
    return base


def _to_mean(place: Expression, means: Mapping[str, Fraction]) -> _Distance | None:
    match place:
        case Call(function="grid", arguments=(Column(name=name), centre, step, reach)) if name in means:
            middle, one, most = _numbers(centre, step, reach)
            far = max(-most * one, min(means[name] - middle, most * one))
            return far, far / one
        case _:
            return None


def _end(place: Expression) -> _Distance | None:
    match place:
        case Call(function="grid", arguments=(_, _, step, reach)):
            one, most = _numbers(step, reach)
            return most * one, most
        case _:
            return None


def _numbers(*parts: Expression) -> list[Fraction]:
    known = [part.range.low for part in parts]
    return [Fraction(0) if end is None else end for end in known]
