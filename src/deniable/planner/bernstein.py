"""Count, sums, squares and products of the same rows for one price: rows are divided between Bernstein's polynomials.

A variance, a correlation or a slope rests on three to six sums, which by themselves have a part of the spend each.
Bernstein's polynomials of a value between its bounds are never negative and add up to one, so a row can be divided
between them: three of degree two for a variable that is squared, two of degree one for one that is not, and their
products for a pair. Noise that hides a row hides all of its parts, and every sum is a combination of them. A count and
a sum by both ends of the bounds (divided.py) are the case of degree one. Proof: docs/proofs/parallel.md
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import reduce
from itertools import product
from math import ceil

from deniable.core.algebra.expression import Call, Column, Expression, Literal, names, size
from deniable.core.sensitivity import Neighbours
from deniable.planner.aggregates.statistics import Statistic, Statistics
from deniable.planner.expressions.evaluate import ANY, MOMENTS, ROUNDED
from deniable.planner.expressions.functions import call, number
from deniable.planner.plan import Bound, OrderTerm, Output
from deniable.planner.spend import Spend

LABEL = "moments for one price"
_FINEST = 1 << 24
"""The farthest that a place may lie from the middle, in steps: its square then has room."""
_AXIS, _WHOLE = 1 << 26, (1 << 28) - 1
"""Into so many units the polynomials of one variable, and the products of two, divide a row, at most.

One unit more, and a row that weighs one would be too wide for aggregates/statistics.py: the last digit of its parts
would be cut.
"""
_SIDES = {1: (-1, 1), 2: (-1, 0, 1)}
"""What the place is in each polynomial, as a share of its reach; by degree."""
_SQUARES = (1, -1, 1)
"""And its square, in those of degree two."""
_MOST_PARTS = 12
"""Of a value: it is written some fifty times, and a statement has a longest length. A column on its grid has five."""
Roles = Mapping[str, Statistic]


def fitting(bound: Bound, spend: Spend) -> Bound:
    """The question as it is best asked for this spend: Gaussian noise is no larger on sums apart, so rho keeps them.

    Only where a unit comes or goes: who is replaced can move all parts at once.
    """
    if spend.rho is not None or bound.neighbours is not Neighbours.ADD_REMOVE or bound.listed:
        return bound
    families: list[_Family] = []
    found: dict[int, _Family] = {}
    for node in sorted(_nodes(bound), key=lambda node: -len(node.arguments)):
        roles = _roles(node, bound)
        family = next((one for one in families if one.covers(roles)), None) if roles else None
        if roles and family is None and (family := _family(roles, _offsets(node), bound)) is not None:
            families.append(family)
        if family is not None:
            found[id(node)] = family
    return _swapped(bound, families, found) if families else bound


@dataclass(frozen=True)
class _Family:
    """Totals that share a row, and what statistics are in their terms."""

    totals: tuple[Statistic, ...]
    meaning: Mapping[str, Expression]
    """By the name of a statistic."""
    squares: Mapping[str, Expression]
    """Of squares: the same without what was taken off each."""
    off: Mapping[str, Fraction]
    """How far a row in each may be off because its parts are whole numbers."""

    def covers(self, roles: Roles) -> bool:
        return all(base.name in self.meaning for base in roles.values())


def _nodes(bound: Bound) -> Iterator[Call]:
    """Every moment in the question, each once."""
    seen: set[int] = set()
    waiting = list(_expressions(bound))
    while waiting:
        part = waiting.pop()
        if not isinstance(part, Call) or id(part) in seen:
            continue
        seen.add(id(part))
        if part.function == MOMENTS:
            yield part
        else:
            waiting += part.arguments


def _roles(node: Call, bound: Bound) -> Roles:
    """Its statistics by their roles, if nothing but moments, and counts of rows, rests on them; else nothing."""
    known = {base.name: base for base in bound.statistics if isinstance(base, Statistic)}
    beside = frozenset[str]().union(*bound.shared, *map(_beside, _expressions(bound)))
    found = {}
    for role, column in zip(node.arguments[3::5], node.arguments[4::5], strict=True):
        base = known.get(column.name) if isinstance(column, Column) else None
        if base is None or base.total is None or not isinstance(role, Literal) or base.name in beside:
            return {}
        found[str(role.value)] = base
    return found


def _offsets(node: Call) -> dict[str, Fraction]:
    """By how much more a row of each is than what it adds."""
    slots = zip(node.arguments[3::5], node.arguments[5::5], strict=True)
    return {str(role.value): Fraction(_exact(offset)) for role, offset in slots if isinstance(role, Literal)}


def _exact(literal: Expression) -> Fraction:
    if not isinstance(literal, Literal) or not isinstance(literal.value, Fraction):
        raise TypeError("not a number")
    return literal.value


def _expressions(bound: Bound) -> Iterator[Expression]:
    yield from (output.value for output in bound.outputs)
    yield from (order.value for order in bound.order)
    yield from () if bound.having is None else (bound.having,)


def _beside(expression: Expression) -> frozenset[str]:
    """What stands outside of moments, other than a bare count of rows, and whether there are any."""
    if not isinstance(expression, Call) or expression.function == MOMENTS:
        return frozenset()
    if expression.function == ANY:
        return _beside(expression.arguments[1])
    if expression.function == "round" and isinstance(expression.arguments[0], Column):
        return frozenset()
    if expression.function == ROUNDED:
        return names(expression)
    return frozenset[str]().union(
        *(names(part) if isinstance(part, Column) else _beside(part) for part in expression.arguments)
    )


@dataclass(frozen=True)
class _Axis:
    """One variable: the parts of a row by its polynomials, which add up to `whole`, and what a place is worth."""

    parts: tuple[Expression, ...]
    whole: int
    reach: Fraction
    """From the middle to a bound, in the answer's unit."""
    off: Fraction
    """How far all parts of a row may be off together, in rows, because they are whole numbers."""

    @property
    def sides(self) -> tuple[int, ...]:
        return _SIDES[len(self.parts) - 1]


