"""Variances, covariances, slopes and correlations: sets of all values that the noise does not rule out.

Each is the root of an equation that would be linear in the noisy sums, were the means known. With x and y measured from
their means m and n, the exact sums satisfy

    variance     Q - 2 m S + m^2 N - v N = 0              S, Q, P: sums of x, of x^2, of x y; N rows
    covariance   P - m T - n S + m n N - v N = 0          T: of y
    slope        covariance - b variance = 0
    correlation  covariance - (r / 2) (t variance_x + variance_y / t) = 0,    t = deviation_y / deviation_x

and near the true m, n and t the left side is flat: being wrong by h moves it by h^2 alone. So a small part of the doubt
finds intervals for them, and the rest is for the noise of the left side, whose law is known. docs/proofs/intervals.md
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from deniable.core.algebra.expression import Call, Literal
from deniable.planner.intervals.combined import Noise
from deniable.planner.intervals.fieller import QuotientLaw
from deniable.planner.intervals.forms import Affine, Forms, Ratio
from deniable.planner.intervals.law import FloatArray, radius

_NARROWINGS = 4
"""How often an interval is made narrower by what it itself implies."""
_ASIDE = Fraction(1, 40)
"""Of the doubt, for each thing that has to be known first."""

Ends = tuple[FloatArray, FloatArray]
Sums = Mapping[str, FloatArray]
Coefficients = Mapping[str, Ends]
"""Between which ends the coefficient of each sum lies, by its role."""


@dataclass(frozen=True, slots=True)
class Moments:
    """The sums that one of these rests on, by their role: n, x, y, xx, yy, xy; and what is known of a row in each."""

    kind: str
    names: Mapping[str, Mapping[str, Fraction]]
    """Of each role, the statistics that add up to its sum, each so many times."""
    offsets: Mapping[str, float]
    """By how much more a row's square is than what it adds."""
    rounding: Mapping[str, float]
    """How far a row in each of the sums may be off."""
    widest: Mapping[str, float]
    """The largest that the variance of x, or of y, can be."""
    fewer: int
    """1 if the variance or covariance is divided by n - 1."""

    @classmethod
    def read(cls, call: Call, forms: Forms) -> Moments:
        """From the node that planner/aggregates/makers.py wrote: after the value, roles and what belongs to each."""
        kind, fewer, *rest = call.arguments[1:]
        names, offsets, rounding, widest = {}, {}, {}, {}
        for start in range(0, len(rest), 5):
            role, total, offset, off, most = rest[start : start + 5]
            combined = forms.of(total)
            if not isinstance(combined, Affine) or not isinstance(role, Literal):
                raise TypeError("not moments")
            names[str(role.value)] = combined.multiples
            offsets[str(role.value)], rounding[str(role.value)], widest[str(role.value)] = map(
                _number, (offset, off, most)
            )
        if not isinstance(kind, Literal):
            raise TypeError("not moments")
        return cls(str(kind.value), names, offsets, rounding, widest, int(_number(fewer)))

    def ends(self, sums: Sums, noises: Mapping[str, Noise], doubt: Fraction) -> Ends:
        """Low and high, row by row, wrong with probability at most `doubt`."""
        found = {
            role: np.sum([float(times) * sums[name] for name, times in parts.items()], axis=0)
            for role, parts in self.names.items()
        }
        return _Solver(self, found, noises).ends(self.kind, doubt)


def _number(part: object) -> float:
    if not isinstance(part, Literal) or not isinstance(part.value, Fraction):
        raise TypeError("not moments")
    return float(part.value)


