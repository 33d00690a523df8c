"""What each aggregate is made of: post-processing of base statistics that all columns share.

One maker for each row of the table (table.py). A maker gets the aggregate, the statistics of the question so far, and
the names of the counts that are paid for anyway; it gives an expression over noisy statistics. Distances are from the
middle of the bounds; means of distances and of their squares and products give everything else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from deniable.core.algebra.expression import Call, Column, Expression, Kind, Literal, Range
from deniable.planner.aggregates import quantiles
from deniable.planner.aggregates.statistics import Moment, Statistics, bounds, present
from deniable.planner.expressions.evaluate import ANY, MOMENTS, ROUNDED
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
    """COUNT: a whole number."""
    return call("round", statistics.count(aggregate.rows), number(0))


def units(aggregate: Aggregate, statistics: Statistics, _: frozenset[str]) -> Expression:
    """Units are counted once each, and are whole numbers too."""
    return call("round", statistics.units(aggregate.where), number(0))


def distinct(aggregate: Aggregate, statistics: Statistics, _: frozenset[str]) -> Expression:
    """COUNT(DISTINCT): a whole number."""
    (value,) = aggregate.values
    return call("round", statistics.distinct(value, aggregate.where), number(0))


def distinct_sum(aggregate: Aggregate, statistics: Statistics, _: frozenset[str]) -> Expression:
    """SUM(DISTINCT): different values, added up."""
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
        rows = {"x": (value, aggregate.where)}
        found = _estimated("variance", many, spread, _roles(statistics, many, rows, "xx"), sample=sample)
        return call("sqrt", found) if root else found

    return make


def covariance(*, sample: bool) -> Maker:
    """The covariance of the rows themselves, or as the estimate of a larger population."""

    def make(aggregate: Aggregate, statistics: Statistics, _: frozenset[str]) -> Expression:
        many = statistics.count(aggregate.rows)
        together = _together(statistics, aggregate, many)
        roles = _roles(statistics, many, _both(aggregate), "xy")
        return _estimated("covariance", many, together, roles, sample=sample)

    return make


def correlation(aggregate: Aggregate, statistics: Statistics, _: frozenset[str]) -> Expression:
    """Covariance over both deviations, between -1 and 1; NULL where one of them is constant."""
    one, other = aggregate.values
    many = statistics.count(aggregate.rows)
    spreads = [_spread(statistics, value, aggregate.rows, many) for value in (one, other)]
    ratio = call("divide", _together(statistics, aggregate, many), call("sqrt", call("multiply", *spreads)))
    found = _clip(ratio, Range(Fraction(-1), Fraction(1)))
    roles = _roles(statistics, many, _both(aggregate), "xy", "xx", "yy")
    return _where_any(many, _moments("correlation", found, roles))


def slope(aggregate: Aggregate, statistics: Statistics, _: frozenset[str]) -> Expression:
    """The slope of the line through (x, y), where SQL names y first: covariance over the variance of x."""
    many = statistics.count(aggregate.rows)
    dependent, independent = _both(aggregate).values()
    roles = _roles(statistics, many, {"x": independent, "y": dependent}, "yx", "xx")
    return _where_any(many, _moments("slope", _slope(aggregate, statistics, many), roles))


def _slope(aggregate: Aggregate, statistics: Statistics, many: Column) -> Expression:
    spread = _spread(statistics, aggregate.values[1], aggregate.rows, many)
    return call("divide", _together(statistics, aggregate, many), spread)


def intercept(aggregate: Aggregate, statistics: Statistics, _: frozenset[str]) -> Expression:
    """Where that line meets x = 0: mean of y less slope times mean of x."""
    means = []
    many = statistics.count(aggregate.rows)
    for value in aggregate.values:
        moment = statistics.distances(value, aggregate.rows)
        means.append(call("add", number(moment.offset), _mean(moment, many)))
    dependent, independent = means
    rise = _where_any(many, _slope(aggregate, statistics, many))
    return call("subtract", dependent, call("multiply", rise, independent))


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


def _estimated(
    kind: str, many: Column, population: Expression, roles: tuple[Expression, ...], *, sample: bool
) -> Expression:
    """Of the rows themselves; or as the estimate of a larger population: times n / (n - 1)."""
    if not sample:
        return _where_any(many, _moments(kind, population, roles))
    fewer = call("subtract", many, number(1))
    corrected = call("multiply", population, call("divide", many, fewer))
    return _where_any(fewer, _moments(kind, corrected, roles, fewer=1))


def _moments(kind: str, value: Expression, roles: tuple[Expression, ...], fewer: int = 0) -> Expression:
    """The value, and what it is made of: planner/intervals/moments.py reads it."""
    arguments = (value, Literal(kind, Kind.TEXT), number(fewer), *roles)
    return Call(MOMENTS, arguments, value.kind, value.range, value.nullable)


def _both(aggregate: Aggregate) -> dict[str, tuple[Expression, Expression | None]]:
    """Both values, over the rows that have both."""
    return {axis: (value, aggregate.rows) for axis, value in zip("xy", aggregate.values, strict=True)}


def _roles(
    statistics: Statistics, many: Column, values: Mapping[str, tuple[Expression, Expression | None]], *products: str
) -> tuple[Expression, ...]:
    """For n, x, y and their products: the role, the sum, what each row is more, its rounding, the largest variance.

    Products are named in the order of the aggregate's own arguments: it has bought those.
    """
    found: list[Expression] = [Literal("n", Kind.TEXT), many, number(0), number(0), number(0)]
    for axis, (value, where) in values.items():
        moment = statistics.distances(value, where)
        low, high = bounds(value)
        widest = max(high - moment.offset, moment.offset - low) ** 2
        found += [Literal(axis, Kind.TEXT), moment.column, number(0), number(moment.rounding), number(widest)]
    for role in products:
        (one, where), (other, _) = values[role[0]], values[role[1]]
        same = role[0] == role[1]
        moment = statistics.squares(one, where) if same else statistics.products(one, other, where)
        name = Literal("".join(sorted(role)), Kind.TEXT)
        found += [name, moment.column, number(moment.offset), number(moment.rounding), number(0)]
    return tuple(found)


def _where_any(many: Expression, value: Expression) -> Expression:
    return Call(ANY, (many, value), value.kind, value.range, nullable=True)


def _clip(value: Expression, within: Range) -> Expression:
    """Post-processing: the truth lies between the bounds, so the answer should."""
    if within.low is None or within.high is None:
        return value
    return call("least", call("greatest", value, number(within.low)), number(within.high))
