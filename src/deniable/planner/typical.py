"""What rows are expected to add, where the mean of their column is known: for quotes, and for nothing else.

The error of an average depends on where it lies between the bounds: the farther from the middle, the more the noise of
the count weighs. Without a mean, a quote is for the middle.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from deniable.core.algebra.expression import Call, Column, Expression
from deniable.planner.aggregates.statistics import Base, Statistic
from deniable.planner.plan import Bound


def expecting(bound: Bound, means: Mapping[str, Fraction]) -> Bound:
    """A question whose statistics expect rows of these means; nothing else of it changes."""
    return replace(bound, statistics=tuple(_expecting(base, means) for base in bound.statistics)) if means else bound


def _expecting(base: Base, means: Mapping[str, Fraction]) -> Base:
    row = base.total.row if isinstance(base, Statistic) and base.total is not None else None
    if row is None or not isinstance(base, Statistic) or base.total is None:
        return base
    if (distance := _distance(row, means)) is not None:
        return replace(base, typical=distance[0])
    match row:  # both ends of the bounds share a row: planner/divided.py
        case Call(function="subtract" | "add", arguments=(_, Call(function="coalesce", arguments=(place, _)))):
            found = _distance(place, means)
            side = 1 if row.function == "add" else -1
            return base if found is None else replace(base, typical=Fraction(1, 2) + side * found[1] / base.total.reach)
        case _:
            return base


def _distance(place: Expression, means: Mapping[str, Fraction]) -> tuple[Fraction, Fraction] | None:
    """From the centre of a column's grid to its mean, within its reach: in the answer's unit, and in steps."""
    match place:
        case Call(function="grid", arguments=(Column(name=name), centre, step, reach)) if name in means:
            known = [part.range.low for part in (centre, step, reach)]
            middle, one, most = (Fraction(0) if end is None else end for end in known)
            far = max(-most * one, min(means[name] - middle, most * one))
            return far, far / one
        case _:
            return None
