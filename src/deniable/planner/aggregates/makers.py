"""What each aggregate is made of: post-processing of base statistics that all columns share.

One maker for each row of the table (table.py). A maker gets the aggregate, the statistics of the question so far, and
the names of the counts that are paid for anyway; it gives an expression over noisy statistics. Distances are from the
middle of the bounds; means of distances and of their squares and products give everything else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from deniable.core.algebra.expression import Call, Column, Expression, Kind, Literal, Range
from deniable.planner.aggregates import quantiles
from deniable.planner.aggregates.statistics import Moment, Statistics, bounds, present
from deniable.planner.expressions.evaluate import ROUNDED
from deniable.planner.expressions.functions import call, number


@dataclass(frozen=True, slots=True)
class Aggregate:
    """An aggregate of the question: what it is taken of (nothing for COUNT(*)), its FILTER and its constants."""

    values: tuple[Expression, ...]
    where: Expression | None
    constants: tuple[Fraction, ...] = ()
    """Of a quantile: which. Of most common values: how many, and the place among them."""

    @property
    def rows(self) -> Expression | None:
        """The rows that it is taken over: all of its values must be there."""
        return present(self.where, *self.values)


Maker = Callable[[Aggregate, Statistics, frozenset[str]], Expression]


def count(aggregate: Aggregate, statistics: Statistics, _: frozenset[str]) -> Expression:
    """Counts are whole numbers."""
    return call("round", statistics.count(aggregate.rows), number(0))


def units(aggregate: Aggregate, statistics: Statistics, _: frozenset[str]) -> Expression:
    """Units are counted once each, and are whole numbers too."""
    return call("round", statistics.units(aggregate.where), number(0))


def distinct(aggregate: Aggregate, statistics: Statistics, _: frozenset[str]) -> Expression:
    """So are different values."""
    (value,) = aggregate.values
    return call("round", statistics.distinct(value, aggregate.where), number(0))


def distinct_sum(aggregate: Aggregate, statistics: Statistics, _: frozenset[str]) -> Expression:
    """Different values, added up."""
    (value,) = aggregate.values
    return statistics.distinct_sum(value, aggregate.where)


def distinct_average(aggregate: Aggregate, statistics: Statistics, _: frozenset[str]) -> Expression:
    """Their sum over their number, within the bounds; NULL where there are none."""
    (value,) = aggregate.values
    many = statistics.distinct(value, aggregate.where)
    mean = call("divide", statistics.distinct_sum(value, aggregate.where), many)
    return _where_any(many, _clip(mean, value.range))


def quantile(aggregate: Aggregate, statistics: Statistics, _: frozenset[str]) -> Expression:
    """A choice by rank, also for the median and both extremes."""
    (value,) = aggregate.values
    return quantiles.quantile(statistics, value, aggregate.where, aggregate.constants[0])


def mode(aggregate: Aggregate, statistics: Statistics, _: frozenset[str]) -> Expression:
    """A choice by count: the value at one place among the most common ones."""
    (value,), (places, place) = aggregate.values, aggregate.constants
    return quantiles.most_common(statistics, value, aggregate.where, int(places), int(place))


def total(aggregate: Aggregate, statistics: Statistics, counted: frozenset[str]) -> Expression:
    """Middle times count plus the distances, if the count is paid for anyway; otherwise the plain sum."""
    (value,) = aggregate.values
    paid = [rows for rows in (aggregate.rows, aggregate.where, None) if _name(statistics, rows) in counted]
    rows = statistics.count(paid[0]) if paid else Literal(None, Kind.NUMBER)
    if _name(statistics, aggregate.rows) not in counted:
        moment = statistics.sum(value, aggregate.where)
        return _rounded(moment.column, moment.rounding, rows)
    moment = statistics.distances(value, aggregate.where)
    distance = _rounded(moment.column, moment.rounding, rows)
    return call("add", call("multiply", number(moment.offset), rows), distance)


def average(aggregate: Aggregate, statistics: Statistics, _: frozenset[str]) -> Expression:
    """Middle plus mean distance, within the bounds; NULL where nothing is counted."""
    (value,) = aggregate.values
    many = statistics.count(aggregate.rows)
    moment = statistics.distances(value, aggregate.where)
    return _where_any(many, _clip(call("add", number(moment.offset), _mean(moment, many)), value.range))


def variance(*, sample: bool, root: bool) -> Maker:
    """The variance or its root, of the rows themselves or as the estimate of a larger population."""

    def make(aggregate: Aggregate, statistics: Statistics, _: frozenset[str]) -> Expression:
        (value,) = aggregate.values
        many = statistics.count(aggregate.rows)
        spread = _spread(statistics, value, aggregate.where, many)
        found = _of_sample(many, spread) if sample else _where_any(many, spread)
        return call("sqrt", found) if root else found

    return make


def covariance(*, sample: bool) -> Maker:
    """The covariance of the rows themselves, or as the estimate of a larger population."""

    def make(aggregate: Aggregate, statistics: Statistics, _: frozenset[str]) -> Expression:
        many = statistics.count(aggregate.rows)
        together = _together(statistics, aggregate, many)
        return _of_sample(many, together) if sample else _where_any(many, together)

    return make


def correlation(aggregate: Aggregate, statistics: Statistics, _: frozenset[str]) -> Expression:
    """Covariance over both deviations, between -1 and 1; NULL where one of them is constant."""
    one, other = aggregate.values
    many = statistics.count(aggregate.rows)
    spreads = [_spread(statistics, value, aggregate.rows, many) for value in (one, other)]
    ratio = call("divide", _together(statistics, aggregate, many), call("sqrt", call("multiply", *spreads)))
    return _where_any(many, _clip(ratio, Range(Fraction(-1), Fraction(1))))


def slope(aggregate: Aggregate, statistics: Statistics, _: frozenset[str]) -> Expression:
    """Of the line through (x, y), where SQL names y first: covariance over the variance of x."""
    independent = aggregate.values[1]
    many = statistics.count(aggregate.rows)
    spread = _spread(statistics, independent, aggregate.rows, many)
    return _where_any(many, call("divide", _together(statistics, aggregate, many), spread))


def intercept(aggregate: Aggregate, statistics: Statistics, counted: frozenset[str]) -> Expression:
    """Where that line meets x = 0: mean of y less slope times mean of x."""
    means = []
    many = statistics.count(aggregate.rows)
    for value in aggregate.values:
        moment = statistics.distances(value, aggregate.rows)
        means.append(call("add", number(moment.offset), _mean(moment, many)))
    dependent, independent = means
    return call("subtract", dependent, call("multiply", slope(aggregate, statistics, counted), independent))


def _mean(moment: Moment, many: Column) -> Expression:
    """The mean of what rows add; none of them is off by more than the rounding, so the mean is not either."""
    return _rounded(call("divide", moment.column, many), moment.rounding, number(1))


def _spread(statistics: Statistics, value: Expression, where: Expression | None, many: Column) -> Expression:
    """Mean square less squared mean, of distances from the middle; never below zero nor above the widest."""
    distance, square = statistics.distances(value, where), statistics.squares(value, where)
    mean = _mean(distance, many)
    spread = call("subtract", call("add", _mean(square, many), number(square.offset)), call("multiply", mean, mean))
    low, high = bounds(value)
    return _clip(spread, Range(Fraction(0), max(high - distance.offset, distance.offset - low) ** 2))


def _together(statistics: Statistics, aggregate: Aggregate, many: Column) -> Expression:
    """Mean product less product of means, of distances from the middles: the covariance of the rows."""
    one, other = aggregate.values
    means = [_mean(statistics.distances(value, aggregate.rows), many) for value in (one, other)]
    product = _mean(statistics.products(one, other, aggregate.rows), many)
    return call("subtract", product, call("multiply", *means))


def _rounded(value: Expression, most: Fraction, rows: Expression) -> Expression:
    """The value, known up to `most` for each of so many rows; NULL: nobody knows how many."""
    return Call(ROUNDED, (value, number(most), rows), value.kind, value.range, value.nullable) if most else value


def _name(statistics: Statistics, rows: Expression | None) -> str:
    """What the count of these rows is called, if it is bought."""
    return Statistics(statistics.source, statistics.steps, statistics.grouped).count(rows).name


def _of_sample(many: Column, population: Expression) -> Expression:
    """As the estimate of a larger population: times n / (n - 1)."""
    fewer = call("subtract", many, number(1))
    corrected = call("multiply", population, call("divide", many, fewer))
    return call("case", call("more", fewer, number(0)), corrected, Literal(None, Kind.NUMBER))


def _where_any(many: Column, value: Expression) -> Expression:
    return call("case", call("more", many, number(0)), value, Literal(None, Kind.NUMBER))


def _clip(value: Expression, within: Range) -> Expression:
    """Post-processing: the truth lies between the bounds, so the answer should."""
    if within.low is None or within.high is None:
        return value
    return call("least", call("greatest", value, number(within.low)), number(within.high))
