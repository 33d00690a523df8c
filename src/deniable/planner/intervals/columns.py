"""An output column with its interval: taken apart into pieces whose noise has a known law, and put together again.

Each piece (a combination of statistics, a quotient of two, a moment, a choice) has an interval that is wrong with its
part of the doubt; if none is wrong, interval arithmetic over them is not wrong either.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from deniable.core.algebra.expression import Call, Column, Expression, Kind, names
from deniable.planner.expressions.evaluate import ANY, MOMENTS, ROUNDED, Band, Result, evaluate
from deniable.planner.intervals.combined import CombinedNoise, Noise, exact_radius
from deniable.planner.intervals.fieller import QuotientLaw, slack_of, slacks
from deniable.planner.intervals.forms import Affine, Form, Forms, Ratio, finite
from deniable.planner.intervals.law import INVERTED, FloatArray, radius
from deniable.planner.intervals.moments import Moments
from deniable.planner.intervals.public import NOTHING, PublicFacts
from deniable.planner.work import spend

_ASIDE = Fraction(1, 50)
"""Of the doubt, for each count that only says how much rounding there may be."""
_AT_ONCE = 1 << 15
_LAW_STEPS = 100
"""What it takes to find out how far the noise of a quotient reaches, or of a moment."""

Piece = Form | Moments


@dataclass(slots=True)
class Taken:
    """An expression over pieces, and the pieces by the names that stand for them."""

    outer: Expression
    pieces: dict[str, tuple[Expression, Piece]] = field(default_factory=dict)
    choices: frozenset[str] = frozenset()
    """The statistics that are chosen and not computed, and have intervals of their own."""
    counts: frozenset[str] = frozenset()
    """The counts that only say how much rounding there may be."""

    def doubt(self, doubt: Fraction) -> Fraction:
        """What each piece and each choice has of it."""
        return doubt * (1 - _ASIDE * min(1, len(self.counts))) / max(1, len(self.pieces) + len(self.choices))


def taken_apart(
    expression: Expression, whole: Mapping[str, bool], choices: frozenset[str], facts: PublicFacts = NOTHING
) -> Taken:
    """Into as few pieces as there are, or into single statistics if those are fewer.

    `whole` names the statistics with added noise, and says whether they are whole numbers.
    """
    used = names(expression)
    found = _Splitter(whole, Forms(whole), facts)
    taken = Taken(found.split(expression), found.pieces, used & choices, found.counts)
    if len(found.pieces) <= len(used & set(whole)):
        return taken
    single = sorted(used & set(whole))
    alone = {name: (Column(name, Kind.NUMBER), Affine(multiples={name: Fraction(1)})) for name in single}
    return Taken(expression, dict(alone), used & choices)


@dataclass(frozen=True, slots=True)
class Material:
    """What outputs are computed from, for so many rows."""

    values: Mapping[str, Result]
    """Keys and noisy statistics."""
    noises: Mapping[str, Noise]
    """Of the statistics that noise was added to."""
    chosen: Callable[[Fraction], Mapping[str, Result]]
    """The statistics that were chosen, with their intervals, at a confidence."""
    rows: int
    facts: PublicFacts = NOTHING
    """What is known of the statistics anyway."""


def with_intervals(expression: Expression, material: Material, confidence: Fraction) -> Result:
    """The expression for every row, each number with an interval that holds at least so surely."""
    values, noises, chosen, rows = material.values, material.noises, material.chosen, material.rows
    taken = taken_apart(expression, wholes(noises), frozenset(chosen(confidence)), material.facts)
    each = taken.doubt(1 - confidence)
    counts = {
        name: _plain(values[name]) + noises[name].radius((1 - confidence) * _ASIDE / len(taken.counts))
        for name in taken.counts
    }
    columns: dict[str, Result] = {**values, **chosen(1 - each)}
    for name, (inner, piece) in taken.pieces.items():
        sums = {key: _plain(values[key]) for key in names(inner)}
        low, high = _in_pieces(piece, _Known(sums, noises, counts), each, rows)
        columns[name] = Band(_plain(evaluate(inner, columns, rows)), _or(low, -np.inf), _or(high, np.inf))
    for name, high in counts.items():
        columns.setdefault(_counted(name), Band(_plain(values[name]), high, high))
    return _holding_itself(evaluate(taken.outer, columns, rows))


def difference(
    expression: Expression, material: Material, places: NDArray[np.int64], doubt: Fraction
) -> tuple[float, float, float]:
    """Low, value and high of the expression at the first place less that at the second: two rows, whose noise differs.

    Of a combination, all noises occur twice, with opposite signs. Of anything else, and of rows that share noises since
    they were reconciled, both intervals hold at once.
    """
    exact = with_intervals(expression, material, 1 - doubt)
    inner = expression.arguments[0] if isinstance(expression, Call) and expression.function == "round" else expression
    found = Forms(wholes(material.noises)).of(inner)
    if not isinstance(exact, Band):
        raise TypeError("not a number")
    value = float(exact.value[places[0]] - exact.value[places[1]])
    apart = not any(isinstance(noise, CombinedNoise) for noise in material.noises.values())
    if isinstance(found, Affine) and found.multiples and not found.slack and apart:
        used = [material.noises[name] for name in sorted(found.multiples)]
        factors = np.array([[finite(found.multiples[name])] for name in sorted(found.multiples)] * 2)
        whole = inner is expression or all(noise.worth.denominator == 1 for noise in used)
        off = float(radius(used * 2, factors, doubt)[0]) + (0 if whole else 1)  # both may have been rounded
        return value - off, value, value + off
    both = with_intervals(expression, material, 1 - doubt / 2)
    if not isinstance(both, Band):
        raise TypeError("not a number")
    low, high = both.low[places], both.high[places]
    return float(low[0] - high[1]), value, float(high[0] - low[1])


def wholes(noises: Mapping[str, Noise]) -> dict[str, bool]:
    """Which statistics are whole numbers."""
    return {name: noise.worth.denominator == 1 for name, noise in noises.items()}


@dataclass(frozen=True, slots=True)
class _Known:
    """Noisy sums, their noise, and the largest that counts may be, row by row."""

    sums: Mapping[str, FloatArray]
    noises: Mapping[str, Noise]
    counts: Mapping[str, FloatArray]

    def part(self, rows: slice) -> _Known:
        """Of these rows alone."""
        few = [{name: column[rows] for name, column in columns.items()} for columns in (self.sums, self.counts)]
        return _Known(few[0], self.noises, few[1])


def _in_pieces(piece: Piece, known: _Known, doubt: Fraction, rows: int) -> tuple[FloatArray, FloatArray]:
    """A part of the rows at a time, so that memory stays small and near."""
    step = INVERTED if isinstance(piece, Moments) and rows <= _AT_ONCE else _AT_ONCE
    parts = [slice(start, min(rows, start + step)) for start in range(0, rows, step)] or [slice(0, 0)]
    with np.errstate(all="ignore"):
        ends = [_ends(piece, known.part(part), doubt, part.stop - part.start) for part in parts]
    return np.concatenate([low for low, _ in ends]), np.concatenate([high for _, high in ends])


def _ends(piece: Piece, known: _Known, doubt: Fraction, rows: int) -> tuple[FloatArray, FloatArray]:
    """Low and high of one piece, wrong with probability at most `doubt`."""
    sums, noises, counts = known.sums, known.noises, known.counts
    spend(0 if isinstance(piece, Affine) else _LAW_STEPS)
    if isinstance(piece, Moments):
        return piece.ends(sums, noises, doubt)
    if isinstance(piece, Affine):
        used = sorted(piece.multiples)
        factors = np.array([[finite(piece.multiples[name])] for name in used])
        off = _reach([noises[name] for name in used], factors, doubt) + slack_of(piece, counts, rows)
        value = _value(piece, sums)
        return value - off, value + off
    law = QuotientLaw.of(piece, noises, doubt)
    return law.hull(_value(piece.top, sums), _value(piece.bottom, sums), slacks(piece, counts, rows), piece.within)


def _reach(noises: list[Noise], factors: FloatArray, doubt: Fraction) -> FloatArray:
    """Of a combination whose factors are given: noises of which there are many have an exact law then."""
    if any(isinstance(noise, CombinedNoise) for noise in noises):
        return np.array([exact_radius(noises, factors[:, 0].tolist(), doubt)])
    return radius(noises, factors, doubt)


def _value(one: Affine, sums: Mapping[str, FloatArray]) -> FloatArray:
    """What the noisy statistics make of it."""
    start = np.full(len(next(iter(sums.values()))), finite(one.constant))
    for name, factor in one.multiples.items():
        start = start + finite(factor) * sums[name]
    return start


@dataclass(slots=True)
class _Splitter:
    """Finds the largest pieces, from the outside in; the same piece is one wherever it occurs."""

    whole: Mapping[str, bool]
    forms: Forms
    facts: PublicFacts
    pieces: dict[str, tuple[Expression, Piece]] = field(default_factory=dict)
    counts: frozenset[str] = frozenset()
    _known: dict[int, Expression] = field(default_factory=dict)

    def split(self, expression: Expression) -> Expression:
        """The expression with a column in the place of each piece."""
        if id(expression) not in self._known:
            self._known[id(expression)] = self._split(expression)
        return self._known[id(expression)]

    def _split(self, expression: Expression) -> Expression:
        if not names(expression) & set(self.whole):
            return expression
        if not isinstance(expression, Call) or self._has_law(expression):
            return self._piece(expression)
        if expression.function == ANY:  # that rows are counted is no claim about how many
            return replace(expression, arguments=(expression.arguments[0], self.split(expression.arguments[1])))
        if expression.function == ROUNDED:
            return self._rounded(expression)
        return replace(expression, arguments=tuple(self.split(argument) for argument in expression.arguments))

    def _rounded(self, expression: Call) -> Expression:
        """What is rounded, and how many rows at most."""
        inner, most, rows = expression.arguments
        if isinstance(rows, Column):
            self.counts |= {rows.name}
            rows = replace(rows, name=_counted(rows.name))
        return replace(expression, arguments=(self.split(inner), most, rows))

    def _has_law(self, expression: Call) -> bool:
        """Whether it is a combination of statistics, a quotient of two, or a moment: and of nothing else."""
        if expression.function == MOMENTS:
            return names(expression) <= set(self.whole)
        if expression.function not in _LINEAR:
            return False
        match self.forms.of(expression):
            case Affine(multiples=multiples) | Ratio(bottom=Affine(multiples=multiples)):
                return bool(multiples)  # of x - x nothing is left
            case _:
                return False

    def _piece(self, expression: Expression) -> Expression:
        """A column that stands for it; a single statistic keeps its name."""
        if isinstance(expression, Call) and expression.function == MOMENTS:
            piece: Piece = Moments.read(expression, self.forms)
        else:
            piece = self.forms.of(expression) or Affine()
            piece = replace(piece, within=self.facts.within(piece)) if isinstance(piece, Ratio) else piece
        for known, (_, other) in self.pieces.items():
            if other == piece:
                return Column(known, expression.kind, nullable=False)
        if not isinstance(piece, Moments):
            both = (piece,) if isinstance(piece, Affine) else (piece.top, piece.bottom)
            self.counts = self.counts.union(*(one.counts for one in both))
        name = expression.name if isinstance(expression, Column) else f"piece {len(self.pieces)}"
        self.pieces[name] = (expression, piece)
        return Column(name, expression.kind, nullable=False)


_LINEAR = frozenset({"add", "subtract", "multiply", "divide", "negate"})
"""What is worth being taken as one; around a single statistic, interval arithmetic says as much."""


def _counted(name: str) -> str:
    """The count of rows that may be rounded, as a column of its own: it has another interval."""
    return f"rows {name}"


def _holding_itself(result: Result) -> Result:
    """An interval holds the number that it is about, also where that is farther than what is counted can be."""
    if not isinstance(result, Band):
        return result
    return Band(result.value, np.fmin(result.low, result.value), np.fmax(result.high, result.value))


def _plain(result: Result) -> FloatArray:
    if not isinstance(result, Band):
        raise TypeError("not a number")
    return result.value


def _or(ends: FloatArray, nothing: float) -> FloatArray:
    """Where nothing can be said, anything is possible."""
    return np.where(np.isnan(ends), nothing, ends)
