"""What is told before anything is paid: the noise behind each column, and how far off it will be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from deniable.core.algebra.expression import Call, Expression, Kind, Literal, columns
from deniable.core.calendar import SECOND
from deniable.core.loss import Loss
from deniable.core.shown import plain
from deniable.mechanisms import PartitionSelection
from deniable.planner.aggregates.statistics import Statistic
from deniable.planner.expressions.evaluate import Band, Result, labels, unrounded
from deniable.planner.expressions.keys import groups
from deniable.planner.intervals.columns import Material, taken_apart, with_intervals
from deniable.planner.intervals.forms import Affine, Ratio, finite
from deniable.planner.intervals.public import NOTHING
from deniable.planner.plan import Bound, Noisy, Output, Part, Preview, Priced, Quote, Single, material, singly
from deniable.planner.pricing.cautions import cautions
from deniable.planner.spend import Spend
from deniable.planner.typical import at_an_end

SAMPLE_GROUP = 1000
"""The size of the group for which the error of a ratio is quoted."""
_SIZES = (100, 1_000, 10_000, 100_000)
_SIZED_COLUMNS = 3
"""So many columns have their error said for groups of these sizes."""
_LOPSIDED = 1.5
"""Half of the width, times this: an end that is farther from the value shows that something is cut off."""
_FRACTIONS = np.linspace(0, 1, 8, endpoint=False)

Parts = tuple[Part, ...]


def quoted(bound: Bound, spend: Spend, noise: Parts, selection: PartitionSelection | None, loss: Loss) -> Quote:
    """A line for each noisy column."""
    rows = spend.rows or SAMPLE_GROUP
    typical = {
        output.name: expected(output, noise, spend.confidence, rows)
        for output in bound.outputs
        if any(part.names & output.rests_on for part in noise)
    }
    noisy = [output for output in bound.outputs if output.name in typical]
    lines = tuple(
        _line(output, noise, _in_terms(output, bound), (spend.confidence, rows), typical[output.name][1])
        for output in noisy
    )
    told = spend.sizes or (() if spend.rows is not None else _SIZES)
    each = {name: (value / rows, error) for name, (value, error) in typical.items()}
    previews = _by_size(noisy, noise, spend.confidence, told, each)
    return Quote(
        loss,
        lines,
        None if bound.private_keys else groups(bound.keys),
        None if selection is None else selection.even_odds,
        spend.confidence,
        cautions(bound, noise),
        bound.person,
        rows=spend.rows,
        sizes=_varying(noisy, previews),
        previews=previews,
    )


def _line(
    output: Output, noise: Parts, times: Mapping[str, float], asked: tuple[Fraction, int], error: float
) -> Priced:
    """What stands behind one column: its widest statistic's noise, and the column's own error."""
    used = [part for part in singly(noise) if part.names & output.rests_on]
    often = {part.names: max((times.get(name, 1.0) for name in part.names), default=1.0) for part in used}
    widest = max(used, key=lambda part: part.error(*asked) * often[part.names])
    name = f"{type(widest.mechanism).__name__} on {' and '.join(sorted({part.label for part in used}))}"
    unit, worth = _ERRORS.get(output.value.kind, ("", 1))
    return Priced(
        output.name,
        name + unit,
        widest.sensitivity * often[widest.names],
        widest.scale * often[widest.names],
        error / worth,
    )


_ERRORS = {
    Kind.DATE: (", error in days", 1),
    Kind.TIMESTAMP: (", error in seconds", SECOND),
    Kind.TIME: (", error in seconds", SECOND),
}
"""In what the error of a date, a timestamp or a time of day is told."""


def _in_terms(output: Output, bound: Bound) -> dict[str, float]:
    """How often a column holds each end of the bounds that its count or sum follows from; above the line, if any.

    Example: a sum of values between 0 and 500 is 500 times what counts at the upper end.
    """
    if not bound.divided & output.rests_on:
        return {}
    whole = {base.name: base.worth.denominator == 1 for base in bound.statistics if isinstance(base, Statistic)}
    found = dict.fromkeys(bound.divided, 0.0)
    for _, piece in taken_apart(output.value, whole, frozenset()).pieces.values():
        above = piece.top if isinstance(piece, Ratio) else piece
        if isinstance(above, Affine):
            found |= {name: max(found[name], abs(finite(above.multiples.get(name, Fraction(0))))) for name in found}
    return found if any(found.values()) else {}


def _by_size(
    noisy: Sequence[Output],
    noise: Parts,
    confidence: Fraction,
    sizes: Sequence[int],
    each: Mapping[str, tuple[float, float]],
) -> tuple[Preview, ...]:
    """The first few columns of numbers, and the first few of those whose error depends on the rows of a group.

    `each`: what a row adds to a column, and the column's error.
    """
    numbers = [output for output in noisy if output.value.kind in (Kind.INTEGER, Kind.NUMBER)]
    varying = [output for output in numbers if not linear(unrounded(output.value))]
    told = {output.name: output for output in (*numbers[:_SIZED_COLUMNS], *varying[:_SIZED_COLUMNS])}
    added = frozenset().union(*(part.names for part in singly(noise) if isinstance(part, Noisy)))
    found = []
    for name, output in told.items():  # one that grows with the rows has an error that does not
        grows = output not in varying and output.rests_on <= added and _proportional(output.value)
        value, error = each[name]
        for rows in sizes:
            known = (value * rows, error) if grows else expected(output, noise, confidence, rows)
            found.append(Preview(name, rows, *known))
    return tuple(found)


def _varying(noisy: Sequence[Output], previews: Sequence[Preview]) -> tuple[str, ...]:
    """In words, the errors of columns that are no sums of statistics: of averages and their like."""
    found: dict[str, list[Preview]] = {output.name: [] for output in noisy if not linear(unrounded(output.value))}
    for one in previews:
        found.get(one.column, []).append(one)
    return tuple(
        f"error of {name} in groups of {', '.join(f'{one.rows:,}' for one in sized)} rows: "
        + ", ".join(f"± {plain(float(f'{one.error:.3g}'))}" for one in sized)
        for name, sized in found.items()
        if sized
    )


def expected(output: Output, noise: Parts, confidence: Fraction, size: int) -> tuple[float, float]:
    """A column's value in a group of so many rows, and half the width of its interval: the worst of a few fractions.

    Its values lie at their mean, if that is known; for quantiles they are spread evenly between the bounds. Else they
    lie in the middle, for sums; and the error of an average is that at the end of its bounds, where it is largest.
    A share is one in the middle, beyond which its interval does not go; most shares are not, so the half that is left
    is the whole error.
    """
    used = [part for part in singly(noise) if part.names & output.rests_on]
    typical, band = _in_group(output, used, confidence, size)
    if not isinstance(band, Band) or not band.value.size:
        return 0.0, 0.0
    errors = (band.high - band.low) / 2
    if (_farthest(band) > _LOPSIDED * errors).any():  # at a public end, where only half of the interval is left
        free = with_intervals(output.value, replace(typical, facts=NOTHING), confidence)
        errors = np.minimum((free.high - free.low) / 2, _farthest(band)) if isinstance(free, Band) else errors
    if not linear(output.value) and (ends := at_an_end(used)):
        _, there = _in_group(output, ends, confidence, size)
        errors = np.maximum(errors, _farthest(there)) if isinstance(there, Band) else errors
    return float(np.nan_to_num(band.value[0])), float(errors.max())


def _in_group(output: Output, used: Sequence[Single], confidence: Fraction, size: int) -> tuple[Material, Result]:
    """What a column is computed from, and it, in a group of so many rows."""
    keys = {column.name: _made_up(column.kind, _FRACTIONS.size) for column in columns(output.value)}
    typical = material(used, lambda part, at: part.expected(at, size, _FRACTIONS), keys, _FRACTIONS.size)
    return typical, with_intervals(output.value, typical, confidence)


def _farthest(band: Band) -> NDArray[np.float64]:
    """From the value to the end that is farther away."""
    return np.maximum(band.high - band.value, band.value - band.low)


def _made_up(kind: Kind, rows: int) -> Result:
    """Values of a key, as none are known."""
    if kind in (Kind.TEXT, Kind.BOOLEAN):
        return labels(["" if kind is Kind.TEXT else False] * rows)
    return Band.exactly(np.zeros(rows))


def linear(expression: Expression) -> bool:
    """Sums of statistics, and multiples of them by constants."""
    if not isinstance(expression, Call):
        return True
    arguments = expression.arguments
    match expression.function:
        case "add" | "subtract" | "negate" | "round":
            return all(linear(argument) for argument in arguments)
        case "multiply":
            varying = [argument for argument in arguments if not isinstance(argument, Literal)]
            return len(varying) <= 1 and all(linear(argument) for argument in varying)
        case _:
            return False


def _proportional(expression: Expression) -> bool:
    """Whether a sum of statistics has no constant among its terms: then it grows as they do."""
    if not isinstance(expression, Call):
        return not isinstance(expression, Literal)
    terms = any if expression.function == "multiply" else all
    return terms(_proportional(argument) for argument in expression.arguments)