@dataclass(frozen=True, slots=True)
class _Solver:
    """Solves one of the equations, for all rows at once."""

    moments: Moments
    sums: Sums
    noises: Mapping[str, Noise]

    def ends(self, kind: str, doubt: Fraction) -> Ends:
        with np.errstate(all="ignore"):
            match kind:
                case "variance":
                    return self._variance("x", doubt, self.moments.fewer)
                case "covariance":
                    return self._covariance(doubt)
                case "slope":
                    return self._slope(doubt)
                case _:
                    return self._correlation(doubt)

    def _variance(self, axis: str, doubt: Fraction, fewer: int) -> Ends:
        """Q - 2 m S + m^2 N - v (N - fewer) = 0. A wrong m only ever adds to the left side: N h^2."""
        many = self.sums["n"]
        mean, box = self._mean(axis, doubt * _ASIDE)
        left = _spanned([self._square_left(axis, at) for at in (mean, *box)])
        fixed = {axis: (-2 * box[1], -2 * box[0]), axis * 2: _ones(many)}
        slack = self._rows(doubt) * self._rounded(axis, axis, box, box)
        shift = self.moments.offsets[axis * 2]  # a row of squares adds its square less this, so N carries it too

        squared, rest = _squared(box), doubt * (1 - 2 * _ASIDE)

        def off(ends: Ends) -> FloatArray:
            count = squared[0] + shift - ends[1], squared[1] + shift - ends[0]
            return self._reach(fixed | {"n": count}, rest) + slack

        start = (np.zeros_like(many), np.full_like(many, self.moments.widest[axis] * (1 + fewer)))
        return _narrowed(start, left, many - fewer, off)

    def _covariance(self, doubt: Fraction) -> Ends:
        """P - m T - n S + m n N - v (N - fewer) = 0. Wrong means move the left side by N h k, either way."""
        many = self.sums["n"]
        (one, first), (other, second) = (self._mean(axis, doubt * _ASIDE) for axis in "xy")
        left = _spanned([self._product_left(one, other), *self._corners(first, second)])
        fixed = {"xy": _ones(many), "x": (-second[1], -second[0]), "y": (-first[1], -first[0])}
        slack = self._rows(doubt) * self._rounded("x", "y", first, second)
        product = _product(first, second)

        def off(ends: Ends) -> FloatArray:
            count = product[0] - ends[1], product[1] - ends[0]
            return self._reach(fixed | {"n": count}, doubt * (1 - 3 * _ASIDE)) + slack

        widest = np.sqrt(self.moments.widest["x"] * self.moments.widest["y"]) * (1 + self.moments.fewer)
        start = (np.full_like(many, -widest), np.full_like(many, widest))
        return _narrowed(start, left, many - self.moments.fewer, off)

    def _slope(self, doubt: Fraction) -> Ends:
        """Covariance less b times the variance of x is zero."""
        many = self.sums["n"]
        (one, first), (other, second) = (self._mean(axis, doubt * _ASIDE) for axis in "xy")
        top, bottom = self._product_left(one, other), self._square_left("x", one)
        beside = (
            _farthest(top, self._corners(first, second)),
            _farthest(bottom, [self._square_left("x", at) for at in first]),
        )
        rows, rest = self._rows(doubt), doubt * (1 - 3 * _ASIDE)
        rounded = self._rounded("x", "y", first, second), self._rounded("x", "x", first, first)
        product, square, shift = _product(first, second), _squared(first), self.moments.offsets["xx"]
        near = 4 * np.abs(top / bottom) + np.sqrt(self.moments.widest["y"] / self.moments.widest["x"])

        def sizes(low: FloatArray, high: FloatArray) -> Coefficients:
            scaled = _product((low, high), first)
            whole = _product((low, high), (square[0] + shift, square[1] + shift))
            return {
                "xy": _ones(many),
                "xx": (-high, -low),
                "x": (2 * scaled[0] - second[1], 2 * scaled[1] - second[0]),
                "y": (-first[1], -first[0]),
                "n": (product[0] - whole[1], product[1] - whole[0]),
            }

        once, per = beside[0] + rows * rounded[0], beside[1] + rows * rounded[1]
        start = _first_slope(top, bottom, near, self._reach(sizes(-near, near), rest) + once + near * per)
        for _ in range(_NARROWINGS):
            off = self._reach(sizes(*start), rest) + once + _largest(start) * per
            start = _met(start, _over((top - off, top + off), bottom))
        return start

    def _correlation(self, doubt: Fraction) -> Ends:
        """The equation of r. A wrong t only ever adds to what r is multiplied by."""
        many = self.sums["n"]
        (one, first), (other, second) = (self._mean(axis, doubt * _ASIDE) for axis in "xy")
        spread = [self._variance(axis, doubt * 2 * _ASIDE, 0) for axis in "xy"]
        turns = np.sqrt(spread[1][0] / spread[0][1]), np.sqrt(spread[1][1] / spread[0][0])
        top = self._product_left(one, other)
        beside = _farthest(top, self._corners(first, second))
        below = [
            _spanned([self._square_left(axis, at) for at in (mean, *box)])
            for axis, mean, box in (("x", one, first), ("y", other, second))
        ]
        bottoms = (
            np.sqrt(np.maximum(below[0][0], 0) * np.maximum(below[1][0], 0)),
            np.maximum(*((turn * below[0][1] + below[1][1] / turn) / 2 for turn in turns)),
        )
        rows, rest = self._rows(doubt), doubt * (1 - 7 * _ASIDE)
        rounded = [self._rounded(*axes) for axes in (("x", "y", first, second), ("x", "x", first, first))]
        rounded.append(self._rounded("y", "y", second, second))
        product, squares = _product(first, second), (_squared(first), _squared(second))
        shifts = [self.moments.offsets[role] for role in ("xx", "yy")]

        def off(ends: Ends) -> FloatArray:
            halves = _product(ends, (turns[0] / 2, turns[1] / 2)), _product(ends, (0.5 / turns[1], 0.5 / turns[0]))
            scaled = [_product(half, box) for half, box in zip(halves, (first, second), strict=True)]
            whole = [
                _product(half, (square[0] + shift, square[1] + shift))
                for half, square, shift in zip(halves, squares, shifts, strict=True)
            ]
            sizes = {
                "xy": _ones(many),
                "xx": (-halves[0][1], -halves[0][0]),
                "yy": (-halves[1][1], -halves[1][0]),
                "x": (2 * scaled[0][0] - second[1], 2 * scaled[0][1] - second[0]),
                "y": (2 * scaled[1][0] - first[1], 2 * scaled[1][1] - first[0]),
                "n": (product[0] - whole[0][1] - whole[1][1], product[1] - whole[0][0] - whole[1][0]),
            }
            slack = rounded[0] + _largest(halves[0]) * rounded[1] + _largest(halves[1]) * rounded[2]
            return self._reach(sizes, rest) + rows * slack + beside

        ends = np.full_like(many, -1.0), np.full_like(many, 1.0)
        for _ in range(_NARROWINGS):
            aside = off(ends)
            numerators = (top - aside, top + aside)
            least = _over(numerators, bottoms[0])
            most = _over(numerators, bottoms[1])
            ends = _met(ends, (np.minimum(least[0], most[0]), np.maximum(least[1], most[1])))
        return ends

    def _reach(self, coefficients: Coefficients, doubt: Fraction) -> FloatArray:
        """The quantile of the noise of the left side, wherever within these ends its coefficients are.

        A statistic that several sums are made of has one coefficient, which is what theirs add up to.
        """
        ends: dict[str, Ends] = {}
        for role, (low, high) in coefficients.items():
            for name, times in self.moments.names[role].items():
                both = float(times) * low, float(times) * high
                before = ends.get(name, (0.0, 0.0))
                ends[name] = before[0] + np.minimum(*both), before[1] + np.maximum(*both)
        sizes = np.stack([_largest(one) for one in ends.values()])
        known = np.isfinite(sizes).all(axis=0)
        found = radius([self.noises[name] for name in ends], np.where(known, sizes, 1.0), doubt)
        return np.where(known, found, np.inf)

    def _mean(self, axis: str, doubt: Fraction) -> tuple[FloatArray, Ends]:
        """The noisy mean, and where the true one is; within how far a row may lie from the middle."""
        top, many = (Affine(multiples=self.moments.names[role]) for role in (axis, "n"))
        law = QuotientLaw.of(Ratio(top, many), self.noises, doubt)
        nothing = np.zeros_like(self.sums["n"])
        low, high = law.hull(self.sums[axis], self.sums["n"], (nothing, nothing))
        most = np.sqrt(self.moments.widest[axis])
        mean = np.clip(np.where(self.sums["n"] > 0, self.sums[axis] / self.sums["n"], 0), -most, most)
        return mean, (np.clip(low, -most, mean), np.clip(high, mean, most))

    def _rows(self, doubt: Fraction) -> FloatArray:
        """How many rows there are at most."""
        return np.maximum(self.sums["n"] + self._reach({"n": _ones(self.sums["n"])}, doubt * _ASIDE), 0)

    def _square_left(self, axis: str, mean: FloatArray) -> FloatArray:
        """Q - 2 m S + m^2 N, where Q is what the rows of squares add, and what each is more."""
        squares = self.sums[axis * 2] + self.moments.offsets[axis * 2] * self.sums["n"]
        return squares - 2 * mean * self.sums[axis] + mean**2 * self.sums["n"]

    def _product_left(self, one: FloatArray, other: FloatArray) -> FloatArray:
        """P - m T - n S + m n N."""
        sums = self.sums
        return sums["xy"] - one * sums["y"] - other * sums["x"] + one * other * sums["n"]

    def _corners(self, first: Ends, second: Ends) -> list[FloatArray]:
        """The same at all corners of a box: it is a straight line along each side, so nowhere farther."""
        return [self._product_left(one, other) for one in first for other in second]

    def _rounded(self, one: str, other: str, first: Ends, second: Ends) -> FloatArray:
        """How far the product of two rows, measured from the means, may be off by rounding."""
        rounding, role = self.moments.rounding, one + other
        beside = rounding[one] * (_largest(second) + rounding[other]) + rounding[other] * _largest(first)
        return rounding[role] + beside