def _axis(base: Statistic, degree: int) -> _Axis | None:
    """With a = r - p and b = r + p: a and b of 2 r; or a^2, 2 a b and b^2 of 4 r^2, cut to fewer units.

    Two floors add up to at most the floor of the sum, so what is left for the middle is never negative.
    """
    row = base.total.row if base.total is not None else None
    if not isinstance(row, Call) or row.function != "grid":
        return None
    step, reach = _exact(row.arguments[2]), int(_exact(row.arguments[3]))
    if reach > _FINEST or size(row, _MOST_PARTS + 1) > _MOST_PARTS:
        return None
    place = call("coalesce", row, number(0))
    ends = call("subtract", number(reach), place), call("add", number(reach), place)
    if degree == 1:
        return _Axis(ends, 2 * reach, reach * step, Fraction(0))
    divisor = max(1, ceil(Fraction(4 * reach**2, _AXIS)))
    whole = 4 * reach**2 // divisor
    low, high = (call("quotient", call("multiply", end, end), number(divisor)) for end in ends)
    middle = call("subtract", call("subtract", number(whole), low), high)
    return _Axis((low, middle, high), whole, reach * step, Fraction(0 if divisor == 1 else 5, whole))


def _family(roles: Roles, offsets: Mapping[str, Fraction], bound: Bound) -> _Family | None:
    """The products of all axes' parts; the last is what the others leave of a row."""
    axes = {}
    for axis in "xy":
        if axis in roles:
            found = _axis(roles[axis], 2 if axis * 2 in roles else 1)
            if found is None:
                return None
            axes[axis] = found
    shapes = [axis.parts for axis in axes.values()]
    wholes = reduce(lambda one, other: one * other, (axis.whole for axis in axes.values()))
    divisor = max(1, ceil(Fraction(wholes, _WHOLE)))
    whole, several = wholes // divisor, [list(parts) for parts in product(*shapes)]
    rows = [_product(parts, divisor) for parts in several]
    if len(axes) > 1:
        left: Expression = number(whole)
        for part in rows[:-1]:
            left = call("subtract", left, part)
        rows[-1] = left
    scratch = Statistics(bound.source, {}, bool(bound.keys))
    where = roles["n"].total.where if roles["n"].total is not None else None
    evenly = Fraction(1, len(rows))
    totals = tuple(replace(scratch.end(LABEL, row, where, whole), typical=evenly) for row in rows)
    off = sum((axis.off for axis in axes.values()), Fraction(0)) + Fraction(2 * len(rows) if divisor > 1 else 0, whole)
    return _meant(roles, axes, totals, _Rounding(offsets, 2 * off, Fraction(1 if divisor > 1 else 0, 2 * whole)))


@dataclass(frozen=True)
class _Rounding:
    """What is known of the whole numbers that rows became."""

    offsets: Mapping[str, Fraction]
    """By how much more a row of squares is than what it adds."""
    off: Fraction
    """How far all parts of a row may be off together."""
    each: Fraction
    """What a part loses to its floor, on average, which the last part gets; it is given back."""


def _product(parts: Sequence[Expression], divisor: int) -> Expression:
    whole = reduce(lambda one, other: call("multiply", one, other), parts)
    return whole if divisor == 1 else call("quotient", whole, number(divisor))


