"""Aggregates to base statistics: sums of whole numbers, shared between the columns of an answer.

COUNT, SUM and AVG of the same rows rest on two statistics: how many, and the sum of distances from the middle of the
bounds. The middle makes the distances small: half the width of the bounds, whatever the bounds are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil, floor

from deniable.core.algebra.expression import Call, Column, Expression, Kind, Literal, Range
from deniable.core.algebra.query import WEIGHT, Source, Total
from deniable.core.errors import Refused
from deniable.planner.choices.histogram import Choice
from deniable.planner.expressions.functions import call, number
from deniable.planner.expressions.keys import Domain, GroupKey
from deniable.planner.expressions.ranges import nominal

_FINEST = 1 << 24
"""Steps between the bounds of a number that has no step of its own."""
_DOUBLES = 1 << 50
"""Steps to the largest value that doubles can count."""
_WIDEST = 1 << 26
"""The farthest that a row may reach, in steps."""
_COUNTS = Range(Fraction(-(2**52)), Fraction(2**52))
"""Noisy counts, for all that matters."""
_ASIDE = Fraction(3, 4)
"""Of a step, how far a real number may lie from its place: a half, and what doubles lose (an eighth at most)."""
_ROW_PLACES = 28
"""A row weighs at most 2^28 units, so that eight billion of them fit 64 bits."""


@dataclass(frozen=True, slots=True)
class Statistic:
    """One noisy number per group, and what one unit of it is worth."""

    name: str
    label: str
    worth: Fraction
    """In the answer's unit, of one unit of the integer total."""
    reach: int
    """The most that all rows of a unit can add up to, in size, over all groups."""
    signed: bool
    """Whether rows can be negative."""
    total: Total | None
    """How rows add up; None: count units, or different values, instead."""
    filter: Expression | None = None
    """For counts of units and of values: which rows count."""
    distinct: Expression | None = None
    """For counts and sums of different values: of what."""
    summed: bool = False
    """Whether different values are added up, and not counted."""
    typical: Fraction | None = field(default=None, repr=False, compare=False)
    """What a row is expected to add, in the answer's unit; None: nothing, if rows can be negative, else one.

    For quotes alone: it is no part of what a question is, or is called.
    """
    known: bool = field(default=False, repr=False, compare=False)
    """Whether that follows from a mean that is known; else rows may as well lie elsewhere between their bounds."""

    @property
    def names(self) -> frozenset[str]:
        """What the answer's algebra calls it."""
        return frozenset({self.name})

    @property
    def each_row(self) -> Fraction:
        """What a row is expected to add, in the answer's unit."""
        return Fraction(0 if self.signed else 1) if self.typical is None else self.typical

    @property
    def nonnegative(self) -> bool:
        """Whether no row, unit or value can make it negative, by the range of what is added up."""
        if not self.signed:
            return True
        match self.distinct if self.total is None else self.total.row:
            case Call(function="grid", arguments=(value, Literal(value=Fraction() as centre), *_)):
                return value.range.low is not None and value.range.low >= centre
            case row:
                return row is not None and row.range.low is not None and row.range.low >= 0

    @property
    def column(self) -> Column:
        """The noisy number, as a column of the answer's algebra."""
        return Column(self.name, Kind.NUMBER, _COUNTS if not self.signed else Range(), nullable=False)


@dataclass(frozen=True, slots=True)
class Moment:
    """A sum over rows of something that is computed from each of them: a distance, a square, a product."""

    column: Column
    offset: Fraction
    """By how much more each row is than what it adds."""
    rounding: Fraction
    """The most by which a row that weighs one can be off because it is put on a grid; 0 if nothing is rounded."""


Base = Statistic | Choice
"""What a question rests on."""


