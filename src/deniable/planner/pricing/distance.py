"""How far one unit moves an exact answer."""

from __future__ import annotations

from fractions import Fraction
from math import floor

from deniable.core.number import root_above
from deniable.core.sensitivity import Neighbours
from deniable.planner.aggregates.statistics import Statistic


def distance_of(statistic: Statistic, neighbours: Neighbours, *, grouped: bool, squared: bool) -> int:
    """How far neighbours' exact answers can lie apart, in l1, or in l2 if `squared`.

    One unit's rows add up to a vector (one entry per group) of l1 norm at most `reach`. Adding or removing the unit
    moves the answer by that vector. Replacing it moves the answer by the difference of two such vectors: at most
    2 reach in l1; in l2 too, but only sqrt(2) reach if no entry is negative; and at most reach if there is only one
    group besides.
    """
    if neighbours is Neighbours.ADD_REMOVE or (not statistic.signed and not grouped):
        return statistic.reach
    if squared and not statistic.signed:
        return -floor(-root_above(Fraction(2)) * statistic.reach)
    return 2 * statistic.reach