def _narrowed(ends: Ends, left: Ends, many: FloatArray, off: Callable[[Ends], FloatArray]) -> Ends:
    """Where |left - v N| <= what may be off, taken at its largest in what is left of v."""
    for _ in range(_NARROWINGS):
        aside = off(ends)
        ends = _met(ends, _over((left[0] - aside, left[1] + aside), many))
    return ends


def _first_slope(top: FloatArray, bottom: FloatArray, near: FloatArray, off: FloatArray) -> Ends:
    """A bound to begin with: beyond B = `near`, all that is off grows at most in proportion, to |b| off / B.

    So |top - b bottom| <= |b| off / B, and |b| <= |top| / (bottom - off / B) if it is not below B.
    """
    most = np.where(bottom > off / near, np.maximum(near, np.abs(top) / (bottom - off / near)), np.inf)
    return -most, most


def _spanned(values: list[FloatArray]) -> Ends:
    """From the least to the largest."""
    stack = np.stack(values)
    return stack.min(axis=0), stack.max(axis=0)


def _farthest(value: FloatArray, others: list[FloatArray]) -> FloatArray:
    """How far any of the others is from the first."""
    farthest: FloatArray = np.abs(np.stack(others) - value).max(axis=0)
    return farthest


def _ones(like: FloatArray) -> Ends:
    return np.ones_like(like), np.ones_like(like)


def _largest(ends: Ends) -> FloatArray:
    return np.maximum(np.abs(ends[0]), np.abs(ends[1]))


def _product(one: Ends, other: Ends) -> Ends:
    corners = np.stack([one[0] * other[0], one[0] * other[1], one[1] * other[0], one[1] * other[1]])
    return corners.min(axis=0), corners.max(axis=0)


def _squared(box: Ends) -> Ends:
    inside = (box[0] <= 0) & (box[1] >= 0)
    ends = box[0] ** 2, box[1] ** 2
    return np.where(inside, 0, np.minimum(*ends)), np.maximum(*ends)


def _over(ends: Ends, many: FloatArray) -> Ends:
    """Divided by what is positive; elsewhere nothing is known."""
    return (
        np.where(many > 0, ends[0] / many, -np.inf),
        np.where(many > 0, ends[1] / many, np.inf),
    )


def _met(one: Ends, other: Ends) -> Ends:
    """What both allow; where that is nothing, or nothing is known, what the first does."""
    low, high = np.fmax(one[0], other[0]), np.fmin(one[1], other[1])
    return np.where(low <= high, low, one[0]), np.where(low <= high, high, one[1])