@dataclass(slots=True)
class Statistics:
    """The base statistics of one question, each paid once however many columns use it."""

    source: Source
    steps: Mapping[str, Fraction]
    """The declared steps of the columns."""
    grouped: bool
    keys: tuple[GroupKey, ...] = ()
    declared: Mapping[str, Domain] = field(default_factory=dict)
    """The declared values of the table's columns."""
    found: dict[str, Base] = field(default_factory=dict)

    def count(self, where: Expression | None) -> Column:
        """How many rows satisfy `where`."""
        return self._add("count", number(1), where, reach=1, step=Fraction(1), signed=False)

    def units(self, where: Expression | None) -> Column:
        """How many units have a row that satisfies `where`."""
        groups = self.source.contribution if self.grouped else 1
        label = f"units{'' if where is None else ' (filtered)'}"
        statistic = Statistic(
            named("units", where), label, Fraction(1, WEIGHT), groups * WEIGHT, signed=False, total=None, filter=where
        )
        return self._found(statistic)

    def distinct(self, value: Expression, where: Expression | None) -> Column:
        """How many different values there are in rows that satisfy `where`; a unit adds at most its contribution."""
        most = self.source.contribution if self.source.unit is not None else 1
        rows = present(where, value)
        name = named("distinct", value, rows)
        return self._found(
            Statistic(name, "values", Fraction(1), most, signed=False, total=None, filter=rows, distinct=value)
        )

    def distinct_sum(self, value: Expression, where: Expression | None) -> Column:
        """The sum of the different values, each of which is a whole number of steps; a unit adds its contribution."""
        extent = max(abs(end) for end in bounds(value))
        step = step_of(value, extent, self.steps)
        if step != _own_step(value, self.steps):
            reason = "Different values can only be added up if they are whole numbers, or multiples of a declared step."
            raise Refused("distinct", reason, "Write SUM(DISTINCT ROUND(x)).")
        reach, most = ceil(extent / step), self.source.contribution if self.source.unit is not None else 1
        place, rows = placed(value, Fraction(0), step, reach), present(where, value)
        name, label = named("distinct sum", place, rows), "sum of values"
        found = Statistic(name, label, step, most * reach, signed=True, total=None, filter=rows, distinct=place)
        return self._found(replace(found, summed=True))

    def sum(self, value: Expression, where: Expression | None) -> Moment:
        """The plain sum: for a question that pays for no count of the same rows."""
        extent = max(abs(end) for end in bounds(value))
        step = step_of(value, extent, self.steps)
        return self._moment(value, where, self._placed(value, Fraction(0), step, ceil(extent / step)))

    def distances(self, value: Expression, where: Expression | None) -> Moment:
        """The sum of distances from the middle of the bounds."""
        return self._moment(value, where, self._grid(value))

    def squares(self, value: Expression, where: Expression | None) -> Moment:
        """The sum of squared distances from the middle, each less a constant.

        Squares lie between 0 and reach^2; they are coarsened to whole multiples of `divisor` and moved by `half`, so
        that they reach equally far to both sides.
        """
        grid = self._grid(value)
        divisor = max(1, ceil(Fraction(grid.reach**2, _WIDEST)))
        most = grid.reach**2 // divisor
        half = most // 2
        place = placed(value, grid.centre, grid.step, grid.reach)
        square = call("quotient", call("multiply", place, place), number(divisor))
        worth = divisor * grid.step**2
        column = self._add("squares", call("subtract", square, number(half)), where, most - half, worth, signed=True)
        return Moment(column, half * worth, _of_product(grid, grid, divisor))

    def products(self, one: Expression, other: Expression, where: Expression | None) -> Moment:
        """The sum of products of both distances from their middles."""
        left, right = self._grid(one), self._grid(other)
        divisor = max(1, ceil(Fraction(left.reach * right.reach, _WIDEST)))
        reach = left.reach * right.reach // divisor
        places = [placed(value, grid.centre, grid.step, grid.reach) for value, grid in ((one, left), (other, right))]
        product = call("quotient", call("multiply", *places), number(divisor))
        worth = divisor * left.step * right.step
        column = self._add("products", product, where, reach, worth, signed=True)
        return Moment(column, Fraction(0), _of_product(left, right, divisor))

    def end(self, label: str, row: Expression, where: Expression | None, reach: int) -> Statistic:
        """What rows count at one end of their bounds: a part of `reach`, which is a whole row."""
        column = self._add(label, row, where, reach, Fraction(1, reach), signed=False)
        found = self.found[column.name]
        if not isinstance(found, Statistic):
            raise TypeError("not a sum")
        return replace(found, typical=Fraction(1, 2))

    def _moment(self, value: Expression, where: Expression | None, grid: _Grid) -> Moment:
        """The sum of places on a grid around a centre."""
        row = placed(value, grid.centre, grid.step, grid.reach)
        column = self._add("sum", row, where, grid.reach, grid.step, signed=True)
        return Moment(column, grid.centre, grid.aside * grid.step)

    def _add(
        self, label: str, row: Expression, where: Expression | None, reach: int, step: Fraction, *, signed: bool
    ) -> Column:
        """Rows of units weigh; their product with the weight is cut to 28 binary places."""
        weighed = self.source.unit is not None
        shift = max(0, reach.bit_length() + WEIGHT.bit_length() - 1 - _ROW_PLACES) if weighed else 0
        name = named(label, row, where)
        per_unit = ceil(Fraction(self.source.contribution * WEIGHT * reach, 1 << shift)) if weighed else reach
        worth = step * Fraction(1 << shift, WEIGHT) if weighed else step
        total = Total(name, row, where, reach, shift)
        return self._found(Statistic(name, label, worth, per_unit, signed, total))

    def _found(self, statistic: Statistic) -> Column:
        """Kept under its name: the same content has the same one."""
        self.found.setdefault(statistic.name, statistic)
        return statistic.column

    def _grid(self, value: Expression) -> _Grid:
        """Centred between the bounds."""
        low, high = bounds(value)
        step = step_of(value, (high - low) / 2, self.steps)
        centre = step * floor((low + high) / 2 / step)
        return self._placed(value, centre, step, max(1, ceil(max(high - centre, centre - low) / step)))

    def _placed(self, value: Expression, centre: Fraction, step: Fraction, reach: int) -> _Grid:
        """Whole numbers and multiples of a declared step lie on the grid; other values lie between."""
        aside = Fraction(0) if step == _own_step(value, self.steps) else _ASIDE
        return _Grid(centre, step, reach, aside)