def _meant(
    roles: Roles,
    axes: Mapping[str, _Axis],
    totals: tuple[Statistic, ...],
    rounding: _Rounding,
) -> _Family:
    """Each sum as a combination of the totals: by what it is in each product of polynomials."""
    places = list(product(*(range(len(axis.parts)) for axis in axes.values())))
    order = list(axes)
    meaning, squares, offs = {}, {}, {}
    rows = _combined(totals, [Fraction(1)] * len(totals))
    for role, base in roles.items():
        size = reduce(lambda one, axis: one * axes[axis].reach, role if role != "n" else "", Fraction(1))
        factors = [
            size * _at(role, {axis: (axes[axis], place[order.index(axis)]) for axis in axes}) for place in places
        ]
        lost = rounding.each * (sum(factors[:-1], Fraction(0)) - (len(factors) - 1) * factors[-1])
        found = rows if role == "n" else _combined(totals, [factor + lost for factor in factors])
        meaning[base.name], offs[base.name] = found, Fraction(0) if role == "n" else size * rounding.off
        if len(role) == 2 and role[0] == role[1]:  # noqa: PLR2004 - a square, of which a constant was taken off
            squares[base.name] = found
            meaning[base.name] = call("subtract", found, call("multiply", number(rounding.offsets[role]), rows))
    return _Family(totals, meaning, squares, offs)


def _at(role: str, places: Mapping[str, tuple[_Axis, int]]) -> int:
    """What the product of a role is in one product of polynomials, in reaches."""
    if role == "n":
        return 1
    if role[0] == role[-1] and len(role) > 1:
        return _SQUARES[places[role[0]][1]]
    return reduce(lambda one, axis: one * places[axis][0].sides[places[axis][1]], role, 1)


def _combined(totals: Sequence[Statistic], factors: Sequence[Fraction]) -> Expression:
    parts = [
        base.column if factor == 1 else call("multiply", number(factor), base.column)
        for base, factor in zip(totals, factors, strict=True)
        if factor
    ]
    return reduce(lambda one, other: call("add", one, other), parts)


def _swapped(bound: Bound, families: Sequence[_Family], nodes: Mapping[int, _Family]) -> Bound:
    """Everything in terms of the totals; statistics that nothing rests on any more are not asked for."""
    counts: dict[str, Expression] = {}
    for family in reversed(families):
        counts |= family.meaning
    swap = _Swap(counts, nodes)
    outputs = tuple(Output(output.name, swap.of(output.value)) for output in bound.outputs)
    having = None if bound.having is None else swap.of(bound.having)
    order = tuple(OrderTerm(swap.of(one.value), one.descending) for one in bound.order)
    found = replace(bound, outputs=outputs, having=having, order=order)
    used = frozenset[str]().union(*map(names, _expressions(found)))
    kept = [base for base in bound.statistics if base.names & used]
    added = [total for family in families for total in family.totals]
    return replace(
        found,
        statistics=tuple(sorted((*kept, *added), key=lambda base: base.name)),
        shared=(*bound.shared, *(frozenset(total.name for total in family.totals) for family in families)),
    )


@dataclass(frozen=True)
class _Swap:
    """Expressions in terms of totals; parts that occur in several places are looked at once, and stay one part."""

    meaning: Mapping[str, Expression]
    nodes: Mapping[int, _Family] = field(default_factory=dict)
    _known: dict[int, tuple[Expression, Expression]] = field(default_factory=dict)

    def of(self, expression: Expression) -> Expression:
        """What it becomes."""
        if id(expression) not in self._known:
            self._known[id(expression)] = expression, self._of(expression)
        return self._known[id(expression)][1]

    def _of(self, expression: Expression) -> Expression:
        if isinstance(expression, Column):
            return self.meaning.get(expression.name, expression)
        if not isinstance(expression, Call):
            return expression
        if expression.function == MOMENTS:
            return _moment(expression, self.nodes[id(expression)]) if id(expression) in self.nodes else expression
        return replace(expression, arguments=tuple(self.of(part) for part in expression.arguments))


def _moment(node: Call, family: _Family) -> Expression:
    """The node with its sums in the family's terms: squares whole, and roundings a little larger."""
    inside = _Swap(family.meaning)
    value, kind, fewer, *slots = node.arguments
    found: list[Expression] = [inside.of(value), kind, fewer]
    for start in range(0, len(slots), 5):
        role, column, offset, off, most = slots[start : start + 5]
        name = column.name if isinstance(column, Column) else ""
        whole = name in family.squares
        rounding = number(_exact(off) + family.off[name])
        found += [role, family.squares.get(name, inside.of(column)), number(0) if whole else offset, rounding, most]
    return replace(node, arguments=tuple(found))
