"""What the rows of one person can usually add up to: bounds where a question gives none.

A subquery with a row for each person counts and sums rows that have no bound: somebody may have any number of them. By
the policy, though, a person should weigh no more than `contribution` rows, so what they add up to usually lies between
so many times the bounds of one row. A noisy aggregate of it is taken within these ends, as if the question had said so.
Nothing rests on the declaration being true: the statement cuts what lies beyond.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from math import ceil, floor

from deniable.core.algebra.expression import Call, Column, Expression, Kind, Literal, Range, names
from deniable.core.algebra.relation import Measure, Measured
from deniable.planner.expressions.functions import call, number


def usual_range(measure: Measure, contribution: int) -> Range | None:
    """Where a measure of one person's rows usually lies; None: what it is taken of says that already, or nothing."""
    if measure.function in (Measured.COUNT, Measured.DISTINCT):
        return Range(Fraction(0), Fraction(contribution))
    within = _of_one_row(measure.value)
    low, high = within.low, within.high
    if measure.function is not Measured.SUM or low is None or high is None:
        return None
    return Range(min(Fraction(0), low * contribution), max(Fraction(0), high * contribution))


def _of_one_row(value: Expression) -> Range:
    """What one row adds: whole numbers as they are, others in steps, which reach as far as the values do."""
    match value:
        case Call(function="grid", arguments=(placed, Literal(value=0), Literal(value=Fraction() as step), _)):
            ends = placed.range.low, placed.range.high
            low, high = (None if end is None else end / step for end in ends)
            return Range(None if low is None else Fraction(floor(low)), None if high is None else Fraction(ceil(high)))
        case _:
            return value.range


def within_usual(value: Expression, usual: Mapping[str, Range]) -> Expression:
    """A number without bounds, with what was measured for a person cut to where it usually lies.

    Only what is added up is cut. A condition in it is about what was measured, as it is in WHERE and in FILTER.
    """
    numeric = value.kind in (Kind.INTEGER, Kind.NUMBER)
    if not numeric or value.range.finite or not names(value) & usual.keys():
        return value
    return _cut(value, usual)


def _cut(value: Expression, usual: Mapping[str, Range]) -> Expression:
    if isinstance(value, Column) and value.name in usual:
        within = usual[value.name]
        inside = call("least", call("greatest", value, number(within.low or 0)), number(within.high or 0))
        return call("case", call("not", call("is_null", value)), inside) if value.nullable else inside
    if not isinstance(value, Call) or value.kind is Kind.BOOLEAN:
        return value
    if value.function == "nullif":
        first, other = value.arguments
        return call("case", call("equal", first, other), Literal(None, value.kind), _cut(first, usual))
    found = call(value.function, *(_cut(part, usual) for part in value.arguments))
    return found if found.kind is value.kind else value


def sentences(values: Iterable[Expression], columns: Mapping[str, Expression], usual: Mapping[str, Range]) -> list[str]:
    """What was cut so, by the names that the question has for it."""
    cut = {name for value in values for name in _found(value, usual)}
    said = []
    for title, value in columns.items():
        if names(value) & cut and (within := _cut(value, usual).range).finite:
            ends = f"{float(within.low or 0):,.10g} and {float(within.high or 0):,.10g}"
            said.append(f"{title} of one person counts as between {ends}: LEAST({title}, ...) sets another end")
    return said


def _found(value: Expression, usual: Mapping[str, Range]) -> Iterator[str]:
    match value:
        case Call(
            function="least",
            arguments=(Call(function="greatest", arguments=(Column(name=name), Literal())), Literal(value=high)),
        ) if name in usual and usual[name].high == high:
            yield name
        case Call(arguments=arguments):
            for argument in arguments:
                yield from _found(argument, usual)