@dataclass(frozen=True, slots=True)
class _Grid:
    centre: Fraction
    step: Fraction
    reach: int
    aside: Fraction
    """How far a value may lie from its place, in steps."""


def _of_product(one: _Grid, other: _Grid, divisor: int) -> Fraction:
    """How far a product of places, cut to whole multiples of `divisor`, may lie from the product of the values.

    With places p, q and values p - a, q - b, in steps: pq - (p - a)(q - b) = pb + qa - ab; cutting takes less than a
    divisor away.
    """
    off = one.reach * other.aside + other.reach * one.aside + one.aside * other.aside
    return (off + divisor - 1) * one.step * other.step


def step_of(
    value: Expression, extent: Fraction, declared: Mapping[str, Fraction], *, finest: int = _FINEST
) -> Fraction:
    """Whole numbers have step 1, columns their declared one; others are cut finely enough that nobody notices.

    `extent` is how far values reach from the grid's centre; the step is coarse enough that this is few steps, and that
    doubles of the values' size can tell steps apart.
    """
    size = max((abs(end) for end in (value.range.low, value.range.high) if end is not None), default=Fraction(0))
    least = max(extent / finest, size / _DOUBLES)
    fine = Fraction(1)
    while fine > least:
        fine /= 2
    while fine < least:
        fine *= 2
    step = _own_step(value, declared) or fine
    fits = extent / step <= max(_WIDEST, finest) and (value.kind is Kind.INTEGER or step >= size / _DOUBLES)
    return step if fits else fine


def _own_step(value: Expression, declared: Mapping[str, Fraction]) -> Fraction | None:
    """What values are whole multiples of: by their kind, or as declared."""
    if value.kind is Kind.INTEGER:
        return Fraction(1)
    return declared.get(value.name) if isinstance(value, Column) else None


def placed(value: Expression, centre: Fraction, step: Fraction, reach: int) -> Expression:
    """The value as whole steps from the centre, within reach; what cannot be is NULL and adds nothing."""
    return call("grid", value, number(centre), number(step), number(reach))


def bounds(value: Expression) -> tuple[Fraction, Fraction]:
    """Finite bounds, or a refusal."""
    if value.kind not in (Kind.INTEGER, Kind.NUMBER):
        raise Refused(
            "type-mismatch",
            f"This needs numbers, not {value.kind.value}.",
            "Use COUNT(DISTINCT x), or CAST(x AS INTEGER).",
        )
    within = nominal(value.range) if value.kind is Kind.NUMBER else value.range
    low, high = within.low, within.high
    if low is None or high is None:
        raise Refused(
            "needs-bounds",
            "This has no known bounds, so no amount of noise is enough.",
            "Write LEAST(GREATEST(expression, lower), upper), or ask the custodian to declare bounds.",
        )
    return low, high if high > low else low + 1


def present(where: Expression | None, *values: Expression) -> Expression | None:
    """The rows that satisfy `where` and have all of these values."""
    conditions = [call("not", call("is_null", value)) for value in values if value.nullable]
    parts = [part for part in (where, *conditions) if part is not None]
    return None if not parts else parts[0] if len(parts) == 1 else call("and", *parts)


def named(*parts: object) -> str:
    """A name that follows from the content, so that the same statistic has the same name in every question."""
    return "s" + hashlib.sha256(repr(parts).encode()).hexdigest()[:32]
